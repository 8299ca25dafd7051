"""Stacks as columns: from JAX's index of frames, or from frames of captured functions."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from tfprof.definitions.limits import max_stack_length
from tfprof.loaders.debug_info import DebugInfo, Frame, make_stacks
from tfprof.profiles.schema import Stacks
from tfprof.protos.hlo_pb2 import HloStackFrameIndex


class StackTable:
    """Collects distinct stacks, outermost frame first."""

    def __init__(self) -> None:
        self._stacks: dict[tuple[Frame, ...], int] = {}
        self._known: dict[int, tuple[tuple[Frame, ...], int]] = {}
        """`id` of a stack -> itself and its number: to hash long ones again takes long."""

    def add(self, frames: tuple[Frame, ...]) -> int:
        """The number of a stack; -1 if it has no frames."""
        if not frames:
            return -1
        if id(frames) not in self._known:
            number = self._stacks.setdefault(frames, len(self._stacks))
            self._known[id(frames)] = frames, number
        return self._known[id(frames)][1]

    def stacks(self) -> Stacks:
        """The columns."""
        return make_stacks(self._stacks)


class FrameIndex:
    """The stacks of a JAX program by the id that its instructions have."""

    def __init__(self, index: HloStackFrameIndex) -> None:
        self._index = index
        # Many frames are of one file; a text that is read from the message again is another copy.
        self._files = list(index.file_names)
        # The qualified name has the enclosing functions, as in `main.<locals>.step`.
        self._functions = [name.rpartition("<locals>.")[2] for name in index.function_names]
        self._longest = max_stack_length(len(index.stack_frames))
        self._known: dict[int, tuple[Frame, ...]] = {}

    def frames(self, frame_id: int) -> tuple[Frame, ...]:
        """The frames from the outermost on; of a stack that is too long only the last ones."""
        entries = self._index.stack_frames
        chain: dict[int, None] = {}
        while 0 < frame_id <= len(entries) and frame_id not in self._known:
            if frame_id in chain:
                break
            chain[frame_id] = None
            frame_id = entries[frame_id - 1].parent_frame_id
        frames = self._known.get(frame_id, ())
        for number in reversed(chain):
            location = self._location(entries[number - 1].file_location_id)
            if location is not None:
                frames = _add_frame(frames, location)[-self._longest :]
            self._known[number] = frames
        return frames

    def _location(self, number: int) -> Frame | None:
        index = self._index
        if not 0 < number <= len(index.file_locations):
            return None
        location = index.file_locations[number - 1]
        file, function = location.file_name_id - 1, location.function_name_id - 1
        if not (0 <= file < len(self._files) and 0 <= function < len(self._functions)):
            return None
        return Frame(self._files[file], self._functions[function], location.line)


def without_repetitions(frames: Iterable[Frame]) -> tuple[Frame, ...]:
    """Frames without those that follow an equal sequence of frames.

    JAX puts the stack of a loop's body behind that of the loop, so that the outer frames are there
    twice.
    """
    kept: tuple[Frame, ...] = ()
    for frame in frames:
        kept = _add_frame(kept, frame)
    return kept


def _add_frame(kept: tuple[Frame, ...], frame: Frame) -> tuple[Frame, ...]:
    """Frames that have no repetitions and one more, without what is then repeated."""
    frames = (*kept, frame)
    for length in range(1, len(frames) // 2 + 1):
        if frames[-1 - length] == frame and frames[-length:] == frames[-2 * length : -length]:
            return frames[:-length]
    return frames


def shared_frames(stacks: Iterable[tuple[Frame, ...]]) -> tuple[Frame, ...]:
    """The outer frames that all stacks with frames share."""
    distinct = {id(stack): stack for stack in stacks if stack}
    levels = zip(*distinct.values(), strict=False)
    shared = itertools.takewhile(lambda level: len(set(level)) == 1, levels)
    return tuple(level[0] for level in shared)


def debug_info_frames(info: DebugInfo, stack: int) -> tuple[Frame, ...]:
    """The frames of a stack of captured functions."""
    stacks = info.stacks
    rows = range(int(stacks.start[stack]), int(stacks.start[stack + 1]))
    return tuple(
        Frame(
            stacks.strings[int(stacks.file_id[row])],
            stacks.strings[int(stacks.function_id[row])],
            int(stacks.line[row]),
            stacks.strings[int(stacks.text_id[row])],
        )
        for row in rows
    )
