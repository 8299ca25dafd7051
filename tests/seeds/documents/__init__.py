"""What the user documents show: every line typed at tfprof, and the answer printed below it."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Shown", "started", "typed"]

FOLDER = Path(__file__).parent
PROGRAM = "bazel-bin/tensorflow/tools/tfprof/tfprof"
_TYPED = re.compile(r"^(?:<p>)?(?:tfprof(?:>|&gt;) ?|(?=graph -))(.*)$")
_MARKUP = re.compile(r"</?(?:p|code|em)>|<h1>.*")
_EMPHASIS = re.compile(r"</?em>")


@dataclass(frozen=True)
class Shown:
    """A command in a document, and the lines that are its answer."""

    command: str
    answer: tuple[str, ...]


def typed() -> list[Shown]:
    """Everything typed at the prompt in all documents."""
    return [shown for path in sorted(FOLDER.glob("*.txt")) for shown in _typed(path)]


def _typed(path: Path) -> list[Shown]:
    lines = path.read_text().splitlines()
    shown = []
    for i, line in enumerate(lines):
        match = _TYPED.match(line)
        if match:
            # What was `*` and `_` in the text became emphasis in the page made from it.
            command = _EMPHASIS.sub("*", match[1]).removesuffix("</p>").strip()
            shown.append(Shown(command, _answer(lines[i + 1 :])))
    return shown


def _answer(lines: list[str]) -> tuple[str, ...]:
    answer: list[str] = []
    for line in lines:
        if line.startswith(("```", "tfprof>", "<p>", "<h1>", "<hr")) or not line.strip():
            break
        if line.startswith("#") and answer and not answer[-1].startswith(("#", "-")):
            break
        answer.append(html.unescape(_MARKUP.sub("", _EMPHASIS.sub("_", line))))
        if line.endswith(("</p>", "</code></p>")):
            break
    return tuple(answer)


def started() -> list[str]:
    """Every call of the program itself, with the lines that continue it."""
    calls = []
    for path in sorted(FOLDER.glob("*.txt")):
        lines = iter(path.read_text().splitlines())
        for line in lines:
            if not line.startswith((PROGRAM, "tfprof ")) or line.startswith("tfprof is"):
                continue
            call = [line]
            while call[-1].endswith("\\"):
                call.append(next(lines))
            if len(call) > 1 or call[0].endswith(" help"):
                calls.append("\n".join(call).replace(PROGRAM, "tfprof"))
    return calls
