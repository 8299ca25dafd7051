"""The ledger: which nodes were counted, which do no arithmetic, which are not known and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tfprof.flops.interpreter import Interpreter
from tfprof.flops.rules import Class
from tfprof.flops.totals import Totals

__all__ = ["Ledger", "make_ledger"]


@dataclass(frozen=True, slots=True)
class Ledger:
    """How complete a count is."""

    counted: int
    free: int
    unknown: int
    """Nodes of each class, those of functions once for each call."""
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
        return self.counted + self.free + self.unknown

    @property
    def complete(self) -> bool:
        """Whether every node is counted or free."""
        return self.unknown == 0

    @property
    def share(self) -> float:
        """The share of nodes that are counted or free."""
        return 1.0 if not self.nodes else (self.counted + self.free) / self.nodes

    def summary(self) -> str:
        """One line for the user."""
        line = f"{self.nodes} nodes: {self.counted} counted, {self.free} free"
        if self.complete:
            return f"{line}, none unknown"
        worst = sorted(self.unknown_ops.items(), key=lambda item: (-item[1], item[0]))
        named = ", ".join(f"{count} {op}" for op, count in worst[:5])
        more = f" and {len(worst) - 5} more op types" if len(worst) > 5 else ""
        return f"{line}, {self.unknown} unknown and not in the sums ({named}{more})"


def make_ledger(
    tally: Totals, interpreter: Interpreter, *, frozen: bool, more: Iterable[str] = ()
) -> Ledger:
    """The ledger of a sum; `more` are notes on where its numbers come from."""
    ops: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for (op, reason), count in tally.unknown.items():
        ops[op] += count
        reasons[reason] += count
    notes = list(tally.problems)
    notes += [f"sizes {a} and {b} are taken to be equal" for a, b in interpreter.equal.items()]
    conflicts = list(dict.fromkeys(interpreter.conflicts))
    if conflicts:
        notes.append(f"contradictory shapes at {', '.join(conflicts[:3])}: taken as unknown")
    if tally.branches:
        notes.append(f"{tally.branches} data-dependent branches: the dearest one is counted")
    notes += more
    if frozen:
        notes.append("no variables: the parameters are the floating-point constants")
    return Ledger(
        tally.nodes[Class.COUNTED],
        tally.nodes[Class.FREE],
        tally.nodes[Class.UNKNOWN],
        dict(ops),
        dict(reasons),
        tally.unsized,
        tuple(notes),
    )
