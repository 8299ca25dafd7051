"""Op types as the runtime tells them: a node of the graph may have run as another op."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.profile import Profile
from tfprof.resolve.fused_kernels import FUSED, fused_members
from tfprof.resolve.match_runtime_nodes import NodeMatches
from tfprof.resolve.runtime_names import MatchKind

__all__ = ["with_runtime_ops"]

_LABEL = r" = (?P<op>[^(]+)\("
_NO_WORK = pa.array(["Const", "Identity", "NoOp"])
"""What an optimizer leaves beside a node says nothing about how the node ran."""


def with_runtime_ops(profile: Profile, joins: NodeMatches) -> Profile:
    """A profile whose op types are what ran; those of the graph become types of their nodes."""
    count = len(profile.nodes)
    closest = np.full(count, MatchKind.HELPER, np.int64)
    nodes, ops = [np.zeros(0, np.int64)], [pa.array([], pa.string())]
    for records in profile.records:
        node, bond = joins.node[records.label_node], joins.bond[records.label_node]
        rows = np.flatnonzero(bond < closest[node])
        rows = rows[np.argsort(bond[rows], kind="stable")]
        rows = rows[np.sort(np.unique(node[rows], return_index=True)[1])]
        found = pc.extract_regex(records.label_text.take(pa.array(rows)), _LABEL).field("op")
        idle = pc.and_(
            pc.is_in(found, value_set=_NO_WORK), pa.array(bond[rows] == MatchKind.REWRITE)
        )
        told = pc.and_not(found.is_valid(), idle).to_numpy(zero_copy_only=False)
        closest[node[rows[told]]] = bond[rows[told]]
        nodes.append(node[rows[told]])
        ops.append(found.filter(pa.array(told)))
    node, op = np.concatenate(nodes), pa.concat_arrays(ops)
    # Of a node that a later run knows better, the last one counts.
    last = len(node) - 1 - np.unique(node[::-1], return_index=True)[1]
    node, op = node[last], op.take(pa.array(last))
    if pc.any(pc.match_substring(op, FUSED)).as_py():
        ran = np.zeros(count, bool)
        for records in profile.records:
            ran[joins.node[records.node]] = True
        members, kernel = fused_members(profile, ran, node, op)
        node, at = np.concatenate([node, members]), np.concatenate([np.arange(len(node)), kernel])
        order = np.argsort(node)
        node, op = node[order], op.take(pa.array(at[order]))
    before = profile.nodes.op.take(pa.array(node))
    changed = pc.not_equal(before, op)
    at = node[changed.to_numpy(zero_copy_only=False)]
    if not len(at):
        return profile
    mask = np.zeros(count, bool)
    mask[at] = True
    return profile.replace(
        nodes=replace(
            profile.nodes,
            op=pc.replace_with_mask(profile.nodes.op, pa.array(mask), op.filter(changed)),
        ),
        type_node=np.concatenate([profile.type_node, at.astype(np.int32)]),
        type_name=pa.concat_arrays([profile.type_name, before.filter(changed)]),
    )
