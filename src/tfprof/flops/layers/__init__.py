"""The layers of a model: what they are called, which nodes and variables are theirs.

    layer_tree            layers as a source describes them, and with the nodes of each
    live_layers           of a live Keras 3 model, which is traced
    keras_3_saved_model   of a Keras 3 SavedModel: variables, and which objects are models
    keras_2_saved_model   of a Keras 2 SavedModel, by its metadata

    find_layers           the nodes of each layer, from whichever of these there is
    infer_keras_3_layers  layers by the scopes and variables of a Keras 3 graph
    match_layer_names     the nodes of layers whose names are known
    scopes_as_layers      name scopes in place of layers, where nothing is said of layers

    scope_tree            name scopes as a tree, and which are calls of layers
    functional_operations operations of a functional model that are no layers
    variable_reads        which variables nodes read
    functional_order      the order in which Keras lists layers
    output_shapes         the tensors that leave a layer

    layer_rows            the rows of the table: work and parameters summed over layers

`layer_table` shows the rows.
"""
