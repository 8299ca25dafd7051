"""From a running TensorFlow program to a profile: graph, variables, stacks.

Nothing here imports TensorFlow: it is used only where the caller has it imported already.
"""
