"""The original's interface problems, I1 to I16 of the reference, and what tfprof does instead."""

from __future__ import annotations

import json

import pytest

import tfprof
from tests.robustness.models import CPU, command, graph_of, loaded, run_of
from tfprof import advisor, cli

GRAPH = graph_of(("a", "A"), ("b/c", "B", "a"))
QUIET = {"output": "none"}


@pytest.fixture
def shell(monkeypatch):
    """Lines to a shell with a small profile."""
    profile = tfprof.load(graph=GRAPH, run_meta=run_of(CPU, ("a", 1, 2)))
    monkeypatch.setattr(cli, "load_profile", lambda *_, **__: profile)
    return lambda *lines: command("--demo", stdin="\n".join(lines))


def test_I01_advise_without_arguments(capsys):
    profiler = tfprof.Profiler(GRAPH)
    profiler.add_step(0, run_of(CPU, ("a", 1, 2)))
    assert profiler.advise().checkers


def test_I02_options_of_checkers_are_accepted(capsys):
    options = {"OperationChecker": {"top": "1"}}
    assert "OperationChecker" in tfprof.advise(GRAPH, options=options).checkers
    with pytest.raises(tfprof.OptionError, match="unknown setting 'anything'"):
        tfprof.advise(GRAPH, options={"OperationChecker": {"anything": "goes"}})


def test_I03_invalid_regexes_are_errors():
    with pytest.raises(tfprof.OptionError, match=r"hide_name_regexes.*'\(a'"):
        loaded(("a", "A")).report(hide_name_regexes=["(a"])


def test_I04_names_are_checked_and_a_string_is_a_list():
    profile = loaded(("a", "A"))
    for wrong in ({"select": ["params", "prams"]}, {"order_by": "prams"}):
        with pytest.raises(tfprof.OptionError, match="prams"):
            profile.report(**wrong)
    assert profile.report(select="params").text() == profile.report(select=["params"]).text()


def test_I05_no_options_show_everything():
    report = loaded(("a", "A")).report("scope", {})
    assert [row.name for row in report] == ["_TFProfRoot", "a"]
    assert report.options.select == ("micros",)


def test_I06_order_by_depth_is_the_order_before_sorting():
    profile = loaded(("b", "B"), ("a", "A"))
    assert profile.report(order_by="depth").text() == profile.report(order_by="name").text()


def test_I07_minimum_of_occurrence_by_view():
    profile = loaded(("a", "A"), ("b", "A"), run=run_of(CPU, ("a", 1, 1), ("a", 2, 1)))
    assert [row.name for row in profile.report("scope", min_occurrence=2)][1:] == ["a"]
    assert [row.name for row in profile.report("op", min_occurrence=2)][1:] == ["A"]


def test_I08_advice_has_a_fixed_order():
    profile = loaded(("a", "A"), run=run_of(CPU, ("a", 1, 2)))
    texts = {advisor.advise(profile, None).text() for _ in range(5)}
    assert len(texts) == 1


def test_I09_legend_of_graph_view():
    text = loaded(("a", "A")).report("graph").text(legend=True)
    assert "graph: The nodes in the model graph are organized by their operation input" in text


def test_I10_commas_and_blanks_can_be_quoted(shell):
    done = shell(r"scope -hide_name_regexes 'a{1\,2}','x y' -select micros -max_depth 5")
    assert done.status == 0
    assert "b" in done.out
    assert "\n  a (" not in done.out


def test_I11_output_options_do_not_stick(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = shell("set -output json:outfile=a", "scope -output file")
    assert done.status == 2
    assert "needs outfile" in done.err
    assert not any(tmp_path.iterdir())


def test_I12_timeline_of_one_step_has_the_given_name(tmp_path, capsys):
    profile = loaded(("a", "A"), run=run_of(CPU, ("a", 1, 2)))
    profile.report("graph").write(f"timeline:outfile={tmp_path / 'out'}")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert json.loads((tmp_path / "out").read_bytes())


def test_I13_help_names_flags_that_exist():
    text = command("help").out + command("--help").out
    assert "run_log_path" not in text
    assert "op_log_path" in text


def test_I14_bad_graph_bytes_are_errors(capsys):
    with pytest.raises(tfprof.LoadError):
        tfprof.profile(graph=b"\xff\xff\xff", options=QUIET)
    assert capsys.readouterr().out == ""


def test_I15_arguments_are_not_echoed():
    done = command("--demo", "--quiet", "scope", "-select", "params")
    assert done.err == ""


@pytest.mark.parametrize("regex", ["(?=a).*", r"(a)\1"])
def test_I16_what_re2_does_not_know_is_refused(regex):
    with pytest.raises(tfprof.OptionError, match="show_name_regexes"):
        loaded(("a", "A")).report(show_name_regexes=[regex])


def test_I16_regexes_match_whole_names_without_line_breaks():
    profile = loaded(("a", "A"), ("ab", "A"), ("a\nb", "A"))
    shown = [row.name for row in profile.report(show_name_regexes=["a.?b?"])][1:]
    assert shown == ["a", "ab"]
