"""The tensors that are live at a peak."""

from __future__ import annotations

from pathlib import Path

import pytest

import tfprof
from tests.advisor.models import Model
from tfprof.definitions.quirks import REPAIRED
from tfprof.memory.live_tensors import LiveTensor, live_tensors
from tfprof.memory.peaks import step_memory
from tfprof.resolve import resolve

CNN = Path(__file__).parents[1] / "data" / "memory" / "cnn"


def tensors_of(profile: tfprof.Profile) -> list[LiveTensor]:
    resolved = resolve(profile, REPAIRED)
    (peak,) = step_memory(resolved, REPAIRED).peaks()
    assert peak.memory is not None
    found = live_tensors(resolved, peak.memory, peak.memory.peak_time)
    assert sum(tensor.bytes for tensor in found) == peak.bytes
    return found


def test_tensors_of_a_real_step() -> None:
    profile = tfprof.load(graph=CNN / "graph.pb", run_meta=CNN / "run_meta_32")
    by_name = {(tensor.node, tensor.role): tensor for tensor in tensors_of(profile)}
    conv = by_name["Conv2D", "output"]
    assert (conv.op, conv.output, conv.dtype) == ("Conv2D", 0, "float32")
    assert conv.shape is not None
    assert conv.shape[0] == 32
    assert conv.bytes == 4 * conv.shape[0] * conv.shape[1] * conv.shape[2] * conv.shape[3]
    assert any(role == "temporary" for _, role in by_name)


def test_from_python() -> None:
    profile = tfprof.load(graph=CNN / "graph.pb", run_meta=CNN / "run_meta_32")
    largest, *_ = found = profile.live_tensors(top=3)
    assert len(found) == 3
    assert largest.bytes == max(tensor.bytes for tensor in profile.live_tensors())
    early = profile.live_tensors(at="1ms")
    live = profile.report("op", select="live_bytes", at="1ms").total["live_bytes"]
    assert sum(tensor.bytes for tensor in early) == live
    with pytest.raises(tfprof.OptionError, match="there is no step 3"):
        profile.live_tensors(step=3)
    with pytest.raises(tfprof.OptionError, match="no allocation was recorded"):
        tfprof.load(graph=CNN / "graph.pb").live_tensors()


def test_lines_and_roles() -> None:
    model = Model().node("a", "MatMul", text="a = x @ w").step()
    model.ran("a", 100, 50, allocations=((110, 64), (111, 8), (120, -8), (400, -64)), output=64)
    (tensor, temporary) = tensors_of(model.load())
    assert (tensor.role, tensor.live_micros) == ("output", 290)
    assert tensor.source == "model.py:1 build: a = x @ w"
    assert (temporary.role, temporary.shape) == ("temporary", None)


def test_a_saved_profile_has_the_same_tensors_without_shapes() -> None:
    profile = tfprof.load(graph=CNN / "graph.pb", run_meta=CNN / "run_meta_32")
    saved = tfprof.load(profile=profile.serialize())
    known, again = (
        sorted((t.node, t.bytes, t.role, t.dtype, t.live_micros or 0) for t in p.live_tensors())
        for p in (profile, saved)
    )
    assert again == known
    assert all(tensor.shape is None for tensor in saved.live_tensors())
