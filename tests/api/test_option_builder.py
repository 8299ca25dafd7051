"""Option builders and presets against the original's."""

from __future__ import annotations

import inspect
import random
from typing import Any

import pytest

from tfprof import ProfileOptionBuilder
from tfprof.definitions.options import Options
from tfprof.definitions.quirks import ORIGINAL
from tfprof.tf_compat import model_analyzer

PRESETS = ("trainable_variables_parameter", "float_operation", "time_and_memory")
CALLS: dict[str, list[tuple[Any, ...]]] = {
    "with_max_depth": [(3,)],
    "with_min_memory": [(), (1, 2, 3, 4)],
    "with_min_execution_time": [(), (5, 6, 7)],
    "with_min_parameters": [(8,)],
    "with_min_occurrence": [(9,)],
    "with_min_float_operations": [(10,)],
    "with_accounted_types": [(["Conv2D", "gpu.*"],)],
    "with_node_names": [(), (["a"],), (None, ["b"], ["c"], ["d"]), ([], None, [], None)],
    "account_displayed_op_only": [(True,), (False,)],
    "with_empty_output": [()],
    "with_stdout_output": [()],
    "with_file_output": [("f",)],
    "with_timeline_output": [("t",)],
    "with_pprof_output": [("p",)],
    "order_by": [("bytes",)],
    "select": [(["bytes", "params"],)],
    "with_step": [(11,)],
}


@pytest.fixture(scope="session")
def original(tf: Any) -> Any:
    return tf.compat.v1.profiler.ProfileOptionBuilder


def test_presets_are_the_originals(original: Any) -> None:
    for name in PRESETS:
        assert getattr(ProfileOptionBuilder, name)() == getattr(original, name)()
    arguments = dict.fromkeys(inspect.signature(original.time_and_memory).parameters, 4)
    expected = original.time_and_memory(**arguments)
    assert ProfileOptionBuilder.time_and_memory(**arguments) == expected
    assert ProfileOptionBuilder().build() == original().build()


def test_every_method_has_the_originals_signature(original: Any) -> None:
    public = {name for name in vars(original) if not name.startswith("_")}
    assert public == {name for name in vars(ProfileOptionBuilder) if not name.startswith("_")}
    assert public == {*CALLS, *PRESETS, "build"}
    for name in public:
        theirs, ours = (getattr(kind, name) for kind in (original, ProfileOptionBuilder))
        expected = [(p.name, p.default) for p in inspect.signature(theirs).parameters.values()]
        actual = [(p.name, p.default) for p in inspect.signature(ours).parameters.values()]
        assert actual == expected, name


def test_chains_of_calls_build_the_same(original: Any) -> None:
    dice = random.Random(3)
    calls = [(name, arguments) for name, many in CALLS.items() for arguments in many]
    for _ in range(200):
        start = dice.choice([None, ProfileOptionBuilder.time_and_memory(), {}])
        ours, theirs = ProfileOptionBuilder(start), original(start)
        for name, arguments in dice.choices(calls, k=dice.randint(0, 8)):
            ours, theirs = (getattr(b, name)(*arguments) for b in (ours, theirs))
        assert ours.build() == theirs.build()


def test_what_is_built_is_a_copy() -> None:
    start = ProfileOptionBuilder.float_operation()
    builder = ProfileOptionBuilder(start)
    builder.build()["select"].append("bytes")
    start["select"].append("params")
    chosen = ["micros"]
    builder.select(chosen)
    chosen.append("bytes")
    assert builder.build()["select"] == ["micros"]
    assert ProfileOptionBuilder.float_operation()["select"] == ["float_ops"]


@pytest.mark.parametrize("quirks", [None, ORIGINAL])
def test_presets_are_valid_options(quirks: Any) -> None:
    more = (
        model_analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
        model_analyzer.FLOAT_OPS_OPTIONS,
        model_analyzer.PRINT_PARAMS_ON_DEVICE,
        model_analyzer.PRINT_ALL_TIMING_MEMORY,
    )
    for options in (*(getattr(ProfileOptionBuilder, name)() for name in PRESETS), *more):
        built = Options.build(options, quirks) if quirks else Options.build(options)
        assert built.max_depth == options["max_depth"]
        assert built.select == tuple(options["select"])


def test_options_of_2017_have_the_keys_of_2017() -> None:
    keys = set(ProfileOptionBuilder().build()) - {"min_occurrence", "step"} | {"dump_to_file"}
    table = {
        "TRAINABLE_VARS_PARAMS_STAT_OPTIONS": (
            10000,
            0,
            0,
            0,
            "name",
            "_trainable_variables",
            True,
            ["params"],
        ),
        "FLOAT_OPS_OPTIONS": (10000, 0, 0, 1, "float_ops", ".*", True, ["float_ops"]),
        "PRINT_PARAMS_ON_DEVICE": (
            1,
            0,
            0,
            0,
            "name",
            ".*ps.*task:0.*",
            False,
            ["device", "params"],
        ),
        "PRINT_ALL_TIMING_MEMORY": (10000, 1, 1, 0, "name", ".*", True, ["micros", "bytes"]),
    }
    for name, (depth, size, micros, flops, order, types, shown, select) in table.items():
        options = getattr(model_analyzer, name)
        assert set(options) == keys
        actual = [options[key] for key in ("max_depth", "min_bytes", "min_micros", "min_float_ops")]
        assert actual == [depth, size, micros, flops]
        assert (options["order_by"], options["account_type_regexes"]) == (order, [types])
        assert (options["account_displayed_op_only"], options["select"]) == (shown, select)
