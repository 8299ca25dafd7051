"""The law of diffs: whole = changed + added + removed, exactly, for every view and metric.

`TFPROF_DIFF_PAIRS=10000` compares that many random pairs; the tests take a sample.
"""

from __future__ import annotations

import os
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

import tfprof
from tests.outputs.samples import random_profile
from tfprof.definitions.metrics import find_measure, number_names
from tfprof.definitions.options import ALL_LEVELS
from tfprof.diffs.match_rows import ADDED, REMOVED
from tfprof.resolve.time_totals import time_totals
from tfprof.views import VIEWS

PAIRS = int(os.environ.get("TFPROF_DIFF_PAIRS", "60"))
NUMBERS = number_names()
FILTERS = {
    "max_depth": st.integers(0, 6),
    "min_micros": st.integers(0, 10**6),
    "min_params": st.integers(0, 100),
    "min_self_bytes": st.integers(0, 10**6),
    "min_occurrence": st.integers(0, 3),
    "hide_name_regexes": st.sampled_from([[".*a.*"], ["b"], [".*[0-9]"]]),
    "show_name_regexes": st.sampled_from([[".*a.*"], ["[a-m].*"]]),
    "trim_name_regexes": st.sampled_from([["a"], [".*b"]]),
    "start_name_regexes": st.sampled_from([["a.*"], [".*/.*"]]),
    "account_type_regexes": st.sampled_from([["MatMul"], [".*[vV]ar.*"], ["Const", "Add.*"]]),
    "account_displayed_op_only": st.booleans(),
    "order_by": st.sampled_from(["delta", "name", "micros", "params", "depth"]),
}
pairs = st.fixed_dictionaries(
    {
        "seeds": st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)),
        "kind": st.sampled_from(list(VIEWS)),
        "strict": st.booleans(),
        "min_delta": st.sampled_from([0, 1, 1000]),
        "steps": st.booleans(),
    },
    optional={"filters": st.fixed_dictionaries({}, optional=FILTERS)},
)


def _side(seed, like):
    """A random profile; every second one is made like another, to have much in common."""
    return random_profile(seed if seed % 2 else like)


def _diff(pair, **options):
    first, second = random_profile(pair["seeds"][0]), _side(pair["seeds"][1], pair["seeds"][0])
    steps = {}
    if pair["steps"] and first.steps and second.steps:
        steps = {"before_step": first.steps[0], "after_step": second.steps[-1]}
    try:
        diff = tfprof.diff(
            first,
            second,
            pair["kind"],
            options,
            strict=pair["strict"],
            min_delta=pair["min_delta"],
            **steps,
        )
    except tfprof.OptionError as error:
        if not any(why in str(error) for why in ("No code trace", "no nodes")):
            raise
        return None
    return diff


@settings(max_examples=PAIRS, deadline=None)
@given(pair=pairs)
def test_whole_is_changed_added_and_removed(pair):
    filters = pair.get("filters", {})
    made = _diff(pair, select=NUMBERS, **filters)
    if made is None:
        return
    diff = made
    match = diff.whole.match
    for name in NUMBERS:
        measure = find_measure(name)
        total = diff.breakdown(name)
        assert total.delta == total.changed + total.added + total.removed
        own = diff.whole.numbers.own_delta.column(measure).tolist()
        assert total.added == sum(d for d, kind in zip(own, match, strict=True) if kind == ADDED)
        assert total.removed == sum(
            d for d, kind in zip(own, match, strict=True) if kind == REMOVED
        )
        assert diff.root.delta[name] == total.delta
        assert diff.root.before[name] == total.before
        if not filters.get("account_displayed_op_only"):
            _check_reports(diff, name, total)


def _check_reports(diff, name, total):
    """The totals are those of the two reports, which know nothing of a diff."""
    for report, number in ((diff.before, total.before), (diff.after, total.after)):
        root = report.total[0, find_measure(name)]
        if name == "wall_micros":
            root += _idle(report)
        assert number == root, name


def _idle(report):
    """The time of a step, on average, in which nothing ran: what the ops do not take of it."""
    totals = [step for step in time_totals(report.profile).steps if _is_compared(report, step.step)]
    if not totals:
        return 0
    wall = sum(step.wall_ns for step in totals)
    count = 1000 * len(totals)
    busy = report.numbers.column("wall_micros").sum()
    return (wall + count // 2) // count - int(busy) if wall < 2**60 else 0


def _is_compared(report, step):
    return report.options.step in (-1, step)


@settings(max_examples=PAIRS // 2, deadline=None)
@given(pair=pairs)
def test_filters_leave_numbers_alone(pair):
    """A row has the same numbers whatever is shown beside it."""
    filters = {**pair.get("filters", {}), "account_displayed_op_only": False}
    account = {k: v for k, v in filters.items() if k == "account_type_regexes"}
    made = _diff(pair, select=["micros", "params"], **filters)
    if made is None:
        return
    account["max_depth"] = ALL_LEVELS
    everything = _diff({**pair, "min_delta": 0}, select=["micros", "params"], **account)

    def bag(diff):
        numbers = diff.numbers
        columns = [numbers.before, numbers.after, numbers.own_delta]
        values = [c.column(m).tolist() for c in columns for m in ("exec_micros", "parameters")]
        return Counter(zip(diff.names[1:], *(v[1:] for v in values), strict=True))

    assert not bag(made) - bag(everything)


@settings(max_examples=PAIRS // 2, deadline=None)
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(list(VIEWS)))
def test_a_profile_does_not_differ_from_itself(seed, kind):
    profile = random_profile(seed)
    try:
        diff = tfprof.diff(profile, profile, kind, select=NUMBERS)
    except tfprof.OptionError:
        return
    assert len(diff) == 1
    assert "no difference" in diff.messages[-1]
    assert all(kind == 0 for kind in diff.whole.match)


@settings(max_examples=PAIRS // 2, deadline=None)
@given(pair=pairs)
def test_totals_are_own_and_children(pair):
    made = _diff({**pair, "min_delta": 0}, select=["micros"], max_depth=ALL_LEVELS)
    if made is None:
        return
    diff = made
    for name in ("micros", "params", "bytes", "live_bytes"):
        measure = find_measure(name)
        expected = diff.numbers.own_delta.column(measure).astype(object)
        for row in range(len(diff) - 1, 0, -1):
            expected[diff.tree.parent[row]] += expected[row]
        assert expected.tolist() == diff.numbers.delta.column(measure).tolist()
