"""Captures of programs that a process of its own runs, and checks of the times in them.

On a busy machine any op may wait for a processor, and then its time is not that of its work. A
check of times gets a new capture if it fails; that the times are wrong shows in all of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_ATTEMPTS = 3


def environment() -> dict[str, str]:
    """Variables of a process that imports tfprof and its tests from here."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "TF_CPP_MIN_LOG_LEVEL": "3"}


@dataclass(frozen=True)
class Captures:
    """The captures of the programs of a module, which `python -m MODULE FOLDER [NAME]` makes."""

    module: str
    root: Path

    def make(self, *names: str) -> None:
        """Run some of the programs, all by default."""
        self._run(self.root, *names)

    def __truediv__(self, name: str) -> Path:
        return self.root / name

    def check(self, name: str, check: Callable[[Path], None]) -> None:
        """Check a capture; if that fails, a new one, and so on."""
        for attempt in range(1, _ATTEMPTS + 1):
            folder = self.root if attempt == 1 else self.root / f"attempt{attempt}"
            if not (folder / name).exists():
                self._run(folder, name)
            try:
                check(folder / name)
            except AssertionError:
                if attempt == _ATTEMPTS:
                    raise
            else:
                return

    def _run(self, folder: Path, *names: str) -> None:
        command = [sys.executable, "-W", "ignore", "-m", self.module, str(folder), *names]
        subprocess.run(command, cwd=ROOT, env=environment(), check=True, capture_output=True)
