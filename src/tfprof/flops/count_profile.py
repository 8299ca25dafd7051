"""Float operations of the nodes of a profile: what an op log has, else what the rules count.

The rules count as for `tfprof.cost`, on first use; here the numbers become columns over the nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.errors import OptionError
from tfprof.flops.flop_columns import NodeFlops
from tfprof.flops.hlo.compiled_nodes import compiled_nodes
from tfprof.flops.rules import MULTIPLY_ADDS, RULES
from tfprof.flops.static_counts import count_static
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import BoolArray


def count_profile(profile: Profile, quirks: Quirks) -> NodeFlops:
    """The float operations of a resolved profile: those of op logs, else what the rules count."""
    logged = profile.nodes.float_ops
    logged_macs = np.where(_only_multiply_adds(profile), logged // 2, 0)
    if quirks.tensorflow_flop_formulas or not _is_counted(profile):
        _refuse_bind(profile, quirks)
        once = np.ones(len(logged), np.int64)
        return NodeFlops(logged, logged_macs, once, np.zeros(len(logged), bool), {})
    counted = _count(profile, quirks)
    in_log = logged != 0
    if not in_log.any():
        return counted
    macs = np.where(counted.float_ops == logged, counted.macs, logged_macs)
    return NodeFlops(
        np.where(in_log, logged, counted.float_ops),
        np.where(in_log, macs, counted.macs),
        np.where(in_log & (counted.executions == 0), 1, counted.executions),
        counted.per_example & ~in_log,
        {node: reason for node, reason in counted.reasons.items() if not in_log[node]},
        counted.symbols,
        counted.executed,
        counted.compiled,
        counted.compiled_caller,
    )


def _count(profile: Profile, quirks: Quirks) -> NodeFlops:
    """What the rules count; instructions of compiled programs have formulas of their own."""
    compiled = compiled_nodes(profile)
    if not compiled.any():
        return count_static(profile, quirks) or _count_graph(profile, quirks)
    from tfprof.flops.hlo.compiled_calls import compiled_callers
    from tfprof.flops.hlo.count_nodes import count_compiled

    instructions = count_compiled(profile)
    graph = _without_compiled(profile)
    if not graph.nodes.in_graph.any():
        return instructions
    counted = count_static(graph, quirks) or _count_graph(graph, quirks)
    # What ran as a program is executed by its instructions.
    caller = compiled_callers(profile)
    return NodeFlops(
        np.where(compiled, instructions.float_ops, counted.float_ops),
        np.where(compiled, instructions.macs, counted.macs),
        np.where(compiled, instructions.executions, counted.executions),
        counted.per_example & ~compiled,
        {**counted.reasons, **instructions.reasons},
        counted.symbols,
        np.where(caller >= 0, 0, counted.float_ops) + instructions.executed_or_model(),
        compiled,
        caller,
    )


def _without_compiled(profile: Profile) -> Profile:
    """A profile in which instructions of compiled programs are no nodes of the graph."""
    source = None if profile.source is None else _without_compiled(profile.source)
    in_graph = profile.nodes.in_graph & ~compiled_nodes(profile)
    nodes = replace(profile.nodes, in_graph=in_graph)
    return profile.replace(nodes=nodes, source=source)


def _is_counted(profile: Profile) -> bool:
    """Whether the rules count; a saved profile with float operations has all there are."""
    if not profile.count_float_ops or not profile.nodes.in_graph.any():
        return False
    return not (profile.saved and profile.nodes.float_ops.any())


def _refuse_bind(profile: Profile, quirks: Quirks) -> None:
    """Refuse sizes of symbols where nothing is counted that could depend on them."""
    if not profile.bind or quirks.tensorflow_flop_formulas:
        return
    reason = "there is no graph to count float operations of"
    if profile.saved:
        reason = "the float operations of a saved profile are numbers; bind sizes when it is made"
    elif not profile.count_float_ops:
        reason = "float operations are not counted (count_float_ops)"
    raise OptionError(f"cannot bind {next(iter(profile.bind))!r}: {reason}")


def _count_graph(profile: Profile, quirks: Quirks) -> NodeFlops:
    # The interpreter takes as long to import as 10,000 nodes take to count.
    from tfprof.flops.graph_counts import count_graph

    return count_graph(profile, quirks)


def _only_multiply_adds(profile: Profile) -> BoolArray:
    """Which nodes are matmuls or convolutions in the graph.

    A node that ran as another op has the graph's op type among its types. (A saved one has its own
    op type there as well.)
    """
    op, types = profile.nodes.op, profile.type_name
    mask = _is_in(op, MULTIPLY_ADDS).copy()
    if len(types):
        own = pc.equal(types, op.take(pa.array(profile.type_node)))
        others = ~own.to_numpy(zero_copy_only=False)
        mask[profile.type_node[_is_in(types, RULES) & others]] = False
        mask[profile.type_node[_is_in(types, MULTIPLY_ADDS) & others]] = True
    return mask


def _is_in(values: pa.Array, op_types: Iterable[str]) -> BoolArray:
    mask = pc.is_in(values, value_set=pa.array(sorted(op_types)))
    return np.asarray(mask.to_numpy(zero_copy_only=False))
