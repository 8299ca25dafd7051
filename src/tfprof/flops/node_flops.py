"""Float operations of the nodes of a profile, counted when they are first asked for.

The engine is imported with the first count: most reports do not need it.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof.definitions.integers import INT64_MAX
from tfprof.definitions.quirks import Quirks
from tfprof.flops.flop_columns import NodeFlops, without_symbols
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, LogEntries
from tfprof.profiles.string_columns import strings
from tfprof.resolve import resolve
from tfprof.runtime.gc_pause import gc_paused
from tfprof.runtime.lazy import cached_property


class LazyFlops:
    """The float operations of a resolved profile, counted on first use."""

    def __init__(self, profile: Profile, quirks: Quirks) -> None:
        self._profile, self._quirks = profile, quirks

    @cached_property
    def count(self) -> NodeFlops:
        """The columns; of batches of several sizes those of the mean."""
        return self.of_step(None)

    def of_step(self, step: int | None) -> NodeFlops:
        """The columns with the batch size of a step, where the graph leaves it open."""
        from tfprof.flops.batch_sizes import recorded_batch_sizes, with_recorded_sizes

        if not recorded_batch_sizes(self._profile):
            return self._counted
        if step not in self._of_steps:
            self._of_steps[step] = with_recorded_sizes(self._counted, self._profile, step)
        return self._of_steps[step]

    @cached_property
    def _of_steps(self) -> dict[int | None, NodeFlops]:
        return {}

    @cached_property
    def _counted(self) -> NodeFlops:
        """The columns; compat has only what op logs have, and no multiply-adds."""
        logged = self._profile.nodes.float_ops
        if self._quirks.tensorflow_flop_formulas and self._quirks.original_metrics_only:
            zeros, ones = np.zeros_like(logged), np.ones_like(logged)
            return NodeFlops(logged, zeros, ones, np.zeros(len(logged), bool), {})
        from tfprof.flops.count_profile import count_profile

        with gc_paused():
            return count_profile(self._profile, self._quirks)


def lazy_flops(profile: Profile, quirks: Quirks) -> LazyFlops:
    """The float operations of a resolved profile, counted at most once."""
    # A copy: a profile in a cycle would stay in memory until a garbage collection.
    return profile.memoize((LazyFlops, quirks), lambda: LazyFlops(profile.replace(), quirks))


def node_flops(profile: Profile, quirks: Quirks) -> NodeFlops:
    """The float operations of every node of a resolved profile."""
    return lazy_flops(profile, quirks).count


def check_bind(profile: Profile, quirks: Quirks) -> None:
    """Refuse sizes of symbols that a profile does not have, though no report may need them."""
    if profile.bind:
        node_flops(resolve(profile, quirks), quirks)


def log_entries(profile: Profile, quirks: Quirks) -> tuple[Array, LogEntries]:
    """The float operations of one execution as an op log has them.

    A number for each node of a loaded profile, and entries for nodes inside functions. What depends
    on an unknown size is left out: it is counted again where the log is read.
    """
    resolved = resolve(profile, quirks)
    flops = node_flops(resolved, quirks)
    float_ops = without_symbols(flops.float_ops)
    value = np.clip(np.where(flops.per_example, 0, float_ops), -INT64_MAX, INT64_MAX)
    value = value.astype(np.int64)
    rows = index_in(profile.nodes.name, resolved.nodes.name)
    inner = np.setdiff1d(np.flatnonzero(value), rows)
    none = np.zeros(0, np.int64)
    names = resolved.nodes.name.take(pa.array(inner))
    stacks = np.full(len(inner), -1, np.int64)
    own = np.where(rows >= 0, value[rows], profile.nodes.float_ops)
    return own, LogEntries(names, value[inner], stacks, none, strings())
