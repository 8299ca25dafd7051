"""From a running TensorFlow program to a profile: graph, variables, stacks.

    build_profile        a profile from a caller's graph, runs and op log
    live_graph           the columns of a graph, with the shapes that TensorFlow inferred
    variables            which variables it trains or captures
    stacks               the Python stacks that created its operations
    model_log            the op log of it, and of a caller, merged
    tensorflow_objects   what a caller's object is

    capture              trace steps of a TensorFlow 2 program into a folder
    capture_pair         the same for two versions of a step in turn, for `tfprof gate`
    keras_callback       the same for some steps of `fit`
    step_capture         the same for some calls of a function or runs of a session
    run_script           the same for a script, without a change to it
    captured_functions   the graphs, stacks and variables of the functions in a trace
    eager_nodes          the ops that Python runs one by one, with their stacks

Only captures import TensorFlow: elsewhere it is used where the caller has it imported already.
`reports` and everything above may import it.
"""
