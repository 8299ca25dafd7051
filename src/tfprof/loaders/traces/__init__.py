"""Profiles of XPlane traces: what ran, with the programs and captured functions that it belongs to.

    read_trace    the entry point: from a file or folder to a profile
    run_columns   executions as the columns of a run
    batch_sizes   the batch sizes that ran, where the graph leaves them open

It is on top of `loaders.xplane`, which reads traces, and `loaders.hlo`, which reads the programs in
them. `loaders` imports it when a trace is read.
"""
