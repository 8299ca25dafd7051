"""Nodes that a fused kernel of another node computed."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.add_rows import index_in
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray

FUSED = "Fused"
_LONGEST = 8
"""No kernel fuses longer chains."""

_FUSABLE = (
    r"(Conv[23]D|DepthwiseConv2dNative|(Batch)?MatMul(V[23])?|Einsum|Add(V2|N)?|BiasAdd|Sub|Mul|RealDiv"
    r"|FusedBatchNorm(V[23])?|Mean|SquaredDifference|Rsqrt|Pad|Maximum|Relu6?|LeakyRelu|Elu|Selu"
    r"|Tanh|Sigmoid|Softplus|Erf|Softmax)"
)


def fused_members(
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
    front = np.flatnonzero(pc.match_substring(op, FUSED).to_numpy(zero_copy_only=False))
    kernel[node[front]] = front
    members = []
    consumers = node[front]
    for _ in range(_LONGEST):
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
