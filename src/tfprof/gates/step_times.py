"""The time of each op in each step of a profile, and of two profiles with the same ops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.limits import max_step_times
from tfprof.definitions.quirks import REPAIRED
from tfprof.profiles.executions import executions_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.resolve import resolve


@dataclass(frozen=True, slots=True, eq=False)
class StepTimes:
    """Nanoseconds by step and op, over all its executions in the step.

    `node` is the node of each op in the resolved profile.
    """

    times: Array
    node: Array

    def __len__(self) -> int:
        return len(self.times)

    def select(self, mask: BoolArray) -> StepTimes:
        """The times of the nodes in `mask`."""
        chosen = mask[self.node]
        return StepTimes(self.times[:, chosen], self.node[chosen])

    def select_names(self, profile: Profile, names: pa.Array) -> StepTimes:
        """The times of the nodes of a profile that have one of these names."""
        is_named = pc.is_in(resolve(profile, REPAIRED).nodes.name, value_set=names)
        return self.select(is_named.to_numpy(zero_copy_only=False))


def step_times(profile: Profile) -> StepTimes:
    """The times of all ops that ran, in each step of a profile."""
    executions = executions_of(resolve(profile, REPAIRED), REPAIRED)
    if executions.has_nanos:
        time = executions.interval_self_nanos
    else:
        time = 1000 * executions.interval_duration
    node, of_row = np.unique(executions.interval_node, return_inverse=True)
    times = np.zeros((len(profile.steps), len(node)), np.int64)
    np.add.at(times, (executions.interval_step, of_row), time)
    return StepTimes(times, node)


def ops_run_rarely(profile: Profile) -> bool:
    """Whether so few of the ops run in each step that a table of both is too large.

    Most least times and medians would be 0, and tell nothing.
    """
    executions = executions_of(resolve(profile, REPAIRED), REPAIRED)
    ops = len(np.unique(executions.interval_node))
    return len(profile.steps) * (ops + 1) > max_step_times(len(executions.interval_node))


def match_times(base: StepTimes, head: StepTimes, base_node: Array) -> tuple[Array, Array]:
    """The times of both with the same ops as columns; the last has what only one of them runs.

    `base_node` is the node of the base for each node of the head, -1 for none.
    """
    position = {node: i for i, node in enumerate(base.node.tolist())}
    columns = np.array([position.get(node, -1) for node in base_node[head.node].tolist()], int)
    is_shared = columns >= 0
    only_base = np.ones(len(base.node), bool)
    only_base[columns[is_shared]] = False
    rest = base.times[:, only_base].sum(axis=1), head.times[:, ~is_shared].sum(axis=1)
    return (
        np.column_stack([base.times[:, columns[is_shared]], rest[0]]),
        np.column_stack([head.times[:, is_shared], rest[1]]),
    )
