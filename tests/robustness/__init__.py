"""What must not break tfprof: the original's crashes, hostile input, faults, and limits."""
