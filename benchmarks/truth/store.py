"""Findings of one counter on one case: small JSON files, so that what was measured is kept."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TextIO

from benchmarks.truth.case import Case
from benchmarks.truth.cases import CASES

__all__ = ["found", "measure", "note_versions", "path", "quiet", "wanted"]


def path(folder: Path, case: Case, counter: str) -> Path:
    """Where a finding is."""
    return folder / case.slug / f"{counter}.json"


def found(folder: Path, case: Case, counter: str) -> dict[str, Any]:
    """What was found, or nothing."""
    place = path(folder, case, counter)
    return json.loads(place.read_text()) if place.exists() else {}


def wanted(pattern: str) -> list[Case]:
    """The cases whose names contain a text."""
    return [case for case in CASES if pattern.lower() in case.name.lower()]


@contextlib.contextmanager
def quiet() -> Iterator[TextIO]:
    """Let what libraries print go nowhere; what is given still prints."""
    with os.fdopen(os.dup(2), "w") as log, Path(os.devnull).open("w") as nowhere:
        for stream in (1, 2):
            os.dup2(nowhere.fileno(), stream)
        yield log


def note_versions(folder: Path, *packages: str) -> None:
    """Keep the versions of what counts in this process."""
    place = folder / "versions.json"
    known = json.loads(place.read_text()) if place.exists() else {}
    for package in packages:
        with contextlib.suppress(PackageNotFoundError):
            known[package] = version(package)
    place.write_text(json.dumps(known, indent=1))


def measure(
    folder: Path,
    counter: str,
    cases: Iterable[Case],
    count: Callable[[Case], dict[str, Any]],
    *,
    log: TextIO = sys.stderr,
) -> None:
    """Count every case that was not counted before; a failure is a finding too."""
    for case in cases:
        place = path(folder, case, counter)
        if found(folder, case, counter).keys() - {"failed"}:
            continue
        began = time.perf_counter()
        try:
            finding = count(case)
        except Exception as error:  # what one counter cannot do must not end the table
            finding = {"failed": type(error).__name__}
            traceback.print_exc(file=log)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(finding, indent=1))
        took = time.perf_counter() - began
        print(f"{counter:9} {case.name:50} {took:6.1f} s  {finding}", file=log, flush=True)
