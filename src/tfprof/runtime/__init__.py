"""How the process runs: the allocator, the garbage collector, text that is safe to print.

    malloc      keep freed memory for what is allocated next
    gc_pause    pause the garbage collector
    lazy        properties that are computed once
    fork        free locks in the child of a fork
    out_of_memory   what to tell when memory runs out
    exceptions  tell errors from requests to end
    silence     discard what libraries write to standard error
    printable   escape control characters
    terminal    styles, widths and shortened names for a terminal

Every package may import it; it imports nothing of tfprof.
"""
