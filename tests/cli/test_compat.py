"""`--compat` against the original's own `file:` output, on the demo's files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cli.conftest import call
from tests.oracle.original import Call, Original
from tfprof import demo
from tfprof.definitions.options import OPTIONS, format_value

PATHS = demo.paths()
FILES = {
    "graph_path": str(PATHS["graph"]),
    "run_meta_path": ",".join(map(str, PATHS["run_meta"])),
    "op_log_path": str(PATHS["op_log"]),
}
# What the original's command line takes when nothing is given.
DEFAULTS = {option.name: option.default for option in OPTIONS.values() if not option.extension}

CASES: list[tuple[str, dict[str, Any]]] = [
    *((view, {}) for view in ("scope", "graph", "op", "code")),
    ("scope", {"select": ("params",), "account_type_regexes": ("VariableV2",), "max_depth": 4}),
    ("scope", {"select": ("params",), "account_type_regexes": ("_trainable_variables",)}),
    ("scope", {"select": ("bytes", "micros"), "order_by": "micros", "min_micros": 10_000}),
    ("scope", {"select": ("float_ops",), "min_float_ops": 1, "account_displayed_op_only": True}),
    ("graph", {"start_name_regexes": ("cost.*",), "max_depth": 100, "min_micros": 10_000}),
    ("op", {"select": ("micros", "bytes", "occurrence"), "order_by": "micros", "max_depth": 99}),
    ("op", {"select": ("params", "float_ops", "input_shapes", "device"), "step": 1}),
    ("code", {"show_name_regexes": (".*resnet.*",), "max_depth": 99, "order_by": "micros"}),
    ("code", {"select": ("params", "op_types"), "trim_name_regexes": (".*_residual.*",)}),
]


@pytest.fixture(scope="module")
def original() -> Iterator[Original]:
    server = Original()
    yield server
    server.close()


def test_compat_is_the_original_byte_for_byte(original: Original) -> None:
    graph, op_log = PATHS["graph"].read_bytes(), PATHS["op_log"].read_bytes()
    job: list[Call] = [("new", graph, op_log)]
    for step, path in enumerate(PATHS["run_meta"]):
        job.append(("add_step", step, b"", path.read_bytes(), b""))
    for view, given in CASES:
        options = {**DEFAULTS, **given, "output": "file"}
        job.append(("report", view, {k: _plain(value) for k, value in options.items()}))
    answers = original.run([job])[0]
    assert len(answers) == len(job), answers[-1].error
    flags = [f"--{name}={path}" for name, path in FILES.items()]
    for (view, given), answer in zip(CASES, answers[-len(CASES) :], strict=True):
        words = [f"--{name}={format_value(value)}" for name, value in given.items()]
        done = call(*flags, "--compat", view, *words)
        assert (done.status, done.out) == (0, answer.files[0][1]), (view, given)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
