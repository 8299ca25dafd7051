"""Small traces whose memory once took minutes or gigabytes: each keeps a budget of 2 s, 300 MB."""

from __future__ import annotations

import pytest

import tfprof
from tests.robustness.budget import run_measured
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.run_metadata_pb2 import RunMetadata

_COUNT = 5000


def _write(folder, device, allocator, *, recorded, count=_COUNT):
    """A node for each device and allocator, which are made of a number."""
    graph, run = GraphDef(), RunMetadata()
    for i in range(count):
        graph.node.add(name=f"n{i}", op="A")
        stats = run.step_stats.dev_stats.add(device=device.format(i)).node_stats.add(
            node_name=f"n{i}", all_start_micros=i + 1, op_end_rel_micros=1, all_end_rel_micros=1
        )
        sizes = {"total_bytes": 8, "peak_bytes": 8, "live_bytes": 8}
        memory = stats.memory.add(allocator_name=allocator.format(i), **sizes)
        if recorded:
            memory.allocation_records.add(alloc_micros=i + 1, alloc_bytes=8)
    paths = folder / "graph", folder / "run"
    for path, message in zip(paths, (graph, run), strict=True):
        path.write_bytes(message.SerializeToString())
    return f"--graph_path={paths[0]}", f"--run_meta_path={paths[1]}"


@pytest.mark.parametrize(
    "command",
    [
        ("op", "-account_type_regexes", ".*", "-select", "live_bytes"),
        ("graph", "-account_type_regexes", ".*", "-output", "timeline:outfile=timeline"),
        ("summary",),
        ("advise", "MemoryPeak:min_bytes=1"),
    ],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize(
    ("device", "allocator", "recorded"),
    [
        ("/device:CPU:0", "a{}", True),
        ("/device:CPU:{}", "a", True),
        ("/device:CPU:{}", "a", False),
    ],
    ids=["allocators", "devices", "estimated"],
)
def test_many_pools(device, allocator, recorded, command, tmp_path):
    inputs = _write(tmp_path, device, allocator, recorded=recorded)
    assert run_measured(*inputs, *command, cwd=tmp_path).check().status == 0


def test_too_many_allocators_to_compare_are_reported():
    run, graph = RunMetadata(), GraphDef()
    graph.node.add(name="a", op="A")
    stats = run.step_stats.dev_stats.add(device="/device:CPU:0").node_stats.add()
    stats.node_name, stats.all_start_micros, stats.op_end_rel_micros = "a", 1, 1
    for i in range(21):
        memory = stats.memory.add(allocator_name=f"a{i}", total_bytes=8, live_bytes=8)
        memory.allocation_records.add(alloc_micros=1, alloc_bytes=8)
    profile = tfprof.load(graph=graph, run_meta=run)
    report = profile.report("op", select=["live_bytes"], account_type_regexes=[".*"])
    assert any("of 21 allocators" in message for message in report.messages)
    del stats.memory[20:]
    profile = tfprof.load(graph=graph, run_meta=run)
    report = profile.report("op", select=["live_bytes"], account_type_regexes=[".*"])
    assert sum("recorded the same allocations" in message for message in report.messages) == 19


def test_page_of_many_accelerators(tmp_path):
    inputs = _write(tmp_path, "/device:GPU:{}", "GPU", recorded=True, count=3500)
    done = run_measured(*inputs, "op", "-output", "html:outfile=page.html", cwd=tmp_path).check()
    assert done.status == 0
