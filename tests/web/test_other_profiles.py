"""Pages of captures, of JAX and of a graph alone: every panel shows something, and nothing odd."""

from __future__ import annotations

from pathlib import Path

import pytest

import tfprof
from tfprof import demo

JAX = Path(__file__).parents[1] / "data" / "jax" / "train.xplane.pb"
PROFILES = {
    "keras": lambda: tfprof.load(**demo.paths("keras")),
    "jax": lambda: tfprof.load(JAX),
    "graph": lambda: tfprof.load(graph=demo.paths()["graph"]),
}
ODD = ("undefined", "NaN", "null", "[object", "Infinity")


@pytest.mark.parametrize("name", PROFILES)
def test_every_panel(tab, tmp_path, name):
    profile = PROFILES[name]()
    profile.save_page(tmp_path / "x.html")
    page = tab.open(tmp_path / "x.html")
    page.wait_for_selector(".cards")
    panels = page.locator("nav button").all_text_contents()
    assert ("Timeline" in panels) == bool(profile.steps)
    for panel in panels:
        page.click(f"nav >> text='{panel}'")
        if panel.lower() in ("code", "op", "scope", "graph"):
            tab.shown(view=panel.lower())
            rows = profile.report(panel.lower(), max_depth=1000).names
            assert {row[0] for row in tab.rows(expand=True)} <= set(rows)
            page.keyboard.press(str(1 + panels.index(panel)))
            page.wait_for_selector("[role=treegrid]:focus")
            page.keyboard.press("h")
            page.wait_for_selector(".details h2")
        else:
            page.wait_for_selector(f"main.{panel.lower()} td, main.{panel.lower()} dd")
        text = page.inner_text("main")
        assert len(text) > 100
        assert not [word for word in ODD if word in text], panel
    assert page.locator("[role=alert]").count() == 0
