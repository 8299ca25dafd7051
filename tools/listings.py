"""Print the listings of README.md and docs/tutorial.md again: what `tfprof --demo …` answers now.

A listing of the README ends with `…` and keeps its number of rows.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = re.compile(r"^    \$ tfprof (.*--demo.*)\n((?:    .*\n|\n)+?)(?= +…\n)", re.MULTILINE)
TUTORIAL = re.compile(
    r"^\$ tfprof (--demo [^|>\n]+)\n((?!\$|```).+?)^```$", re.MULTILINE | re.DOTALL
)


def main() -> int:
    """Update both pages."""
    page = ROOT / "README.md"
    page.write_text(README.sub(update_readme, page.read_text()))
    page = ROOT / "docs" / "tutorial.md"
    page.write_text(TUTORIAL.sub(update_tutorial, page.read_text()))
    return 0


def answer(command: str) -> list[str]:
    """The lines that a command prints."""
    words = [sys.executable, "-m", "tfprof", *shlex.split(command)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def update_readme(listing: re.Match[str]) -> str:
    """A listing that is indented."""
    rows = answer(listing[1])[: listing[2].count("\n")]
    return "".join(f"{f'    {row}'.rstrip()}\n" for row in [f"$ tfprof {listing[1]}", *rows])


def update_tutorial(listing: re.Match[str]) -> str:
    """A listing between fences."""
    if "tfprof>" in listing[2]:
        return listing[0]
    return "".join(f"{row}\n" for row in [f"$ tfprof {listing[1]}", *answer(listing[1])]) + "```"


if __name__ == "__main__":
    sys.exit(main())
