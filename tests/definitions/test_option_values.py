"""What options are by default, which values they take, and how they are printed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tfprof.definitions.metrics import METRICS
from tfprof.definitions.options import (
    ALL_LEVELS,
    OPTIONS,
    Option,
    Options,
    format_options,
    format_value,
    join_list,
    listed_options,
    split_list,
)
from tfprof.definitions.quirks import ORIGINAL, REPAIRED
from tfprof.errors import OptionError

EXTENSIONS = {
    "min_wall_micros",
    "min_macs",
    "min_executed_float_ops",
    "min_live_bytes",
    "at",
    "since",
    "until",
    "max_values",
    "tensor_statistics",
}
UNCHECKED = replace(REPAIRED, names_unchecked=True)


def test_defaults():
    options = Options()
    assert ALL_LEVELS == 2_147_483_647
    assert all(options[name] == 0 for name in OPTIONS if name.startswith("min_"))
    assert {name: options[name] for name in OPTIONS if not name.startswith("min_")} == {
        "max_depth": 10,
        "step": -1,
        "at": -1,
        "since": -1,
        "until": -1,
        "order_by": "name",
        "account_type_regexes": (".*",),
        "start_name_regexes": (".*",),
        "trim_name_regexes": (),
        "show_name_regexes": (".*",),
        "hide_name_regexes": (),
        "account_displayed_op_only": False,
        "select": ("micros",),
        "output": "stdout",
        "max_values": 100,
        "tensor_statistics": False,
    }


def test_options_that_the_original_lacks():
    assert {option.name for option in listed_options() if option.extension} == EXTENSIONS
    # Half of them are of one metric: where it is unknown, so are they.
    metrics = {option.name: option.metric for option in listed_options() if option.metric}
    assert metrics.pop("at") == "live_bytes"
    assert metrics == {f"min_{name}": name for name, row in METRICS.items() if row.minimum}


def test_rows_of_the_table():
    added = Option("a", "text", "", "a text")
    assert (added.extension, added.metric, added.listed, added.choices) == (False, "", True, ())
    assert len(OPTIONS) == len(list(OPTIONS)) == len(set(OPTIONS))
    own, inclusive = OPTIONS["min_self_bytes"], OPTIONS["min_total_bytes"]
    assert (own.default, own.extension, own.listed, own.metric) == (0, True, False, "bytes")
    assert own.help == OPTIONS["min_bytes"].help + " (self value)"
    assert inclusive.help == OPTIONS["min_bytes"].help + " (inclusive value)"
    for name in ("min_op_types", "min_none", "bytes", ""):
        with pytest.raises(KeyError):
            OPTIONS[name]


def test_options_can_be_keys():
    assert len({Options(), Options(), Options(step=1)}) == 2
    assert hash(Options.build(min_self_bytes=1)) == hash(Options())


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([1], "options: a list was given; pass Options, a dict or keywords"),
        ({"account_displayed_op_only": "yes"}, "'yes' is neither true nor false"),
        ({"max_depth": 1.5}, "1.5 is not a whole number"),
        ({"max_depth": True}, "True is not a whole number"),
        ({"max_depth": 2**63}, "does not fit in 64 bits"),
        ({"max_depth": -(2**63) - 1}, "does not fit in 64 bits"),
        ({"output": 1}, "option 'output': 1 is not a string"),
        ({"order_by": 1}, "option 'order_by': 1 is not a string"),
        ({"order_by": "microz"}, "unknown value 'microz'; did you mean 'micros'?"),
        ({"select": ["micros", 1]}, "option 'select': 1 is not a string"),
        ({"select": ["nothing_like_it"]}, "known are bytes, "),
        ({"hide_name_regexes": 1}, "1 is not a list of strings"),
        ({"at": "soon"}, "'soon' is not a time such as 641ms, 1.5s or 300us"),
        ({"at": -2}, "-2 is before the start of the step"),
        ({"max_dept": 1}, "unknown option 'max_dept'; did you mean 'max_depth'?"),
    ],
)
def test_values_that_are_refused(values: Any, text: str):
    with pytest.raises(OptionError) as error:
        Options.build(values)
    assert text in str(error.value)


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("max_depth", 2**63 - 1, 2**63 - 1),
        ("max_depth", -(2**63), -(2**63)),
        ("account_displayed_op_only", 1, True),
        ("account_displayed_op_only", False, False),
        ("select", "params", ("params",)),
        ("select", ["params", "bytes"], ("params", "bytes")),
        ("hide_name_regexes", ["a", "b"], ("a", "b")),
        ("show_name_regexes", "a", ("a",)),
        ("at", "641ms", 641_000),
        ("at", -1, -1),
        ("at", 7, 7),
        ("dump_to_file", "", "stdout"),
        ("dump_to_file", "f", "file:outfile=f"),
    ],
)
def test_values_that_are_taken(name: str, given: Any, value: Any):
    options = Options.build({name: given})
    assert options["output" if name == "dump_to_file" else name] == value


def test_options_as_they_are():
    options = Options(step=3)
    assert Options.build(options) is options
    assert Options.build(options, max_depth=4) == Options(step=3, max_depth=4)
    assert Options.build(min_self_bytes=7)["min_self_bytes"] == 7
    assert Options.build(min_self_bytes=7)["min_total_bytes"] == 0


def test_values_of_unchecked_names():
    options = Options.build(
        {"nothing": 1, "max_depth": "7", "account_displayed_op_only": "x", "select": ["a", "b"]},
        UNCHECKED,
    )
    assert options == Options(max_depth=7, account_displayed_op_only=True, select=("a", "b"))
    with pytest.raises(TypeError):
        Options.build({"max_depth": 1.5}, UNCHECKED)
    with pytest.raises(TypeError):
        Options.build({"at": 1.5}, UNCHECKED)


def test_lists_that_the_original_is_not_given_are_empty():
    assert Options.build({}, ORIGINAL).select == ()
    assert Options.build({}, ORIGINAL).start_name_regexes == ()
    assert Options.build({"select": ["bytes"]}, ORIGINAL).select == ("bytes",)


@pytest.mark.parametrize("name", ["at", "min_live_bytes"])
def test_options_of_metrics_that_the_original_lacks(name: str):
    with pytest.raises(OptionError) as error:
        Options().with_values({name: 1}, ORIGINAL)
    assert f"unknown option '{name}'" in str(error.value)
    with pytest.raises(OptionError, match="did you mean 'min_float_ops'"):
        Options().with_values({"min_float_op": 1}, ORIGINAL)
    with pytest.raises(OptionError, match="unknown value 'live_bytes'"):
        Options().with_values({"order_by": "live_bytes"}, ORIGINAL)
    assert Options().with_values({"order_by": "bytes"}, ORIGINAL).order_by == "bytes"


def test_order_by_difference_is_unknown_to_the_original():
    assert Options.build({"order_by": "delta"}).order_by == "delta"
    with pytest.raises(OptionError, match="unknown value 'delta'"):
        Options().with_values({"order_by": "delta"}, ORIGINAL)


def test_lists_as_they_are_typed():
    assert split_list(r"a,b\,c,\d+,,d\\") == ("a", "b,c", r"\d+", r"d\\")
    assert join_list(["a", "b,c"]) == r"a,b\,c"
    assert [format_value(value) for value in (True, False, 7, "x", ("a,b", "c"))] == [
        "true",
        "false",
        "7",
        "x",
        r"a\,b,c",
    ]


def test_options_as_they_are_printed():
    options = Options(
        select=("params", "bytes", "params"),
        hide_name_regexes=("a,b", "c"),
        account_displayed_op_only=True,
        output="timeline",
    )
    shown = dict(format_options(options))
    assert shown["-select"] == "bytes,params"
    assert shown["-hide_name_regexes"] == "a,b,c"
    assert shown["-account_displayed_op_only"] == "true"
    assert shown["-tensor_statistics"] == "false"
    assert shown["-output"] == "timeline:"
    assert shown["-max_depth"] == "10"
    assert dict(format_options(replace(options, output="")))["-output"] == "stdout:"
    given = replace(options, output="file:outfile=f")
    assert dict(format_options(given))["-output"] == "file:outfile=f"


def test_options_that_are_listed():
    names = [name for name, _ in format_options(Options())]
    assert names == [f"-{option.name}" for option in listed_options()]
    assert "-min_self_bytes" not in names
    assert "-min_self_bytes" in dict(format_options(Options.build(min_self_bytes=1)))
    original = [name for name, _ in format_options(Options(), extensions=False)]
    assert original == [name for name in names if name[1:] not in EXTENSIONS]
