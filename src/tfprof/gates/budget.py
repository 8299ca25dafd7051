"""A budget: what a model may cost as a whole, in a name scope and in a layer.

It is read from TOML. Every mistake in it is an OptionError that names the file, the table and the
key, and the nearest name that is known.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tfprof.definitions.integers import INT64_MAX
from tfprof.definitions.limits import MAX_KEY_PARTS
from tfprof.definitions.lookup import did_you_mean
from tfprof.errors import OptionError
from tfprof.gates.limit import EXAMPLES, Limit, parse_limit
from tfprof.loaders.files import read_file

WHOLE, SCOPE, LAYER = "whole", "scope", "layer"
_BUDGET, _BIND = "budget", "bind"
_TABLES = (_BUDGET, _BIND)
_QUOTED_OR_COMMENT = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|#[^\n]*")
LEAST_SHARE = 2
"""The least increase of a time, in percent, that is ever judged: machines vary by as much."""


@dataclass(frozen=True, slots=True)
class BudgetKey:
    """A number that a budget can limit, and of which parts of a model."""

    name: str
    unit: str
    help: str
    parts: tuple[str, ...]
    is_static: bool


KEYS: dict[str, BudgetKey] = {
    key.name: key
    for key in (
        BudgetKey("params", "number", "parameters in variables", (WHOLE, SCOPE, LAYER), True),
        BudgetKey("float_ops", "number", "float operations", (WHOLE, SCOPE, LAYER), True),
        BudgetKey("macs", "number", "multiply-adds", (WHOLE, SCOPE, LAYER), True),
        BudgetKey(
            "static_memory",
            "memory",
            "variables and the peak of a step, predicted from the graph alone",
            (WHOLE, SCOPE),
            True,
        ),
        BudgetKey("time", "time", "time in ops of a step, measured", (WHOLE, SCOPE), False),
        BudgetKey("memory", "memory", "peak of recorded allocations of a step", (WHOLE,), False),
    )
}
"""What can be limited, by the name that it has in a budget."""


@dataclass(frozen=True, slots=True)
class BudgetEntry:
    """One limit: of the whole model, or of the scope or layer `name`."""

    key: BudgetKey
    limit: Limit
    part: str = WHOLE
    name: str = ""

    @property
    def title(self) -> str:
        """What is limited, such as `params of scope block3`."""
        return (
            self.key.name if self.part == WHOLE else f"{self.key.name} of {self.part} {self.name}"
        )

    @property
    def table(self) -> str:
        """The table of the file that it is in."""
        return _BUDGET if self.part == WHOLE else f'{_BUDGET}.{self.part}."{self.name}"'


@dataclass(frozen=True, slots=True)
class Budget:
    """All limits, and sizes for symbols such as the batch size `B`."""

    entries: tuple[BudgetEntry, ...]
    bind: Mapping[str, int] = field(default_factory=dict)
    path: str = ""
    """The file that it was read from."""


def read_budget(path: str | os.PathLike[str]) -> Budget:
    """Read a budget file."""
    file = Path(path)
    if not file.exists():
        raise OptionError(
            f"{file}: there is no such budget; write one with: tfprof gate HEAD --init"
        )
    try:
        text = read_file(file, "a budget").decode()
    except UnicodeDecodeError:
        raise OptionError(f"{file}: is not text; a budget is a TOML file") from None
    return parse_budget(_parse_toml(text, file), os.fspath(path))


def _parse_toml(text: str, file: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    # The parser takes quadratic time and memory for a key of many parts.
    for number, line in enumerate(_QUOTED_OR_COMMENT.sub("", text).split("\n"), 1):
        if line.count(".") > MAX_KEY_PARTS:
            raise OptionError(f"{file}: line {number} has a key of over {MAX_KEY_PARTS} parts")
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise OptionError(f"{file}: is not TOML: {error}") from None
    except ValueError:
        raise OptionError(f"{file}: has an integer of too many digits") from None


def parse_budget(tables: Mapping[str, Any], path: str = "budget") -> Budget:
    """A budget from the tables of a file, or a dict like them."""
    reader = _Reader(path)
    reader.check_names(tables, _TABLES, "")
    entries = tuple(reader.entries(reader.table(tables, _BUDGET)))
    if not entries:
        raise OptionError(f"{path}: limits nothing; add one such as params = '+0%' to [{_BUDGET}]")
    return Budget(entries, dict(reader.sizes(reader.table(tables, _BIND))), path)


@dataclass(frozen=True, slots=True)
class _Reader:
    path: str

    def fail(self, table: str, problem: str) -> OptionError:
        place = f"{self.path}: [{table}]" if table else f"{self.path}:"
        return OptionError(f"{place} {problem}")

    def check_names(self, names: Iterable[str], known: Iterable[str], table: str) -> None:
        for name in names:
            if name not in known:
                hint = did_you_mean(name, known) or f"; known are {', '.join(known)}"
                raise self.fail(table, f"there is no '{name}'{hint}")

    def table(self, tables: Mapping[str, Any], name: str, parent: str = "") -> dict[str, Any]:
        value = tables.get(name, {})
        if not isinstance(value, dict):
            raise self.fail(parent, f"'{name}' is a table, not a value")
        return value

    def entries(self, table: dict[str, Any]) -> Iterator[BudgetEntry]:
        parts = (SCOPE, LAYER)
        self.check_names(table, (*KEYS, *parts), _BUDGET)
        limits = {name: value for name, value in table.items() if name in KEYS}
        yield from self.limits(limits, WHOLE, "")
        for part in parts:
            named = self.table(table, part, _BUDGET)
            for name, inner in named.items():
                if not isinstance(inner, dict):
                    raise self.fail(
                        f"{_BUDGET}.{part}", f"'{name}' is a name, and needs a table of limits"
                    )
                self.check_names(inner, KEYS, f'{_BUDGET}.{part}."{name}"')
                yield from self.limits(inner, part, name)

    def limits(self, values: Mapping[str, Any], part: str, name: str) -> Iterator[BudgetEntry]:
        for key_name, value in values.items():
            key = KEYS[key_name]
            limit = parse_limit(value, key.unit)
            entry = BudgetEntry(key, limit or Limit(""), part, name)
            if part not in key.parts:
                known = " and ".join(f"a {p}" if p != WHOLE else "the whole" for p in key.parts)
                raise self.fail(
                    entry.table, f"{key_name}: is known of {known} only, not of a {part}"
                )
            if limit is None:
                raise self.fail(
                    entry.table,
                    f"{key_name} = {_show(value)} is no limit; write one such as "
                    f"{EXAMPLES[key.unit]}",
                )
            is_fine = limit.share is not None and 100 * limit.share < LEAST_SHARE
            if key_name == "time" and (is_fine or limit.more is not None):
                raise self.fail(
                    entry.table,
                    f"time = {value!r} cannot be judged; the least increase is '+{LEAST_SHARE}%'",
                )
            yield entry

    def sizes(self, table: dict[str, Any]) -> Iterator[tuple[str, int]]:
        for name, size in table.items():
            if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size <= INT64_MAX:
                raise self.fail(_BIND, f"{name} = {_show(size)} is not a size such as 32")
            yield name, size


def _show(value: Any) -> str:
    """A value as text; Python refuses to write integers of very many digits."""
    is_large = isinstance(value, int) and abs(value) > INT64_MAX
    return "a number of more than 64 bits" if is_large else repr(value)
