"""What the original's functions do around a report: check the request, tell, write, return."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from tfprof import outputs
from tfprof.definitions.options import Options, did_you_mean
from tfprof.errors import OptionError
from tfprof.reports.report import Report
from tfprof.tf_compat.option_builder import ProfileOptionBuilder
from tfprof.views import VIEWS

__all__ = ["OptionsLike", "answer", "check_view", "chosen_options", "tell"]

OptionsLike = Mapping[str, Any] | Options | int | None
"""What a caller may give as options; 0 and None stand for the default."""


def answer(report: Report) -> Any:
    """Write a report as the original's functions do, with banners on the terminal."""
    tell(report.messages)
    if outputs.parse(report.options.output)[0].name == "stdout":
        one_line = outputs.to_terminal()
        outputs.print_bytes(b"".join(outputs.text.with_banners(report, one_line=one_line)))
    else:
        report.write()
    return report.proto()


def check_view(cmd: Any) -> None:
    """Refuse what is no view."""
    if not isinstance(cmd, str):
        raise TypeError(f"cmd: a {type(cmd).__name__} was given; accepted are {', '.join(VIEWS)}")
    if cmd not in VIEWS:
        hint = did_you_mean(cmd, VIEWS)
        raise OptionError(f"unknown cmd: {cmd}; known are {', '.join(VIEWS)}{hint}")


def chosen_options(options: OptionsLike) -> Mapping[str, Any] | Options:
    """The options themselves, or those that stand for none: parameters of trainable variables."""
    if options is None or (isinstance(options, int) and options == 0):
        return ProfileOptionBuilder.trainable_variables_parameter()
    if isinstance(options, (Mapping, Options)):
        return options
    kind = type(options).__name__
    raise TypeError(f"options: a {kind} was given; accepted are a dict and tfprof.Options")


def tell(messages: Iterable[str]) -> None:
    """Messages, a line each, where errors go."""
    if sys.stderr is not None:
        sys.stderr.write("".join(f"{message}\n" for message in messages))
