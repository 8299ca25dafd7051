"""Stacks of JAX: repeated outer frames, frames that the index does not have."""

from __future__ import annotations

from tfprof.loaders.debug_info import Frame
from tfprof.loaders.hlo.stack_table import FrameIndex, shared_frames, without_repetitions
from tfprof.protos.hlo_pb2 import HloFileLocation, HloStackFrame, HloStackFrameIndex


def frames(text: str) -> list[Frame]:
    return [Frame("f.py", name, 1) for name in text]


def test_repetitions() -> None:
    for given, expected in (("mababc", "mabc"), ("abc", "abc"), ("aab", "ab"), ("abcabcd", "abcd")):
        assert without_repetitions(frames(given)) == tuple(frames(expected))


def test_shared_frames() -> None:
    stacks = [tuple(frames(text)) for text in ("abc", "abd", "", "ab")]
    assert shared_frames(stacks) == tuple(frames("ab"))
    assert shared_frames([]) == ()


def test_broken_index() -> None:
    """Parents in a circle and numbers of nothing end the stack."""
    index = HloStackFrameIndex(file_names=["f.py"], function_names=["main.<locals>.step"])
    index.file_locations.append(HloFileLocation(file_name_id=1, function_name_id=1, line=7))
    index.file_locations.append(HloFileLocation(file_name_id=9, function_name_id=1, line=7))
    index.stack_frames.append(HloStackFrame(file_location_id=1, parent_frame_id=1))
    index.stack_frames.append(HloStackFrame(file_location_id=2, parent_frame_id=5))
    assert FrameIndex(index).frames(1) == (Frame("f.py", "step", 7),)
    assert FrameIndex(index).frames(2) == ()
    assert FrameIndex(index).frames(77) == ()
