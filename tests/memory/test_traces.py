"""The memory of XPlane traces: what they leave out is said."""

from __future__ import annotations

from pathlib import Path

import pytest

import tfprof
from tests.loaders.xplane.traces import made
from tfprof.definitions.quirks import REPAIRED
from tfprof.memory.peaks import step_memory
from tfprof.memory.prediction import MARGINS
from tfprof.profiles.source_columns import COMPILED, LARGE_BLOCKS_ONLY
from tfprof.resolve import resolve

JAX = Path(__file__).parents[1] / "data" / "jax" / "train.xplane.pb"


def test_a_trace_of_a_cpu_is_a_lower_bound(tmp_path: Path) -> None:
    maker = made()
    worker = maker.plane.lines[1]
    for number, name in enumerate(("addr", "allocation_bytes"), 3):
        maker.plane.stat_metadata[number].name = name
    for name, time, size in (("MemoryAllocation", 13, 300_000), ("MemoryDeallocation", 60, 0)):
        maker.event(worker, name, time, time)
        event = worker.events[-1]
        event.stats.add(metadata_id=3, int64_value=4096)
        event.stats.add(metadata_id=4, int64_value=size)
    profile = tfprof.load(maker.write(tmp_path))
    resolved = resolve(profile, REPAIRED)
    (peak,) = step_memory(resolved, REPAIRED).peaks()
    assert (peak.bytes, peak.allocator, peak.partial) == (300_000, LARGE_BLOCKS_ONLY, True)
    assert "(at least)" in profile.summary().text()
    report = profile.report("op", select="live_bytes")
    assert report["MatMul"].own["live_bytes"] == 300_000
    assert any("at least: large blocks" in text for text in report.messages)


def test_compiled_programs_have_all_their_buffers() -> None:
    profile = tfprof.load(JAX)
    resolved = resolve(profile, REPAIRED)
    (peak,) = step_memory(resolved, REPAIRED).peaks()
    assert (peak.allocator, peak.partial) == (COMPILED, False)
    weights = 64 * 256 + 256 * 128 + 128 * 10 + 256 + 128
    batch, loss = 32 * (64 + 10), 1
    assert peak.kept_bytes == 4 * (weights + loss) + 48  # and the addresses of the results
    assert peak.persistent_bytes == 4 * (weights + batch) + 4  # and a constant
    assert peak.bytes == peak.temporary_bytes + peak.kept_bytes
    for view in ("scope", "graph", "op", "code"):
        assert profile.report(view, select="live_bytes").root.total["live_bytes"] == peak.bytes
    assert profile.report("op", select="live_bytes")["XlaModule"].own["live_bytes"] == 48


def test_buffers_of_compiled_programs_are_tensors_of_lines() -> None:
    profile = tfprof.load(JAX)
    largest, *others = profile.live_tensors()
    assert (largest.role, largest.shape, largest.dtype) == ("output", (256, 128), "float32")
    assert largest.source == "train.py:16 <lambda>"
    activations = [t for t in others if t.role == "temporary"]
    assert {(t.shape, t.source) for t in activations} >= {((32, 256), "train.py:9 loss_fn")}
    assert sum(t.bytes for t in profile.live_tensors()) == profile.memory().step_bytes


def test_compiled_programs_fit_as_they_are() -> None:
    prediction = tfprof.load(JAX).memory()
    assert prediction.variable_bytes > 0
    assert prediction.margin == MARGINS["trace"]
    with pytest.raises(tfprof.OptionError, match="cannot bind 'B': this model has no symbols"):
        tfprof.load(JAX).memory({"B": 2})


def test_saved_profiles_of_compiled_programs_have_the_same_memory(tmp_path: Path) -> None:
    profile = tfprof.load(JAX)
    profile.save_tables(tmp_path / "tables")
    again = tfprof.load(tmp_path / "tables")
    assert again.summary().to_dict()["memory_peaks"] == profile.summary().to_dict()["memory_peaks"]
    for saved in (again, tfprof.load(profile=profile.serialize())):
        assert saved.live_tensors() == profile.live_tensors()
        assert saved.memory().to_dict() == profile.memory().to_dict()
        peaks = [(p.bytes, p.persistent_bytes) for p in saved.summary().memory_peaks]
        assert peaks == [(p.bytes, p.persistent_bytes) for p in profile.summary().memory_peaks]
