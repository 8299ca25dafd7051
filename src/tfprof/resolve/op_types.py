"""Op types of the runtime: a node of the graph may have run as another op, or in a fused one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.add_rows import index_in
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.resolve.match_runtime_nodes import NodeMatches
from tfprof.resolve.runtime_names import MatchKind

_LABEL = r" = (?P<op>[^(]+)\("
_NO_WORK = pa.array(["Const", "Identity", "NoOp"])
"""Ops that an optimizer leaves beside a node; they are not what the node ran as."""

_FUSED = "Fused"
_LONGEST_CHAIN = 8
"""No kernel fuses longer chains."""

_FUSABLE = (
    r"(Conv[23]D|DepthwiseConv2dNative|(Batch)?MatMul(V[23])?|Einsum|Add(V2|N)?|BiasAdd|Sub|Mul|RealDiv"
    r"|FusedBatchNorm(V[23])?|Mean|SquaredDifference|Rsqrt|Pad|Maximum|Relu6?|LeakyRelu|Elu|Selu"
    r"|Tanh|Sigmoid|Softplus|Erf|Softmax)"
)


def with_runtime_ops(profile: Profile, matches: NodeMatches) -> Profile:
    """A profile with the op types that ran; those of the graph become types of their nodes."""
    count = len(profile.nodes)
    closest = np.full(count, MatchKind.HELPER, np.int64)
    nodes, ops = [np.zeros(0, np.int64)], [pa.array([], pa.string())]
    for records in profile.records:
        node, kind = matches.node[records.label_node], matches.kind[records.label_node]
        rows = np.flatnonzero(kind < closest[node])
        if not len(rows):
            continue
        rows = rows[np.argsort(kind[rows], kind="stable")]
        rows = rows[np.sort(np.unique(node[rows], return_index=True)[1])]
        labels = pc.extract_regex(records.label_text.take(pa.array(rows)), _LABEL)
        label_op = pc.struct_field(labels, "op")
        known = label_op.is_valid().to_numpy(zero_copy_only=False)
        is_rewrite = kind[rows] == MatchKind.REWRITE
        if is_rewrite.any():
            idle = pc.is_in(label_op, value_set=_NO_WORK).to_numpy(zero_copy_only=False)
            known = known & ~(idle & is_rewrite)
        closest[node[rows[known]]] = kind[rows[known]]
        nodes.append(node[rows[known]])
        ops.append(label_op.filter(pa.array(known)))
    node, op = np.concatenate(nodes), pa.concat_arrays(ops)
    # A later run may have a closer match: the last one counts.
    last = len(node) - 1 - np.unique(node[::-1], return_index=True)[1]
    node, op = node[last], op.take(pa.array(last))
    if pc.any(pc.match_substring(op, _FUSED)).as_py():
        ran = np.zeros(count, bool)
        for records in profile.records:
            ran[matches.node[records.node]] = True
        members, kernel = _fused_members(profile, ran, node, op)
        source = np.concatenate([np.arange(len(node)), kernel])
        node = np.concatenate([node, members])
        order = np.argsort(node)
        node, op = node[order], op.take(pa.array(source[order]))
    before = profile.nodes.op.take(pa.array(node))
    differs = pc.not_equal(before, op)
    node = node[differs.to_numpy(zero_copy_only=False)]
    if not len(node):
        return profile
    mask = np.zeros(count, bool)
    mask[node] = True
    new_op = pc.replace_with_mask(profile.nodes.op, pa.array(mask), op.filter(differs))
    profile = profile.replace(nodes=replace(profile.nodes, op=new_op))
    return profile.with_types(node, before.filter(differs))


def _fused_members(
    profile: Profile, ran: BoolArray, node: Array, op: pa.Array
) -> tuple[Array, Array]:
    """The nodes that fused kernels computed too, and the index in `node` of the kernel of each.

    `op` is the op that each of `node` ran as. A member has no record of its own and an op that
    kernels fuse, and it produces an input of the kernel's node or of another member.
    """
    edges = profile.edges
    is_fusable = pc.match_substring_regex(profile.nodes.op, f"^{_FUSABLE}$")
    is_fusable = is_fusable.to_numpy(zero_copy_only=False) & ~ran & profile.nodes.in_graph
    kernel = np.full(len(profile.nodes), -1, np.int64)
    front = np.flatnonzero(pc.match_substring(op, _FUSED).to_numpy(zero_copy_only=False))
    kernel[node[front]] = front
    members = []
    consumers = node[front]
    for _ in range(_LONGEST_CHAIN):
        is_front = np.zeros(len(kernel), bool)
        is_front[consumers] = True
        inputs = np.flatnonzero(is_front[edges.consumer])
        producer = index_in(edges.producer.take(pa.array(inputs)), profile.nodes.name)
        new = (producer >= 0) & is_fusable[producer] & (kernel[producer] < 0)
        kernel[producer[new]] = kernel[edges.consumer[inputs[new]]]
        consumers = np.unique(producer[new])
        members.append(consumers)
        if not len(consumers):
            break
    member = np.concatenate(members)
    return member, kernel[member]
