"""The records of a profile, from the columns of a run or of a trace of many steps."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.add_rows import COPY, as_dictionary
from tfprof.profiles.grouping import argsort_within, group_offsets
from tfprof.profiles.schema import Array, BoolArray, RecordColumns, Records
from tfprof.profiles.source_columns import RunColumns

_UNCHANGED = [item.name for item in fields(RecordColumns) if item.name != "device"]


def records_of_run(step: int, run: RunColumns, node: Array, device_codes: Array) -> Records:
    """The records of a run, of which each has a node; -1 is none."""
    run, node = run.filter(node >= 0), node[node >= 0]
    return Records(
        step=step,
        node=node.astype(np.int32),
        device=device_codes[run.device],
        copy=_are_copies(run.name),
        names=as_dictionary(run.name),
        **_first_labels(node, run.label),
        **{name: getattr(run, name) for name in _UNCHANGED},
    )


def records_of_steps(
    run: RunColumns, node: Array, step: Array, device_codes: Array
) -> list[Records]:
    """The records of each step of a trace, which are sorted by step.

    What looks at names is done once: all steps share them, and a trace may have many of both.
    """
    steps = np.unique(step)
    run, step, node = run.filter(node >= 0), step[node >= 0], node[node >= 0].astype(np.int32)
    names, copy, device = as_dictionary(run.name), _are_copies(run.name), device_codes[run.device]
    number = np.searchsorted(steps, step)
    rows = np.flatnonzero(_are_not_empty(run.label))
    rows = rows[argsort_within(number[rows], node[rows].astype(np.int64))]
    is_first = (np.diff(number[rows], prepend=-1) != 0) | (np.diff(node[rows], prepend=-1) != 0)
    rows = rows[is_first]
    label_text = run.label.take(pa.array(rows)).cast(pa.string())
    bounds, label_bounds = (
        pairwise(group_offsets(group, len(steps)).tolist()) for group in (number, number[rows])
    )
    records = []
    for key, (start, stop), (first, last) in zip(steps.tolist(), bounds, label_bounds, strict=True):
        part = run.slice(start, stop)
        records.append(
            Records(
                step=key,
                node=node[start:stop],
                device=device[start:stop],
                copy=copy[start:stop],
                names=names[start:stop],
                label_node=node[rows[first:last]],
                label_text=label_text[first:last],
                **{name: getattr(part, name) for name in _UNCHANGED},
            )
        )
    return records


def _are_copies(names: pa.Array) -> BoolArray:
    """Which records copy memory."""
    encoded = pa.types.is_dictionary(names.type)
    distinct = names.dictionary if encoded else names
    mask: BoolArray = pc.match_substring_regex(distinct, COPY).to_numpy(zero_copy_only=False)
    return mask[names.indices.to_numpy()] if encoded else mask


def _first_labels(node: Array, labels: pa.Array) -> dict[str, Any]:
    """The first label of each node that has one."""
    # The last assignment stays, so assign from the last row to the first.
    rows = np.flatnonzero(_are_not_empty(labels))[::-1]
    row = np.full(int(node.max(initial=-1)) + 1, -1)
    row[node[rows]] = rows
    first = row[row >= 0]
    text = labels.take(pa.array(first)).cast(pa.string())
    return {"label_node": node[first].astype(np.int32), "label_text": text}


def _are_not_empty(texts: pa.Array) -> BoolArray:
    encoded = pa.types.is_dictionary(texts.type)
    distinct = texts.dictionary if encoded else texts
    mask: BoolArray = pc.not_equal(distinct, "").to_numpy(zero_copy_only=False)
    return mask[texts.indices.to_numpy()] if encoded else mask
