"""What the page shows is what the command prints, and questions are answered in a few clicks."""

from __future__ import annotations

import shlex
from urllib.parse import urlencode

import pytest

from tests.cli.conftest import call
from tfprof.definitions.metrics import METRICS
from tfprof.definitions.options import ALL_LEVELS
from tfprof.definitions.units import FORMATS

VIEWS = ("scope", "graph", "op", "code")
TIMES = [name for name, metric in METRICS.items() if metric.unit in ("time", "memory")]
OPERATIONS = [
    name
    for name, metric in METRICS.items()
    if metric.measure and metric.unit == "number" and name != "params"
]
PRESETS = [
    *(("time and memory", name, {}) for name in TIMES),
    *(("float operations", name, {}) for name in OPERATIONS),
    ("parameters", "params", {"account_type_regexes": ["_trainable_variables"]}),
]


def expected_rows(profile, view, metric, step, order="", **options):
    """Name, total, own number, share, runs and share with all rows below, as the page has them."""
    report = profile.report(
        view, select=metric, step=step, order_by=order or metric, max_depth=ALL_LEVELS, **options
    )
    measure, text = METRICS[metric].measure, FORMATS[METRICS[metric].unit]
    own, total = report.own[:, measure].tolist(), report.total[:, measure].tolist()
    runs, of_row = report.total[:, "run_count"].tolist(), total
    if view == "op":
        # A total of op view includes the rows that follow; the page shows rows alone.
        runs = [runs[0], *report.own[1:, "run_count"].tolist()]
        of_row = [total[0], *own[1:]]
    matched, whole = report.matched.tolist(), total[0]
    own_texts = [text(value) if matched[i] else "--" for i, value in enumerate(own)]
    own_texts[0] = text(whole) if view == "op" else ""
    shares = [f"{100 * value / whole:.1f}%" if whole else "" for value in of_row]
    counts = map(FORMATS["number"], runs)
    following = [f"{100 * value / whole:.1f}%" if whole and view == "op" else "" for value in total]
    rows = zip(report.names, map(text, total), own_texts, shares, counts, following, strict=True)
    return [list(row) for row in rows]


def without_total(rows):
    return [[row[0], *row[2:]] for row in rows]


def assert_same(view, shown, expected):
    if view == "op":
        shown, expected = without_total(shown), without_total(expected)
    assert shown == expected


def fragment(**state):
    return urlencode({key: value for key, value in state.items() if value != ""})


@pytest.mark.parametrize("view", VIEWS)
def test_every_cell_is_that_of_the_report(tab, demo_page, profile, view):
    """All steps and metrics of a view, expanded, in the order of the report."""
    tab.open(demo_page, fragment(show=view))
    for preset, metric, options in PRESETS:
        for step in (-1, 0, 1):
            state = fragment(show=view, preset=preset, metric=metric, step=step)
            tab.go(state)
            tab.shown(view=view, metric=metric, step=step)
            expected = expected_rows(profile, view, metric, step, **options)
            assert_same(view, tab.rows(expand=True), expected)


@pytest.mark.parametrize("order", ["name", "view"])
@pytest.mark.parametrize("view", VIEWS)
def test_other_orders(tab, demo_page, profile, view, order):
    tab.open(demo_page, fragment(show=view, order=order))
    tab.shown(view=view, order=order)
    by = "depth" if order == "view" else order
    assert_same(view, tab.rows(expand=True), expected_rows(profile, view, "micros", -1, by))


@pytest.mark.parametrize("view", VIEWS)
def test_rows_in_sight_are_those_rows(tab, demo_page, view):
    page = tab.open(demo_page, fragment(show=view))
    tab.shown(view=view)
    cells = page.eval_on_selector_all(
        "[role=treegrid] .spacer [role=row]",
        "rows => rows.map(row => [row.querySelector('.name').title,"
        " ...['own', 'share', 'runs', 'following'].map("
        " column => row.querySelector('.' + column)?.textContent.trim() ?? '')])",
    )
    rows = tab.rows()
    rows[0][0] = "all"
    assert len(cells) > 2
    assert cells == without_total(rows)[: len(cells)]


@pytest.mark.parametrize(
    "state",
    [
        {"show": "scope", "metric": "bytes", "step": 1},
        {"show": "code", "mine": 1},
        {"show": "op", "order": "name"},
        {"show": "scope", "preset": "parameters", "metric": "params"},
        {"show": "graph", "preset": "float operations", "metric": "float_ops", "order": "view"},
    ],
    ids=lambda state: "-".join(map(str, state.values())),
)
def test_shown_command_prints_the_same(tab, demo_page, state):
    page = tab.open(demo_page, fragment(**state))
    tab.shown(view=state["show"])
    rows = tab.rows(expand=True)
    words = shlex.split(page.text_content("#command"))
    assert words[0] == "tfprof"
    printed = call(*words[1:])
    assert printed.status == 0, printed.err
    for (name, total, own, *_), line in zip(rows[1:], printed.lines[1 - len(rows) :], strict=True):
        if state["show"] == "op":
            assert line.split()[:2] == [name, own]
        else:
            assert line.strip().startswith(f"{name} (")
            assert f"{own}/{total}" in line


