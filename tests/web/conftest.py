"""The demo's page in Chromium, without a network: what goes wrong there fails the test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tfprof
from tfprof import demo

TIMEOUT = 120_000
"""Milliseconds after which a wait fails, also on a busy machine."""
DRAWN = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
GO = """state => new Promise(done => {
  const before = location.hash;
  addEventListener("hashchange", () => setTimeout(done), { once: true });
  location.hash = state;
  if (location.hash === before) done();
})"""
"""Change the address, and wait until the page has read it."""
READY = {
    "overview": ".advice li",
    "timeline": ".idle caption",
    "source": ".code tbody tr",
    "compare": ".diff tbody tr:nth-child(3)",
}
"""What a panel has once its data is there."""
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium as the system has it."""
    if not CHROMIUM:
        pytest.skip("Chromium is not installed; apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    with playwright.sync_playwright() as started:
        # As root, which builds often run as, Chromium starts only without its sandbox.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        running = started.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield running
        running.close()


@pytest.fixture(scope="session")
def profile() -> tfprof.Profile:
    """The demo's profile."""
    return tfprof.load(**demo.paths())


@pytest.fixture(scope="session")
def demo_page(profile: tfprof.Profile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's page."""
    path = tmp_path_factory.mktemp("web") / "demo.html"
    profile.save_page(path, command="tfprof --demo")
    return path


class Tab:
    """A page in the browser, and everything it asked for or complained of."""

    def __init__(self, browser: Any, **context: Any) -> None:
        self.context = browser.new_context(offline=True, **context)
        self.context.set_default_timeout(TIMEOUT)
        self.page = self.context.new_page()
        self.pending: set[Any] = set()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("request", lambda request: self.pending.add(request))
        self.page.on("requestfinished", lambda request: self.pending.discard(request))
        self.page.on("requestfailed", lambda request: self.pending.discard(request))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.add_init_script(
            "addEventListener('securitypolicyviolation', (event) =>"
            " console.error(`violation of ${event.violatedDirective}`));"
        )

    def open(self, path: Path, fragment: str = "") -> Any:
        """Open a page from disk and wait for it."""
        self.page.goto(f"{path.as_uri()}#{fragment}")
        self.page.wait_for_selector("nav")
        return self.page

    def shown(self, **wanted: Any) -> dict[str, Any]:
        """What report is shown, once it is what is wanted; a page that loads anew shows none."""
        condition = " && ".join(f"s.{name} === {_literal(value)}" for name, value in wanted.items())
        shown = "globalThis.tfprof?.shownReport()"
        script = f"() => {{ const s = {shown}; return s && {condition or 1} && s; }}"
        shown = self.page.wait_for_function(script).json_value()
        self.wait_until_drawn()
        return shown

    def go(self, state: str) -> None:
        """Change the address to another state, which the page then has read."""
        self.page.evaluate(GO, state)
        self.wait_until_drawn()

    def show(self, panel: str, state: str = "") -> None:
        """Show a panel by its address, and wait for its data."""
        self.go(f"show={panel}{state}")
        if panel in READY:
            self.page.wait_for_selector(f"main.{panel} {READY[panel]}")
        else:
            self.shown(view=panel)
        self.wait_until_drawn()

    def wait_until_drawn(self) -> None:
        """Wait for the frame that shows what has changed."""
        self.page.evaluate(DRAWN)

    def wait_until_quiet(self) -> None:
        """Wait until everything that was asked for is answered and drawn."""
        self.wait_until_drawn()
        while self.pending:
            self.wait_until_drawn()
        self.wait_until_drawn()

    def wait_for_address(self, part: str, *, there: bool = True) -> None:
        """Wait until the address has a part, or has it no more."""
        self.page.wait_for_function(
            "([part, there]) => location.hash.includes(part) === there", arg=[part, there]
        )

    def rows(self, *, expand: bool = False) -> list[list[str]]:
        """Name, total, own number, share and runs of all rows, also of those out of sight."""
        if expand:
            self.page.evaluate("tfprof.expandAll()")
        return [line.split("\t") for line in self.page.evaluate("tfprof.shownText()").split("\n")]


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value!r}"


@pytest.fixture
def tab(browser: Any) -> Iterator[Tab]:
    """A tab in which nothing may go wrong."""
    made = Tab(browser, viewport={"width": 1280, "height": 800})
    yield made
    made.context.close()
    assert not made.complaints
    assert all(url.partition("#")[0].endswith(".html") for url in made.requests)
    assert all(url.startswith("file:") for url in made.requests)
