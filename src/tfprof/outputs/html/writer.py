"""Put a page together: the built template, a description of the page, and blocks of columns.

The page opens from disk without a network. Its policy allows only the script and the style of the
template. Blocks are base64, so that no name can end one.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import tfprof
from tfprof.definitions.limits import check_page_steps
from tfprof.definitions.metrics import METRICS
from tfprof.definitions.options import ALL_LEVELS, Options, format_value, listed_options
from tfprof.definitions.units import SCALES
from tfprof.errors import OutputError
from tfprof.outputs.document import Document, Rendering, RenderSettings
from tfprof.outputs.html.blocks import Blocks, compress, encode_json
from tfprof.outputs.html.comparison_blocks import add_comparison, compared_steps
from tfprof.outputs.html.following_shares import add_following_shares
from tfprof.outputs.html.node_blocks import add_nodes
from tfprof.outputs.html.presets import (
    NOT_EDITED,
    Preset,
    only_user_files,
    option_arguments,
    page_metrics,
    presets,
)
from tfprof.outputs.html.report_blocks import add_report
from tfprof.outputs.html.source_blocks import LineCosts, find_line_costs, source_files
from tfprof.outputs.html.timeline_blocks import add_timeline
from tfprof.profiles.executions import counts_of_steps
from tfprof.reports.make_report import make_report
from tfprof.reports.measures import AVERAGE
from tfprof.reports.report import Report
from tfprof.views import VIEWS

MAX_BYTES = 50_000_000
"""Browsers take long to open larger pages."""
_TEMPLATE = Path(__file__).with_name("page.html")
PLACEHOLDER = "<!--data-->"
"""What stands in a template where the data goes."""
_GIVEN = "as given"
_DEFAULTS = {"max_depth": "all"}
"""Where a page has another default."""


class PageBuilder:
    """The parts of a page, added to its blocks as they are asked for."""

    def __init__(self, report: Report, *, command: str, given: bool) -> None:
        """`given` says whether the report's own options are a preset of the page."""
        self.report, self.command, self.blocks = report, command, Blocks()
        own = Preset(_GIVEN, _numbers(report), report.options, report.kind) if given else None
        self.presets = presets(report.profile, report.quirks, own)

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps, after the average of all of them."""
        return (AVERAGE, *self.report.profile.steps)

    def description(self, panels: Mapping[str, Any]) -> dict[str, Any]:
        """What a page knows before it reads a block."""
        report = self.report
        return {
            "version": tfprof.__version__,
            "command": self.command,
            "views": [view for view in VIEWS if view != "code" or report.profile.has_trace],
            "steps": list(report.profile.steps),
            "devices": list(report.profile.devices),
            "scales": SCALES,
            "metrics": {
                name: {"title": metric.title.removeprefix("# "), "unit": metric.unit}
                for name, metric in page_metrics(report.profile, report.quirks).items()
            },
            "presets": [
                {"name": p.name, "metrics": list(p.metrics), "arguments": p.arguments()}
                for p in self.presets
            ],
            "first": {
                "view": self.presets[0].view,
                "step": report.options.step if self.presets[0].view else AVERAGE,
                "order": self._first_order(),
            },
            "options": _editable_options(),
            "panels": add_arrays(self.blocks, panels),
        }

    def _first_order(self) -> str:
        """How a page is sorted first: by its metric (empty), another one, `name` or `view`."""
        order = self.presets[0].options.order_by
        if not self.presets[0].view or order == self.presets[0].metrics[0]:
            return ""
        return "view" if order == "depth" else order

    def report_keys(self) -> Iterator[tuple[Preset, str, int, bool]]:
        """Preset, view, step and whether only the user's files are shown, of all reports."""
        for preset in self.presets:
            for view in VIEWS:
                if view == "code" and not self.report.profile.has_trace:
                    continue
                for step in self.steps:
                    yield preset, view, step, False
                    if self.has_user_files(preset, view):
                        yield preset, view, step, True

    def has_user_files(self, preset: Preset, view: str) -> bool:
        """Whether a report can be restricted to the user's own files."""
        report = self.report
        shown = view == "code" and only_user_files(preset.options, report.profile, report.quirks)
        return bool(shown)

    def make_rows(self, preset: Preset, view: str, step: int, *, user: bool) -> Report:
        """A report, in the order of its view; of op view with filters in the order asked for.

        Which rows op view shows depends on their order: minima look at the rows that follow.
        """
        report = self.report
        profile = report.profile.source or report.profile
        order = preset.options.order_by if view == "op" and preset.is_filtered else "depth"
        options = replace(preset.options, step=step, output="none", order_by=order)
        if not preset.view:
            options = replace(options, max_depth=ALL_LEVELS, select=preset.metrics)
        if user:
            options = only_user_files(options, report.profile, report.quirks) or options
        return make_report(profile, view, options, report.quirks)

    def add_rows(self, rows: Report, preset: Preset, *, user: bool) -> dict[str, Any]:
        """The blocks of a report that `make_rows` made."""
        added = add_report(self.blocks, rows, preset.metrics)
        is_fixed = rows.options.order_by != "depth"
        if rows.kind == "op":
            orders = () if is_fixed else (*preset.metrics, "name")
            added["following"] = add_following_shares(self.blocks, rows, preset.metrics, orders)
        return {
            "preset": preset.name,
            "view": rows.kind,
            "step": rows.options.step,
            "user": user,
            "arguments": list(option_arguments(rows.options)),
            "order": rows.options.order_by if is_fixed else "",
            **added,
            "max_depth": min(added.pop("deepest"), rows.options.max_depth),
        }

    def comparisons(self) -> list[dict[str, Any]]:
        """What differs between steps, by metric."""
        steps = self.report.profile.steps
        return [
            add_comparison(self.blocks, self.report, metric, *pair)
            for pair in compared_steps(steps)
            for metric in _numbers(self.report)
        ]

    def find_sources(self) -> tuple[list[dict[str, Any]], LineCosts]:
        """The user's files, the costliest first, and what their lines cost."""
        report = self.report
        if not report.profile.has_trace:
            return [], LineCosts([], {}, {})
        measures = {name: METRICS[name].measure for name in _numbers(report)}
        options = Options(order_by="depth", max_depth=ALL_LEVELS, output="none")
        reports = {
            step: make_report(
                report.profile.source or report.profile,
                "code",
                replace(options, step=step),
                report.quirks,
            )
            for step in self.steps
        }
        costs = find_line_costs(reports, measures)
        files = source_files(report.profile, costs.lines)
        return sorted(files, key=lambda file: -costs.of_file(file["file"])), costs

    def add_sources(self, files: list[dict[str, Any]], costs: LineCosts) -> list[dict[str, Any]]:
        """The blocks of what `find_sources` found."""
        added = costs.add_to(self.blocks)
        return [{**file, "costs": added, "whole": costs.whole} for file in files]

    def timelines(self) -> dict[str, Any]:
        """What ran when, by step."""
        steps = self.report.profile.steps
        return {str(step): add_timeline(self.blocks, self.report, step) for step in steps}


