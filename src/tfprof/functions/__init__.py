"""The functions of a graph: bodies, calls, and the graph with all calls expanded.

    library       a graph and its functions as bodies with resolved inputs
    calls         which op types call functions, and the runtime names of the callee's nodes
    expand        every node that can run, under its runtime name
    output_args   names of the outputs of op types

`resolve` and everything above may import it.
"""
