"""The shares that op view prints for a type and all types after it, which depend on the order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from tfprof.definitions.metrics import METRICS
from tfprof.flops.polynomial import Count, Polynomial
from tfprof.outputs.html.blocks import Blocks
from tfprof.outputs.op_rows import constant_share
from tfprof.reports.make_report import make_report
from tfprof.reports.report import Report


def add_following_shares(
    blocks: Blocks, report: Report, metrics: tuple[str, ...], orders: tuple[str, ...]
) -> dict[str, Any]:
    """Texts for the rows of a report of op view, by metric and order.

    `view` is the order of the report. `orders` are others that it can be shown in; a metric that is
    one of them is an order for itself only.
    """
    reports = {order: _sort_report(report, order) for order in orders}
    return {
        metric: {
            order: _add_shares(blocks, report, by_order, metric)
            for order, by_order in {"view": report, **reports}.items()
            if order == metric or order not in metrics
        }
        for metric in metrics
    }


def _sort_report(report: Report, order: str) -> Report:
    profile = report.profile.source or report.profile
    options = replace(report.options, order_by=order)
    return make_report(profile, "op", options, report.quirks)


def _add_shares(blocks: Blocks, report: Report, sorted_: Report, metric: str) -> Mapping[str, int]:
    """The shares that the rows of a report have where they are in another order."""
    totals = sorted_.total[:, METRICS[metric].measure].tolist()
    share_of = dict(zip(sorted_.view_positions.tolist(), totals, strict=True))
    # A minimum of totals may leave out a row in another order.
    rows = report.view_positions.tolist()
    texts = [_share(share_of[row], totals[0]) if row in share_of else "" for row in rows]
    return blocks.add_texts(pa.array(texts, pa.string()))


def _share(part: Count, whole: Count) -> str:
    if isinstance(whole, Polynomial):
        return f"{constant_share(part, whole)}%"
    return f"{100 * part / whole:.1f}%" if whole else ""
