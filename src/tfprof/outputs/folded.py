"""Folded stacks, the input of flamegraph.pl and many others: a line `a;b;c number` per row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tfprof.definitions.limits import MAX_OUTPUT_BYTES
from tfprof.errors import OutputError
from tfprof.outputs.files import write_file
from tfprof.outputs.flame import own_share, parents, selected

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = ["write"]

_UNSAFE = str.maketrans({";": ":", "\n": " ", "\r": " "})


def write(report: Report, keys: Mapping[str, str]) -> None:
    """Write the first selected metric; what rows do not show is the line of the root."""
    metric = selected(report, "folded")[0]
    shares = own_share(report, metric).tolist()
    stacks = _stacks(report)
    lines = [f"{stack} {share}\n" for stack, share in zip(stacks, shares, strict=True) if share]
    write_file(keys["outfile"], "".join(lines).encode())


def _stacks(report: Report) -> list[str]:
    """For each row the names of the rows above it and its own, without the root.

    In scope view a name is written without the one above that it begins with.
    """
    names, above = report.names, parents(report).tolist()
    found, size = [names[0]], 0
    for row in range(1, len(names)):
        parent, name = above[row], names[row]
        if report.kind == "scope":
            name = name.removeprefix(names[parent] + "/")
        name = name.translate(_UNSAFE)
        found.append(f"{found[parent]};{name}" if parent else name)
        size += len(found[-1])
        if size > MAX_OUTPUT_BYTES:
            raise OutputError("folded: the stacks are too deep to be written out; use speedscope")
    return found
