"""The Python stacks of made-up nodes: 13 frames each, most of them shared."""

from __future__ import annotations

from functools import cache

from benchmarks.wire import integer, nested

__all__ = ["FRAMES", "stack", "strings"]

FRAMES = 13
_SITES = 61  # call sites in the model's own code that build layers
_UNKNOWN = -1  # TensorFlow 2.21 does not know where functions start

_OUTER = (
    ("train.py", "<module>"),
    ("app.py", "run"),
    ("app.py", "_run_main"),
    ("train.py", "main"),
    ("estimator/training.py", "train_and_evaluate"),
    ("estimator/estimator.py", "_train_model_default"),
    ("model/towers.py", "build_towers"),
    ("model/network.py", "inference"),
)
_INNER = (
    ("model/layers.py", "residual_layer_with_dropout"),
    ("keras/engine.py", "__call__"),
    ("framework/op_def_library.py", "_apply_op_helper"),
    ("framework/ops.py", "_create_op_internal"),
)
_SITE_FILE = "model/branches.py"


@cache
def strings() -> list[str]:
    """The strings that frames refer to by position; the first one is for none."""
    known = ["none"]
    for file, function in (*_OUTER, *_INNER):
        for text in (f"/home/user/project/{file}", function):
            if text not in known:
                known.append(text)
    known.append(f"/home/user/project/{_SITE_FILE}")
    known += [f"branch_builder_{site}" for site in range(_SITES)]
    return known


def _frame(file: str, function: str, line: int) -> bytes:
    known = strings()
    return nested(
        1,
        integer(2, line)
        + integer(5, _UNKNOWN)
        + integer(6, known.index(f"/home/user/project/{file}"))
        + integer(7, known.index(function)),
    )


def stack(line: int, kind: int, number: int) -> bytes:
    """The frames of a node of some line of a layer, outermost first."""
    return _stack(line, kind, number // 1744 % _SITES)


@cache
def _stack(line: int, kind: int, site: int) -> bytes:
    frames = [_frame(file, function, 100 + i) for i, (file, function) in enumerate(_OUTER)]
    frames.append(_frame(_SITE_FILE, f"branch_builder_{site}", 20 * site + kind))
    lines = (200 + line, 900, 750 + line % 3, 3300)
    frames += [
        _frame(file, function, number)
        for (file, function), number in zip(_INNER, lines, strict=True)
    ]
    return b"".join(frames)
