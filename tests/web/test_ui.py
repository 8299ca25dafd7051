"""The served page in Chromium: options apply at once, and answers that come late are dropped."""

from __future__ import annotations

import re
import shlex
import threading

import pytest

from tests.web.conftest import Tab
from tfprof.api import server
from tfprof.definitions.units import FORMATS


@pytest.fixture
def served(browser, profile):
    with server.serve_page(profile.report("scope"), command="tfprof --demo") as running:
        # The server is on this machine: offline mode would cut it off as well.
        tab = Tab(browser, viewport={"width": 1280, "height": 800})
        tab.context.set_offline(False)
        yield tab, running.address
        tab.context.close()


def test_token_leaves_the_address_and_a_reload_works(served):
    tab, address = served
    tab.page.goto(address)
    tab.page.wait_for_selector(".bars")
    assert "token" not in tab.page.url
    tab.page.reload()
    tab.page.wait_for_selector(".bars")
    assert not tab.complaints


def test_without_the_token_there_is_nothing(served):
    tab, address = served
    tab.page.goto(address.partition("#")[0])
    tab.page.wait_for_selector("text=open the address that tfprof ui printed")


def test_options_apply_at_once(served, profile):
    tab, address = served
    page = tab.page
    page.goto(address)
    page.click("nav >> text=Scope")
    tab.shown(view="scope")
    page.click("text=options")
    field = "label:has-text('start_name_regexes') input"
    page.fill(field, "unit_1_.*")
    page.keyboard.press("Enter")
    page.wait_for_selector("#command:has-text('unit_1_')")
    tab.shown(view="scope")
    report = profile.report(
        "scope", start_name_regexes=["unit_1_.*"], order_by="micros", max_depth=1000
    )
    assert [name for name, *_ in tab.rows(expand=True)] == report.names
    assert all("127.0.0.1" in url for url in tab.requests)
    assert not tab.complaints
    page.fill(field, "unit_(")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=alert]:has-text('invalid regex')")


def test_a_late_answer_is_dropped(served, monkeypatch):
    tab, address = served
    page = tab.page
    page.goto(address)
    page.click("nav >> text=Scope")
    tab.shown(view="scope")
    release = threading.Event()
    answer = server.PageService.answer

    def slow(self, path, query):
        if "min_micros" in query.get("options", ""):
            release.wait(timeout=120)
        return answer(self, path, query)

    monkeypatch.setattr(server.PageService, "answer", slow)
    page.click("text=options")
    page.fill("label:has-text('min_micros') >> nth=0 >> input", "1000000")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=status]:has-text('making the report')")
    page.click("nav >> text=Op")
    page.click("fieldset >> text=reset")
    tab.shown(view="op")
    before = tab.rows()
    with page.expect_response(lambda answer: "min_micros" in answer.url):
        release.set()
    tab.wait_until_quiet()
    assert tab.rows() == before
    assert tab.shown()["view"] == "op"


def test_regex_find_is_the_servers(served, profile):
    tab, address = served
    page = tab.page
    page.goto(address)
    page.click("nav >> text=Scope")
    tab.shown(view="scope")
    page.check("label:has-text('regex') input")
    page.fill("#find", r"bn\d/(?:gamma|beta)\z")
    names = profile.report("scope", max_depth=1000).names
    count = sum(bool(re.search(r"bn\d/(?:gamma|beta)$", name)) for name in names)
    page.wait_for_selector(f"[role=status]:has-text('{count:,} rows')")
    page.press("#find", "Enter")
    page.wait_for_selector(".details h2:has-text('/bn')")
    page.fill("#find", "bn(")
    page.wait_for_selector("[role=alert]:has-text('invalid regex')")
    page.uncheck("label:has-text('regex') input")
    page.wait_for_selector("[role=status]:has-text('0 rows')")
    page.wait_for_selector("[role=alert]", state="detached")


def test_a_late_search_is_dropped(served, monkeypatch):
    tab, address = served
    page = tab.page
    page.goto(address)
    page.click("nav >> text=Scope")
    tab.shown(view="scope")
    release = threading.Event()
    answer = server.PageService.answer

    def slow(self, path, query):
        found = answer(self, path, query)
        if query.get("regex") == ".*":
            release.wait(timeout=120)
        return found

    monkeypatch.setattr(server.PageService, "answer", slow)
    page.check("label:has-text('regex') input")
    with page.expect_request(lambda request: "/api/find" in request.url):
        page.fill("#find", ".*")
    page.wait_for_selector("[role=status]:has-text('searching')")
    page.fill("#find", "no such name")
    page.wait_for_selector("[role=status]:has-text('0 rows')")
    with page.expect_response(lambda answer: "/api/find" in answer.url):
        release.set()
    tab.wait_until_quiet()
    assert page.text_content("[role=status]").startswith("0 rows")


def test_any_two_steps_are_compared(served):
    tab, address = served
    page = tab.page
    page.goto(address)
    page.click("nav >> text=Compare")
    page.wait_for_selector(".diff tbody tr:nth-child(3)")
    assert "\N{MINUS SIGN}1.43sec" in page.text_content(".diff tbody tr")
    page.click("text=swap")
    page.wait_for_selector(".diff tbody tr:has-text('+1.43sec')")


def test_a_window_of_the_timeline_filters_the_tables(served, profile):
    tab, address = served
    page = tab.page
    page.goto(address)
    page.click("nav >> text=Timeline")
    page.wait_for_selector(".idle tbody tr")
    tab.wait_until_quiet()
    box = page.locator(".lanes canvas").first.bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 40, steps=3)
    page.mouse.up()
    page.click("text=tables of this window")
    page.click("nav >> text=Scope")
    page.wait_for_selector("#command:has-text('-since')")
    tab.shown(view="scope", step=0)
    words = shlex.split(page.text_content("#command"))
    since, until = (words[words.index(name) + 1] for name in ("-since", "-until"))
    tab.wait_for_address("time=")
    report = profile.report(
        "scope", step=0, since=since, until=until, order_by="micros", max_depth=1000
    )
    shown = [row[:2] for row in tab.rows(expand=True)]
    totals = map(FORMATS["time"], report.total[:, "exec_micros"].tolist())
    assert shown == [list(row) for row in zip(report.names, totals, strict=True)]
    assert len(shown) < len(profile.report("scope", max_depth=1000))
    page.click(".window >> text=whole step")
    page.wait_for_selector("#command:not(:has-text('-since'))")
