"""Judge every limit of a budget: static numbers exactly, time and memory by evidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tfprof.definitions.lookup import did_you_mean
from tfprof.errors import OptionError
from tfprof.flops.polynomial import assume_sizes
from tfprof.gates.budget import LAYER, SCOPE, Budget, BudgetEntry
from tfprof.gates.judge_memory import judge_memory
from tfprof.gates.judge_time import judge_time
from tfprof.gates.node_numbers import node_numbers, scopes_of
from tfprof.gates.sides import Side, Sides
from tfprof.gates.verdict import Check, Outcome, ResponsibleRow, Verdict

_KIND = re.compile(r"(?:device:|/)(cpu|gpu|tpu)\b", re.IGNORECASE)


def judge(sides: Sides, budget: Budget) -> Verdict:
    """The verdict on the head, compared with the base where a limit is relative."""
    for entry in budget.entries:
        _check_entry(sides, budget, entry)
    checks = tuple(_judge_entry(sides, budget, entry) for entry in budget.entries)
    base = sides.base.label if sides.base else ""
    return Verdict(checks, budget.path, base, sides.head.label, tuple(_notes(sides)))


def _notes(sides: Sides) -> Iterator[str]:
    """What makes a comparison doubtful."""
    if sides.base is None:
        return
    if not (sides.base_node >= 0).any():
        yield "base and head have no node in common; compare two versions of one model"
    kinds = [_device_kinds(side) for side in (sides.base, sides.head)]
    if all(kinds) and kinds[0] != kinds[1]:
        yield f"base ran on {' and '.join(kinds[0])}, head on {' and '.join(kinds[1])}"


def _device_kinds(side: Side) -> list[str]:
    """The kinds of devices that a side ran on, such as cpu and gpu."""
    return sorted(
        {kind.lower() for name in side.profiles[0].devices for kind in _KIND.findall(name)}
    )


def _check_entry(sides: Sides, budget: Budget, entry: BudgetEntry) -> None:
    """Refuse a limit that no profile can be compared with."""
    place = f"{budget.path}: [{entry.table}]"
    if entry.limit.is_relative and sides.base is None:
        raise OptionError(
            f"{place} {entry.key.name} = '{entry.limit.text}' is relative to a base; give BASE too"
        )
    present = [side for side in (sides.base, sides.head) if side is not None]
    if entry.part == SCOPE and not any(mask.any() for mask in sides.in_scope(entry.name)):
        known = [name for side in present for name in scopes_of(side.resolved)]
        hint = did_you_mean(entry.name, known) or _examples(known)
        raise OptionError(f"{place} no scope has this name{hint}")
    if entry.part == LAYER:
        for side in present:
            if side.layers is None:
                raise OptionError(
                    f"{place} layers are known of a SavedModel or .pb file, which {side.label} is "
                    "not; limit a scope instead"
                )
        if not any(entry.name in side.layer_by_name for side in present):
            known = [name for side in present for name in reversed(side.layer_by_name)]
            hint = did_you_mean(entry.name, known) or _examples(known)
            raise OptionError(f"{place} no layer has this name{hint}")


def _examples(known: list[str]) -> str:
    return f"; known are {', '.join(known[:3])}…" if known else ""


def _judge_entry(sides: Sides, budget: Budget, entry: BudgetEntry) -> Check:
    if entry.part == LAYER:
        return _judge_layer(sides, entry)
    if entry.key.name == "time":
        return judge_time(sides, entry)
    if entry.key.name == "memory":
        return judge_memory(sides, entry)
    return _judge_static(sides, entry, budget.bind)


def _judge_static(sides: Sides, entry: BudgetEntry, bind: Mapping[str, int]) -> Check:
    in_base, in_head = sides.in_scope(entry.name)
    head = node_numbers(sides.head.resolved, entry.key.name, bind)
    base = before = None
    if sides.base is not None:
        base = node_numbers(sides.base.resolved, entry.key.name, bind)
        before = _sum(base[in_base])
    return _compare(
        entry, before, _sum(head[in_head]), lambda: sides.responsible(base, head, in_head)
    )


def _sum(values: Any) -> int:
    return int(values.sum()) if values.dtype != object else int(sum(values.tolist()))


def _judge_layer(sides: Sides, entry: BudgetEntry) -> Check:
    before = None if sides.base is None else _layer_number(sides.base, entry)
    head = _layer_number(sides.head, entry)
    row = ResponsibleRow(entry.name, before, head, "name" if before is not None else "")
    return _compare(entry, before, head, lambda: (row,))


def _layer_number(side: Side, entry: BudgetEntry) -> int:
    """The number of all calls of a layer; 0 if the side does not have it."""
    layer = side.layer_by_name.get(entry.name)
    return 0 if layer is None else int(assume_sizes(getattr(layer, entry.key.name)))


def _compare(
    entry: BudgetEntry,
    base: int | None,
    head: int,
    rows: Callable[[], tuple[ResponsibleRow, ...]],
) -> Check:
    """The check of an exact number."""
    allowed = entry.limit.allowed(0 if base is None else base)
    is_over = head > allowed
    return Check(
        entry.key.name,
        entry.part,
        entry.name,
        entry.key.unit,
        entry.limit.text,
        Outcome.OVER if is_over else Outcome.PASS,
        base,
        head,
        float(allowed) if allowed.denominator > 1 else int(allowed),
        rows=rows() if is_over else (),
    )
