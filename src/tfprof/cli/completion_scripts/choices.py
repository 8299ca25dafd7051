"""What can follow on a command line: commands, their options, and the values of those."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.cli.commands import COMMANDS, accepted_options
from tfprof.cli.flags import FLAGS
from tfprof.cli.parser import Flag, OptionLike
from tfprof.definitions.metrics import METRICS, orders
from tfprof.definitions.options import OPTIONS

FILES = ("path", "paths")
"""The kinds of option whose value is a file."""


def command_help() -> dict[str, str]:
    """The commands of the command line, with their help."""
    return {name: plain(c.help) for name, c in COMMANDS.items() if c.where != "shell"}


def flag_help() -> Iterator[tuple[OptionLike, str]]:
    """All options, with their help."""
    for name, flag in FLAGS.items():
        about = flag.help if isinstance(flag, Flag) else OPTIONS[name].help
        yield flag, plain(about)


def commands_by_flags() -> dict[tuple[str, ...], list[str]]:
    """The commands that take the same options, by those."""
    commands: dict[tuple[str, ...], list[str]] = {}
    for name in command_help():
        commands.setdefault(tuple(accepted_options(COMMANDS[name])), []).append(name)
    return commands


def values(flag: OptionLike) -> tuple[str, ...]:
    """The choices that an option takes, if they are known."""
    if isinstance(flag, Flag):
        return flag.choices
    if flag.kind == "select":
        return tuple(METRICS)
    if flag.kind == "order":
        return orders()
    if flag.kind != "output":
        return ()
    from tfprof.outputs import OUTPUTS

    files = (f"{name}:outfile=" for name, o in OUTPUTS.items() if "outfile" in o.keys)
    return (*(name for name, o in OUTPUTS.items() if not o.required), *files)


def topics() -> list[str]:
    """What `tfprof help` explains."""
    return [*COMMANDS, *(f"-{name}" for name in OPTIONS)]


def views() -> list[str]:
    """What `tfprof diff` takes after two profiles."""
    from tfprof.views import VIEWS

    return list(VIEWS)


def checkers() -> list[str]:
    """What `tfprof advise` takes."""
    from tfprof.advisor import all_checkers

    return list(all_checkers()[0])


def plain(text: str) -> str:
    """Text without what the shells would take for syntax."""
    return text.translate(str.maketrans("[]:", "(),", "'\"`$\\"))


def fill_template(template: str, **parts: str) -> str:
    """A template with a text in place of each `@NAME@`."""
    for name, text in parts.items():
        template = template.replace(f"@{name}@", text)
    return template
