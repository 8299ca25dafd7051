"""Where the files of a trace are: those of TensorBoard, and what a capture adds to them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tfprof.loaders.files import is_directory, is_file, modified_time, read_head
from tfprof.loaders.message_kinds import HEAD_SIZE, message_kind

TRACE_SUFFIX = ".xplane.pb"
FUNCTIONS, DEBUG_INFO, VARIABLES, ABOUT = (
    "functions.pb",
    "debug_info.pb",
    "variables.pb",
    "capture.json",
)
"""What a capture adds: a GraphDef, a GraphDebugInfo, an OpLogProto, and what is in the folder."""

PAIR = "pair.json"
"""What is in a folder with two captures whose steps ran in turn."""
SIDES = ("base", "head")
"""The folders of the two captures of a pair."""

_PATTERNS = ("*", "*/*", "plugins/profile/*/*", "*/plugins/profile/*/*")
"""Where traces are below a folder: that of a run, its parent, a log folder, one of several."""


@dataclass(frozen=True, slots=True)
class TraceFiles:
    """The trace of each host, the folder of a capture if it is one, and how many runs there are."""

    traces: list[Path]
    capture: Path | None
    runs: int

    @property
    def run(self) -> str:
        """The name of the run that is read."""
        return self.traces[0].absolute().parent.name


def find_traces(path: Path) -> TraceFiles | None:
    """The files of a trace; of several runs in a log folder those of the newest."""
    if is_file(path):
        is_trace = path.name.endswith(TRACE_SUFFIX) or (
            message_kind(read_head(path, HEAD_SIZE)) == "XSpace"
        )
        return TraceFiles([path], _capture_folder(path), 1) if is_trace else None
    if not is_directory(path):
        return None
    runs = {file.parent for pattern in _PATTERNS for file in _traces(path, pattern)}
    if not runs:
        return None
    newest = max(runs, key=_age)
    return TraceFiles(_traces(newest, "*"), _capture_folder(newest / "_"), len(runs))


def _traces(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(f"{pattern}{TRACE_SUFFIX}")) if is_directory(folder) else []


def _age(folder: Path) -> tuple[float, str]:
    return max(modified_time(file) for file in _traces(folder, "*")), folder.name


def _capture_folder(trace: Path) -> Path | None:
    """The folder that holds `plugins/profile/<run>/<trace>`, if a capture wrote it."""
    # A relative path may begin inside of that folder; a link stands for what it is beside.
    folder = Path(os.path.abspath(trace)).parent.parent.parent.parent  # noqa: PTH100
    return folder if is_file(folder / ABOUT) else None
