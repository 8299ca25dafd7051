"""XPlane traces: a file, a TensorBoard log folder, or a folder that `tfprof.capture` wrote.

    folders           where the files of a trace are
    planes            the planes and lines of an XSpace
    events            the events of a plane as columns
    event_kinds       what events are, by their names
    event_stats       stats of events and of their names
    nesting           which events contain which others
    op_events         executions of ops: root, times and step
    op_names          the node and the op of each
    name_budget       the bytes that names may have which are made of others
    steps             the step of each execution
    device_ops        what accelerators ran
    device_programs   the compiled programs that they ran
    allocations       the memory that they allocated
    host_trace        the events of one host and its accelerators

`loaders.hlo` and `loaders.traces` are on top of it.
"""
