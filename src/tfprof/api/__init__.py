"""What programs call: every front end goes through `request`.

    functions   load, profile, advise, write_op_log
    profile     Profile: the columns, and what users do with them
    report      Report: the rows, and every output
    diff        diff, Diff: the same for what differs between two profiles
    gate        gate: base and head from files, and the verdict on a budget
    advice      advice, printed and as a message
    profiler    Profiler: a profile that steps are added to
    summary     Summary: what `summarize` finds, and `summary_text` shows
    page_panels what pages show beside rows
    page_service, server   answer what a page asks, and serve it on this machine
    arguments   checks of arguments of methods
    request     the one path from a view and options to an answer
    screen      where answers and messages are printed
    pager, progress   what a screen does on a terminal

`tf_compat` and everything above may import it.
"""
