"""The command `run`: a script runs, and some of its steps are captured."""

from __future__ import annotations

from tfprof.cli.commands.command import Command
from tfprof.cli.console import Console
from tfprof.cli.inputs import path_of
from tfprof.cli.parser import Flag, ParsedCommand
from tfprof.errors import OptionError

_STEPS = "2:5"


def _run_script(console: Console, parsed: ParsedCommand) -> None:
    if not parsed.arguments:
        raise OptionError("'run' needs a script, as in: tfprof run train.py -- --epochs 2")
    from tfprof.recording.run_script import check_folder, check_script, run_script
    from tfprof.recording.step_capture import StepCapture

    script, *arguments = parsed.arguments
    path = path_of(script)
    check_script(path)
    out = parsed.values.get("out", f"tfprof_{path.stem}")
    if not out:
        raise OptionError("option '--out': is empty; name a folder to write to")
    folder = path_of(out)
    check_folder(folder)
    steps = _step_range(parsed.values.get("steps", _STEPS))
    capture = StepCapture(folder, *steps, script=str(path.absolute()))
    status = run_script(path, arguments, capture)
    problem = capture.problem
    if problem and not status:
        raise OptionError(f"nothing was captured: {problem}")
    if problem:
        console.screen.error(f"nothing was captured: {problem}")
    else:
        console.screen.info(f"captured in {folder}; open it with: tfprof {folder}")
    if status:
        raise SystemExit(status)


def _step_range(text: str) -> tuple[int, int]:
    first, colon, last = text.partition(":")
    if not (colon and first.isdecimal() and last.isdecimal() and int(first) < int(last)):
        raise OptionError(f"option '--steps': '{text}' is no range; give one such as {_STEPS}")
    return int(first), int(last)


RUN = Command(
    "run",
    "run a Python script and capture some of its steps",
    _run_script,
    where="flags",
    metavar="SCRIPT -- ARGUMENTS",
    flags=(
        Flag(
            "steps",
            "text",
            f"the first step and the one after the last (default {_STEPS})",
            "FIRST:LAST",
        ),
        Flag("out", "path", "folder to write to (default tfprof_SCRIPT)", "DIR"),
    ),
    inputs={},
    switches=(),
    runs_program=True,
    examples="""\
The script is not changed. A step is a call of a tf.function, as Keras makes for
each batch, or of Session.run.

  run train.py
  run --steps 10:13 --out run1 train.py -- --epochs 2""",
)
