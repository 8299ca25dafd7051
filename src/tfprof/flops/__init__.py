"""Float operations, multiply-adds and parameters of models.

    node_flops             flop_columns of a profile, by count_profile when they are first read:
                           static_counts where the graph states all shapes, else graph_counts;
                           batch_sizes binds the sizes of the batches that ran
    model_cost             `tfprof.cost`: totals and nodes of a model; explain_node one of them
    op_type_table          its table of op types
    layer_table            `tfprof.model`: the table of layers
    layers/                what the layers of a model are, and their rows
    cost_display           costs and tables printed, in a notebook, as a data frame
    ledger                 what was counted, what not and why; missing_inputs what is not there

    interpreter            shapes through calls, branches and loops; the one engine below all these
    rules/                 one FLOP formula per op type
    hlo/                   programs that XLA compiled
    shapes/                shape inference per op type
    totals, call_sites     sums over functions, and functions under their runtime names
    control_flow           what branches and loops do to shapes
    trip_counts, v1_loops  how often loops run by the graph, recorded_trip_counts by a run
    tensors                what is known of a tensor, limit_tensors keeps it within bounds
    polynomial             numbers with symbols, of monomials and atoms; polynomial_text prints them
    symbols                the names of unknown sizes and trip counts

    model_graph            a model in the form that is counted
    model_inputs           files and messages in this form, live_models objects of TensorFlow,
                           keras_file `.keras` files
    profile_graph          the same from the columns of a profile
    variables              parameters, optimizer_slots the variables of optimizers
    tf_formulas            TensorFlow's 46 formulas, tf_counts their count: for `compat` only
    attr_codes             codes by which equal nodes are found
    close_node_names       the names of nodes that a user may have meant

`views` and everything above may import it.
"""
