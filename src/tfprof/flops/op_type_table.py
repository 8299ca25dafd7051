"""What each op type of a model costs: the table of `tfprof cost`, and the totals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfprof.flops.flop_columns import how_to_bind
from tfprof.flops.layers.layer_rows import per_example, share
from tfprof.flops.model_cost import Cost
from tfprof.flops.polynomial import BATCH, Count, exact, pretty
from tfprof.runtime.printable import one_line


def total_lines(cost: Cost) -> list[str]:
    """Lines that say what a model costs, and how complete the count is."""
    frozen = cost.params - cost.trainable_params
    float_ops, contractions = pretty(cost.float_ops), pretty(cost.contraction_float_ops)
    trained = f"({cost.trainable_params:,} trainable, {frozen:,} not)"
    inside = f"({contractions} in matmuls and convolutions), 2 per multiply-add"
    lines = [
        f"parameters        {cost.params:,} {trained}",
        f"float operations  {float_ops} {inside}",
    ]
    lines += [f"  {name} = {meaning}" for name, meaning in cost.symbols.items()]
    if cost.symbols.keys() - {BATCH}:
        lines.append(f"  {how_to_bind(cost.symbols)}")
    return [one_line(line) for line in (*lines, cost.ledger.summary(), *cost.ledger.notes)]


def operation_text(cost: Cost) -> str:
    """What each operation type costs, the most expensive first, and the totals."""
    table = align(operation_cells(cost), left=1)
    return "\n".join((*table, *operation_notes(cost), "", *total_lines(cost))) + "\n"


def operation_cells(cost: Cost) -> list[tuple[str, ...]]:
    """The titles of the columns, then the texts of each op type that costs something."""
    rows: list[tuple[str, ...]] = [("op type", "nodes", "float operations", "share")]
    for record in _working_types(cost):
        ratio = share(per_example(record["float_ops"]), cost)
        part = f"{ratio:.1%}" if ratio else ""
        rows.append((record["op"], f"{record['nodes']:,}", pretty(record["float_ops"]), part))
    return rows


def operation_notes(cost: Cost) -> list[str]:
    """What stands in place of an empty table."""
    return [] if _working_types(cost) else ["no op does float operations"]


def operation_shares(cost: Cost) -> list[float]:
    """The part of all float operations of each op type that costs something."""
    return [share(per_example(record["float_ops"]), cost) for record in _working_types(cost)]


def _working_types(cost: Cost) -> list[Mapping[str, Any]]:
    return [record for record in cost.records() if record["float_ops"]]


def cost_dict(cost: Cost) -> dict[str, Any]:
    """Totals, op types and ledger in plain numbers, polynomials as text."""
    return {
        "params": cost.params,
        "trainable_params": cost.trainable_params,
        "float_ops": plain_count(cost.float_ops),
        "macs": plain_count(cost.macs),
        "contraction_float_ops": plain_count(cost.contraction_float_ops),
        "elementwise_float_ops": plain_count(cost.elementwise_float_ops),
        "by_op_type": {
            op: {"float_ops": plain_count(work.float_ops), "nodes": work.nodes}
            for op, work in cost.by_op_type.items()
        },
        "symbols": dict(cost.symbols),
        "ledger": {
            "counted": cost.ledger.counted,
            "free": cost.ledger.zero_cost,
            "unknown": cost.ledger.unknown,
            "unknown_ops": dict(cost.ledger.unknown_ops),
            "notes": list(cost.ledger.notes),
        },
    }


def align(rows: Sequence[tuple[str, ...]], *, left: int) -> list[str]:
    """Titles, a rule and rows as lines; the first `left` columns begin at the left.

    Without rows there are no lines.
    """
    if not rows[1:]:
        return []
    rows = [tuple(map(one_line, row)) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "-" * max(map(len, lines)))
    return lines


def plain_count(count: Count) -> int | str:
    """A number, or the text of a polynomial."""
    return count if isinstance(count, int) else exact(count)
