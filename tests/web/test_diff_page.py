"""The page of a diff in Chromium: it shows what the command prints, coloured by sign."""

from __future__ import annotations

import numpy as np
import pytest

import tfprof
from tests.diffs.graphs import network, profile_of
from tests.web.conftest import Tab
from tfprof import demo
from tfprof.definitions.options import ALL_LEVELS

MICROS = {"block1/Conv2D": 10, "stage3/Conv2D": 900, "block3/Conv2D": 300}
# What people without red or green cones see (Machado and others, 2009), in linear light.
BLINDNESS = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


@pytest.fixture(scope="module")
def diff():
    before = profile_of(
        network("block1", "block2", "block3"), micros=lambda name: MICROS.get(name, 100)
    )
    after = profile_of(
        network("block1", "stage3"),
        micros=lambda name: 20 if name.endswith("BiasAdd") else MICROS.get(name, 100),
    )
    return tfprof.diff(
        before, after, select=["micros", "float_ops"], max_depth=ALL_LEVELS, min_delta=0
    )


@pytest.fixture(scope="module")
def page_file(diff, tmp_path_factory):
    path = tmp_path_factory.mktemp("diff_page") / "diff.html"
    diff.write(f"html:outfile={path}")
    return path


def _rows(tab):
    tab.page.evaluate("tfprof.expandAll()")
    tab.page.wait_for_function("tfprof.shownText().split('\\n').length > 20")
    return [line.split("\t") for line in tab.page.evaluate("tfprof.shownText()").split("\n")]


def test_the_rows_are_those_of_the_command(tab, page_file, diff):
    tab.open(page_file)
    shown = {row[0]: row[1:] for row in _rows(tab)}
    assert set(shown) == set(diff.names)
    lines = {}
    for line in diff.text().splitlines()[6:]:
        name, *cells = line.split()
        lines[name] = cells
    for row in diff:
        before, after, delta, percent, match = shown[row.name]
        assert match == ("" if row.match == "name" else row.match)
        if row.before["micros"] or row.after["micros"]:
            assert lines[row.name][:4] == [before, after, delta, percent]


def test_the_largest_change_comes_first(tab, page_file, diff):
    tab.open(page_file)
    names = [row[0] for row in _rows(tab)]
    assert names == diff.names
    grid = tab.page.get_by_role("treegrid")
    grid.focus()
    tab.page.keyboard.press("ArrowDown")
    tab.page.wait_for_selector(f"#described:has-text('{names[1]}: ')")


def test_totals_add_up_on_the_page(tab, page_file, diff):
    tab.open(page_file)
    cells = tab.page.locator(".totals tbody tr").first.locator("td").all_inner_texts()
    whole = diff.breakdown("micros")
    assert cells[2].startswith("-" if whole.delta < 0 else "+")
    text = next(line for line in diff.text().splitlines() if line.startswith("execution time"))
    assert cells == text.split()[2:]


def _pixel(tab, x, y):
    """The colour at a place of the icicle, once it is drawn."""
    script = (
        "([x, y]) => { const c = document.querySelector('canvas'); const r = devicePixelRatio || 1;"
        " const copy = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });"
        " copy.drawImage(c, -x * r, -y * r); return [...copy.getImageData(0, 0, 1, 1).data]; }"
    )
    tab.wait_until_drawn()
    found = f"place => {{ const color = ({script})(place); return color[3] ? color : null; }}"
    return tab.page.wait_for_function(found, arg=[x, y]).json_value()[:3]


def _linear(color):
    share = np.array(color) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def test_the_icicle_is_coloured_by_sign(tab, page_file, diff):
    tab.open(page_file)
    color = _pixel(tab, 3, 3)
    less = diff.breakdown("micros").delta < 0
    assert (color[2] > color[0]) == less  # blue for less, orange for more
    tab.page.get_by_role("button", name="float_ops").click()
    tab.page.wait_for_selector("nav [aria-current]:has-text('float_ops')")
    red, green, blue = _pixel(tab, 3, 3)
    assert abs(red - blue) < 12
    assert abs(red - green) < 12


@pytest.mark.parametrize("kind", BLINDNESS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_are_told_apart_by_all_eyes(browser, page_file, kind, scheme):
    from tests.web.conftest import Tab

    tab = Tab(browser, color_scheme=scheme)
    tab.open(page_file)
    script = "([before, after]) => tfprof.signColor(before, after).match(/[0-9]+/g).map(Number)"
    more, less, same = (
        np.array(BLINDNESS[kind]) @ _linear(tab.page.evaluate(script, pair))
        for pair in ([100, 130], [130, 100], [100, 100])
    )
    tab.context.close()
    assert not tab.complaints
    assert np.abs(more - less).max() > 0.05
    assert np.abs(more - same).max() > 0.02
    assert np.abs(less - same).max() > 0.02


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_screen(browser, page_file, width):
    from tests.web.conftest import Tab

    tab = Tab(browser, viewport={"width": width, "height": 800})
    page = tab.open(page_file)
    tab.wait_until_drawn()
    cells = page.eval_on_selector_all(
        ".totals :is(td, th)",
        "cells => cells.map(cell => [cell.getBoundingClientRect().right,"
        " cell.textContent.trim() && cell.getBoundingClientRect().height])",
    )
    tab.context.close()
    assert len(cells) > 16
    assert max(right for right, _ in cells) <= width
    assert max(height for _, height in cells if height) < 60


def test_names_are_text(tab, tmp_path):
    name = '</script><script>document.title="x"</script><b>\u202eevil'
    before = profile_of({name: "Add", "y": "Mul"})
    after = profile_of({name: "Add", "y": "Mul"}, micros=lambda name: len(name) + 3)
    path = tmp_path / "names.html"
    tfprof.diff(before, after, select=["micros"]).write(f"html:outfile={path}")
    tab.open(path)
    assert tab.page.title() == "tfprof"
    assert "U+202E" in tab.page.locator("main").inner_text()


def test_the_icicle_zooms(tab, page_file):
    tab.open(page_file)
    _pixel(tab, 20, 30)
    tab.page.locator("canvas").click(position={"x": 20, "y": 30})
    tab.page.wait_for_function("document.querySelectorAll('.path button').length === 2")
    tab.page.locator(".path button").first.click()
    tab.page.wait_for_function("document.querySelectorAll('.path button').length === 1")


def test_bars_do_not_cover_numbers_on_a_narrow_screen(browser, tmp_path):
    path = tmp_path / "demo.html"
    profile = tfprof.load(**demo.paths())
    change = tfprof.diff(profile, profile, before_step=0, after_step=1, max_depth=100)
    change.write(f"html:outfile={path}")
    tab = Tab(browser, viewport={"width": 390, "height": 800})
    page = tab.open(path)
    page.wait_for_selector(".cell.delta .sign")
    gaps = page.eval_on_selector_all(
        ".cell.delta:has(.sign)",
        """all => all.map(cell => cell.querySelector(".text").getBoundingClientRect().left
          - cell.querySelector(".sign").getBoundingClientRect().right)""",
    )
    tab.context.close()
    assert len(gaps) > 5
    assert min(gaps) >= 0
