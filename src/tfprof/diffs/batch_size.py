"""The batch size that one profile leaves open, taken from the other, which ran with one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow.compute as pc

from tfprof.definitions.quirks import REPAIRED
from tfprof.flops.batch_sizes import recorded_batch_sizes
from tfprof.flops.node_flops import node_flops
from tfprof.flops.polynomial import BATCH
from tfprof.profiles.profile import Profile
from tfprof.protos.graph_pb2 import AttrValue
from tfprof.resolve import resolve

_SIDES = ("before", "after")
_INPUTS = r"^(Placeholder(V2)?|IteratorGetNext(Sync)?)$"


def share_batch_size(
    before: Profile, after: Profile, steps: tuple[int, int]
) -> tuple[Profile, Profile, tuple[str, ...]]:
    """The two profiles with one batch size, if one ran with it and the other leaves it open.

    `steps` are those that are compared, -1 for all. A message says what was bound.
    """
    profiles = [before, after]
    sizes = [_batch_size(profile, step) for profile, step in zip(profiles, steps, strict=True)]
    for side, size in enumerate(reversed(sizes)):
        if size > 0 and not recorded_batch_sizes(profiles[side]) and _is_open(profiles[side]):
            bound: Mapping[str, int] = {**profiles[side].bind, BATCH: size}
            profiles[side] = profiles[side].replace(bind=bound)
            message = (
                f"{_SIDES[side]}: float_ops: for {BATCH} = {size}, the batch size of "
                f"{_SIDES[1 - side]}; give another with --bind {BATCH}=N"
            )
            return profiles[0], profiles[1], (message,)
    return before, after, ()


def _batch_size(profile: Profile, step: int) -> int:
    """The batch size of a step, or of all steps; 0 if there are several or none."""
    recorded = recorded_batch_sizes(profile)
    steps = [sizes for number, sizes in recorded.items() if step in (-1, number)]
    batch_sizes = {size for sizes in steps for size in sizes.values()}
    batch_sizes = batch_sizes or set(_graph_sizes(resolve(profile, REPAIRED)))
    return batch_sizes.pop() if len(batch_sizes) == 1 else 0


def _graph_sizes(profile: Profile) -> Iterator[int]:
    """The first sizes of the inputs, as far as the graph has them."""
    nodes = profile.nodes
    is_input = pc.match_substring_regex(nodes.op, _INPUTS).to_numpy(zero_copy_only=False)
    for node in np.flatnonzero(is_input).tolist():
        for attr in nodes.attrs[node].as_py():
            if attr["key"] in ("shape", "output_shapes"):
                value = AttrValue.FromString(attr["value"])
                shapes = value.list.shape if attr["key"] == "output_shapes" else (value.shape,)
                yield from (shape.dim[0].size for shape in shapes if len(shape.dim))


def _is_open(profile: Profile) -> bool:
    """Whether float operations depend on a batch size that is not known."""
    flops = node_flops(resolve(profile, REPAIRED), REPAIRED)
    return bool(flops.per_example.any()) or BATCH in flops.symbols
