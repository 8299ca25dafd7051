"""The command `diff`: what differs between two profiles, or two steps of one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tfprof.cli.commands.command import Command
from tfprof.cli.console import Console
from tfprof.cli.inputs import INPUTS, load_arguments, load_profile
from tfprof.cli.parser import Flag, ParsedCommand
from tfprof.cli.start_arrow import start_arrow
from tfprof.definitions.lookup import did_you_mean
from tfprof.definitions.options import ALL_LEVELS, split_list
from tfprof.errors import OptionError

if TYPE_CHECKING:
    from tfprof.api.profile import Profile

_FLAGS = (
    Flag("strict", "switch", "match names only, guess no renames and moved lines"),
    Flag("before_step", "integer", "the step before (default: the average of all steps)", "N"),
    Flag("after_step", "integer", "the step after (default: the average of all steps)", "N"),
    Flag("min_delta", "integer", "show rows that change by at least N (default 1)", "N"),
    Flag("json", "switch", "rows as JSON; the same as -output json"),
)
_SETTINGS = ("strict", "before_step", "after_step", "min_delta")
_VIEWS = ("scope", "graph", "op", "code")
_USE = "give two profiles, as in: tfprof diff run1 run2"


def _diff(console: Console, parsed: ParsedCommand) -> None:
    given = dict(parsed.options)
    if parsed.values.get("json"):
        if "output" in given:
            raise OptionError("--json and -output are two outputs; give only one")
        given["output"] = "json"
    sources, view = _sources((*parsed.paths, *parsed.arguments))
    start_arrow()
    from tfprof.api.diff import Diff, diff_on, write_diff
    from tfprof.api.request import parse_request
    from tfprof.diffs.make_diff import DiffSettings
    from tfprof.diffs.overview import make_overview

    is_overview = not given
    if is_overview:
        given["max_depth"] = ALL_LEVELS
    request = parse_request(view, given, of_diff=True)
    settings = DiffSettings(
        **{name: parsed.values[name] for name in _SETTINGS if name in parsed.values}
    )
    before, after = _profiles(console, parsed, sources)
    diff = diff_on(before, after, request, settings, select="select" not in given)
    console.screen.info(*diff.messages)
    if is_overview:
        shown = make_overview(diff)
        depth = len(diff) if view == "op" else int(diff.tree.depth.max())
        footer = f"{shown.footer}; to see all: -max_depth {depth}" if shown.footer else ""
        diff = Diff.from_rows(replace(shown, footer=footer))
    write_diff(diff, screen=console.screen)


def _sources(arguments: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """The paths and the view among the arguments."""
    views = [word for word in arguments if word in _VIEWS]
    paths = tuple(word for word in arguments if word not in _VIEWS)
    if len(views) > 1:
        raise OptionError(f"'diff' takes one view, not {' and '.join(views)}")
    if len(paths) > 2:
        hint = did_you_mean(paths[2], _VIEWS) or "; several files of one are separated by commas"
        raise OptionError(f"'diff' takes two profiles and a view, and no '{paths[2]}'{hint}")
    return paths, views[0] if views else "scope"


def _profiles(
    console: Console, parsed: ParsedCommand, sources: tuple[str, ...]
) -> tuple[Profile, Profile]:
    """The two profiles; one path, or inputs by flags, are two steps of one profile."""
    flags = [name for name in INPUTS if parsed.values.get(name) and name != "bind"]
    if flags and sources:
        raise OptionError(f"--{flags[0]} is one profile; leave it out, or leave out {sources[0]}")
    if not (flags or sources):
        raise OptionError(f"'diff' has nothing to compare; {_USE}")
    is_one = len(sources) < 2 or sources[0] == sources[1]
    if is_one and not {"before_step", "after_step"} <= parsed.values.keys():
        raise OptionError(
            f"'diff' compares two profiles, or --before_step and --after_step of one; {_USE}"
        )
    if flags:
        return console.profile, console.profile
    if is_one:
        before = _load(console, sources[0], parsed.values.get("bind", ""))
        return before, before
    return _load_both(console, sources, parsed.values.get("bind", ""))


def _load_both(console: Console, sources: tuple[str, ...], bind: str) -> tuple[Profile, Profile]:
    """Two profiles with sizes bound in those that have the symbols, which at least one must."""
    first, second = sources
    try:
        before = _load(console, first, bind)
    except OptionError:
        if not bind:
            raise
        return _load(console, first, ""), _load(console, second, bind)
    try:
        return before, _load(console, second, bind)
    except OptionError:
        if not bind:
            raise
        return before, _load(console, second, "")


def _load(console: Console, source: str, bind: str) -> Profile:
    """The profile of a path, or of several separated by commas."""
    arguments = load_arguments({"bind": bind}, split_list(source))
    if arguments is None:
        raise OptionError(f"'diff' takes no empty path; {_USE}")
    return load_profile(arguments, console.screen, compat=False)


DIFF = Command(
    "diff",
    "what differs between two profiles, models or steps",
    _diff,
    where="flags",
    metavar="BEFORE AFTER [VIEW]",
    options=True,
    flags=_FLAGS,
    switches=(),
    examples="""\
BEFORE and AFTER are anything that tfprof opens; several files of one are separated
by commas. Rows are sorted by their change. Renamed scopes and moved lines are
found, and marked as such.

  tfprof diff run1 run2
  tfprof diff my_saved_model new_saved_model -select params,float_ops
  tfprof diff graph.pb,run_meta_0 graph.pb,run_meta_1 op -select micros
  tfprof diff run1 run1 --before_step 10 --after_step 12
  tfprof --demo diff code --before_step 0 --after_step 1""",
)
