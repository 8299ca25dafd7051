"""Completion: what is offered where, and that very many names are no obstacle."""

from __future__ import annotations

import time
from pathlib import Path

import pyarrow as pa
import pytest

import tfprof
from tfprof.api.profile import Profile
from tfprof.api.screen import Screen
from tfprof.cli.commands import COMMANDS
from tfprof.cli.completion import candidates
from tfprof.cli.console import Console
from tfprof.cli.name_index import LIMIT, complete_name, names_to_complete
from tfprof.definitions.metrics import METRICS, orders
from tfprof.definitions.options import listed_options
from tfprof.outputs import OUTPUTS
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.reports.regexes import match_exactly, matches


@pytest.fixture
def console(demo_profile: Profile) -> Console:
    return Console(Screen(None, None), lambda: demo_profile, is_shell=True)


def completed(line: str, console: Console) -> list[str]:
    """The lines that an unfinished one can become."""
    return [line[: len(line) - c.replaces] + c.text for c in candidates(line, console)]


def test_commands(console: Console) -> None:
    here = [name for name, command in COMMANDS.items() if command.where != "flags"]
    assert completed("", console) == here
    assert completed("sc", console) == ["scope"]
    assert completed("nothing", console) == []
    assert completed("exit ", console) == []
    assert completed("summary ", console) == ["summary --json"]


def test_options(console: Console) -> None:
    listed = [option.name for option in listed_options()]
    assert completed("op ", console) == [f"op -{name}" for name in [*listed, "legend", "-json"]]
    assert completed("op -min_self_m", console) == ["op -min_self_micros", "op -min_self_macs"]
    assert completed("op -sel", console) == ["op -select"]
    assert "op -step 1 -step" not in completed("op -step 1 -st", console)
    assert completed("op -account_displayed_op_only t", console) == [
        "op -account_displayed_op_only true"
    ]


def test_values(console: Console) -> None:
    assert completed("op -select ", console) == [f"op -select {name}" for name in METRICS]
    assert completed("op -select=micros,par", console) == ["op -select=micros,params"]
    assert completed("op -select micros,mic", console) == []
    known = [name for name in orders() if name != "delta"]
    assert completed("op -order_by ", console) == [f"op -order_by {name}" for name in known]
    assert completed("help -order", console) == ["help -order_by"]
    assert completed("help mod", console) == []
    assert completed("advise --", console) == ["advise --json"]
    outputs = [f"{name}:" if output.keys else name for name, output in OUTPUTS.items()]
    assert completed("op -output ", console) == [f"op -output {name}" for name in outputs]
    assert "op -output file:outfile=" in completed("op -output file:o", console)


def test_a_long_line_takes_no_longer_than_it_is(console: Console) -> None:
    # Looking for the last item from every letter on would take hours.
    assert completed("scope -hide_name_regexes " + "9" * 1_000_000, console) == []


def test_files(console: Console, tmp_path: Path) -> None:
    (tmp_path / "a report").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / ".hidden").touch()
    line = f"op -output file:outfile={tmp_path}/"
    assert completed(line, console) == [line + "a\\ report", line + "folder/"]
    assert completed(line + ".h", console) == [line + ".hidden"]
    assert completed(f"{line}missing/", console) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("scope -show_name_regexes pool_l", ["pool_logit/"]),
        ("graph -start_name_regexes pool_logit/D", ["pool_logit/DW", "pool_logit/DW/"]),
        ("op -show_name_regexes Conv2DBackpropI", ["Conv2DBackpropInput"]),
        ("op -account_type_regexes AddN,_train", ["_trainable_variables"]),
        ("scope -account_type_regexes /job", ["/job:localhost/replica:0/task:0/device:cpu:0"]),
        ("code -show_name_regexes resnet_mo", [r".*resnet_model\.py.*"]),
        ("code -show_name_regexes .*resnet_mo", [r".*resnet_model\.py.*"]),
        ("code -account_type_regexes Conv2DBackpropI", ["Conv2DBackpropInput"]),
        ("set -hide_name_regexes global_s", ["global_step", "global_step/"]),
        ("scope -show_name_regexes 1_0/sub1/conv1/DW/Mom", ["unit_1_0/sub1/conv1/DW/Momentum"]),
    ],
)
def test_names_fit_the_option_and_the_view(
    console: Console, line: str, expected: list[str]
) -> None:
    found = [c.text for c in candidates(line, console)]
    assert found[: len(expected)] == expected


def test_a_name_becomes_a_regex_that_matches_it() -> None:
    for name in ("a.b", "f(x)[1]{2}|^$", "back\\slash", "plain/name", "q?*+"):
        assert matches(match_exactly(name), pa.array([name, "x" + name])).tolist() == [True, False]


def test_scopes_are_offered_one_step_at_a_time() -> None:
    names = tuple(sorted(["a", "a/b", "a/b/c", "a/d", "a0", "ab", "b/c/d"]))
    assert complete_name(names, "") == ["a", "a/", "a0", "ab", "b/"]
    assert complete_name(names, "a/") == ["a/b", "a/b/", "a/d"]
    assert complete_name(names, "a/b") == ["a/b", "a/b/"]
    assert complete_name(names, "c/d") == ["b/c/d"]
    assert complete_name(names, "nothing") == []


def seconds_to_complete(count: int) -> float:
    """How long completing some words takes in a model of so many nodes."""
    graph = GraphDef()
    for i in range(count):
        graph.node.add(name=f"tower_{i % 7}/layer_{i % 50}/node_{i}/op", op="NoOp")
    profile = tfprof.load(graph=graph)
    names_to_complete(profile, "scope", "show_name_regexes")
    started = time.process_time()
    for typed in ("", "tower_1/", "tower_1/layer_1/", "tower_1/layer_8/node_1", "999/op", "none"):
        found = complete_name(names_to_complete(profile, "scope", "show_name_regexes"), typed)
        assert len(found) <= LIMIT
    return time.process_time() - started


def test_many_names_are_no_obstacle() -> None:
    assert seconds_to_complete(80_000) < 12 * max(seconds_to_complete(20_000), 0.002)
