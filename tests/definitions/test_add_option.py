"""An option of another package is one row of OPTIONS, and its writer or checker reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

import tfprof
from tests.cli.conftest import call
from tfprof import demo
from tfprof.definitions.options import OPTIONS, Option, Options, format_options
from tfprof.outputs import OUTPUTS, Document, Output, Rendering, RenderSettings
from tfprof.reports.report import Report

INDENT = Option("indent", "integer", 2, "indent rows by this many spaces", extension=True)


def render_names(report: Report, settings: RenderSettings) -> Rendering:
    """The names of rows, indented by the option."""
    lines = [" " * report.options["indent"] * row.depth + row.name for row in report]
    yield Document(["\n".join(lines).encode()], settings.keys["outfile"])


@pytest.fixture(autouse=True)
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OPTIONS, INDENT.name, INDENT)
    monkeypatch.setitem(OUTPUTS, "names", Output("names", render_names, ("outfile",), "names"))


def test_dict_and_keyword(tmp_path: Path) -> None:
    profile = tfprof.load(**demo.paths())
    path = tmp_path / "names"
    output = f"names:outfile={path}"
    for options, spaces in (({}, 2), ({"indent": 5}, 5), (Options.build(indent=1), 1)):
        profile.report("scope", options, max_depth=2).write(output)
        first = path.read_text().splitlines()[1]
        assert len(first) - len(first.lstrip()) == spaces
    with pytest.raises(tfprof.OptionError, match="option 'indent': 'x' is not a whole number"):
        profile.report("scope", indent="x")


def test_command_line(tmp_path: Path) -> None:
    path = tmp_path / "names"
    done = call(
        "--demo", "scope", "-max_depth", "2", "-indent=3", "-output", f"names:outfile={path}"
    )
    assert done.status == 0, done.err
    assert path.read_text().splitlines()[1].startswith("   ")
    assert INDENT.summary in call("help", "-indent").out.decode()
    assert call("--demo", "scope", "-indnet", "3").err.count("did you mean '-indent'") == 1


def test_values_are_part_of_the_options() -> None:
    options = Options.build({"indent": 4})
    assert (options["indent"], options["max_depth"]) == (4, 10)
    assert options == Options().with_values({"indent": 4}) != Options()
    assert ("-indent", "4") in format_options(options)
    assert "-indent" not in dict(format_options(options, extensions=False))
