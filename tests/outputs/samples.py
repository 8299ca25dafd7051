"""Profiles for the tests of outputs: random ones by seed, and a small one with a GPU."""

from __future__ import annotations

from functools import lru_cache

from google.protobuf import text_format

import tfprof
from tests.oracle.cases import generate
from tfprof.protos import graph_pb2, run_metadata_pb2

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
EVERYTHING = {"max_depth": 10**6}


@lru_cache(maxsize=64)
def random_profile(seed):
    """The profile of a random case with all of its steps."""
    case = generate(seed)
    profile = tfprof.load(graph=case.graph, op_log=case.op_log)
    for step in case.steps:
        if step.step >= 0:
            profile = profile.add_step(step.step, step.run_meta)
    return profile


def report_of(profile, kind, **options):
    """A report, or None if the profile has no traces."""
    try:
        return profile.report(kind, {**EVERYTHING, **options})
    except tfprof.OptionError as error:
        if "No code trace" not in str(error):
            raise
        return None


def _record(name, start, micros, *memory, persistent=0, temporary=0):
    record = run_metadata_pb2.NodeExecStats(
        node_name=name, all_start_micros=start, op_end_rel_micros=micros
    )
    for total, peak, live, in_use, allocations in memory:
        used = record.memory.add(allocator_name="GPU_0_bfc", total_bytes=total, peak_bytes=peak)
        used.live_bytes, used.allocator_bytes_in_use = live, in_use
        for when, size in allocations:
            used.allocation_records.add(alloc_micros=when, alloc_bytes=size)
    if persistent or temporary:
        record.memory_stats.persistent_memory_size = persistent
        record.memory_stats.temp_memory_size = temporary
    return record


def gpu_profile(*more):
    """Golden case G4 of the reference: a GPU with memory; `more` are further GPU records."""
    graph = text_format.Parse(
        """
        node{name:"v" op:"VariableV2" attr{key:"shape" value{shape{dim{size:8}}}}}
        node{name:"mm" op:"MatMul" input:"v" input:"c"} node{name:"c" op:"Const"}
        node{name:"r" op:"Relu" input:"mm"} node{name:"out" op:"Identity" input:"r"}
        """,
        graph_pb2.GraphDef(),
    )
    big = (1_000_000, 900_000, 800_000, 5_000_000, [(2010, 1_000_000), (2060, -200_000)])
    run = run_metadata_pb2.RunMetadata()
    devices = {
        CPU: [_record("c", 1000, 20), _record("out", 9000, 30)],
        GPU: [
            _record("v", 1000, 5, persistent=32, temporary=4),
            _record("mm", 2000, 50, big, persistent=2_000_000, temporary=123),
            _record("r", 2020, 40, (500, 400, 300, 6_000_000, [(2030, 500)])),
            _record("mm", 3000, 7, (1, 1, 1, 4_000_000, [])),
            *(_record(*record) for record in more),
        ],
        f"{GPU}/stream:all": [
            _record("mm:MatMul", 2500, 600),
            _record("mm:MatMul", 3500, 100),
            _record("r:Relu", 3200, 100),
        ],
    }
    for device, records in devices.items():
        run.step_stats.dev_stats.add(device=device, node_stats=records)
    return tfprof.load(graph, [run])


def largest(report):
    """The largest number of a report, whatever its sign."""
    tables = report.own, report.total, report.numbers
    numbers = (abs(number) for table in tables for row in table for number in row.values())
    return max(numbers, default=0)
