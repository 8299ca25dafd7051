"""Reports in notebooks and as data frames."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

import tfprof
from tfprof import demo


class Balanced(HTMLParser):
    """Checks that elements close in order, and collects their text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, _attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture(scope="module")
def profile() -> tfprof.Profile:
    return tfprof.load(**demo.paths())


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_html_shows_every_row_and_is_well_formed(profile: tfprof.Profile, view: str) -> None:
    report = profile.report(view, select=["params", "micros"], max_depth=3, min_micros=1)
    page = Balanced()
    page.feed(report._repr_html_())
    assert not page.open
    for name in report.names:
        assert name in page.texts


def test_html_of_a_large_report_is_cut(profile: tfprof.Profile) -> None:
    report = profile.report("scope", max_depth=100)
    assert len(report) > 2000
    assert f"… and {len(report) - 2000} more rows" in report._repr_html_()


def test_names_are_escaped() -> None:
    profile = tfprof.load(tfprof.demo.paths()["graph"])
    assert "<script" not in profile.report("scope")._repr_html_()


def test_pandas_has_a_line_per_row(profile: tfprof.Profile) -> None:
    report = profile.report("op", order_by="micros")
    frame = report.to_pandas()
    assert list(frame["name"]) == report.names
    assert list(frame["own_micros"]) == [row.own["exec_micros"] for row in report]


def test_polars_or_why_not(profile: tfprof.Profile) -> None:
    report = profile.report("op")
    try:
        import polars  # noqa: F401
    except ImportError:
        with pytest.raises(tfprof.OutputError, match="polars is not installed"):
            report.to_polars()
    else:
        assert report.to_polars().height == len(report)
