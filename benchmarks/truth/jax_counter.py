"""JAX's cost analysis: `python -m benchmarks.truth.jax_counter FOLDER [NAME]`.

It counts the lowered program of the same Keras models, before the compiler changes it, with
element-wise work included.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from benchmarks.truth.case import Case
from benchmarks.truth.store import measure, note_versions, quiet, wanted
from benchmarks.truth.torch_counters import sample


def main(argv: list[str]) -> int:
    """Count every Keras model."""
    os.environ["KERAS_BACKEND"] = "jax"
    cases = [case for case in wanted("".join(argv[1:2])) if case.kind != "function"]
    folder = Path(argv[0])
    note_versions(folder, "jax")
    with quiet() as log:
        measure(folder, "jax", cases, _jax, log=log)
    return 0


def _jax(case: Case) -> dict[str, Any]:
    import jax
    import keras

    keras.backend.clear_session()
    model = case.build(keras)
    training = case.kind == "train"

    def run(weights: Any, rest: Any, x: Any) -> Any:
        result, _ = model.stateless_call(weights, rest, x, training=training)
        return keras.ops.mean(keras.ops.square(result)) if training else result

    program = jax.jit(jax.value_and_grad(run) if training else run)
    values = [
        [variable.value for variable in variables]
        for variables in (model.trainable_variables, model.non_trainable_variables)
    ]
    analysis = program.lower(*values, sample(keras, model, case.batch)).cost_analysis()
    return {"float_ops": int(analysis["flops"])}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
