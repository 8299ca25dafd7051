"""What programs call: every front end goes through `request`.

    functions   load, profile, advise, write_op_log
    profile     Profile: the columns, and what users do with them
    report      Report: the rows, and every output
    advice      advice, printed and as a message
    profiler    Profiler: a profile that steps are added to
    request     the one path from a view and options to an answer
    screen      where answers and messages are printed

`cli` and `tf_compat` may import it.
"""