def test_question_which_op_types_and_lines_take_the_time(tab, demo_page):
    page = tab.open(demo_page)
    page.wait_for_selector(".bars")
    text = page.text_content(".overview")
    assert "Conv2DBackpropFilter" in text
    assert "resnet_model.py:122" in text
    page.click(".bars >> text=Conv2DBackpropFilter")
    tab.shown(view="op")
    page.wait_for_selector(".details h2:has-text('Conv2DBackpropFilter')")


def test_question_which_line_of_my_code(tab, demo_page):
    page = tab.open(demo_page)
    page.click(".bars >> text=resnet_model.py:122")
    tab.shown(view="code", user=True)
    assert all("resnet" in name for name, *_ in tab.rows(expand=True)[1:])
    page.wait_for_selector(".details h2:has-text('resnet_model.py:122')")


def test_question_what_is_live_at_the_memory_peak(tab, demo_page, profile):
    peak = max(profile.summary().memory_peaks, key=lambda peak: peak.bytes)
    size = FORMATS["memory"](peak.bytes)
    page = tab.open(demo_page)
    page.click(f"dd button:has-text('{size}')")
    page.wait_for_selector(f"h3:has-text('live at'):has-text('{size}')")
    assert ("(estimate)" in page.text_content(".timeline")) == (not peak.recorded)
    largest = int(peak.node_bytes.max())
    first = page.locator(".live li").first
    assert FORMATS["memory"](largest) in first.text_content()
    first.locator("text=code").click()
    tab.shown(view="code")
    page.wait_for_selector(".details h2")


def test_question_why_step_0_is_slower(tab, demo_page):
    page = tab.open(demo_page)
    page.click("text=compare step 0 with step 1")
    page.wait_for_selector(".diff tbody tr:nth-child(3)")
    rows = page.locator(".diff tbody tr").all_text_contents()
    assert rows[0].startswith("all nodes")
    assert "+1.43sec" in rows[0]
    assert "Conv2DBackpropFilter" in rows[1]


def test_question_where_are_parameters_and_float_operations(tab, demo_page):
    page = tab.open(demo_page)
    page.wait_for_selector("text=930,581")
    assert "53.56b" in page.text_content(".overview")
    page.click("text=5 nodes are not counted")
    assert page.locator("details li").count() == 5
    page.click("dd button:has-text('53.56b')")
    tab.shown(view="op", metric="float_ops")
    assert tab.rows()[1][:1] == ["Conv2D"]


def test_question_when_is_a_device_idle(tab, demo_page):
    page = tab.open(demo_page)
    page.click("nav >> text=Timeline")
    page.wait_for_selector(".idle tbody tr")
    assert "idle 0.2% of the step" in page.text_content(".idle")
    page.click(".idle tbody tr >> nth=0 >> button >> nth=0")
    tab.wait_for_address("time=")


def tab_to(page, text):
    """Press Tab until what is focused has a text."""
    for _ in range(100):
        page.keyboard.press("Tab")
        if page.locator(
            f"button:focus:has-text('{text}'), summary:focus:has-text('{text}')"
        ).count():
            return
    raise AssertionError(f"nothing with '{text}' can be reached")


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def test_op_types_and_my_lines_by_keyboard_alone(tab, demo_page):
    page = tab.open(demo_page)
    press(page, "3")
    tab.shown(view="op")
    page.wait_for_selector("[role=treegrid]:focus")
    press(page, "ArrowDown", "ArrowDown")
    page.wait_for_selector(".details h2:has-text('Conv2DBackpropFilter')")
    press(page, "2")
    tab.shown(view="code")
    press(page, "m")
    tab.shown(view="code", user=True)
    page.wait_for_selector("[role=treegrid]:focus")
    press(page, "h")
    page.wait_for_selector(".details h2:has-text('resnet_model.py:122')")


def test_memory_peak_and_idle_times_by_keyboard_alone(tab, demo_page):
    page = tab.open(demo_page)
    press(page, "6")
    page.wait_for_selector("main.timeline:focus")
    press(page, "p")
    page.wait_for_selector(".live li")
    press(page, "+")
    tab.wait_for_address("time=")
    press(page, "0")
    tab.wait_for_address("time=", there=False)
    start = page.text_content(".idle tbody button")
    tab_to(page, start)
    press(page, "Enter")
    tab.wait_for_address("time=")
    press(page, "6")
    page.wait_for_selector("main.timeline:focus")
    tab_to(page, "code")
    press(page, "Enter")
    tab.shown(view="code")
    page.wait_for_selector(".details h2")


