"""One-shot, piped and Python answers are the same bytes, whatever the options."""

from __future__ import annotations

import re
import shlex
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.conftest import Tfprof
from tfprof.api.profile import Profile
from tfprof.cli.defaults import options_for
from tfprof.definitions.metrics import METRICS, orders
from tfprof.definitions.options import OPTIONS, Option, format_value
from tfprof.outputs.text import text_bytes
from tfprof.views import VIEWS

REGEXES = (
    ".*",
    "unit_1.*",
    "gradients/.*",
    "Conv2D.*",
    ".*(DW|gamma)",
    "VariableV2",
    "_trainable_variables",
    ".*cpu:0",
    ".*resnet_model.py.*",
    "a{1,2}.*",
    "no such, 'name'",
)
UNKNOWN = "|".join((*(name for name, metric in METRICS.items() if metric.extension), "at"))
NOT_IN_THE_ORIGINAL = re.compile(rf"(?<![a-z])(min_(self_|total_)?)?({UNKNOWN})(?![a-z_])")
"""Metrics and their options that compat does not know."""


def values(option: Option) -> st.SearchStrategy[Any]:
    """Values that an option can take."""
    if option.kind == "integer":
        small = st.integers(-1, 1) if option.name == "step" else st.sampled_from([0, 1, 3, 10_000])
        return small if option.name != "max_depth" else st.integers(0, 12)
    if option.kind == "time":
        return st.just(-1)  # another time needs live_bytes to be selected
    if option.kind == "order":
        return st.sampled_from(orders())
    if option.kind == "flag":
        return st.booleans()
    if option.kind == "select":
        return st.lists(st.sampled_from(list(METRICS)), min_size=1, max_size=4).map(tuple)
    if option.kind == "output":
        return st.just("stdout")
    return st.lists(st.sampled_from(REGEXES), max_size=3).map(tuple)


options = st.fixed_dictionaries({}, optional={name: values(o) for name, o in OPTIONS.items()})


@settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.sampled_from(list(VIEWS)), options, st.booleans(), st.booleans())
def test_shell_flags_and_python_agree(
    run_demo: Tfprof,
    demo_profile: Profile,
    view: str,
    given: dict[str, Any],
    compat: bool,
    legend: bool,
) -> None:
    switches = ["--compat"] * compat
    words = [view, *(f"-{name}={format_value(value)}" for name, value in given.items())]
    words += ["-legend"] * legend
    flags = run_demo(*switches, *words)
    if compat and NOT_IN_THE_ORIGINAL.search(" ".join(words)):
        assert (flags.status, flags.out) == (2, b"")
        assert re.search(f"unknown (value|option) '(min_(self_|total_)?)?({UNKNOWN})'", flags.err)
        return
    shell = run_demo(*switches, stdin=shlex.join(words) + "\n")
    kept = run_demo(
        *switches, stdin=f"set {shlex.join(words[1:])}\n{view}\n".replace("-legend", "")
    )
    whole = options_for(given, has_runs=True, compat=compat, view=view)
    report = demo_profile.report(view, whole, compat=compat)
    # Without options a view shows its most important rows: tests/cli/test_overview.py.
    if given or compat:
        assert flags.out == text_bytes(report, legend=legend or None)
    assert flags == shell
    if given:
        assert kept.out == text_bytes(report)
