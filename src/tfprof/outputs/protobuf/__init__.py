"""Protobuf messages: the result of a report, and a whole profile.

    result_proto          a report as a GraphNodeProto or MultiGraphNodeProto
    nested_messages       a tree of messages, from the bytes of its rows
    profile_proto         a profile as a ProfileProto
      profile_executions    the executions of its nodes
      profile_traces        its Python stacks
    protobuf_writer       columns to the wire format, which all of these use

The API imports `result_proto` and `profile_proto`.
"""
