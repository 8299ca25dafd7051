"""What can follow an unfinished line: commands, options, metrics, outputs, files, names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tfprof.cli.commands import COMMANDS
from tfprof.cli.commands.command import Command
from tfprof.cli.console import Console
from tfprof.cli.inputs import path_of
from tfprof.cli.name_index import complete_name, names_to_complete
from tfprof.cli.parser import split_unfinished
from tfprof.definitions.metrics import DELTA, METRICS, orders
from tfprof.definitions.options import OPTIONS
from tfprof.reports.regexes import match_exactly

_ESCAPED = re.compile(r"\\(.)")
_COMMAS = re.compile(r"\\.|(,)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that can take the place of the last `replaces` characters, and what it is."""

    text: str
    replaces: int
    about: str = ""


def candidates(line: str, console: Console) -> Iterator[Candidate]:
    """Everything that can complete a line."""
    arguments, unfinished = split_unfinished(line)
    if not arguments:
        commands = {n: c.help for n, c in COMMANDS.items() if c.where != "flags"}
        yield from _filter_prefix(commands.items(), unfinished)
        return
    if arguments[0] == "help":
        yield from _filter_prefix(_topics(), unfinished)
        return
    command = COMMANDS.get(arguments[0])
    if arguments[0] == "advise":
        from tfprof.advisor import all_checkers

        checkers = [(name, c.help) for name, c in all_checkers()[0].items()]
        yield from _filter_prefix([*checkers, *_flags(COMMANDS["advise"])], unfinished)
        return
    if command is None:
        return
    if not command.options:
        yield from _filter_prefix(_flags(command), unfinished)
        return
    option = OPTIONS.get(arguments[-1].lstrip("-")) if arguments[-1].startswith("-") else None
    name, equals, value = unfinished.partition("=")
    if equals and name.startswith("-") and name.lstrip("-") in OPTIONS:
        option, unfinished = OPTIONS[name.lstrip("-")], value
    if option is None or (option.kind == "flag" and not unfinished):
        given = {word.lstrip("-") for word in arguments}
        remaining = (
            (f"-{o.name}", o.help)
            for o in OPTIONS.values()
            if o.name not in given and (o.listed or unfinished.startswith("-min_"))
        )
        switches = [("-legend", "explain the columns"), *_flags(command)]
        yield from _filter_prefix([*remaining, *switches], unfinished)
    elif option.kind == "flag":
        yield from _filter_prefix([("true", ""), ("false", "")], unfinished)
    elif option.kind == "order":
        # The prompt has one profile, and no diff to sort.
        known = ((order, _title(order)) for order in orders() if order != DELTA)
        yield from _filter_prefix(known, unfinished)
    elif option.kind == "select":
        chosen, item = unfinished.split(",")[:-1], unfinished.rpartition(",")[2]
        remaining = ((metric, _title(metric)) for metric in METRICS if metric not in chosen)
        yield from _filter_prefix(remaining, item)
    elif option.kind == "output":
        yield from _outputs(unfinished)
    elif option.kind == "regexes":
        yield from _names(console, arguments[0], option.name, unfinished)


def _flags(command: Command) -> list[tuple[str, str]]:
    return [(f"--{flag.name}", flag.help) for flag in command.flags]


def _topics() -> list[tuple[str, str]]:
    return [
        *((name, command.help) for name, command in COMMANDS.items() if command.where != "flags"),
        *((f"-{name}", option.help) for name, option in OPTIONS.items()),
    ]


def _filter_prefix(known: Iterable[tuple[str, str]], unfinished: str) -> Iterator[Candidate]:
    for text, about in known:
        if text.startswith(unfinished):
            yield Candidate(text, len(unfinished), about)


def _title(name: str) -> str:
    return METRICS[name].title if name in METRICS else ""


def _outputs(unfinished: str) -> Iterator[Candidate]:
    from tfprof.outputs import OUTPUTS

    name, colon, rest = unfinished.partition(":")
    if not colon:
        forms = ((f"{n}:" if o.keys else n, o.help) for n, o in OUTPUTS.items())
        yield from _filter_prefix(forms, unfinished)
        return
    keys = OUTPUTS[name].keys if name in OUTPUTS else ()
    key, equals, path = rest.rpartition(",")[2].partition("=")
    if not equals:
        yield from _filter_prefix(((f"{key}=", "") for key in keys), key)
    elif key == "outfile":
        yield from _files(path)


def _files(unfinished: str) -> Iterator[Candidate]:
    prefix = unfinished.rpartition("/")[2]
    folder = path_of(unfinished[: len(unfinished) - len(prefix)] or ".")
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except (OSError, ValueError):
        return
    for entry in entries:
        if entry.name.startswith(prefix) and (prefix or not entry.name.startswith(".")):
            suffix = "/" if entry.is_dir() else ""
            yield Candidate(_escape_blanks(entry.name) + suffix, len(prefix))


def _names(console: Console, view: str, option: str, unfinished: str) -> Iterator[Candidate]:
    commas = (comma.end() for comma in _COMMAS.finditer(unfinished) if comma[1])
    item = unfinished[max(commas, default=0) :]
    plain = _ESCAPED.sub(r"\1", item)
    # A row of code view has the line and the source text after the file, hence the stars.
    in_code = view == "code" and option != "account_type_regexes"
    prefix = plain.removeprefix(".*") if in_code else plain
    for name in complete_name(names_to_complete(console.profile, view, option), prefix):
        text = f".*{match_exactly(name)}.*" if in_code else match_exactly(name)
        yield Candidate(_escape_blanks(text), len(item), name if text != name else "")


def _escape_blanks(text: str) -> str:
    """Escape blanks and quotes, as the shell's grammar reads them."""
    return re.sub(r"([\s'\"])", r"\\\1", text)
