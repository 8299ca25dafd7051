"""Blocks of memory from allocation records: odd ones are named, and never give a wrong peak."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfprof
from tests.advisor.models import CPU, GPU, Model
from tests.outputs.samples import random_profile
from tfprof import demo
from tfprof.api.profile import Profile
from tfprof.definitions.quirks import ORIGINAL, REPAIRED
from tfprof.memory.peaks import StepMemory, step_memory
from tfprof.profiles.executions import executions_of
from tfprof.profiles.record_columns import LATEST
from tfprof.resolve import resolve


def memory_of(profile: Profile) -> StepMemory:
    return step_memory(resolve(profile, REPAIRED), REPAIRED)


def ran(*allocations: tuple[int, int], **more: str) -> Model:
    model = Model().node("a", "MatMul").node("b", "Relu", "a").step()
    return model.ran("a", 100, 50, allocations=allocations, **more)


def test_every_allocation_of_the_demo_is_released() -> None:
    profile = tfprof.load(**demo.paths())
    memory = memory_of(profile)
    assert [pool.pool.allocator for pool in memory.pools] == ["cpu", "cpu"]
    assert [pool.kept for pool in memory.pools] == [0, 0]
    assert memory.blocks.warnings == ()
    for pool in memory.pools:
        events = [run for run in profile.records if profile.steps.index(run.step) == pool.step]
        assert int(memory.blocks.size[pool.rows].sum()) == sum(
            int(run.allocation_bytes[run.allocation_bytes > 0].sum()) for run in events
        )


def test_compat_keeps_the_allocations_of_gpus_only() -> None:
    profile = ran((110, 8)).ran("b", 200, 9, on=GPU, allocator="GPU_0_bfc", allocations=((201, 4),))
    loaded = profile.load()
    sizes = {
        quirks: executions_of(resolve(loaded, quirks), quirks).allocation_bytes.tolist()
        for quirks in (ORIGINAL, REPAIRED)
    }
    assert sizes == {ORIGINAL: [4], REPAIRED: [8, 4]}


def test_roles_of_blocks() -> None:
    memory = memory_of(ran((110, 5), (111, 7), (120, -7), (300, -5)).load())
    blocks = memory.blocks
    assert blocks.size.tolist() == [5, 7]
    assert blocks.end.tolist() == [300, 120]
    assert blocks.temporary.tolist() == [False, True]


def test_equal_sizes_are_released_first_in_first_out() -> None:
    blocks = memory_of(ran((110, 4), (112, 4), (120, -4), (125, 4)).load()).blocks
    assert blocks.start.tolist() == [110, 112, 125]
    assert blocks.end.tolist() == [120, LATEST, LATEST]


def test_releases_of_what_was_never_allocated() -> None:
    memory = memory_of(ran((105, -9), (110, 4), (120, -4), (121, -4), (130, 6)).load())
    (peak,) = memory.peaks()
    assert (peak.bytes, peak.kept_bytes) == (6, 6)
    (warning,) = memory.blocks.warnings
    assert "2 releases of memory that no record allocated are left out" in warning


@pytest.mark.parametrize("size", [2**62, 2**63 - 1, -(2**63)])
def test_sizes_that_64_bits_cannot_add(size: int) -> None:
    model = ran((110, size), (111, size)).ran("b", 200, 9, on=GPU, allocations=((201, 4),))
    memory = memory_of(model.load())
    assert {peak.device: peak.bytes for peak in memory.peaks()} == {GPU.lower(): 4}
    assert "too large to be added" in memory.blocks.warnings[0]


def test_an_allocator_that_wraps_another() -> None:
    model = ran((110, 5), (130, -5))
    (record,) = model.steps[0].step_stats.dev_stats[0].node_stats
    record.memory.add().CopyFrom(record.memory[0])
    record.memory[1].allocator_name = "wrapper"
    for change in record.memory[1].allocation_records:
        change.alloc_micros += 1
    memory = memory_of(model.load())
    assert sum(peak.bytes for peak in memory.peaks()) == 5
    assert "recorded the same allocations; they count once" in memory.blocks.warnings[0]


def test_an_allocator_that_wraps_another_and_rounds_up() -> None:
    model = ran((110, 9000), (111, 20), (190, -9000), (191, -20))
    (record,) = model.steps[0].step_stats.dev_stats[0].node_stats
    record.memory.add().CopyFrom(record.memory[0])
    record.memory[1].allocator_name = "rounding"
    changes = record.memory[1].allocation_records
    for change, size in zip(changes, (9216, 256, -9216, -256), strict=True):
        change.alloc_bytes = size
    memory = memory_of(model.load())
    assert [(p.allocator, p.bytes) for p in memory.peaks()] == [("rounding", 9472)]
    assert "'cpu' and 'rounding' recorded the same allocations" in memory.blocks.warnings[0]


def test_allocators_with_alike_small_allocations_are_two() -> None:
    model = ran((110, 5), (190, -5))
    (record,) = model.steps[0].step_stats.dev_stats[0].node_stats
    record.memory.add().CopyFrom(record.memory[0])
    record.memory[1].allocator_name = "pinned"
    for change, size in zip(record.memory[1].allocation_records, (9, -9), strict=True):
        change.alloc_bytes = size
    assert sum(peak.bytes for peak in memory_of(model.load()).peaks()) == 14


@pytest.mark.parametrize(
    ("allocations", "reason"),
    [
        (((110, -900),), "1 releases of memory that no record allocated are left out"),
        (((110, 2**62), (111, 2**62)), "the recorded sizes are too large to be added"),
    ],
)
def test_records_that_contradict_are_named_where_nothing_else_is(
    allocations: tuple[tuple[int, int], ...], reason: str
) -> None:
    profile = ran(*allocations).load()
    for call in (
        lambda: profile.report("op", select="live_bytes"),
        lambda: profile.report("op", select="live_bytes", at="1us"),
        profile.live_tensors,
    ):
        with pytest.raises(tfprof.OptionError, match=reason):
            call()


def test_two_allocators_of_a_device_are_two_pools() -> None:
    model = ran((110, 5), (300, -5)).ran("b", 200, 9, allocator="pinned", allocations=((201, 4),))
    found = {peak.allocator: peak.bytes for peak in memory_of(model.load()).peaks()}
    assert found == {"cpu": 5, "pinned": 4}


def test_a_saved_profile_has_the_same_peaks() -> None:
    profile = tfprof.load(**demo.paths())
    saved = tfprof.load(profile=profile.serialize())
    assert [p.bytes for p in memory_of(saved).peaks()] == [
        p.bytes for p in memory_of(profile).peaks()
    ]


def _naive_peak(profile: Profile, memory: StepMemory) -> dict[tuple[str, str, int], int]:
    """The most bytes after all changes up to a time, one block after the other."""
    blocks, peaks = memory.blocks, {}
    for pool in memory.pools:
        changes: dict[int, int] = {}
        for row in pool.rows.tolist():
            changes[int(blocks.start[row])] = changes.get(int(blocks.start[row]), 0) + int(
                blocks.size[row]
            )
            if blocks.end[row] != LATEST:
                changes[int(blocks.end[row])] = changes.get(int(blocks.end[row]), 0) - int(
                    blocks.size[row]
                )
        live = np.cumsum([changes[time] for time in sorted(changes)])
        peaks[pool.pool.device, pool.pool.allocator, pool.step] = int(live.max())
    return peaks


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_peaks_by_the_definition(seed: int) -> None:
    profile = random_profile(seed)
    memory = memory_of(profile)
    assert {
        (pool.pool.device, pool.pool.allocator, pool.step): pool.peak for pool in memory.pools
    } == _naive_peak(profile, memory)


def test_estimates_have_no_allocator() -> None:
    model = Model().node("a", "MatMul").step().ran("a", 1, 1, peak=900_000, live=900_000)
    (peak,) = memory_of(model.load()).peaks()
    assert not peak.recorded
    assert peak.device == CPU.lower()
    assert "estimated" in peak.describe()
