"""What tfprof says about memory, compared with memray around real training steps.

models     seven models of an open batch size
measure    one process per model: memray's peak and the trace of each batch size
compare    recorded peaks and predictions against memray
page       the table in docs/memory.md
"""
