"""Arguments to option values and back: the grammar that flags and shell lines share.

An option is `-name value`, `--name value` or `-name=value`. Its name, its kind and what its values
may be come from the tables, so that both grammars know every option there is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tfprof.definitions.lookup import did_you_mean
from tfprof.definitions.options import OPTIONS, check_time, split_list
from tfprof.errors import OptionError

_BLANKS = " \t\r\n\f\v"
_QUOTES = "'\""
_TRUE = ("true", "t", "yes", "y", "1")
_FALSE = ("false", "f", "no", "n", "0")
HELP = "help"
BOOLEANS = {**dict.fromkeys(_TRUE, True), **dict.fromkeys(_FALSE, False)}
"""What a flag takes for a value, in any case."""

SWITCHES = ("flag", "switch")
"""The kinds of option that may stand alone."""


@dataclass(frozen=True, slots=True)
class Flag:
    """An option of the command line that is none of the report's.

    `kind` is path, paths, sizes, text or switch; `metavar` is what help calls its value. A switch
    may take one of its `choices`. Paths and sizes may be given several times.
    """

    name: str
    kind: str
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()


class OptionLike(Protocol):
    """What the grammar needs to know of an option."""

    @property
    def name(self) -> str:
        """The name without dashes."""

    @property
    def kind(self) -> str:
        """What its value is."""


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """A command, its arguments, the options given with it, and the files before it."""

    name: str
    arguments: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    paths: tuple[str, ...] = ()

    @property
    def options(self) -> dict[str, Any]:
        """Those of the values that are options of a report."""
        return {name: value for name, value in self.values.items() if name in OPTIONS}


def split_line(line: str) -> list[str]:
    """Split a line into arguments, quoted as in a shell.

    A backslash escapes a blank, a quote or a backslash; before anything else it stays, so that most
    regexes need no quotes.
    """
    arguments, unfinished, quote = _tokenize(line)
    if quote:
        raise OptionError(f"unclosed quote: add a closing {quote}")
    return arguments if unfinished is None else [*arguments, unfinished]


def split_unfinished(line: str) -> tuple[list[str], str]:
    """The complete arguments of an unfinished line, and the one that is being typed."""
    arguments, unfinished, _ = _tokenize(line)
    return arguments, unfinished or ""


def _tokenize(line: str) -> tuple[list[str], str | None, str]:
    """The arguments that a blank ends, the one that the line's end cuts, and the open quote."""
    arguments: list[str] = []
    characters: list[str] = []
    has_begun, quote, i = False, "", 0
    while i < len(line):
        char, following = line[i], line[i + 1 : i + 2]
        i += 1
        if char == "\\" and following and following in _escapable(quote):
            has_begun = True
            characters.append(following)
            i += 1
        elif char == quote:
            quote = ""
        elif not quote and char in _QUOTES:
            has_begun, quote = True, char
        elif quote or char not in _BLANKS:
            has_begun = True
            characters.append(char)
        elif has_begun:
            arguments.append("".join(characters))
            characters, has_begun = [], False
    return arguments, "".join(characters) if has_begun else None, quote


def _escapable(quote: str) -> str:
    if quote == "'":
        return ""
    return '"\\' if quote else _BLANKS + _QUOTES + "\\"


def parse_command(tokens: Sequence[str], known: Mapping[str, OptionLike]) -> ParsedCommand:
    """Parse a line of the shell: a command, its arguments and options; `help` takes topics."""
    topics = _parse_help(tokens, known)
    if topics is not None:
        return topics
    plain, values = _parse_options(tokens, known)
    return ParsedCommand(plain[0] if plain else "", tuple(plain[1:]), values)


def parse_command_line(
    tokens: Sequence[str], known: Mapping[str, OptionLike], commands: Mapping[str, bool]
) -> ParsedCommand:
    """Parse what follows `tfprof`: files, a command, its arguments and options.

    `commands` says which commands take arguments; what follows another command is a file too.
    """
    topics = _parse_help(tokens, known)
    if topics is not None:
        return topics
    plain, values = _parse_options(tokens, known)
    i = next((i for i, token in enumerate(plain) if token in commands), None)
    if i is None:
        return ParsedCommand("", (), values, tuple(plain))
    before, name, after = plain[:i], plain[i], plain[i + 1 :]
    if commands[name]:
        return ParsedCommand(name, tuple(after), values, tuple(before))
    return ParsedCommand(name, (), values, (*before, *after))


