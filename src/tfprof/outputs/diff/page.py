"""A diff as a page for browsers: totals, an icicle and a table. It opens from disk, offline.

The page's policy allows only its own script and style. The rows are compressed and base64, so that
no name can end them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tfprof.definitions.metrics import METRICS
from tfprof.definitions.units import SCALES
from tfprof.diffs.diff import Diff, DiffColumn
from tfprof.diffs.match_rows import MATCHES
from tfprof.errors import OutputError
from tfprof.outputs.diff.text import match_sentences, total_texts
from tfprof.outputs.document import Document, Rendering, RenderSettings
from tfprof.outputs.flame import to_int64
from tfprof.outputs.html.blocks import compress, encode_json
from tfprof.outputs.html.writer import MAX_BYTES, PLACEHOLDER, element, read_template
from tfprof.profiles.lazy_columns import LazyColumns

_TEMPLATE = Path(__file__).with_name("page.html")


def render(diff: Diff, settings: RenderSettings) -> Rendering:
    """Render the page."""
    path = settings.keys["outfile"]
    data = element("page", compress(encode_json(_description(diff))))
    if len(data) > MAX_BYTES:
        raise OutputError(
            f"{path}: the page would be larger than {MAX_BYTES // 10**6} MB; use --min_delta"
        )
    before, _, after = read_template(_TEMPLATE).partition(PLACEHOLDER)
    yield Document([before.encode(), data.encode(), after.encode()], path)


def _description(diff: Diff) -> dict[str, Any]:
    renamed = np.flatnonzero((diff.before_row >= 0) & (diff.after_row >= 0) & (diff.match > 0))
    return {
        "view": diff.kind,
        "scales": SCALES,
        "parent": diff.tree.parent.tolist(),
        "names": diff.names,
        "beforeNames": {str(row): diff.before_names[row] for row in renamed.tolist()},
        "match": diff.match.tolist(),
        "matches": ["", *MATCHES[1:]],
        "metrics": [
            {
                "name": column.name,
                "title": column.title.removeprefix("# "),
                "unit": column.unit,
                "before": _numbers(diff.numbers.before, column),
                "after": _numbers(diff.numbers.after, column),
            }
            for column in diff.columns
        ],
        "totals": [{"title": title, "cells": cells} for title, cells in total_texts(diff)],
        "notes": [*match_sentences(diff), *diff.messages],
    }


def _numbers(columns: LazyColumns, column: DiffColumn) -> list[int]:
    metric = METRICS.get(column.name, METRICS["occurrence"])
    numbers: list[int] = to_int64(columns.column(column.measure), metric).tolist()
    return numbers
