"""What a question is about: a job, some workers, a window of steps, some nodes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.definitions.lookup import did_you_mean
from tfprof.definitions.quirks import REPAIRED
from tfprof.errors import OptionError
from tfprof.reports.regexes import check, is_everything, matches_any

_ALL = (".*",)


@dataclass(frozen=True, slots=True)
class Selection:
    """The options of a question. Regexes match whole names, as those of the views do."""

    job: str = ""
    """One job; without it all jobs of the store."""
    workers: tuple[str, ...] = _ALL
    steps: tuple[int, int] | None = None
    """The first step and the one after the last."""
    account_type_regexes: tuple[str, ...] = _ALL
    show_name_regexes: tuple[str, ...] = _ALL
    hide_name_regexes: tuple[str, ...] = ()
    step: int = -1
    """The step to explain; the slowest if it is not given."""
    limit: int = 20
    """How many rows an answer has."""

    @property
    def has_workers(self) -> bool:
        """Whether only some workers are selected."""
        return not is_everything(self.workers)

    @property
    def has_nodes(self) -> bool:
        """Whether only some nodes are selected."""
        shown = (self.account_type_regexes, self.show_name_regexes)
        return bool(self.hide_name_regexes) or not all(map(is_everything, shown))

    def select_workers(self, names: list[str]) -> list[str]:
        """Those workers that are selected."""
        if not self.has_workers:
            return names
        mask = matches_any(self.workers, pa.array(names, pa.string()))
        return [name for name, selected in zip(names, mask.tolist(), strict=True) if selected]

    def select_nodes(self, nodes: pa.Table) -> pa.Table:
        """Those rows of the nodes that are selected: one type matches, and the name."""
        names = nodes.column("name").combine_chunks()
        mask = matches_any(self.show_name_regexes, names)
        mask &= ~matches_any(self.hide_name_regexes, names)
        types = nodes.column("types").combine_chunks()
        selected = matches_any(self.account_type_regexes, types.flatten())
        owners = pa.compute.list_parent_indices(types).to_numpy()
        has_type = np.zeros(len(nodes), bool)
        has_type[owners[selected]] = True
        return nodes.filter(pa.array(mask & has_type))


def make_selection(given: Mapping[str, Any], accepted: tuple[str, ...], question: str) -> Selection:
    """The selection of some options; an OptionError for one that the question ignores."""
    values = {name: value for name, value in given.items() if value is not None}
    for name in values:
        if name not in accepted:
            hint = did_you_mean(name, accepted) or f"; it takes {', '.join(accepted)}"
            raise OptionError(f"'fleet {question}' takes no option '{name}'{hint}")
    for item in fields(Selection):
        value = values.get(item.name)
        if value is None or not str(item.type).startswith("tuple[str"):
            continue
        values[item.name] = (value,) if isinstance(value, str) else tuple(value)
        check(item.name, values[item.name], REPAIRED)
    if "steps" in values:
        values["steps"] = parse_steps(values["steps"])
    if values.get("limit", 1) < 1:
        raise OptionError(f"option 'limit': {values['limit']} is not a number such as 20")
    return Selection(**values)


def parse_steps(given: Any) -> tuple[int, int]:
    """The first step and the one after the last, of `100:200` or a pair."""
    if isinstance(given, str):
        match = re.fullmatch(r"(\d{1,9}):(\d{1,9})", given, re.ASCII)
        given = (int(match[1]), int(match[2])) if match else given
    is_pair = isinstance(given, (tuple, list)) and len(given) == 2
    if not (is_pair and all(isinstance(n, int) for n in given) and given[0] < given[1]):
        raise OptionError(f"option 'steps': '{given}' is no range; give one such as 100:200")
    return given[0], given[1]
