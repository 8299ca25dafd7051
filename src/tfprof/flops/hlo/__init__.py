"""Float operations of programs that XLA compiled.

    formulas         one formula per opcode
    compiled_nodes   which nodes are instructions of programs
    compiled_calls   the nodes of functions that ran as a program
    count_nodes      the float operations of the nodes that are instructions of programs

`flops.count_profile` imports all but `compiled_nodes` only for profiles with such nodes.
"""
