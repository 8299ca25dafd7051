"""Questions to a profile, chosen by its input's bytes: what a reader lets in must be answerable."""

from __future__ import annotations

import contextlib
import io
import random
import tempfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import tfprof
from tfprof.api.profile import Profile
from tfprof.api.report import Report
from tfprof.api.screen import Screen
from tfprof.cli.console import Console
from tfprof.cli.shell import run_line
from tfprof.definitions.metrics import DELTA, METRICS, number_names, orders
from tfprof.outputs import OUTPUTS
from tfprof.outputs.diff import DIFF_OUTPUTS
from tfprof.outputs.diff.text import diff_lines
from tfprof.outputs.terminal_report import report_lines
from tfprof.protos import graph_pb2
from tfprof.runtime.terminal import Terminal, plain_text
from tfprof.views import VIEWS

__all__ = ["QUESTIONS", "TERMINALS", "ask", "ask_named", "dice_of"]

Question = Callable[[Profile, random.Random], None]
TERMINALS = (
    Terminal(),
    Terminal(width=20, height=4),
    Terminal(width=200, height=60, colour=True),
    Terminal(width=100, bars=False),
)
_DEPTHS = (0, 1, 3, 10, 100, 10_000, -1, 2**40)
_REGEXES = (".*", "a.*", ".*/.*", "", "MatMul|Conv2D", ".*gpu.*", "_trainable_variables")
_FILES = [name for name in OUTPUTS if name not in ("stdout", "none")]
_DIFF_FILES = [name for name in DIFF_OUTPUTS if name in _FILES]
_MINIMA = ("min_micros", "min_bytes", "min_params", "min_float_ops", "min_occurrence")
_WINDOWS: tuple[dict[str, Any], ...] = (
    *({"since": 0}, {"since": 3}, {"until": 20}, {"since": 5, "until": 10**6}, {"until": 0}),
    *({"since": 2**62}, {"at": 0}, {"at": 7}, {"at": 2**62}),
)
"""Options of the time of a step."""
_VIEWS_OF = {
    "timeline": ("graph", "graph", "scope", "code"),
    "pprof": ("code", "scope"),
    "dot": ("graph",),
}
_SELECTED = {"timeline": ["micros", "bytes"], "pprof": ["micros"]}
"""What outputs are of, if not of anything."""


def dice_of(data: bytes) -> random.Random:
    """Chance that is the same whenever the input is."""
    return random.Random(zlib.crc32(data))


def ask(profile: Profile, dice: random.Random) -> None:
    """Ask a question of some kind."""
    questions, weights = zip(*_QUESTIONS, strict=True)
    _ask_silently(dice.choices(questions, weights)[0], profile, dice)


def ask_named(name: str, profile: Profile, dice: random.Random) -> None:
    """Ask one of `QUESTIONS`; any of them if there is none of this name."""
    question = QUESTIONS.get(name) or dice.choice(list(QUESTIONS.values()))
    _ask_silently(question, profile, dice)


def _ask_silently(question: Question, profile: Profile, dice: random.Random) -> None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        question(profile, dice)


def _ask_nothing(profile: Profile, dice: random.Random) -> None:
    """Reading was the question: readers get more inputs."""


def _ask_text(profile: Profile, dice: random.Random) -> None:
    _report(profile, dice).text(legend=dice.random() < 0.2)


def _ask_terminal(profile: Profile, dice: random.Random) -> None:
    report = _report(profile, dice, compat=False)
    plain_text(report_lines(report, dice.choice(TERMINALS), legend=dice.random() < 0.2))


def _ask_overview(profile: Profile, dice: random.Random) -> None:
    """A view without options, as it is typed in the shell."""
    screen = Screen(io.BytesIO(), io.StringIO(), terminal=True, presents=dice.random() < 0.7)
    run_line(Console(screen, lambda: profile, is_shell=True), dice.choice(tuple(VIEWS)))
    assert isinstance(screen.err, io.StringIO)
    assert "please report it" not in screen.err.getvalue(), screen.err.getvalue()


def _ask_proto(profile: Profile, dice: random.Random) -> None:
    _report(profile, dice).proto()


def _ask_file(profile: Profile, dice: random.Random, output: str = "") -> None:
    output = output or dice.choice(_FILES)
    view = dice.choice(_VIEWS_OF.get(output, tuple(VIEWS)))
    report = _report(profile, dice, view, select=_SELECTED.get(output))
    more = dice.choice(("", ",flows=all", ",flows=none")) if output == "timeline" else ""
    more = dice.choice(("", ",safe=1")) if output == "csv" else more
    with tempfile.TemporaryDirectory() as folder:
        report.write(f"{output}:outfile={Path(folder) / 'out'}{more}")


def _ask_notebook(profile: Profile, dice: random.Random) -> None:
    _report(profile, dice)._repr_html_()


