"""How the process runs: the allocator, the garbage collector, text that is safe to print.

    malloc      keep freed memory for what is allocated next
    gc_pause    pause the garbage collector
    printable   escape control characters

Every package may import it; it imports nothing of tfprof.
"""
