"""The buffers of compiled programs: shapes and types of results, and the memory of arguments."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf.message import DecodeError

from tfprof.definitions.options import VARIABLE_OP_TYPES
from tfprof.flops.hlo.compiled_nodes import compiled_nodes
from tfprof.loaders.hlo import ATTRIBUTE
from tfprof.loaders.hlo.module import ELEMENT_TYPES, bytes_of, shapes_of
from tfprof.loaders.hlo.node_table import PROGRAM_OP
from tfprof.memory.live_memory import LiveMemory
from tfprof.profiles.profile import Profile
from tfprof.profiles.source_columns import COMPILED
from tfprof.protos.graph_pb2 import AttrValue
from tfprof.protos.hlo_pb2 import HloNode


def compiled_output(
    profile: Profile, node: int, size: int
) -> tuple[int, tuple[int, ...], str] | None:
    """The first result of an instruction that has this size: its number, shape and type."""
    hlo = _read_hlo(profile, node)
    for number, shape in enumerate(shapes_of(hlo.shape)):
        if bytes_of(shape) == size:
            return number, tuple(shape.dimensions), ELEMENT_TYPES.get(shape.element_type, "")
    return None


def is_instruction(profile: Profile, node: int) -> bool:
    """Whether a node is an instruction of a compiled program, or one as a whole."""
    return any(entry["key"] == ATTRIBUTE for entry in profile.nodes.attrs[node].as_py() or ())


def argument_bytes(profile: Profile, memory: LiveMemory) -> int:
    """The memory of the arguments of a program, of several that of the one with the most.

    Programs that run in turn have most of their arguments in common. It is 0 for a pool that is not
    of programs alone.
    """
    if not _is_of_programs(profile, memory):
        return 0
    is_program = pc.equal(profile.nodes.op, PROGRAM_OP).to_numpy(zero_copy_only=False)
    programs = np.flatnonzero(is_program).tolist()
    return max((_read_hlo(profile, node).argument_bytes for node in programs), default=0)


def _is_of_programs(profile: Profile, memory: LiveMemory) -> bool:
    """Whether a pool has what the buffer assignment says, and nothing that was recorded."""
    if memory.pool.allocator:
        return memory.pool.allocator == COMPILED
    # A saved profile has no names of allocators. The programs of a graph that has variables are
    # TensorFlow's, whose memory is recorded.
    has_variables = pc.any(pc.is_in(profile.nodes.op, pa.array(VARIABLE_OP_TYPES))).as_py()
    nodes = memory.blocks.node[memory.rows]
    return not has_variables and bool(compiled_nodes(profile)[nodes].all())


def _read_hlo(profile: Profile, node: int) -> HloNode:
    for entry in profile.nodes.attrs[node].as_py() or ():
        if entry["key"] == ATTRIBUTE:
            try:
                return HloNode.FromString(AttrValue.FromString(entry["value"]).s)
            except DecodeError:
                break
    return HloNode()
