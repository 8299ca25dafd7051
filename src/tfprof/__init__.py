"""tfprof."""
