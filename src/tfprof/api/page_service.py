"""Answers what a served page asks: reports, blocks of columns, searches, comparisons of steps.

Answers and their blocks are kept while they fit a budget, the ones used last longest. A block that
was dropped is made again, with the answer that it belongs to, when a page asks for it.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.api.page_panels import page_panels
from tfprof.api.request import check_options
from tfprof.definitions.options import OPTIONS, split_list
from tfprof.errors import OptionError
from tfprof.outputs.html.blocks import Ref, encode_json
from tfprof.outputs.html.comparison_blocks import add_comparison
from tfprof.outputs.html.node_blocks import add_nodes
from tfprof.outputs.html.presets import NOT_EDITED, Preset
from tfprof.outputs.html.timeline_blocks import add_timeline
from tfprof.outputs.html.writer import PageBuilder, add_arrays
from tfprof.reports import regexes
from tfprof.reports.report import Report
from tfprof.views import VIEWS

_BUDGET = 400_000_000
"""How many bytes of answers and blocks are kept, beside those that every page needs."""
_KEPT_NAMES = 4
"""How many reports are searched without making them again."""
_MAX_DIGITS = 9
_BOOLEANS = {"true": True, "false": False}
_ALWAYS_KEPT = ("page", "panels", "sources")


class RefusedError(Exception):
    """An HTTP status and what to say with it."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True, slots=True)
class _Answer:
    """The bytes of an answer, and the blocks that it refers to."""

    data: bytes
    refs: frozenset[Ref]


@dataclass(slots=True)
class PageService:
    """Answers what a page asks: the same reports as a written page, and those of other options."""

    builder: PageBuilder
    budget: int = _BUDGET
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _answers: dict[str, _Answer] = field(default_factory=dict)
    """By question, the one that was asked last at the end."""
    _users: Counter[Ref] = field(default_factory=Counter)
    """How many answers refer to a block."""
    _origins: dict[Ref, tuple[str, Mapping[str, str]]] = field(default_factory=dict)
    """A question whose answer has a block."""
    _slow: dict[str, Any] = field(default_factory=dict)
    """What takes long, computed once."""
    _slow_lock: threading.Lock = field(default_factory=threading.Lock)
    _names: dict[str, pa.Array] = field(default_factory=dict)
    """The names of the rows of the reports that were shown last."""

    @classmethod
    def of_profile(cls, report: Report, command: str) -> PageService:
        """A service for the profile of a report."""
        return cls(PageBuilder(report, command=command, given=False))

    @property
    def kept_bytes(self) -> int:
        """The size of all answers and blocks."""
        return self.builder.blocks.size + sum(len(a.data) for a in self._answers.values())

    def answer(self, path: str, query: Mapping[str, str]) -> bytes:
        """The answer to a path; an OptionError if its options are wrong."""
        name, _, rest = path.removeprefix("/api/").partition("/")
        if name == "block":
            return self._block(rest)
        if name not in _ANSWERS or rest:
            raise RefusedError(404, "there is no such page")
        if name in _SLOW:
            self._make_slow(name)  # so that others are answered meanwhile
        # One at a time: blocks are numbered in the order in which they are added.
        with self._lock:
            return self._answer(name, query)

    def _answer(self, name: str, query: Mapping[str, str]) -> bytes:
        key = f"{name}?{sorted(query.items())}"
        found = self._answers.pop(key, None) or self._make(name, query)
        self._answers[key] = found
        self._drop_oldest()
        return found.data

    def _make(self, name: str, query: Mapping[str, str]) -> _Answer:
        blocks = self.builder.blocks
        blocks.used.clear()
        content = _ANSWERS[name](self, query)
        refs = frozenset(blocks.used)
        self._users.update(refs)
        self._origins.update(dict.fromkeys(refs, (name, query)))
        specs = {ref: blocks.specs[ref] for ref in sorted(refs)}
        return _Answer(encode_json({**content, "specs": specs}), refs)

    def _drop_oldest(self) -> None:
        """Drop the answers that were used least recently, but not the last, to keep the budget."""
        for key in list(self._answers)[:-1]:
            if self.kept_bytes <= self.budget:
                return
            if key.startswith(_ALWAYS_KEPT):
                continue
            refs = self._answers.pop(key).refs
            self._users.subtract(refs)
            self.builder.blocks.drop(ref for ref in refs if not self._users[ref])

    def _block(self, number: str) -> bytes:
        blocks = self.builder.blocks
        is_number = number.isascii() and number.isdigit() and len(number) <= _MAX_DIGITS
        if not is_number or int(number) >= len(blocks):
            raise RefusedError(404, "there is no such block")
        data = blocks.data(int(number))
        if data is not None:
            return data
        with self._lock:
            self._answer(*self._origins[int(number)])
            return blocks.data(int(number)) or b""

    def page(self, _query: Mapping[str, str]) -> dict[str, Any]:
        """What the page knows before it asks for anything else."""
        return {
            **self.builder.description({}),
            "nodes": add_nodes(self.builder.blocks, self.builder.report),
        }

    def sources(self, _query: Mapping[str, str]) -> dict[str, Any]:
        """The user's files and what their lines cost."""
        return {"sources": self.builder.add_sources(*self._make_slow("sources"))}

    def panels(self, _query: Mapping[str, str]) -> dict[str, Any]:
        """Overview, advice and memory."""
        return dict(add_arrays(self.builder.blocks, self._make_slow("panels")))

    def _make_slow(self, name: str) -> Any:
        with self._slow_lock:
            if name not in self._slow:
                self._slow[name] = _SLOW[name](self.builder)
            return self._slow[name]

    def timeline(self, query: Mapping[str, str]) -> dict[str, Any]:
        """What ran when in a step."""
        return add_timeline(self.builder.blocks, self.builder.report, self._step(query, "step"))

    def compare(self, query: Mapping[str, str]) -> dict[str, Any]:
        """What differs between two steps in a metric."""
        metric = query.get("metric", "")
        if not any(metric in preset.metrics for preset in self.builder.presets):
            raise OptionError(f"there is no metric '{metric}'")
        before, after = (self._step(query, name) for name in ("before", "after"))
        return add_comparison(self.builder.blocks, self.builder.report, metric, before, after)

    def report(self, query: Mapping[str, str]) -> dict[str, Any]:
        """A report with the options of a preset and those that are given with it."""
        preset, view, step, user = self._asked_report(query)
        rows = self.builder.make_rows(preset, view, step, user=user)
        self._keep_names(query, rows.name)
        return self.builder.add_rows(rows, preset, user=user)

    def find(self, query: Mapping[str, str]) -> dict[str, Any]:
        """The rows of a report in whose names a regex matches."""
        regex = query.get("regex", "")
        names = self._names.get(_report_key(query))
        if names is None:
            preset, view, step, user = self._asked_report(query)
            names = self.builder.make_rows(preset, view, step, user=user).name
            self._keep_names(query, names)
        found = np.flatnonzero(regexes.search(regex, names))
        return {"rows": self.builder.blocks.add_integers(found[found > 0], delta=True)}

    def _keep_names(self, query: Mapping[str, str], names: pa.Array) -> None:
        self._names[_report_key(query)] = names
        while len(self._names) > _KEPT_NAMES:
            del self._names[next(iter(self._names))]

    def _asked_report(self, query: Mapping[str, str]) -> tuple[Preset, str, int, bool]:
        """Preset, view, step and whether only the user's files are shown."""
        presets = {preset.name: preset for preset in self.builder.presets}
        preset, view = presets.get(query.get("preset", "")), query.get("view", "")
        if preset is None or view not in VIEWS:
            raise OptionError("unknown preset or view")
        given = parse_options(query.get("options", ""))
        if given:
            quirks = self.builder.report.quirks
            order = query.get("order") or preset.metrics[0]
            given = {"order_by": order, **given}
            options = replace(preset.options, select=preset.metrics).with_values(given, quirks)
            check_options(options, quirks)
            # A preset with a view keeps the depth that is given.
            preset = replace(preset, options=options, view=view if "max_depth" in given else "")
        user = query.get("user") == "true" and self.builder.has_user_files(preset, view)
        return preset, view, _integer(query.get("step", "-1")), user

    def _step(self, query: Mapping[str, str], name: str) -> int:
        step = _integer(query.get(name, ""))
        if step not in self.builder.report.profile.steps:
            raise OptionError(f"option 'step': there is no step {step}")
        return step


