"""Bad input of every kind: one clear error that names the file or the option, and no output."""

from __future__ import annotations

import contextlib
import random

import pytest

import tfprof
from tests.oracle.cases import generate
from tests.test_goldens import CPU, graph_of, run_of

GRAPH = graph_of(("a", "A"), ("b", "B", "a")).SerializeToString()
RUN = run_of(CPU, ("a", 1, 2), ("b", 3, 4)).SerializeToString()
KINDS = {"graph": GRAPH, "run_meta": RUN, "op_log": b"", "profile": b""}


def _whole(kind):
    case = generate(3)
    if kind == "profile":
        return tfprof.load(graph=GRAPH, run_meta=RUN).serialize()
    return {"graph": case.graph, "run_meta": RUN, "op_log": case.op_log}[kind]


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("trouble", ["missing", "directory", "empty", "random", "truncated"])
def test_unreadable_files(kind, trouble, tmp_path, capsys):
    path = tmp_path / "input"
    if trouble == "directory":
        path.mkdir()
    elif trouble == "empty":
        path.write_bytes(b"")
    elif trouble == "random":
        path.write_bytes(bytes([0xFF]) + random.Random(1).randbytes(500))
    elif trouble == "truncated":
        path.write_bytes(_whole(kind)[:-1])
    if (kind, trouble) == ("profile", "empty"):
        # So a profile is saved to which nothing was added.
        assert len(tfprof.load(profile=path).nodes) == 0
        return
    with pytest.raises(tfprof.LoadError) as caught:
        tfprof.load(**{kind: path})
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("kind", list(KINDS))
def test_random_bytes_never_escape_as_other_errors(kind):
    whole = _whole(kind)
    dice = random.Random(7)
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(dice.randint(1, 4)):
            if data:
                data[dice.randrange(len(data))] = dice.randrange(256)
        data = bytes(data[: dice.randint(0, len(data))]) if dice.random() < 0.3 else bytes(data)
        with contextlib.suppress(tfprof.TfprofError):
            loaded = tfprof.load(**{kind: data})
            for view in ("scope", "graph", "op"):
                loaded.report(view).text()


def test_a_run_given_as_graph(tmp_path):
    path = tmp_path / "run_meta"
    path.write_bytes(RUN)
    with pytest.raises(tfprof.LoadError, match=r"run_meta: .*RunMetadata"):
        tfprof.load(graph=path)


def test_a_graph_given_as_profile(tmp_path):
    path = tmp_path / "graph.pb"
    path.write_bytes(GRAPH)
    with pytest.raises(tfprof.LoadError, match=r"graph\.pb"):
        tfprof.load(profile=path)


@pytest.mark.parametrize("wrong", [3, object(), ["graph"]])
def test_things_that_are_no_graph(wrong):
    with pytest.raises((tfprof.LoadError, TypeError)):
        tfprof.load(graph=wrong)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"account_type_regexes": ["("]}, "account_type_regexes"),
        ({"show_name_regexes": ["[a"]}, "show_name_regexes"),
        ({"select": ["micro"]}, "did you mean 'micros'"),
        ({"order_by": "mikros"}, "order_by"),
        ({"step": 3}, "step.*3.*known steps are 0"),
        ({"max_dept": 3}, "did you mean 'max_depth'"),
        ({"max_depth": "deep"}, "max_depth"),
        ({"max_depth": 2**70}, "max_depth"),
        ({"account_displayed_op_only": "maybe"}, "account_displayed_op_only"),
        ({"select": 3}, "select"),
        ({"select": [3]}, "select"),
        ({"output": "printer:outfile=x"}, "output"),
        ({"output": "file"}, "outfile"),
        ({"output": "file:name=x"}, "name"),
    ],
)
def test_bad_options(options, says, capsys):
    profile = tfprof.load(graph=GRAPH, run_meta=RUN)
    with pytest.raises(tfprof.OptionError, match=says):
        profile.report("scope", options)
    assert capsys.readouterr().out == ""


def test_unknown_view():
    with pytest.raises(tfprof.OptionError, match="scope, graph, op, code"):
        tfprof.load(graph=GRAPH).report("scoop")


def test_a_negative_step_is_refused():
    with pytest.raises(tfprof.OptionError, match="-3"):
        tfprof.load(graph=GRAPH).add_step(-3, RUN)


@pytest.mark.parametrize("trouble", ["directory", "no parent"])
def test_unwritable_files(trouble, tmp_path):
    target = tmp_path if trouble == "directory" else tmp_path / "no" / "file"
    report = tfprof.load(graph=GRAPH).report("scope")
    with pytest.raises(tfprof.OutputError, match=str(target)):
        report.write(f"file:outfile={target}")
    assert not any(tmp_path.iterdir())
