"""The interface of `tf.compat.v1.profiler`, so that existing programs run unchanged.

    function_steps    what ProfileContext does where no session runs
    install           replace TensorFlow's profiler by this one
    model_analyzer    the functions and options of 2017
    profile_context   ProfileContext, which traces session runs
    session_run       one call of `run`
    trace_schedule    which runs are traced

`cli` and everything above may import it.
"""
