"""Options derive from the table of metrics."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields

import tfprof
from tfprof import demo
from tfprof.definitions.metrics import METRICS, measure_names, orders
from tfprof.definitions.options import OPTIONS, Options
from tfprof.definitions.quirks import ORIGINAL, REPAIRED
from tfprof.reports.measures import measures


def test_every_minimum_is_a_typed_field() -> None:
    static = [item.name for item in fields(Options) if item.name.startswith("min_")]
    assert static == [f"min_{name}" for name, metric in METRICS.items() if metric.minimum]
    assert all(METRICS[name[4:]].minimum in OPTIONS[name].help for name in static)


def test_every_measure_has_a_source() -> None:
    numbers = measures(tfprof.load(**demo.paths()), REPAIRED)
    for name in measure_names():
        assert len(numbers[:, name]) == len(numbers)


def test_choices_are_part_of_the_help() -> None:
    assert OPTIONS["select"].help.endswith(", ".join(METRICS))
    assert OPTIONS["order_by"].help.endswith(", ".join(orders()))


def test_definitions_do_not_import_numpy() -> None:
    code = (
        "import sys, tfprof.definitions.options, tfprof.definitions.units;"
        "sys.exit('numpy' in sys.modules or 'pyarrow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_depths_of_the_original_have_32_bits() -> None:
    for depth, wrapped in ((2**31 - 1, 2**31 - 1), (2**31, -(2**31)), (2**32 + 5, 5), (-1, -1)):
        assert Options.build({"max_depth": depth}, ORIGINAL).max_depth == wrapped
        assert Options.build({"max_depth": depth}).max_depth == depth
