"""Functions of graphs in the views, and run-time names joined to nodes."""
