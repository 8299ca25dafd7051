"""GraphDef as text (`.pbtxt`) to columns, most of it without protobuf's slow parser.

    graph        nodes of a text, as columns
    headers      name, op, inputs and device of all nodes at once

Only `loaders.graph_def` imports it.
"""
