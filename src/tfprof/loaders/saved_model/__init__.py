"""SavedModel folders.

graph        what a signature runs
variables    shapes and types that the graph lacks
debug_info   code traces
"""
