"""A live TensorFlow program: its graphs, variables, stacks and sessions.

Nothing here imports TensorFlow: it is used only where the caller has it imported already.
"""
