"""Tools of xprof on a trace: `python -m benchmarks.xprof_ops TRACE TOOL OUTPUT`, where xprof is.

`self_times` reads what its `framework_op_stats` writes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

__all__ = ["self_times"]

_CACHES = "*.op_stats*.pb"
_NO_OPS = ("IDLE", "Dataset")


def self_times(data: bytes) -> dict[str, float]:
    """Operation -> microseconds of self time on the host; at most 500 are there."""
    document = json.loads(data)
    table = document[0] if isinstance(document, list) else document
    columns = [column["id"] for column in table["cols"]]
    rows = [
        dict(zip(columns, (cell["v"] for cell in row["c"]), strict=True)) for row in table["rows"]
    ]
    return {
        row["operation"]: row["total_self_time"]
        for row in rows
        if row["host_or_device"] == "Host" and row["type"] not in _NO_OPS
    }


def main() -> None:
    """Run a tool from scratch: xprof keeps results beside the trace."""
    trace, tool, output = sys.argv[1:]
    for cache in Path(trace).parent.glob(_CACHES):
        cache.unlink()
    from xprof.convert import raw_to_tool_data

    data, _ = raw_to_tool_data.xspace_to_tool_data([trace], tool, {})
    Path(output).write_bytes(data if isinstance(data, bytes) else data.encode())


if __name__ == "__main__":
    main()
