"""Words to option values and back: the grammar that flags and shell lines share.

An option is `-name value`, `--name value` or `-name=value`. Its name, its kind and what its values
may be come from the tables, so that both grammars know every option there is.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tfprof.definitions.options import OPTIONS, did_you_mean
from tfprof.errors import OptionError

__all__ = [
    "Flag",
    "Known",
    "ParsedCommand",
    "dashed",
    "items",
    "joined",
    "last_word",
    "parse_command",
    "shown",
    "split_line",
]

_ITEM = re.compile(r"(?:\\.|[^,\\]|\\$)+", re.DOTALL)
_PAIR = re.compile(r"\\(.)", re.DOTALL)
_BLANKS = " \t\r\n\f\v"
_QUOTES = "'\""
_TRUE = ("true", "t", "yes", "y", "1")
_FALSE = ("false", "f", "no", "n", "0")
HELP = "help"
TRUTH = {**dict.fromkeys(_TRUE, True), **dict.fromkeys(_FALSE, False)}
"""What a flag takes for a value, in any case."""

SWITCHES = ("flag", "switch")
"""The kinds of option that may stand alone."""


@dataclass(frozen=True, slots=True)
class Flag:
    """An option of the command line that is none of the report's.

    `kind` is path, paths, text or switch; `value` is what help calls its value.
    """

    name: str
    kind: str
    help: str
    value: str = ""


class Known(Protocol):
    """What the grammar needs to know of an option."""

    @property
    def name(self) -> str:
        """The name without dashes."""

    @property
    def kind(self) -> str:
        """What its value is."""


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """A command, the plain words after it, and the options given with it."""

    command: str
    words: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """Those of the values that are options of a report."""
        return {name: value for name, value in self.values.items() if name in OPTIONS}


def split_line(line: str) -> list[str]:
    """The words of a line, quoted as in a shell.

    A backslash takes the meaning from a blank, a quote or a backslash; before anything else it
    stays, so that most regexes need no quotes.
    """
    words, rest, quote = _lexed(line)
    if quote:
        raise OptionError(f"a quote is open: add a closing {quote}")
    return words if rest is None else [*words, rest]


def last_word(line: str) -> tuple[list[str], str]:
    """The complete words of an unfinished line, and the one that is being typed."""
    words, rest, _ = _lexed(line)
    return words, rest or ""


def _lexed(line: str) -> tuple[list[str], str | None, str]:
    """The words that a blank ends, the one that the line's end cuts, and the quote open there."""
    words: list[str] = []
    word: list[str] = []
    begun, quote, at = False, "", 0
    while at < len(line):
        char, after = line[at], line[at + 1 : at + 2]
        at += 1
        if char == "\\" and after and after in _escapable(quote):
            begun = True
            word.append(after)
            at += 1
        elif char == quote:
            quote = ""
        elif not quote and char in _QUOTES:
            begun, quote = True, char
        elif quote or char not in _BLANKS:
            begun = True
            word.append(char)
        elif begun:
            words.append("".join(word))
            word, begun = [], False
    return words, "".join(word) if begun else None, quote


def _escapable(quote: str) -> str:
    if quote == "'":
        return ""
    return '"\\' if quote else _BLANKS + _QUOTES + "\\"


def items(text: str) -> tuple[str, ...]:
    r"""The items of a list that is separated by commas; `\,` is a comma inside an item."""
    found = _ITEM.findall(text)
    return tuple(_PAIR.sub(lambda pair: "," if pair[1] == "," else pair[0], item) for item in found)


def joined(values: Iterable[str]) -> str:
    """The list that `items` takes apart again."""
    return ",".join(value.replace(",", "\\,") for value in values)


def shown(value: Any) -> str:
    """An option's value as it is typed."""
    if isinstance(value, bool):
        return str(value).lower()
    return joined(value) if isinstance(value, tuple) else str(value)


def _read(words: Sequence[str], known: Mapping[str, Known]) -> tuple[list[str], dict[str, Any]]:
    """The plain words among some words, and the options by name."""
    plain: list[str] = []
    values: dict[str, Any] = {}
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not _is_option(word):
            plain.append(word)
            continue
        given, equals, text = word.partition("=")
        option = _find(given, known)
        if not equals and option.kind in SWITCHES:
            values[option.name] = True
            if at < len(words) and words[at].lower() in TRUTH:
                values[option.name] = TRUTH[words[at].lower()]
                at += 1
            continue
        if not equals:
            if at == len(words) or _name(words[at]) in known:
                raise OptionError(f"option '{given}' needs a value{_example(option)}")
            text = words[at]
            at += 1
        values[option.name] = _value(option, text)
    return plain, values


def parse_command(words: Sequence[str], known: Mapping[str, Known]) -> ParsedCommand:
    """The command among some words, and what is given with it; what follows `help` is a topic."""
    if HELP in words:
        at = words.index(HELP)
        with contextlib.suppress(OptionError):
            before, values = _read(words[:at], known)
            if not before:
                return ParsedCommand(HELP, tuple(words[at + 1 :]), values)
    plain, values = _read(words, known)
    return ParsedCommand(plain[0] if plain else "", tuple(plain[1:]), values)


def dashed(name: str, typed: str = "--") -> str:
    """An option's name with the dashes it was typed with."""
    return ("--" if typed.startswith("--") else "-") + name


def _is_option(word: str) -> bool:
    return word.startswith("-") and word.strip("-") != ""


def _name(word: str) -> str:
    """The name that a word stands for if it is an option, else nothing."""
    if not _is_option(word):
        return ""
    return word.partition("=")[0].lstrip("-").replace("-", "_")


def _find(word: str, known: Mapping[str, Known]) -> Known:
    dashes = len(word) - len(word.lstrip("-"))
    option = known.get(_name(word)) if dashes <= 2 else None
    if option is None:
        near = did_you_mean(_name(word), known)
        if near:
            found = near.split("'")[1]
            near = near.replace(f"'{found}'", f"'{dashed(found, word)}'")
        raise OptionError(f"unknown option '{word}'{near or '; see tfprof help'}")
    return option


def _example(option: Known) -> str:
    examples = {
        "integer": "a number",
        "regexes": "a regex, or several with commas between",
        "select": "metrics with commas between",
        "path": "a file",
        "paths": "a file, or several with commas between",
    }
    example = examples.get(option.kind)
    return f": {example}" if example else ""


def _value(option: Known, text: str) -> Any:
    if option.kind in SWITCHES:
        if text.lower() not in TRUTH:
            raise OptionError(f"option '{option.name}': '{text}' is neither true nor false")
        return TRUTH[text.lower()]
    if option.kind == "integer":
        try:
            return int(text)
        except ValueError:
            raise OptionError(f"option '{option.name}': '{text}' is not a whole number") from None
    return items(text) if option.kind in ("regexes", "select", "paths") else text