def _numbers(report: Report) -> tuple[str, ...]:
    """The selected metrics first, then all others that are numbers."""
    known = page_metrics(report.profile, report.quirks)
    selected = [metric.name for metric in report.selected_numbers() if metric.name in known]
    return (*selected, *(name for name in known if name not in selected))


def _editable_options() -> list[dict[str, str]]:
    """The options of a report that a page has no control for."""
    return [
        {
            "name": option.name,
            "help": option.help,
            "default": _DEFAULTS.get(option.name) or format_value(option.default),
        }
        for option in listed_options()
        if option.name not in NOT_EDITED and option.kind != "text"
    ]


def add_arrays(blocks: Blocks, value: Any) -> Any:
    """A value for JSON, in which arrays are blocks."""
    if isinstance(value, (str, int)):  # as most are
        return value
    if isinstance(value, np.ndarray):
        return {"block": blocks.add_integers(value)}
    if isinstance(value, Mapping):
        return {key: add_arrays(blocks, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [add_arrays(blocks, item) for item in value]
    return value


def render(report: Report, settings: RenderSettings) -> Rendering:
    """Render a page whose first report is this one."""
    page = page_bytes(report, settings, given=True)
    yield Document([page], settings.keys["outfile"])


def page_bytes(report: Report, settings: RenderSettings, *, given: bool) -> bytes:
    """A whole page."""
    check_page_steps(
        settings.keys.get("outfile", "page"), **counts_of_steps(report.profile, report.quirks)
    )
    builder = PageBuilder(report, command=settings.command, given=given)
    panels = settings.panels(report) if settings.panels else {}
    description = builder.description(panels)
    description["nodes"] = add_nodes(builder.blocks, report)
    description["reports"] = [
        builder.add_rows(builder.make_rows(preset, view, step, user=user), preset, user=user)
        for preset, view, step, user in builder.report_keys()
    ]
    description["sources"] = builder.add_sources(*builder.find_sources())
    description["comparisons"] = builder.comparisons()
    description["timelines"] = builder.timelines()
    description["blocks"] = list(builder.blocks.specs.values())
    parts, size = [element("page", compress(encode_json(description)))], 0
    for ref in range(len(builder.blocks)):
        parts.append(element(f"b{ref}", builder.blocks.compressed(ref)))
        size += len(parts[-1])
        if size > MAX_BYTES:
            raise OutputError(
                f"{settings.keys.get('outfile', 'page')}: the page would be larger than "
                f"{MAX_BYTES // 10**6} MB; use tfprof ui, which sends what is looked at"
            )
    before, _, after = read_template().partition(PLACEHOLDER)
    return "".join([before, *parts, after]).encode()


@cache
def read_template(path: Path = _TEMPLATE) -> str:
    """A page without data, as it was built."""
    return path.read_text(encoding="utf-8")


def element(name: str, data: bytes) -> str:
    """A block in a page."""
    text = base64.b64encode(data).decode()
    return f'<script type="application/octet-stream" id="{name}">{text}</script>\n'
