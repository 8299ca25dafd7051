"""GraphDef as text (`.pbtxt`) to columns and wire bytes, without protobuf's slow parser.

    graph        nodes of a text, as columns
    headers      name, op, inputs and device of all nodes at once
    attributes   attributes, each distinct one once
    message      any message in the form of protobuf's writers, to wire bytes
    escapes      escape sequences of strings

Only `loaders` imports it.
"""
