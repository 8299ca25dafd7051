"""Reads SavedModels in a process that cannot import TensorFlow.

    python -m tests.flops.layers.read_models FOLDER

writes `<folder>.json` beside each folder of a SavedModel.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tfprof
from tests.flops.layers.tables import SIZE, table_of

for name in ("tensorflow", "keras", "tf_keras"):
    sys.modules[name] = None  # type: ignore[assignment]


def read(path: Path) -> None:
    """Write the table of a model, and what the op view shows."""
    answers = table_of(path)
    profile = tfprof.load(path, bind=dict.fromkeys(answers["symbols"], SIZE))
    report = profile.report("op", select=["float_ops"])
    answers["op view"] = report.root.total["float_ops"]
    answers["messages"] = list(report.messages)
    unbound = tfprof.load(path).report("op", select=["float_ops"])
    answers["op view, unbound"] = f"{unbound.root.total['float_ops']:,}"
    answers["op view is per example"] = "per example" in " ".join(unbound.messages)
    path.with_name(f"{path.name}.json").write_text(json.dumps(answers))


if __name__ == "__main__":
    for suffix in ("export", "save"):
        for folder in sorted(Path(sys.argv[1]).glob(f"*.{suffix}")):
            read(folder)