def _ask_saved(profile: Profile, dice: random.Random) -> None:
    """Save it, and read it again."""
    if dice.random() < 0.5:
        compat = dice.random() < 0.3
        profile.serialize(compat=compat)
        return
    with tempfile.TemporaryDirectory() as folder:
        profile.save_tables(folder)
        Profile.from_tables(folder).report("op").text()


def _ask_diff(profile: Profile, dice: random.Random, output: str = "") -> None:
    """Compare the profile with one that has some of its names, under other names as well."""
    names = profile.nodes.name.to_pylist()
    graph = graph_pb2.GraphDef()
    for name in dice.sample(names, min(len(names), 20)):
        graph.node.add(name=name.replace("a", "b"), op=dice.choice(("MatMul", "Const", "Add")))
    other = tfprof.load(graph=graph)
    sides = dice.sample((profile, other), 2)
    select = dice.sample(number_names(), 2)
    diff = tfprof.diff(*sides, dice.choice(tuple(VIEWS)), select=select, min_delta=0)
    diff.text()
    diff.json()
    diff._repr_html_()
    plain_text(diff_lines(diff, dice.choice(TERMINALS)))
    with tempfile.TemporaryDirectory() as folder:
        diff.write(f"{output or dice.choice(_DIFF_FILES)}:outfile={Path(folder) / 'out'}")


def _ask_advice(profile: Profile, dice: random.Random) -> None:
    profile.advise(compat=dice.random() < 0.3).text()


def _ask_summary(profile: Profile, dice: random.Random) -> None:
    summary = profile.summary()
    summary.text()
    plain_text(summary.lines(dice.choice(TERMINALS), command="tfprof"))


def _ask_memory(profile: Profile, dice: random.Random) -> None:
    step = dice.choice((-1, *profile.steps))
    profile.live_tensors(step=step, top=dice.choice((None, 1, 100)))
    predicted = profile.memory({"B": dice.choice((1, 64, 2**40))} if dice.random() < 0.5 else None)
    predicted.json()
    if predicted.sizes and predicted.fits("16GB") != "no":
        predicted.largest(next(iter(predicted.sizes)), "16GB")


_QUESTIONS: tuple[tuple[Question, int], ...] = (
    (_ask_nothing, 60),
    (_ask_text, 30),
    (_ask_terminal, 12),
    (_ask_overview, 6),
    (_ask_proto, 10),
    (_ask_file, 25),
    (_ask_notebook, 3),
    (_ask_saved, 8),
    (_ask_diff, 5),
    (_ask_advice, 4),
    (_ask_summary, 3),
    (_ask_memory, 5),
)
"""Questions, and how often each is asked."""
QUESTIONS: dict[str, Question] = {
    **{question.__name__.removeprefix("_ask_"): question for question, _ in _QUESTIONS},
    **{f"file {name}": partial(_ask_file, output=name) for name in _FILES},
    **{f"diff {name}": partial(_ask_diff, output=name) for name in _DIFF_FILES},
}
"""Questions by name; of files one for each output."""


def _report(
    profile: Profile,
    dice: random.Random,
    view: str = "",
    *,
    compat: bool | None = None,
    select: list[str] | None = None,
) -> Report:
    compat = dice.random() < 0.3 if compat is None else compat
    if dice.random() < 0.3:
        options = {"select": select or ["micros", "params", "float_ops"], "max_depth": 10_000}
        if select:
            options["account_type_regexes"] = [".*"]
        return profile.report(view or dice.choice(tuple(VIEWS)), options, compat=compat)
    options = _options(profile, dice) | ({"select": select} if select else {})
    return profile.report(view or dice.choice(tuple(VIEWS)), options, compat=compat)


def _options(profile: Profile, dice: random.Random) -> dict[str, Any]:
    window = dice.choice(_WINDOWS) if dice.random() < 0.15 else {}
    return window | {
        "select": dice.sample(tuple(METRICS), dice.choice((1, 1, 3, len(METRICS)))),
        "order_by": dice.choice([order for order in orders() if order != DELTA]),
        "max_depth": dice.choice(_DEPTHS),
        "step": dice.choice((-1, -1, *profile.steps)),
        "account_type_regexes": [".*" if dice.random() < 0.7 else dice.choice(_REGEXES)],
        "start_name_regexes": [".*" if dice.random() < 0.8 else dice.choice(_REGEXES)],
        "trim_name_regexes": [dice.choice(_REGEXES)] if dice.random() < 0.2 else [],
        "show_name_regexes": [".*" if dice.random() < 0.8 else dice.choice(_REGEXES)],
        "hide_name_regexes": [dice.choice(_REGEXES)] if dice.random() < 0.1 else [],
        "account_displayed_op_only": dice.random() < 0.3,
        dice.choice(_MINIMA): dice.choice((0, 0, 1, 2**62)),
    }
