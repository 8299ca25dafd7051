"""The commands that write a whole profile: `tables`, `report`, and `ui`, which serves it."""

from __future__ import annotations

from tfprof.cli.commands.command import Command
from tfprof.cli.console import Console
from tfprof.cli.inputs import path_of
from tfprof.cli.parser import Flag, ParsedCommand
from tfprof.errors import OptionError


def _tables(console: Console, parsed: ParsedCommand) -> None:
    folder = parsed.values.get("out")
    if not folder:
        raise OptionError("'tables' needs --out: a folder to write to")
    console.profile.save_tables(path_of(folder))


def _report(console: Console, parsed: ParsedCommand) -> None:
    path = parsed.values.get("out")
    if not path:
        raise OptionError("'report' needs --out: a file to write to, such as report.html")
    console.profile.save_page(path_of(path), command=console.opened_with)


def _ui(console: Console, parsed: ParsedCommand) -> None:
    report = console.profile.report("scope", compat=False)
    from tfprof.api.server import serve_page

    with serve_page(report, command=console.opened_with, port=parsed.values.get("port", 0)) as page:
        console.screen.write(f"{page.address}\n")
        console.screen.info("serving on this machine only; Ctrl-C ends it")
        if not parsed.values.get("no_browser"):
            import webbrowser

            webbrowser.open(page.address)
        page.wait()


FILE_COMMANDS = (
    Command(
        "tables",
        "write the whole profile as Parquet tables",
        _tables,
        where="flags",
        flags=(Flag("out", "path", "the folder to write to", "DIR"),),
        switches=("compat", "quiet"),
        examples="""\
One file per table, for pandas, DuckDB and others.

  tfprof --demo tables --out=profile_tables""",
    ),
    Command(
        "report",
        "write a page with all views for any browser",
        _report,
        where="flags",
        flags=(Flag("out", "path", "the file to write", "FILE"),),
        switches=("quiet",),
        examples="""\
One file that works offline: an overview, all views, the timeline, source and what
differs between steps. A view with options goes on a page with -output.

  tfprof --demo report --out report.html
  tfprof --demo scope -select micros -min_micros 1000 -output report.html""",
    ),
    Command(
        "ui",
        "show that page with all options live",
        _ui,
        where="flags",
        flags=(
            Flag("port", "integer", "the port to use (default: any free one)", "N"),
            Flag("no_browser", "switch", "print the address, open no browser"),
        ),
        switches=("quiet",),
        runs_program=True,
        examples="""\
The page is served on the loopback address until Ctrl-C. Its address has a token
without which nothing is answered.

  tfprof --demo ui
  tfprof --demo ui --no-browser --port 8100""",
    ),
)
