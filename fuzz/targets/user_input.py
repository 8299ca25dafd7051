"""Parsers of what users type: command lines, shell lines, option values and regexes."""

from __future__ import annotations

import contextlib
import io
from functools import cache
from unittest import mock

import pyarrow as pa

import tfprof
from fuzz import seeds
from fuzz.mutate import mutate_tokens
from fuzz.targets import Target
from tfprof import outputs
from tfprof.api import report
from tfprof.api.profile import Profile
from tfprof.api.screen import Screen
from tfprof.cli.completion import candidates
from tfprof.cli.console import Console
from tfprof.cli.flags import FLAGS
from tfprof.cli.inputs import load_arguments
from tfprof.cli.parser import parse_command, split_line
from tfprof.cli.shell import run_line
from tfprof.definitions.metrics import METRICS
from tfprof.definitions.options import OPTIONS, Options
from tfprof.definitions.quirks import REPAIRED
from tfprof.reports import regexes

__all__ = ["TARGETS"]

_LINES = (
    "scope -select params,micros -max_depth 4 -account_type_regexes _trainable_variables",
    "graph -start_name_regexes cost.* -max_depth 100 -min_micros 10000 -select micros",
    "op -select micros,bytes,occurrence -order_by micros -min_float_ops=1 --legend",
    "code -max_depth 20 -show_name_regexes .*resnet.* -trim_name_regexes 'a b',\"c\" -step 0",
    "scope -output file:outfile=x -account_displayed_op_only true -hide_name_regexes \\,a,b",
    "set -step -1",
    "help -select",
    "advise ExpensiveOperationChecker --json",
    "reset",
    "tfprof> scope # comment",
    "",
)
_FLAGS = (
    "--graph_path=a --run_meta_path=b,c --op_log_path d --checkpoint_path e scope --compat",
    "--profile_path=p --quiet --legend=false op -select micros",
    "--demo tables --out=folder",
    "completion bash",
    *(f"scope --{name}={option.default}" for name, option in OPTIONS.items()),
)
_REGEXES = (".*", "(a|b)*c", "[a-z]+/.*", "^a$", "(?i)x{1,5}", r"\Qa.b\E", r"\pL+", "a.*|.*b")


def _text(data: bytes) -> str:
    return data.decode(errors="surrogateescape")


@cache
def _profile() -> Profile:
    graph = next(data for data in seeds.graphs()[20:] if len(data) > 2000)
    return tfprof.load(graph=graph, run_meta=seeds.runs()[-1])


def _console() -> Console:
    return Console(Screen(io.BytesIO(), io.StringIO(), terminal=True), _profile, is_shell=True)


def _flags(data: bytes) -> None:
    line = parse_command(split_line(_text(data)), FLAGS)
    load_arguments(line.values)
    _console().check(line.options)


def _shell(data: bytes) -> None:
    console = _console()
    # No input may write a file.
    with mock.patch.object(report, "write_documents"), contextlib.suppress(EOFError):
        for text in _text(data).split("\n"):
            run_line(console, text)
    errors = console.screen.err
    assert isinstance(errors, io.StringIO)
    assert "please report it" not in errors.getvalue(), errors.getvalue()
    _assert_printable(errors.getvalue())
    shown = console.screen.out
    assert isinstance(shown, io.BytesIO)
    _assert_printable(shown.getvalue().decode())


def _assert_printable(text: str) -> None:
    assert "\x1b" not in text, "an escape sequence reaches the terminal"
    assert "\r" not in text, "a carriage return reaches the terminal"


def _complete(data: bytes) -> None:
    for found in candidates(_text(data), _console()):
        assert found.replaces >= 0


def _regex(data: bytes) -> None:
    regex = _text(data)
    regexes.check("show_name_regexes", (regex,), REPAIRED)
    regexes.matches(regex, pa.array(["a/b", "", "a" * 200, "x\ny", "日本"]))


def _output(data: bytes) -> None:
    outputs.parse_output(_text(data))


def _options(data: bytes) -> None:
    words = _text(data).split("\n")
    names = list(OPTIONS)
    given = {names[len(word) % len(names)]: word for word in words}
    Options.build(given)
    Options.build(dict.fromkeys(words, 1))


def _seeds(*texts: str) -> list[bytes]:
    return [text.encode() for text in texts]


TARGETS = [
    Target("flags", _flags, lambda: _seeds(*_FLAGS, *_LINES), mutate_tokens, is_part=True),
    Target(
        "shell", _shell, lambda: _seeds(*_LINES, "\n".join(_LINES)), mutate_tokens, is_part=True
    ),
    Target("completion", _complete, lambda: _seeds(*_LINES), mutate_tokens, is_part=True),
    Target("regexes", _regex, lambda: _seeds(*_REGEXES), mutate_tokens, is_part=True),
    Target(
        "outputs",
        _output,
        lambda: _seeds(*outputs.OUTPUTS, *(f"{name}:outfile=x" for name in outputs.OUTPUTS)),
        mutate_tokens,
        is_part=True,
    ),
    Target(
        "options",
        _options,
        lambda: _seeds("\n".join(OPTIONS), "\n".join(METRICS)),
        mutate_tokens,
        is_part=True,
    ),
]
