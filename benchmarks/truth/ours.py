"""Our count of every SavedModel on disk: `python -m benchmarks.truth.ours FOLDER [NAME]`.

A process without TensorFlow, which is checked at its end.
"""

from __future__ import annotations

import sys
from math import prod
from pathlib import Path
from typing import Any

from benchmarks.truth.case import Case
from benchmarks.truth.store import found, measure, path, wanted

__all__ = ["our_cost"]


def our_cost(source: Any, **options: Any) -> Any:
    """What the project answers."""
    import tfprof

    return tfprof.cost(source, **options)


def main(argv: list[str]) -> int:
    """Count anew, each time."""
    folder, cases = Path(argv[0]), wanted("".join(argv[1:2]))
    for case in cases:
        path(folder, case, "ours").unlink(missing_ok=True)
    measure(folder, "ours", cases, lambda case: _count(folder, case))
    assert not {"tensorflow", "keras"} & set(sys.modules)
    return 0


def _count(folder: Path, case: Case) -> dict[str, Any]:
    from tfprof.flops.polynomial import pretty, symbol

    made = our_cost(folder / case.slug / "saved_model")
    truth = found(folder, case, "original")["truth"]
    expected = truth * prod((symbol(name) for name in made.symbols), start=1)
    sizes = dict.fromkeys(made.symbols, case.batch)
    once = made.bind(**sizes)
    exact = made.contraction_float_ops == expected and len(made.symbols) == case.unknown
    return {
        "exact": exact and _op_view(folder / case.slug / "saved_model", sizes) == once.float_ops,
        "shown": pretty(made.contraction_float_ops),
        "contractions": once.contraction_float_ops,
        "elementwise": once.elementwise_float_ops,
        "complete": made.ledger.complete,
        "ledger": made.ledger.summary(),
        "notes": list(made.ledger.notes),
        "unknown": dict(made.ledger.unknown_ops),
        "counted": made.ledger.counted,
        "free": made.ledger.zero_cost,
        "params": made.params,
        "trainable": made.trainable_params,
        "ops": sorted(op for op, total in made.by_op_type.items() if total.macs != 0),
    }


def _op_view(model: Path, sizes: dict[str, int]) -> int:
    """The sum that `tfprof op -select float_ops` shows, which has to be that of the cost."""
    import tfprof

    report = tfprof.load(model, bind=sizes).report("op", select=["float_ops"])
    found: int = report.root.total["float_ops"]
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