_ANSWERS: dict[str, Callable[[PageService, Mapping[str, str]], dict[str, Any]]] = {
    "page": PageService.page,
    "panels": PageService.panels,
    "sources": PageService.sources,
    "timeline": PageService.timeline,
    "compare": PageService.compare,
    "report": PageService.report,
    "find": PageService.find,
}

_SLOW: dict[str, Callable[[PageBuilder], Any]] = {
    "panels": lambda builder: page_panels(builder.report),
    "sources": PageBuilder.find_sources,
}
"""What some answers are made of and what adds no block."""


def _report_key(query: Mapping[str, str]) -> str:
    """What a report is known by: its question without the regex that is searched in it."""
    return str(sorted((name, value) for name, value in query.items() if name != "regex"))


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise OptionError(f"option 'step': '{text}' is not a whole number") from None


def parse_options(text: str) -> dict[str, Any]:
    """Options from the JSON that a page sends: names, and values as they are typed."""
    try:
        given = json.loads(text or "{}")
    except (ValueError, RecursionError):
        raise OptionError("the options are not JSON") from None
    if not isinstance(given, dict) or not all(isinstance(v, str) for v in given.values()):
        raise OptionError("the options are not a JSON object of texts")
    return {name: _parse_value(name, value) for name, value in given.items()}


def _parse_value(name: str, text: str) -> Any:
    option = OPTIONS.get(name)
    if option is None or name in NOT_EDITED:
        raise OptionError(f"unknown option '{name}'")
    if option.kind == "integer":
        try:
            return int(text)
        except ValueError:
            raise OptionError(f"option '{name}': '{text}' is not a whole number") from None
    if option.kind == "flag":
        if text.lower() not in _BOOLEANS:
            raise OptionError(f"option '{name}': '{text}' is neither true nor false")
        return _BOOLEANS[text.lower()]
    return split_list(text) if option.kind in ("regexes", "select") else text
