"""The code traces beside a SavedModel or a captured trace: a GraphDebugInfo to stacks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from google.protobuf.message import DecodeError

from tfprof.errors import LoadError
from tfprof.loaders.files import is_file, read_file
from tfprof.loaders.saved_model.graph import is_saved_model, saved_model_file
from tfprof.loaders.xplane.folders import DEBUG_INFO, find_traces
from tfprof.profiles.schema import Stacks
from tfprof.protos.graph_pb2 import GraphDebugInfo

_FILE = Path("debug", "saved_model_debug_info.pb")
NO_TEXT = "none"
"""The text of an unknown line, as in an op log."""


class Frame(NamedTuple):
    """A line of a function."""

    file: str
    function: str
    line: int
    text: str = NO_TEXT


@dataclass(frozen=True, slots=True)
class DebugInfo:
    """Distinct stacks, and the index of the one that created each node, by `<node>@<function>`.

    The function of the graph's own nodes is empty.
    """

    stacks: Stacks
    stack_index: Mapping[str, int]


def find_debug_info(source: Any) -> Path | None:
    """The file with the traces of a SavedModel or of a captured trace, if there is one."""
    if not isinstance(source, (str, os.PathLike)):
        return None
    traces = find_traces(Path(source))
    if traces is not None:
        file = traces.capture / DEBUG_INFO if traces.capture else None
    else:
        file = saved_model_file(Path(source)).parent / _FILE if is_saved_model(source) else None
    return file if file and is_file(file) else None


def read_debug_info(file: Path) -> DebugInfo:
    """The traces in a file."""
    try:
        return _read(GraphDebugInfo.FromString(read_file(file, "the code traces")))
    except (DecodeError, LookupError):
        raise LoadError(
            f"{file}: not a GraphDebugInfo, or truncated; save the model again, or delete the file"
        ) from None


def _read(info: GraphDebugInfo) -> DebugInfo:
    """Raises LookupError if a reference has no target."""
    index_of = {trace: i for i, trace in enumerate(info.traces_by_id)}
    index = {name: index_of[trace] for name, trace in info.name_to_trace_id.items()}
    index |= {name: len(index_of) + i for i, name in enumerate(info.traces)}
    frames = info.frames_by_id
    traces = [
        [*trace.file_line_cols, *(_look_up(frames, key) for key in trace.frame_id)]
        for trace in (*info.traces_by_id.values(), *info.traces.values())
    ]
    files = list(info.files)
    stacks = make_stacks([_line_of_code(frame, files) for frame in trace] for trace in traces)
    return DebugInfo(stacks, index)


def _look_up(
    frames: Mapping[int, GraphDebugInfo.FileLineCol], key: int
) -> GraphDebugInfo.FileLineCol:
    # A map of messages adds an entry when a missing key is read.
    if key not in frames:
        raise LookupError
    return frames[key]


def _line_of_code(frame: GraphDebugInfo.FileLineCol, files: Sequence[str]) -> Frame:
    if not 0 <= frame.file_index < len(files):
        raise LookupError
    return Frame(files[frame.file_index], frame.func, frame.line, frame.code.strip() or NO_TEXT)


def make_stacks(stacks: Iterable[Sequence[Frame]]) -> Stacks:
    """The columns of some stacks, each with its outermost frame first."""
    ids = {NO_TEXT: 0}
    rows, sizes = [], []
    for frames in stacks:
        sizes.append(len(frames))
        for file, function, number, text in frames:
            texts = (file, function, text)
            rows.append((number, *(ids.setdefault(item, len(ids)) for item in texts)))
    line, file_id, function_id, text_id = np.array(rows, np.int64).reshape(-1, 4).T
    return Stacks(
        start=np.array([0, *accumulate(sizes)], np.int64),
        line=line,
        function_line=np.zeros(len(line), np.int64),
        file_id=file_id,
        function_id=function_id,
        text_id=text_id,
        strings={number: text for text, number in ids.items()},
        texts=None,
    )
