"""A view typed without options: one screen, and a last line that says how to see the rest."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.conftest import Tfprof
from tests.test_goldens import graph_of
from tfprof import demo
from tfprof.api.profile import Profile
from tfprof.cli.defaults import OVERVIEW_METRICS, options_for
from tfprof.definitions.metrics import METRICS
from tfprof.outputs.text import text_bytes
from tfprof.views import VIEWS

GRAPH = f"--graph_path={demo.paths()['graph']}"
FOOTER = re.compile(r"([\d,]+) of ([\d,]+) .*are not shown.*; to see all: (.*)")


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_without_options_fits_a_screen(run_demo: Tfprof, view: str) -> None:
    done = run_demo(view)
    assert (done.status, done.err) == (0, "")
    assert 5 < len(done.lines) <= 40
    assert FOOTER.fullmatch(done.lines[-1])


@pytest.mark.parametrize("view", VIEWS)
def test_the_last_line_says_how_to_see_the_rest(run_demo: Tfprof, view: str) -> None:
    lines = run_demo(view).lines
    hidden, total, command = FOOTER.fullmatch(lines[-1]).groups()  # type: ignore[union-attr]
    everything = run_demo(stdin=f"{command}\n").lines
    head = 1 if view == "op" else 2
    assert len(everything) - head == int(total.replace(",", ""))
    assert len(lines) - 1 - head == int(total.replace(",", "")) - int(hidden.replace(",", ""))
    shown = [line.strip() for line in lines[1:-1]]
    assert set(shown) <= {line.strip() for line in everything}


@pytest.mark.parametrize("view", [view for view in VIEWS if view != "code"])
def test_a_graph_alone_has_another_metric(run: Tfprof, view: str) -> None:
    done = run(GRAPH, view)
    metric = "params" if view == "scope" else "float_ops"
    assert done.status == 0
    assert done.lines[0] == f"node name | {METRICS[metric].title}"
    assert len(done.lines) <= 40
    command = FOOTER.fullmatch(done.lines[-1])[3]  # type: ignore[index]
    everything = run(GRAPH, *command.split()).lines
    assert everything[0] == done.lines[0]
    assert {line.strip() for line in done.lines[:-1]} <= {line.strip() for line in everything}


def test_a_model_without_numbers_is_counted(run: Tfprof, tmp_path: object) -> None:
    path = tmp_path / "graph.pb"  # type: ignore[operator]
    nodes = [(f"a{i}", "Abc") for i in range(3)] + [("b", "Bcd")]
    path.write_bytes(graph_of(*nodes).SerializeToString())
    done = run(str(path), "op")
    assert done.lines[0] == "node name | op occurrence (run|defined)"
    assert [line.split() for line in done.lines[1:]] == [["Abc", "0|3"], ["Bcd", "0|1"]]
    assert run(str(path), "scope").lines[1:] == [
        "_TFProfRoot (--/0 flops)",
        *(f"  {name} (0/0 flops)" for name, _ in nodes),
    ]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("option", ["-max_depth=10", "-step=-1", "-output=stdout"])
def test_with_an_option_the_documented_defaults_hold(
    run_demo: Tfprof, demo_profile: Profile, view: str, option: str
) -> None:
    expected = text_bytes(
        demo_profile.report(view, options_for({}, has_runs=True, compat=False, view=view))
    )
    assert run_demo(view, option).out == expected
    assert run_demo(stdin=f"{view} {option}\n").out == expected
    assert run_demo(stdin=f"set {option}\n{view}\n").out == expected
    assert run_demo(option, stdin=f"{view}\n").out == expected


@pytest.mark.parametrize("view", VIEWS)
def test_the_shell_shows_the_same(run_demo: Tfprof, view: str) -> None:
    assert run_demo(stdin=f"{view}\n").out == run_demo(view).out
    lines = f"set -max_depth 2\nreset\n{view}\n"
    assert run_demo(stdin=lines).out == run_demo(view).out


def test_json_is_an_output_like_others(run_demo: Tfprof) -> None:
    rows = json.loads(run_demo("op", "--json").text)
    assert len(rows) == 12  # the root, and as many rows as a depth of 10 has
    assert rows == json.loads(run_demo("op", "-output=json").text)


def test_a_legend_is_no_option_of_a_report(run_demo: Tfprof) -> None:
    told = run_demo("scope", "--legend").text
    assert told.startswith("\nDoc:\nscope: ")
    assert told.endswith(run_demo("scope").text)


@pytest.mark.parametrize("view", VIEWS)
def test_compat_shows_what_the_original_shows(
    run_demo: Tfprof, demo_profile: Profile, view: str
) -> None:
    options = options_for({}, has_runs=True, compat=True)
    expected = text_bytes(demo_profile.report(view, options, compat=True))
    assert run_demo("--compat", view).out == expected


def test_every_view_has_metrics() -> None:
    assert set(OVERVIEW_METRICS) == set(VIEWS)
    assert {name for names in OVERVIEW_METRICS.values() for name in names} <= set(METRICS)