def _parse_help(tokens: Sequence[str], known: Mapping[str, OptionLike]) -> ParsedCommand | None:
    """The command `help` with its topics, if nothing but options comes before it."""
    if HELP not in tokens:
        return None
    i = tokens.index(HELP)
    with contextlib.suppress(OptionError):
        before, values = _parse_options(tokens[:i], known)
        if not before:
            return ParsedCommand(HELP, tuple(tokens[i + 1 :]), values)
    return None


def _parse_options(
    tokens: Sequence[str], known: Mapping[str, OptionLike]
) -> tuple[list[str], dict[str, Any]]:
    """The tokens that are no options, and the options by name."""
    plain: list[str] = []
    values: dict[str, Any] = {}
    i = 0
    while i < len(tokens):
        token = tokens[i]
        i += 1
        if not _is_option(token):
            plain.append(token)
            continue
        typed, equals, text = token.partition("=")
        option = _find_option(typed, known)
        if not equals and option.kind in SWITCHES:
            values[option.name] = True
            if i < len(tokens) and tokens[i].lower() in (*BOOLEANS, *_choices(option)):
                values[option.name] = _parse_value(option, tokens[i])
                i += 1
            continue
        if not equals:
            if i == len(tokens) or _name_of(tokens[i]) in known:
                raise OptionError(f"option '{typed}' needs a value{_example(option)}")
            text = tokens[i]
            i += 1
        value = _parse_value(option, text)
        if option.name in values:
            value = _add_value(option, values[option.name], value)
        values[option.name] = value
    return plain, values


def _add_value(option: OptionLike, first: Any, second: Any) -> Any:
    """The value of an option that is given twice: the last one, or all of a list."""
    if option.kind == "paths":
        return (*first, *second)
    return f"{first},{second}" if option.kind == "sizes" else second


def with_dashes(name: str, typed: str = "--") -> str:
    """An option's name with the dashes it was typed with."""
    return ("--" if typed.startswith("--") else "-") + name


def _is_option(token: str) -> bool:
    return token.startswith("-") and token.strip("-") != ""


def _name_of(token: str) -> str:
    """The name of an option as typed; empty if the token is no option."""
    if not _is_option(token):
        return ""
    return token.partition("=")[0].lstrip("-").replace("-", "_")


def _find_option(token: str, known: Mapping[str, OptionLike]) -> OptionLike:
    dashes = len(token) - len(token.lstrip("-"))
    option = known.get(_name_of(token)) if dashes <= 2 else None
    if option is None:
        hint = did_you_mean(_name_of(token), known)
        name = hint.split("'")[1] if hint else ""
        hint = hint.replace(f"'{name}'", f"'{with_dashes(name, token)}'")
        raise OptionError(f"unknown option '{token}'{hint or '; see tfprof help'}")
    return option


def _example(option: OptionLike) -> str:
    examples = {
        "integer": "a number",
        "time": "a time such as 641ms",
        "regexes": "a regex, or several separated by commas",
        "select": "metrics separated by commas",
        "path": "a file",
        "paths": "a file, or several separated by commas",
    }
    example = examples.get(option.kind)
    return f": {example}" if example else ""


def _choices(option: OptionLike) -> tuple[str, ...]:
    return option.choices if isinstance(option, Flag) else ()


def _parse_value(option: OptionLike, text: str) -> Any:
    if option.kind in SWITCHES:
        choices = _choices(option)
        if text in choices:
            return text
        if choices and text.lower() not in BOOLEANS:
            hint = did_you_mean(text, choices) or f"; known are {', '.join(choices)}"
            raise OptionError(f"option '{option.name}': unknown value '{text}'{hint}")
        if text.lower() not in BOOLEANS:
            raise OptionError(f"option '{option.name}': '{text}' is neither true nor false")
        return BOOLEANS[text.lower()]
    if option.kind == "integer":
        try:
            return int(text)
        except ValueError:
            raise OptionError(f"option '{option.name}': '{text}' is not a whole number") from None
    if option.kind == "time":
        return check_time(option.name, text)
    return split_list(text) if option.kind in ("regexes", "select", "paths") else text
