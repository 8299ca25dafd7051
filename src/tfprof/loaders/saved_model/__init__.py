"""SavedModel folders.

    graph            what a signature runs
    variables        shapes and types that the graph lacks
    keras_metadata   names and classes of Keras 2 layers

Other packages import all three.
"""
