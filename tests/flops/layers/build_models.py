"""Builds models, asks Keras and tfprof about them in memory, and saves them in every form.

    python -m tests.flops.layers.build_models FOLDER MODEL…

`MODEL` is the name of a model, or `fresh:` and the name: then Keras counts names from the start.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

from tests.flops.layers.tables import table_of


def build(folder: Path, wanted: str) -> None:
    """Write `<model>.json` with the answers, and the model as an export, save and `.keras`."""
    import keras
    import tensorflow as tf

    from tests.flops.layers.expected import expected_rows
    from tests.flops.layers.keras_models import (
        APPLICATIONS,
        AUGMENTED,
        MODELS,
        NOT_LOADED,
        NOT_SAVED,
    )

    fresh, name = wanted.startswith("fresh:"), wanted.removeprefix("fresh:")
    if fresh:
        keras.utils.clear_session()
    model = {**MODELS, **APPLICATIONS}[name]()
    path = folder / wanted.replace(":", "_")
    answers: dict[str, Any] = {
        "expected": expected_rows(model),
        "params": model.count_params(),
        "compiled": bool(model.compiled),
        "augmented": name in AUGMENTED,
        "subclassed": not (hasattr(model, "_operations") or isinstance(model, keras.Sequential)),
        "memory": table_of(model),
    }
    model.export(f"{path}.export", verbose=False)
    if name not in NOT_SAVED:
        tf.saved_model.save(model, f"{path}.save")
    model.save(f"{path}.keras")
    if name not in NOT_LOADED:
        answers["keras"] = table_of(Path(f"{path}.keras"))
    Path(f"{path}.json").write_text(json.dumps(answers))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for each in sys.argv[2:]:
        build(Path(sys.argv[1]), each)
