"""Help: nothing is left undocumented, and `--help` fits a screen."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Tfprof
from tests.cli.tables import PAGE, TABLES, update_tables
from tfprof.cli.commands import COMMANDS
from tfprof.cli.flags import FLAGS, SWITCHES
from tfprof.cli.help import help_text, short_help
from tfprof.cli.inputs import INPUTS
from tfprof.definitions.metrics import METRICS, orders
from tfprof.definitions.options import MINIMUM_FORMS, listed_options
from tfprof.outputs import OUTPUTS


def test_the_short_help_fits_a_screen() -> None:
    lines = short_help().splitlines()
    assert 24 <= len(lines) <= 44
    assert max(map(len, lines)) <= 85


def test_the_long_help_names_everything() -> None:
    text = help_text([])
    options = [option.name for option in listed_options()]
    for name in [*COMMANDS, *INPUTS, *SWITCHES, *options, *MINIMUM_FORMS, *METRICS, *orders()]:
        assert name in text


@pytest.mark.parametrize("topic", [*COMMANDS, *FLAGS, *METRICS])
def test_every_name_has_help(topic: str) -> None:
    assert topic in help_text([topic])


def test_a_flag_is_explained_for_each_command_that_takes_it() -> None:
    assert help_text(["--json"]) == (
        "--json\n"
        "  the summary as JSON (summary)\n"
        "  rows as JSON; the same as -output json (scope, graph, op, code, diff)\n"
        "  findings as JSON (advise)\n"
        "  the prediction as JSON (fit)\n"
        "  layers, totals and ledger as JSON (model)\n"
        "  op types, totals and ledger as JSON (cost)\n"
        "  the verdict as JSON (gate)\n"
        "  rows as JSON (sql)\n"
        "  the answer as JSON (fleet)\n"
    )
    text = help_text(["--run_meta_path"])
    takers = "summary, scope, graph, op, code, advise, diff, fit, tables"
    assert f"traced steps 0, 1, 2…: RunMetadata ({takers}" in text
    assert "RunMetadata of traced steps, for the trip counts of loops (model, cost)" in text
    for command in ("model", "cost"):
        assert "--run_meta_path=PATH,…" in help_text([command])
        assert "--bind=NAME=N,…" in help_text([command])


def test_the_prompt_lists_only_what_works_there(run_demo: Tfprof) -> None:
    text = run_demo(stdin="help\n").text
    listed = re.findall(r"^  (\w+)", text.partition("\n\n")[0], re.MULTILINE)
    assert listed == [name for name, command in COMMANDS.items() if command.where != "flags"]
    flags = {f"--{name}" for name in FLAGS}
    assert not flags & set(re.findall(r"--\w+", text)) - {"--name"}
    for name in listed:
        assert "works only" not in run_demo(stdin=f"{name}\n").err
    for option in [*(option.name for option in listed_options()), "legend"]:
        assert f"  -{option}" in text


def test_an_option_is_found_in_any_form() -> None:
    assert help_text(["-select"]) == help_text(["--select"]) == help_text(["select"])


def test_select_explains_all_metrics_and_output_all_outputs() -> None:
    assert all(f"  {name} " in help_text(["-select"]) for name in METRICS)
    assert all(f"  {name}" in help_text(["-output"]) for name in OUTPUTS)


@pytest.mark.parametrize(
    "command",
    [c for c in COMMANDS.values() if c.options and c.where != "flags"],
    ids=lambda c: c.name,
)
def test_every_example_of_a_view_has_an_answer(run_demo: Tfprof, command: object) -> None:
    examples_text = command.examples  # type: ignore[attr-defined]
    examples = [line.strip() for line in examples_text.splitlines() if line.startswith("  ")]
    assert examples
    for example in examples:
        done = run_demo(stdin=example + "\n")
        assert done.status == 0
        assert example.startswith("set ") or len(done.lines) > 3


def test_the_tables_of_the_documents_are_current() -> None:
    page = PAGE.read_text()
    assert update_tables(page) == page
    assert page.count("<!-- end -->") == len(TABLES)


def blocks(page: str) -> list[str]:
    """The blocks of a page that show a terminal."""
    return re.findall(
        r"^```\n([$] .*?)^```$", (PAGE.parent / page).read_text(), re.MULTILINE | re.DOTALL
    )


@pytest.mark.parametrize("page", ["cli.md", "tutorial.md"])
def test_the_documents_show_what_is_printed(run_demo: Tfprof, tmp_path: Path, page: str) -> None:
    assert blocks(page)
    for block in blocks(page):
        for shown in re.split(r"^[$] ", block.replace("/tmp/", f"{tmp_path}/"), flags=re.MULTILINE)[
            1:
        ]:
            line, _, answer = shown.partition("\n")
            if not line.startswith("tfprof --demo"):
                continue
            words = shlex.split(line.partition(" | ")[0].removeprefix("tfprof --demo"))
            if not words:
                done = run_demo(stdin=answer)
                assert (done.status, done.err) == (0, ""), answer
                continue
            done = run_demo(*words)
            assert done.status == 0, line
            if answer:
                whole = not answer.endswith("...\n")
                assert done.text == answer if whole else done.text.startswith(answer[:-4]), line
