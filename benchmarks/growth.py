"""How the work of analyses grows with the graph: calls of functions, which no machine changes.

    python -m benchmarks.growth --sizes 1000 10000 100000

Counts the calls of Python and C functions for each kind of random graph, prints them per node with
the processor time, and fails if a larger graph needs more calls per node than the smallest.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import time
from collections.abc import Callable
from typing import Any

import tfprof
from benchmarks.random_graphs import KINDS, run_of
from tfprof.protos.graph_pb2 import GraphDef

__all__ = ["ANALYSES", "MAX_GROWTH", "calls_per_node"]

MAX_GROWTH = 1.25
"""How many times the calls per node of a small graph those of a large one may be."""
_OPTIONS = {"max_depth": 12, "select": ["float_ops", "params", "micros", "bytes"]}


def _views(graph: GraphDef) -> None:
    run = run_of(graph, random.Random(1))
    profile = tfprof.load(graph=graph.SerializeToString(), run_meta=run.SerializeToString())
    for view in ("scope", "graph", "op"):
        profile.report(view, _OPTIONS, account_type_regexes=[".*"]).text()


ANALYSES: dict[str, Callable[[GraphDef], Any]] = {
    "cost": lambda graph: tfprof.cost(graph).text(),
    "model": lambda graph: tfprof.model(graph).text(),
    "views": _views,
}


def calls_per_node(kind: str, size: int, analysis: str) -> float:
    """How many functions an analysis calls for each node of a random graph."""
    graph = KINDS[kind](size, random.Random(size))
    return _count_calls(lambda: ANALYSES[analysis](graph)) / size


def _count_calls(work: Callable[[], Any]) -> int:
    count = 0

    def count_one(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    gc.disable()  # what it calls depends on what ran before
    sys.setprofile(count_one)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def main() -> int:
    """Print a table of all kinds and sizes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS))
    args = parser.parse_args()
    failed = []
    print(f"{'':26}" + "".join(f"{size:>11,} nodes      " for size in args.sizes))
    for kind in args.kinds:
        for analysis in ANALYSES:
            calls_per_node(kind, 200, analysis)  # imports and caches
            cells, found = [], []
            for size in args.sizes:
                began = time.process_time()
                found.append(calls_per_node(kind, size, analysis))
                micros = 1e6 * (time.process_time() - began) / size
                cells.append(f"{found[-1]:>8.1f} calls {micros:>6.0f} us")
            print(f"{kind:<17} {analysis:<7} {' '.join(cells)}", flush=True)
            if max(found) > MAX_GROWTH * found[0]:
                failed.append(f"{kind} {analysis}")
    print(f"more than linear: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
