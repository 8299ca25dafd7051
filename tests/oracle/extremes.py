"""Numbers at the limits of 64 bits, devices with line breaks, and nodes that advice is about."""

from __future__ import annotations

from tests.oracle.dice import Dice
from tfprof.protos import graph_pb2, run_metadata_pb2

__all__ = ["add_batch_norms", "add_limits", "add_line_breaks"]

SIZES = (2**32, 2**62, 2**63 - 1, 2**63 - 1, -1, -(2**63))
BATCH_NORMS = ("FusedBatchNorm", "FusedBatchNormV3", "BatchNorm")
BATCH_NORM_NAMES = ("bn/BatchNorm/mul", "BatchNormal", "batchnorm")

Record = run_metadata_pb2.NodeExecStats


def add_line_breaks(dice: Dice, run: run_metadata_pb2.RunMetadata) -> None:
    """Put a line break somewhere into the names of some devices."""
    for stats in run.step_stats.dev_stats:
        if dice.chance(0.3):
            position = dice.choice((0, 0, dice.randint(0, len(stats.device))))
            stats.device = stats.device[:position] + "\n" + stats.device[position:]


def add_limits(dice: Dice, run: run_metadata_pb2.RunMetadata) -> None:
    """Give some records several outputs or allocators whose sizes only just fit."""
    records = [record for stats in run.step_stats.dev_stats for record in stats.node_stats]
    for record in dice.several(records, 3):
        dice.choice((_outputs, _allocators, _other_memory))(dice, record)


def _outputs(dice: Dice, record: Record) -> None:
    for slot in range(dice.choice((1, 2, 2, 3))):
        described = record.output.add(slot=slot).tensor_description.allocation_description
        described.allocated_bytes = dice.choice(SIZES)


def _allocators(dice: Dice, record: Record) -> None:
    for _ in range(dice.choice((1, 2, 2, 3))):
        memory = record.memory.add(allocator_name=dice.choice(("GPU_0_bfc", "cpu")))
        memory.total_bytes = dice.choice(SIZES)
        memory.peak_bytes = dice.choice(SIZES)
        memory.live_bytes = dice.choice(SIZES)


def _other_memory(dice: Dice, record: Record) -> None:
    record.memory_stats.temp_memory_size = dice.choice(SIZES)
    record.memory_stats.persistent_memory_size = dice.choice(SIZES)


def add_batch_norms(dice: Dice, graph: graph_pb2.GraphDef) -> None:
    """Let some nodes be batch normalizations, by op type or by name."""
    for node in graph.node:
        if dice.chance(0.05):
            node.op = dice.choice(BATCH_NORMS)
        if dice.chance(0.1):
            node.attr["data_format"].s = dice.choice((b"NHWC", b"NCHW", b"NDHWC", b"NHWC "))
        elif dice.chance(0.02):
            node.attr["data_format"].i = 3
    if dice.chance(0.5):
        graph.node.add(name=dice.choice(BATCH_NORM_NAMES), op="Mul")
