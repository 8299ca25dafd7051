"""Folded stacks, the input of flamegraph.pl and many others: a line `a;b;c number` per row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tfprof.outputs.files import write_file
from tfprof.outputs.flame import own_share, paths, selected

if TYPE_CHECKING:
    from tfprof.report import Report

__all__ = ["write"]

_UNSAFE = str.maketrans({";": ":", "\n": " ", "\r": " "})


def write(report: Report, keys: Mapping[str, str]) -> None:
    """Write the first selected metric; what rows do not show is the line of the root."""
    metric = selected(report, "folded")[0]
    stacks = paths(report, [name.translate(_UNSAFE) for name in report.names], ";")
    shares = own_share(report, metric).tolist()
    lines = [f"{stack} {share}\n" for stack, share in zip(stacks, shares, strict=True) if share]
    write_file(keys["outfile"], "".join(lines).encode())
