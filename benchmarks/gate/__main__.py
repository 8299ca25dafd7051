"""How often the gate is right: `python -m benchmarks.gate DIR` records trials and writes the page.

Each part is a process of its own, takes about a minute and is a file in the folder. Parts that
are there are not recorded again; `--page` only writes the page. Delete the folder to begin anew.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from benchmarks.gate.page import write_page
from benchmarks.gate.programs import PROGRAMS

PARTS = {
    **{
        f"same_{program}_{i}": [program, "--trials", "24", "--seconds", "65"]
        for i in range(3)
        for program in PROGRAMS
    },
    **{
        f"more_{program}": [program, "--trials", "20", "--seconds", "45", "--more"]
        for program in PROGRAMS
    },
    **{
        f"busy_{program}": [program, "--trials", "15", "--seconds", "50", "--busy"]
        for program in PROGRAMS
    },
}
"""What is recorded: identical steps, really 5 % more work, identical steps beside other work."""


def main() -> None:
    """Record what is missing, and write docs/gate_accuracy.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--page", action="store_true")
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, options in PARTS.items():
        file = folder / f"{name}.npz"
        if not file.exists() and not arguments.page:
            command = [sys.executable, "-W", "ignore", "-m", "benchmarks.gate.collect", str(file)]
            subprocess.run([*command, *options], check=True)
    write_page(sorted(folder.glob("*.npz")))


if __name__ == "__main__":
    main()
