"""The page is legible and operable in both colours, on a wide and on a narrow screen."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import tfprof
from tests.web.conftest import Tab
from tfprof import demo

AXE = "4.14.0"
PANELS = ("overview", "code", "op", "scope", "graph", "timeline", "source", "compare")


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """axe-core, which finds what keeps people from using a page."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed, which axe-core comes from")
    folder = tmp_path_factory.mktemp("axe")
    command = ["npm", "--silent", "--no-audit", "--no-fund", "--no-package-lock", "install"]
    done = subprocess.run(
        [*command, "--prefix", str(folder), f"axe-core@{AXE}"],
        capture_output=True,
        cwd=folder,
        env=os.environ,
    )
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    if done.returncode or not script.exists():
        pytest.skip("npm cannot install axe-core")
    return script.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("scheme", "width", "panels"),
    [
        ("light", 1280, ["scope", "overview", "compare"]),
        ("dark", 390, ["op", "timeline", "source"]),
    ],
    ids=["light-wide", "dark-narrow"],
)
def test_nobody_is_kept_out(
    browser, demo_page: Path, axe: str, scheme: str, width: int, panels: list[str]
) -> None:
    tab = Tab(
        browser, viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
    )
    found = []
    tab.open(demo_page)
    tab.page.evaluate(f"{axe}; undefined")
    for panel in panels:
        tab.show(panel, "&row=3")
        result = tab.page.evaluate("axe.run({ resultTypes: ['violations'] })")
        found += [
            (panel, violation["id"], node["html"][:200])
            for violation in result["violations"]
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]
    tab.context.close()
    assert not found


@pytest.fixture(scope="module")
def keras_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a capture, whose names are long."""
    path = tmp_path_factory.mktemp("layout") / "keras.html"
    tfprof.load(**demo.paths("keras")).save_page(path, command="tfprof --demo keras")
    return path


@pytest.mark.parametrize("name", ["demo_page", "keras_page"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_screen(browser, request, name: str, width: int) -> None:
    tab = Tab(browser, viewport={"width": width, "height": 800})
    tab.open(request.getfixturevalue(name))
    for panel in PANELS:
        tab.show(panel, "&row=3")
        for element in ("document.documentElement", "document.querySelector('main')"):
            assert tab.page.evaluate(f"{element}.scrollWidth") <= width, (panel, element)
    tab.context.close()


def test_long_names_keep_their_ends(tab, keras_page: Path) -> None:
    """Nodes of a captured step begin alike: where there is no space, the middle is left out."""
    page = tab.open(keras_page, "show=graph")
    tab.shown(view="graph")
    page.evaluate("tfprof.expandAll()")
    tab.wait_until_drawn()
    ends = page.eval_on_selector_all(
        ".spacer .ends",
        "all => all.map(e => [e.textContent, e.lastChild.textContent,"
        " e.lastChild.scrollWidth - e.lastChild.clientWidth, e.scrollWidth - e.clientWidth])",
    )
    assert len(ends) > 5
    for name, end, *hidden in ends:
        assert name.endswith(end)
        if len(end) <= 20:
            assert hidden == [0, 0], name
    assert any(len(end) < len(name) - 20 for name, end, *_ in ends)


def test_names_of_siblings_differ_on_a_narrow_screen(browser, keras_page: Path) -> None:
    """Siblings of a scope that begin alike keep their ends as well."""
    tab = Tab(browser, viewport={"width": 390, "height": 800})
    page = tab.open(keras_page, "show=scope&find=_kernel_momentum")
    tab.shown(view="scope")
    page.press("#find", "Enter")
    page.wait_for_selector(".row.selected")
    tab.wait_until_drawn()
    ends = page.eval_on_selector_all(
        ".row.match .ends",
        "all => all.map(e => [e.lastChild.textContent,"
        " e.lastChild.scrollWidth - e.lastChild.clientWidth])",
    )
    tab.context.close()
    assert len(ends) > 1
    assert all(end.endswith("_kernel_momentum") and not hidden for end, hidden in ends)


def test_ends_of_op_types(tab, demo_page: Path) -> None:
    page = tab.open(demo_page, "show=scope&find=Conv2DBackprop")
    tab.shown(view="scope")
    page.press("#find", "Enter")
    page.wait_for_selector(".row.match .ends")
    ends = page.eval_on_selector_all(
        ".row.match .ends", "all => all.map(e => e.lastChild.innerText)"
    )
    assert {"Filter", "Input"} <= set(ends)


def test_links_do_not_hide_underscores(tab, demo_page: Path) -> None:
    """Names are full of them, and a line just below the text covers them."""
    page = tab.open(demo_page, "show=timeline")
    page.wait_for_selector(".idle button.link")
    offset = page.eval_on_selector(
        ".idle button.link", "e => parseFloat(getComputedStyle(e).textUnderlineOffset)"
    )
    assert offset >= 5


def test_line_numbers_are_not_broken(browser, demo_page: Path) -> None:
    tab = Tab(browser, viewport={"width": 390, "height": 800})
    tab.open(demo_page)
    tab.show("source")
    heights = tab.page.eval_on_selector_all(
        "table.code button", "all => all.map(e => [e.textContent, e.clientHeight])"
    )
    tab.context.close()
    assert any(len(number) > 2 for number, _ in heights)
    assert max(height for _, height in heights) < 30


def test_forced_colors_and_reduced_motion(browser, demo_page: Path) -> None:
    tab = Tab(browser, forced_colors="active", reduced_motion="reduce")
    page = tab.open(demo_page, "show=scope&row=2")
    tab.shown(view="scope")
    page.wait_for_selector(".row.selected")
    outline = page.eval_on_selector(".row.selected", "row => getComputedStyle(row).outlineStyle")
    assert outline == "solid"
    assert page.eval_on_selector("button", "b => getComputedStyle(b).transitionDuration") == "0s"
    tab.context.close()


def test_rows_tell_where_they_are(tab, demo_page: Path) -> None:
    """What a screen reader gets: the tree, its rows, their level, position and whether expanded."""
    page = tab.open(demo_page, "show=scope")
    tab.shown(view="scope")
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in nodes if "role" in node]
    assert "treegrid" in roles
    rows = [
        {item["name"]: item["value"].get("value") for item in node["properties"]}
        for node in nodes
        if node.get("role", {}).get("value") == "row"
    ]
    levels = [row["level"] for row in rows if "level" in row]
    assert levels[:2] == [1, 2]
    assert any(row.get("expanded") is True for row in rows)
    assert any(row.get("expanded") is False for row in rows)
