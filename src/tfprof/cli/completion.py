"""What can follow an unfinished line: commands, options, metrics, outputs, files, names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tfprof.cli.commands import COMMANDS
from tfprof.cli.console import Console
from tfprof.cli.inputs import path_of
from tfprof.cli.name_index import as_regex, matching, names_for
from tfprof.cli.parser import last_word
from tfprof.definitions.metrics import METRICS, orders
from tfprof.definitions.options import OPTIONS

__all__ = ["Candidate", "candidates"]

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
    words, typed = last_word(line)
    if not words:
        here = {n: c.help for n, c in COMMANDS.items() if c.where != "flags"}
        yield from _beginning(here.items(), typed)
        return
    if words[0] == "help":
        yield from _beginning(_topics(), typed)
        return
    if words[0] == "advise":
        from tfprof.advisor import all_checkers

        checkers = all_checkers()[0]
        yield from _beginning([(name, c.help) for name, c in checkers.items()], typed)
        return
    command = COMMANDS.get(words[0])
    if command is None or not command.options:
        return
    option = OPTIONS.get(words[-1].lstrip("-")) if words[-1].startswith("-") else None
    name, equals, value = typed.partition("=")
    if equals and name.startswith("-") and name.lstrip("-") in OPTIONS:
        option, typed = OPTIONS[name.lstrip("-")], value
    if option is None or (option.kind == "flag" and not typed):
        given = {word.lstrip("-") for word in words}
        left = ((f"-{o.name}", o.help) for o in OPTIONS.values() if o.name not in given)
        yield from _beginning([*left, ("-legend", "explain the columns")], typed)
    elif option.kind == "flag":
        yield from _beginning([("true", ""), ("false", "")], typed)
    elif option.kind == "order":
        yield from _beginning(((order, _title(order)) for order in orders()), typed)
    elif option.kind == "select":
        chosen, item = typed.split(",")[:-1], typed.rpartition(",")[2]
        left = ((metric, _title(metric)) for metric in METRICS if metric not in chosen)
        yield from _beginning(left, item)
    elif option.kind == "output":
        yield from _outputs(typed)
    elif option.kind == "regexes":
        yield from _names(console, words[0], option.name, typed)


def _topics() -> list[tuple[str, str]]:
    return [
        *((name, command.help) for name, command in COMMANDS.items()),
        *((f"-{name}", option.help) for name, option in OPTIONS.items()),
    ]


def _beginning(known: Iterable[tuple[str, str]], typed: str) -> Iterator[Candidate]:
    for text, about in known:
        if text.startswith(typed):
            yield Candidate(text, len(typed), about)


def _title(name: str) -> str:
    return METRICS[name].title if name in METRICS else ""


def _outputs(typed: str) -> Iterator[Candidate]:
    from tfprof.outputs import OUTPUTS

    name, colon, rest = typed.partition(":")
    if not colon:
        forms = ((f"{n}:" if o.keys else n, o.help) for n, o in OUTPUTS.items())
        yield from _beginning(forms, typed)
        return
    keys = OUTPUTS[name].keys if name in OUTPUTS else ()
    key, equals, path = rest.rpartition(",")[2].partition("=")
    if not equals:
        yield from _beginning(((f"{key}=", "") for key in keys), key)
    elif key == "outfile":
        yield from _files(path)


def _files(typed: str) -> Iterator[Candidate]:
    beginning = typed.rpartition("/")[2]
    at = path_of(typed[: len(typed) - len(beginning)] or ".")
    try:
        found = sorted(os.scandir(at), key=lambda entry: entry.name)
    except (OSError, ValueError):
        return
    for entry in found:
        if entry.name.startswith(beginning) and (beginning or not entry.name.startswith(".")):
            ending = "/" if entry.is_dir() else ""
            yield Candidate(_quoted(entry.name) + ending, len(beginning))


def _names(console: Console, view: str, option: str, typed: str) -> Iterator[Candidate]:
    commas = (found.end() for found in _COMMAS.finditer(typed) if found[1])
    item = typed[max(commas, default=0) :]
    plain = _ESCAPED.sub(r"\1", item)
    # A row of code view has the line and the source text after the file, hence the stars.
    in_code = view == "code" and option != "account_type_regexes"
    beginning = plain.removeprefix(".*") if in_code else plain
    for name in matching(names_for(console.profile, view, option), beginning):
        text = f".*{as_regex(name)}.*" if in_code else as_regex(name)
        yield Candidate(_quoted(text), len(item), name if text != name else "")


def _quoted(text: str) -> str:
    """A text of which the shell's grammar keeps the blanks."""
    return re.sub(r"([\s'\"])", r"\\\1", text)
