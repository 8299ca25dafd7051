"""Functions of graphs in the views, and runtime names mapped to nodes."""
