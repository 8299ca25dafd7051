"""The prompt: one command per line, with completion and a history; or lines from a pipe."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING

import tfprof
from tfprof.cli.commands import COMMANDS, perform
from tfprof.cli.commands.prompt import show_options
from tfprof.cli.console import Console
from tfprof.cli.flags import FAILED, SWITCHES, exit_status
from tfprof.cli.inputs import INPUTS
from tfprof.cli.parser import OptionLike, parse_command, split_line
from tfprof.definitions.options import OPTIONS
from tfprof.errors import OptionError, TfprofError
from tfprof.runtime.out_of_memory import describe_memory_error

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent, Completion
    from prompt_toolkit.document import Document

PROMPT = "tfprof> "


def interact(console: Console, stdin: IO[str] | None) -> int:
    """Run lines until the user leaves.

    At a terminal the status is 0; of piped lines it is that of the worst failure, or 0. A pipe
    without lines asks for the first screen.
    """
    console.is_shell = True
    console.options()
    if isinstance(stdin, io.TextIOWrapper):
        # A name is any bytes, so a line may be too.
        stdin.reconfigure(errors="surrogateescape")
    if stdin is None or not stdin.isatty():
        console.screen = replace(console.screen, paged=False)
        lines = iter(stdin or ())
        first = next(lines, None)
        if first is not None:
            return max([0, *_run_lines(console, chain([first], lines))])
        if console.compat or console.screen.quiet:
            return 0
        return run_line(replace(console, is_shell=False), "summary")
    _greet(console)
    session = _session(console)
    while _prompt_once(console, session):
        pass
    return 0


def _greet(console: Console) -> None:
    """The first screen: a summary, or in compat the size of the profile."""
    profile, screen = console.profile, console.screen
    keys = "Enter shows the options, Tab completes, help explains, Ctrl-D leaves."
    size = f"{len(profile.nodes):,} nodes, {len(profile.steps)} steps"
    if screen.layout is None:
        screen.info(f"tfprof {tfprof.__version__}: {size}. {keys}")
        return
    if not screen.quiet:
        with contextlib.suppress(KeyboardInterrupt):
            run_line(replace(console, screen=replace(screen, paged=False)), "summary")
    screen.info(f"tfprof {tfprof.__version__}. {keys}")


def _prompt_once(console: Console, session: PromptSession[str]) -> bool:
    """Prompt for a line and run it; false when the user leaves."""
    try:
        run_line(console, session.prompt(PROMPT))
    except KeyboardInterrupt:
        return True
    except EOFError:
        return False
    return True


def _run_lines(console: Console, lines: Iterable[str]) -> Iterator[int]:
    with contextlib.suppress(EOFError):
        for line in lines:
            yield run_line(console, line.rstrip("\r\n"))


def run_line(console: Console, line: str) -> int:
    """Run one line; a failure is printed and returned as the status, and the shell goes on."""
    try:
        _perform_line(console, line)
    except TfprofError as error:
        console.screen.error(str(error))
        return exit_status(error)
    except (BrokenPipeError, EOFError):
        raise
    except MemoryError as error:
        console.screen.error(describe_memory_error(error))
        return FAILED
    except Exception as error:
        console.screen.error(f"unexpected {type(error).__name__}: {error}; please report it")
        return FAILED
    return 0


def _perform_line(console: Console, text: str) -> None:
    if not text:
        show_options(console)
        return
    # A pasted `tfprof>` prefix is ignored, and so are comments.
    text = text.strip().removeprefix(PROMPT.strip()).lstrip()
    if not text or text.startswith("#"):
        return
    tokens = split_line(text)
    if not tokens or tokens[0].startswith("-"):
        raise OptionError(f"a line starts with a command: {', '.join(_commands())}")
    for token in tokens:
        name = token.partition("=")[0].lstrip("-")
        if token.startswith("--") and name in INPUTS:
            raise OptionError(f"option '--{name}' works only on the command line")
    perform(console, parse_command(tokens, _known_options()))


def _commands() -> list[str]:
    return [name for name, command in COMMANDS.items() if command.where != "flags"]


def _known_options() -> Mapping[str, OptionLike]:
    own = {flag.name: flag for name in _commands() for flag in COMMANDS[name].flags}
    return {**OPTIONS, **own, "legend": SWITCHES["legend"]}


def history_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Where lines are remembered, in the folder that the user's system has for such things."""
    state = environment.get("XDG_STATE_HOME") or ""
    folder = Path(state) if Path(state).is_absolute() else Path("~/.local/state").expanduser()
    return folder / "tfprof" / "history"


def _session(console: Console) -> PromptSession[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer, Completion, ThreadedCompleter
    from prompt_toolkit.history import FileHistory, History, InMemoryHistory
    from prompt_toolkit.output import create_output

    from tfprof.cli.completion import candidates

    class LineHistory(FileHistory):
        def store_string(self, string: str) -> None:
            try:
                super().store_string(string)
            except OSError:
                # A full disk must not end the session.
                return

    class LineCompleter(Completer):
        def get_completions(
            self,
            document: Document,
            complete_event: CompleteEvent,  # noqa: ARG002 - the caller's name
        ) -> Iterable[Completion]:
            for candidate in candidates(document.text_before_cursor, console):
                meta = candidate.about[:60]
                yield Completion(candidate.text, -candidate.replaces, display_meta=meta)

    history: History
    try:
        path = history_file()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        history = LineHistory(str(path))
    except (OSError, RuntimeError):
        history = InMemoryHistory()
    return PromptSession(
        history=history,
        completer=ThreadedCompleter(LineCompleter()),
        complete_while_typing=False,
        enable_history_search=True,
        output=create_output(always_prefer_tty=True),
    )
