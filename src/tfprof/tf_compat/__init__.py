"""The interface of `tf.compat.v1.profiler`, so that existing programs run unchanged.

    install           replace TensorFlow's profiler by this one
    model_analyzer    the functions and options of 2017
    option_builder    ProfileOptionBuilder
    profile_context   ProfileContext, which traces session runs by a schedule
    tfprof_logger     write_op_log under its name of 2017

Only the command line may import it.
"""
