"""A profile: the data of a model as immutable columns.

    profile          the `Profile`
    schema           its tables
    source_columns   what loaders return
    add_rows         rows that files add
    make_records     records that runs and traces add
    executions       executions, intervals, placements and memory from records
    intervals        unions of intervals
    trace_facts      what is known of the trace that a profile was read from
    record_columns   which records count, and as what
    devices          device names, and the device of each node
    input_shapes     the shapes of inputs
    user_code        the source line of each node
    gradients        the forward node of each gradient
    lazy_columns     columns of numbers, computed on first read
    grouping         offsets, distinct keys, orders and ranks
    string_columns   strings as bytes

`loaders` and everything above may import it.
"""
