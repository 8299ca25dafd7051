"""The ledger: which nodes were counted, which do no arithmetic, which are not known and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tfprof.flops.flop_columns import describe_unavailable
from tfprof.flops.interpreter import Interpreter
from tfprof.flops.rules import CountKind
from tfprof.flops.totals import Totals
from tfprof.flops.variables import Variable


@dataclass(frozen=True, slots=True)
class Ledger:
    """How complete a count is."""

    counted: int
    zero_cost: int
    unknown: int
    """Nodes of each kind, those of functions once for each call."""
    unknown_ops: Mapping[str, int]
    """Op type -> nodes that were not counted."""
    reasons: Mapping[str, int]
    """Reason -> nodes that were not counted."""
    unsized: int
    """Nodes whose bytes are not known."""
    notes: tuple[str, ...]
    """What was assumed, and what is wrong with the model."""

    @property
    def nodes(self) -> int:
        """All nodes."""
        return self.counted + self.zero_cost + self.unknown

    @property
    def complete(self) -> bool:
        """Whether every node is counted or zero-cost."""
        return self.unknown == 0

    def summary(self) -> str:
        """One line for the user."""
        line = f"{self.nodes} nodes: {self.counted} counted, {self.zero_cost} zero-cost"
        if self.complete:
            return f"{line}, 0 unsupported"
        worst = sorted(self.unknown_ops.items(), key=lambda item: (-item[1], item[0]))
        named = ", ".join(f"{count} {op}" for op, count in worst[:5])
        more = f" and {len(worst) - 5} more op types" if len(worst) > 5 else ""
        why = describe_unavailable(self.reasons)
        return f"{line}, {self.unknown} unsupported ({named}{more}); {why}"


def make_ledger(
    totals: Totals, interpreter: Interpreter, *, frozen: bool, more: Iterable[str] = ()
) -> Ledger:
    """The ledger of a sum; `more` are notes on where its numbers come from."""
    ops: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for (op, reason), count in totals.unknown.items():
        ops[op] += count
        reasons[reason] += count
    notes = list(totals.problems)
    equal = interpreter.symbols.equalities()
    notes += [f"sizes {a} and {b} are taken to be equal" for a, b in equal]
    for resolution, names in interpreter.conflicts.items():
        nodes = list(dict.fromkeys(names))
        notes.append(f"contradictory shapes at {', '.join(nodes[:3])}: {resolution}")
    if totals.branches:
        notes.append(
            f"{totals.branches} data-dependent branches: the most expensive one is counted"
        )
    if interpreter.is_limited:
        notes.append("too many calls with different shapes: some are counted for unknown shapes")
    notes += more
    if frozen:
        notes.append("no variables: the parameters are the floating-point constants")
    return Ledger(
        totals.nodes[CountKind.COUNTED],
        totals.nodes[CountKind.ZERO_COST],
        totals.nodes[CountKind.UNKNOWN],
        dict(ops),
        dict(reasons),
        totals.unsized,
        tuple(notes),
    )


def note_large(names: Sequence[str]) -> list[str]:
    """A note on symbols for sizes that have too many terms."""
    if not names:
        return []
    shown = ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")
    return [f"sizes with too many terms or too high powers are symbols: {shown}"]


def note_unsized(variables: Sequence[Variable]) -> list[str]:
    """A note on variables whose size is not known."""
    names = [variable.name for variable in variables if variable.shape is None]
    if not names:
        return []
    shown = ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")
    return [f"not among the parameters, as their shapes are not known: {shown}"]
