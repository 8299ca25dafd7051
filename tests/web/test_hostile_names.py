"""Names that are markup, invisible, endless or deep are text, and nothing runs or hangs."""

from __future__ import annotations

import pytest

import tfprof
from tfprof.protos.graph_pb2 import GraphDef

NAMES = {
    "script": "</script><script>document.title='run'</script>",
    "image": "<img src=x onerror=\"document.title='run'\">",
    "template": "${document.title='run'}{{7*7}}",
    "long": "x" * 10_000,
    "right to left": "\u202egnp.exe\u2066ab",
    "emoji": "👩\u200d🚀/🧪",
    "nul": "a\x00b\nc\td",
    "quotes": "it's \"`\\",
    "arabic": "نموذج",
}


def graph_of(names, *, chained=False):
    graph = GraphDef()
    for i, name in enumerate(names):
        node = graph.node.add(name=name, op="NoOp")
        if chained and i:
            node.input.append(names[i - 1])
    return graph


@pytest.fixture(scope="module")
def page_path(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "hostile.html"
    tfprof.load(graph=graph_of(list(NAMES.values()))).save_page(path, command="tfprof $(rm -rf /)")
    return path


def test_names_are_text(tab, page_path):
    page = tab.open(page_path, "show=graph&preset=float+operations&order=view")
    tab.shown(view="graph")
    titles = page.eval_on_selector_all(".spacer .name", "cells => cells.map(cell => cell.title)")
    for name in NAMES.values():
        assert name[:2000] in titles
    assert page.title() == "tfprof"
    assert page.locator("img, iframe, object, .spacer script").count() == 0


def test_marks_that_turn_text_around_are_visible(tab, page_path):
    page = tab.open(page_path, "show=graph&preset=float+operations&order=view")
    tab.shown(view="graph")
    text = page.text_content(".spacer")
    assert "⟨U+202E⟩gnp.exe" in text
    assert "a␀b␊c␉d" in text
    assert "\u202e" not in text


def test_a_whole_name_can_be_read(tab, page_path):
    page = tab.open(page_path, "show=graph&preset=float+operations")
    tab.shown(view="graph")
    page.fill("#find", "xxxxxxxxxx")
    page.keyboard.press("Enter")
    page.wait_for_selector(".details h2:has-text('xxxx')")
    assert page.text_content(".details h2") == NAMES["long"]


@pytest.mark.parametrize(
    ("count", "chained"),
    [(1_000_000, False), (100_000, True)],
    ids=["a million siblings", "100,000 levels"],
)
def test_wide_and_deep_trees(tab, tmp_path, count, chained):
    graph = graph_of([f"n{i}" for i in range(count)], chained=chained)
    tfprof.load(graph=graph).save_page(tmp_path / "x.html")
    page = tab.open(tmp_path / "x.html", "show=graph&preset=float+operations")
    tab.shown(view="graph")
    page.evaluate("tfprof.expandAll()")
    page.focus("[role=treegrid]")
    page.keyboard.press("End")
    page.wait_for_selector("[role=row][aria-selected=true]")
    row = page.locator("[role=row][aria-selected=true]")
    assert row.get_attribute("aria-rowindex") == str(count + 2)
    assert row.get_attribute("aria-level") == str(count + 1 if chained else 2)
    page.keyboard.press("Enter")
    page.wait_for_selector(".details h2")
    page.fill("#find", f"n{count - 1}")
    page.wait_for_selector("[role=status]:has-text('1 row')")
    page.press("#find", "Enter")
    page.wait_for_selector(f".details h2:has-text('n{count - 1}')")
    tab.go("show=scope&preset=float+operations&order=name")
    tab.shown(view="scope", order="name")
    assert [name for name, *_ in tab.rows()[1:4]] == ["n0", "n1", "n10"]
    assert page.locator("[role=treegrid] .spacer > div").count() < 100
