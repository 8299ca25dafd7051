"""Float operations, multiply-adds and parameters of models.

    node_flops             flop_columns of a profile, by count_profile when they are first read
    model_cost             `tfprof.cost`: totals, nodes and explanations of a model
    layer_table            `tfprof.model`: the table of layers
    ledger                 what was counted, what not and why

    interpreter            shapes through calls, branches and loops; the one engine below all these
    rules/                 one FLOP formula per op type
    shapes/                shape inference per op type
    totals, call_sites     sums over functions, and functions under their runtime names
    control_flow           what branches and loops do to shapes
    trip_counts, v1_loops  how often loops run by the graph, recorded_trip_counts by a run
    tensors, polynomial    what is known of a tensor, and numbers with symbols

    model_inputs           files and live models in the form that is counted
    profile_graph          the same from the columns of a profile
    variables              parameters, optimizer_slots the variables of optimizers
    tf_formulas            TensorFlow's 46 formulas, tf_counts their count: for `compat` only

`recording`, `reports` and everything above may import it.
"""
