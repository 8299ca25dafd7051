"""The functions of a graph: bodies, calls, and the graph with all calls expanded.

    library       a graph and its functions as bodies with resolved inputs
    calls         which op types call functions, and how the callee's nodes are named
    expand        every node that can run, under its runtime name
    output_args   names of the outputs of op types

`resolve`, `flops` and everything above may import it.
"""
