"""Which columns and legends a selection has."""

from __future__ import annotations

import pytest

from tfprof.definitions.metrics import METRICS, columns, legend
from tfprof.definitions.quirks import ORIGINAL
from tfprof.views import VIEWS

TIMES = ("micros", "accelerator_micros", "cpu_micros")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.title])
def test_a_metric_has_one_column_and_one_line_of_the_legend(view: str, name: str) -> None:
    assert [metric.name for metric in columns((name,), view)] == [name]
    assert legend((name,)) == [METRICS[name].legend]


@pytest.mark.parametrize("view", VIEWS)
def test_all_times_are_shown_when_they_are_selected(view: str) -> None:
    titles = [metric.title for metric in columns(TIMES, view)]
    assert titles == ["execution time", "accelerator execution time", "cpu execution time"]


@pytest.mark.parametrize("view", VIEWS)
def test_compat_shows_all_times_with_micros(view: str) -> None:
    titles = [metric.title for metric in columns(("micros",), view, ORIGINAL)]
    assert titles == ["total execution time", "accelerator execution time", "cpu execution time"]
    assert len(legend(("micros",), ORIGINAL)) == 3
    assert [metric.name for metric in columns(("cpu_micros",), view, ORIGINAL)] == ["cpu_micros"]
