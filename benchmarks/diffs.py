"""How long a diff takes beside loading both profiles: `python -m benchmarks.diffs --size 200000`.

Times are CPU seconds, which depend less on other work on the machine. With `--rename` a scope of
the second profile has another name.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace

import pyarrow.compute as pc

import tfprof
from benchmarks.generate import generate
from tfprof.definitions.options import ALL_LEVELS
from tfprof.views import VIEWS


def main(argv: list[str] | None = None) -> int:
    """Print a table: load, diff and text of each view."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--rename", default="", help="part of names, such as tower_1")
    flags = parser.parse_args(argv)
    folder = generate(flags.size, flags.steps)
    names = ["graph.pb", "tfprof_log", *(f"run_meta_{step}" for step in range(flags.steps))]
    start = time.process_time()
    before, after = (tfprof.load(*(folder / name for name in names)) for _ in range(2))
    load = time.process_time() - start
    print(f"load both: {load:.2f} s, {len(before.nodes):,} nodes, {flags.steps} steps")
    if flags.rename:
        after = _renamed(after, flags.rename)
    for view in VIEWS:
        start = time.process_time()
        diff = tfprof.diff(before, after, view, before_step=0, after_step=1, max_depth=ALL_LEVELS)
        compared = time.process_time() - start
        diff.text()
        written = time.process_time() - start
        print(
            f"{view}: diff {compared:.2f} s, with text of {len(diff):,} rows {written:.2f} s, "
            f"{written / load:.2f} of loading both; {diff.match_counts()}"
        )
    return 0


def _renamed(profile: tfprof.Profile, part: str) -> tfprof.Profile:
    """A profile in which a part of names is another one."""
    nodes, edges = profile.nodes, profile.edges
    names, producers = (
        pc.replace_substring(column, part, f"renamed_{part}")
        for column in (nodes.name, edges.producer)
    )
    renamed = profile.replace(
        nodes=replace(nodes, name=names), edges=replace(edges, producer=producers)
    )
    return tfprof.Profile.from_columns(renamed)


if __name__ == "__main__":
    sys.exit(main())