def test_steps_and_float_operations_by_keyboard_alone(tab, demo_page):
    page = tab.open(demo_page)
    tab_to(page, "compare step 0")
    press(page, "Enter")
    page.wait_for_selector(".diff tbody tr:has-text('+1.43sec')")
    press(page, "1")
    page.wait_for_selector(".overview")
    tab_to(page, "5 nodes are not counted")
    press(page, "Enter")
    page.wait_for_selector("details[open] li")
    page.keyboard.press("Shift+Tab")
    press(page, "Enter")
    tab.shown(view="op", metric="float_ops")


def test_keys_of_the_table(tab, demo_page):
    page = tab.open(demo_page, fragment(show="scope"))
    count = tab.shown(view="scope")["count"]
    before = tab.rows()
    page.focus("[role=treegrid]")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    assert len(tab.rows()) > len(before)
    page.wait_for_selector("[aria-selected=true][aria-expanded=true][aria-level='2']")
    page.keyboard.press("ArrowLeft")
    assert tab.rows() == before
    page.keyboard.press("End")
    page.wait_for_selector(f"[aria-selected=true][aria-rowindex='{len(before) + 1}']")
    page.keyboard.press("Home")
    page.wait_for_selector("[role=treegrid][aria-activedescendant=row-0]")
    page.keyboard.press("*")
    assert len(tab.rows()) == count


def test_find(tab, demo_page, profile):
    page = tab.open(demo_page, fragment(show="scope"))
    tab.shown(view="scope")
    page.keyboard.press("/")
    page.keyboard.type("BN2/gamma")
    names = profile.report("scope", max_depth=ALL_LEVELS).names
    count = sum("bn2/gamma" in name.lower() for name in names)
    page.wait_for_selector(f"[role=status]:has-text('{count} rows')")
    page.keyboard.press("Enter")
    page.wait_for_selector(".details h2:has-text('bn2/gamma')")


def test_url_restores_everything(tab, demo_page, browser):
    page = tab.open(demo_page, fragment(show="scope"))
    tab.shown(view="scope")
    page.select_option("select >> nth=0", "time and memory|bytes")
    page.select_option("select >> nth=1", "1")
    page.select_option("select >> nth=2", "name")
    page.fill("#find", "unit_1")
    wanted = {"view": "scope", "metric": "bytes", "step": 1, "order": "name"}
    tab.shown(**wanted)
    page.focus("[role=treegrid]")
    page.keyboard.press("h")
    page.wait_for_selector("[role=treegrid] [aria-selected=true]")
    page.keyboard.press("Enter")
    tab.wait_for_address("zoom=")
    selected = page.text_content(".details h2")
    path = page.text_content(".path b")
    page.reload()
    tab.shown(**wanted)
    page.wait_for_selector(f".details h2:has-text('{selected}')")
    assert page.text_content(".path b") == path
    assert page.input_value("#find") == "unit_1"
    page.click("nav >> text=Op")
    tab.shown(view="op")
    page.go_back()
    tab.shown(view="scope")
    page.wait_for_selector(f".details h2:has-text('{selected}')")


def test_an_address_of_rows_that_are_not_there(tab, demo_page):
    page = tab.open(demo_page, fragment(show="op"))
    tab.shown(view="op")
    tab.go("show=op&row=5000&zoom=5000")
    page.wait_for_selector(".details:has-text('Select a row')")
    assert page.text_content(".path b") == "all"


def test_editing_an_option_changes_only_the_command(tab, demo_page):
    page = tab.open(demo_page, fragment(show="scope"))
    tab.shown(view="scope")
    before = tab.rows()
    page.click("text=options")
    page.fill("label:has-text('min_micros') >> nth=0 >> input", "1000")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=run this to apply")
    assert "-min_micros 1000" in page.text_content("#command")
    assert tab.rows() == before


def test_a_window_of_the_timeline_is_a_command_to_run(tab, demo_page):
    page = tab.open(demo_page, fragment(show="timeline", time="600000~700000"))
    page.click("text=tables of this window")
    page.wait_for_selector("text=run this to apply")
    words = shlex.split(page.text_content("#command"))
    printed = call(*words[1:])
    assert printed.status == 0, printed.err
    assert words[words.index("-since") + 1] == "600000us"
    assert words[words.index("-step") + 1] == "0"


def test_copied_command_is_the_shown_one(tab, demo_page):
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = tab.open(demo_page, fragment(show="scope"))
    tab.shown(view="scope")
    page.click("text=copy")
    page.wait_for_selector("text=copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.text_content("#command")
