"""Float operations, multiply-adds and parameters of models.

    rules/    one FLOP formula per op type
    shapes/   shape inference per op type

Views, `tfprof cost`, `tfprof model`, `write_op_log` and advice all count with it.
"""
