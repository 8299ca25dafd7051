"""SavedModel folders: graph, variables, debug info."""
