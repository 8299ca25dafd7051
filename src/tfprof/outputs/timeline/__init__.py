"""Timelines in the trace event format, which Perfetto and chrome://tracing open.

    writer                render the timeline of a report
    tree_trace_events     scope and code view: rows as wide as their time
    graph_trace_events    graph view: what ran when
      trace_layout          the intervals of a step, on their devices
      lanes                 which lane of its device each interval is drawn in
      flows                 arrows from producers to consumers
      memory_counters       bytes in use, and the largest allocations
      live_counters         live bytes of memory pools, and their largest blocks
      allocation_history    what nodes had allocated at each sample
      top_allocations       the largest of that
    event_args            the arguments of events

`outputs` imports `writer`; `speedscope` imports the layout of `tree_trace_events`.
"""
