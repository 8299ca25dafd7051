"""Which rows a report shows, at the edges: depths, minima, start nodes inside of each other."""

from __future__ import annotations

import pytest

import tfprof
from tests.test_goldens import CPU, graph_of, run_of

NODES = ["a", "a/b", "a/b/a", "a/b/a/c", "d", "d/c"]


@pytest.fixture(scope="module")
def profile():
    """Each node takes ten times as long as the one before."""
    graph = graph_of(*((name, f"Op{i // 2}") for i, name in enumerate(NODES)))
    run = run_of(CPU, *((name, 1, 10**i) for i, name in enumerate(NODES)))
    return tfprof.load(graph=graph, run_meta=run)


def shown(profile, view="scope", **options):
    """The rows below the root, with their depths."""
    report = profile.report(
        view, account_type_regexes=[".*"], select=["micros"], order_by="name", **options
    )
    return [(row.name, row.depth) for row in report.rows[1:]]


def test_a_node_counts_if_any_regex_matches(profile):
    """Once by default; code view of the original counts it once per regex."""
    for patterns, micros in (
        (["Op0", "Op1"], 1111),
        (["Op1", "Op0"], 1111),
        (["Op1", "Op1|Op2"], 111_100),
        (["Op1", "None"], 1100),
    ):
        for view in ("scope", "op"):
            report = profile.report(view, account_type_regexes=patterns, select=["micros"])
            assert report.total["micros"] == micros, (view, patterns)


@pytest.mark.parametrize("depth", [-(2**63), 0, 1, 2, 3, 4, 5, 2**31, 2**63 - 1])
def test_depth_includes_its_limit(profile, depth):
    """The root is at depth 1."""
    assert shown(profile, max_depth=depth) == [
        (name, name.count("/") + 1) for name in sorted(NODES) if name.count("/") + 2 <= depth
    ]


@pytest.mark.parametrize("depth", [2**63, -(2**63) - 1])
def test_depths_have_64_bits(profile, depth):
    with pytest.raises(tfprof.OptionError, match=r"option 'max_depth': .* does not fit in 64 bits"):
        shown(profile, max_depth=depth)


@pytest.mark.parametrize("least", [99, 100, 101])
def test_a_minimum_includes_itself(profile, least):
    """`min_self_…` tests self values, also in lists; `min_total_…` inclusive ones."""
    own = {name: 10**i for i, name in enumerate(NODES)}
    names = {name for name, _ in shown(profile, min_self_micros=least)}
    assert names == {name for name in NODES if own[name] >= least}
    totals = {
        name: sum(v for n, v in own.items() if f"{n}/".startswith(f"{name}/")) for name in own
    }
    names = {name for name, _ in shown(profile, min_total_micros=least)}
    assert names == {name for name in NODES if totals[name] >= least}


@pytest.mark.parametrize(("least", "ops"), [(1100, 2), (1101, 1), (110_000, 1), (110_001, 0)])
def test_self_minima_of_lists(profile, least, ops):
    assert len(shown(profile, "op", min_self_micros=least)) == ops


def test_start_nodes_are_children_of_the_root(profile):
    assert shown(profile, start_name_regexes=["a/b"]) == [("a/b", 1), ("a/b/a", 2), ("a/b/a/c", 3)]
    assert shown(profile, start_name_regexes=["d/c"]) == [("d/c", 1)]
    assert shown(profile, start_name_regexes=["a/b"], max_depth=2) == [("a/b", 1)]


def test_start_nodes_inside_of_each_other(profile):
    """The outermost one starts; those inside stay where they are."""
    assert shown(profile, start_name_regexes=["a/b", "a/b/a"]) == [
        ("a/b", 1),
        ("a/b/a", 2),
        ("a/b/a/c", 3),
    ]
    assert shown(profile, start_name_regexes=["a/b", "a/b/a"], max_depth=3) == [
        ("a/b", 1),
        ("a/b/a", 2),
    ]


def test_lists_start_at_the_first_match(profile):
    ops = [name for name, _ in shown(profile, "op")]
    for start in range(len(ops)):
        names = [name for name, _ in shown(profile, "op", start_name_regexes=ops[start:])]
        assert names == ops[start:]
    assert shown(profile, "op", start_name_regexes=[]) == shown(profile, "op")
    assert shown(profile, "op", start_name_regexes=["None"]) == []


@pytest.mark.parametrize("starts", [[".*"], ["a/b"]])
def test_only_the_original_trims_the_root(profile, starts):
    options = {"trim_name_regexes": ["_TFProfRoot"], "start_name_regexes": starts}
    assert len(shown(profile, **options)) > 1
    report = profile.report(
        "scope",
        {**options, "account_type_regexes": [".*"], "show_name_regexes": [".*"], "max_depth": 10},
        compat=True,
    )
    assert report.names[1:] == []
