"""Programs that XLA compiled, from the HLO that traces contain, as nodes of a profile.

    module         the instructions of a program, and which computation calls which
    trip_counts    how often a run of a program executes each computation
    op_names       scope, framework op and direction from the name that a framework gave
    origins        which op of the program each instruction comes from
    tf_functions   the nodes of captured TensorFlow functions that instructions come from
    stack_table    stacks as columns
    parameters     which arguments of a program are parameters of the model
    buffers        what a run holds in memory, from the buffer assignment
    nodes          instructions as nodes: names, inputs, types, stacks
    node_table     the nodes as columns
    run_memory     the runs of programs, and what they hold in memory
    executions     executions of instructions as records of their nodes
    programs       the programs of a trace: the nodes and records of all of them

`loaders.traces` imports it when a trace has such programs.
"""

ATTRIBUTE = "_hlo"
"""The attribute of a node that has its instructions (an HloNode)."""
