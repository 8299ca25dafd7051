"""`python -m benchmarks.browser`: how long a page takes to write, to open and to use.

It writes the page of the demo or of a made-up model, opens it in Chromium, and measures what a user
waits for: the first data, then zooming, scrolling, moving, expanding, finding, another metric and
another view. With `--ui` it measures the page that `tfprof ui` serves. Times include the frame that
shows the result. Results are kept; `--page` puts them into docs/page.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tfprof
from benchmarks.browser_page import write_section
from benchmarks.generate import folder_for, generate
from benchmarks.machine import machine
from tfprof import demo

__all__ = ["main"]

_REPEAT = 40
_OPENINGS = 5
_TIMEOUT = 120_000
_FRAME = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
_READY = "() => document.querySelector('[role=treegrid] [role=gridcell]') && tfprof.shownReport()"
_RESULTS = folder_for(0).parent / "browser.json"


def main(argv: list[str] | None = None) -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.browser", description=__doc__)
    parser.add_argument("--size", type=int, default=20_000, help="nodes; 0 is the demo")
    parser.add_argument("--steps", type=int, default=2, help="traced steps")
    parser.add_argument("--ui", action="store_true", help="measure tfprof ui, not a written page")
    parser.add_argument("--page", action="store_true", help="put kept results into docs/page.md")
    arguments = parser.parse_args(argv)
    results = json.loads(_RESULTS.read_text()) if _RESULTS.exists() else {}
    if arguments.page:
        write_section(results, machine())
        return 0
    size, steps = arguments.size, arguments.steps
    measured = _measure_ui(size, steps) if arguments.ui else _measure_file(size, steps)
    for name, value in measured.items():
        print(f"{name:28} {value:10,.2f}")
    name = f"{size:,} nodes, {steps} steps" if size else "demo"
    results[f"{name}, ui" if arguments.ui else name] = measured
    _RESULTS.parent.mkdir(parents=True, exist_ok=True)
    _RESULTS.write_text(json.dumps(results, indent=1))
    return 0


def _inputs(size: int, steps: int) -> dict[str, Any]:
    if not size:
        return dict(demo.paths())
    folder = generate(size, steps)
    runs = [folder / f"run_meta_{step}" for step in range(steps)]
    return {"graph": folder / "graph.pb", "run_meta": runs, "op_log": folder / "tfprof_log"}


def _measure_file(size: int, steps: int) -> dict[str, float]:
    """Seconds, megabytes, and milliseconds of actions, of a written page."""
    profile = tfprof.load(**_inputs(size, steps))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        began, busy = time.perf_counter(), time.process_time()
        profile.save_page(path)
        measured = {
            "write": time.perf_counter() - began,
            "write, processor": time.process_time() - busy,
            "size": path.stat().st_size / 1e6,
        }
        del profile
        with _chromium() as page:
            address = f"{path.as_uri()}#show=scope"
            measured["first data"] = statistics.median(
                _open(page, address) for _ in range(_OPENINGS)
            )
            return measured | _repeat(page, _actions(page))


def _measure_ui(size: int, steps: int) -> dict[str, float]:
    """Seconds until data is shown, and milliseconds of what the server is asked for."""
    inputs = _inputs(size, steps)
    flags = [
        f"--graph_path={inputs['graph']}",
        f"--run_meta_path={','.join(map(str, inputs['run_meta']))}",
        f"--op_log_path={inputs['op_log']}",
    ]
    command = [sys.executable, "-m", "tfprof", *flags, "ui", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            with _chromium() as page:
                first = _open(page, address, "nav >> text=Scope")
                again = _open(page, page.url)
                measured = {"first data after load": first, "first data, again": again}
                return measured | _repeat(page, _served_actions(page), count=12)
        finally:
            server.terminate()


@contextmanager
def _chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        sys.exit("Chromium is not installed")
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(_TIMEOUT)
        yield page
        browser.close()


def _open(page: Any, address: str, link: str = "") -> float:
    page.goto("about:blank")
    began = time.perf_counter()
    page.goto(address)
    if link:
        page.click(link)
    page.wait_for_function(_READY, polling="raf")
    return time.perf_counter() - began


def _repeat(
    page: Any, actions: dict[str, Callable[[int], None]], *, count: int = _REPEAT
) -> dict[str, float]:
    """The 95th percentile of each action, in milliseconds, and the median."""
    measured = {}
    for name, action in actions.items():
        times = sorted(_time(page, action, i) for i in range(count))
        measured[f"{name}, median"] = statistics.median(times)
        measured[f"{name}, p95"] = times[min(count - 1, round(0.95 * count) - 1)]
    return measured


def _time(page: Any, action: Callable[[int], None], i: int) -> float:
    began = time.perf_counter()
    action(i)
    page.evaluate(_FRAME)
    return 1000 * (time.perf_counter() - began)


def _actions(page: Any) -> dict[str, Callable[[int], None]]:
    """What is done again and again; the number of the repetition makes each another one."""
    box = page.locator(".icicle canvas").bounding_box()
    page.evaluate("tfprof.expandAll()")
    page.focus("[role=treegrid]")

    def at(i: int) -> tuple[float, float]:
        return box["x"] + box["width"] * (0.05 + 0.07 * (i % 12)), box["y"] + 30

    def to_hash(state: str) -> None:
        page.evaluate(f"location.hash = '{state}'")
        name = state.rpartition("=")[2]
        wanted = (
            f"() => [tfprof.shownReport()?.metric, tfprof.shownReport()?.view].includes('{name}')"
        )
        page.wait_for_function(wanted, polling="raf")

    def expand(i: int) -> None:
        if not i:
            page.focus("[role=treegrid]")
            page.keyboard.press("Home")
        page.keyboard.press("Space")

    scroll = "i => { document.querySelector('.scroll').scrollTop = i * 5000; }"
    keys = ("ArrowDown", "PageDown", "ArrowUp", "End", "ArrowUp", "Home")
    metrics = ("bytes", "micros", "peak_bytes", "cpu_micros")
    return {
        "hover": lambda i: page.mouse.move(*at(i)),
        "zoom": lambda i: page.mouse.click(*at(i)),
        "scroll": lambda i: page.evaluate(scroll, i),
        "key": lambda i: page.keyboard.press(keys[i % len(keys)]),
        "expand": expand,
        "find": lambda i: page.fill("#find", "unit_1"[: 1 + i % 6]),
        "metric": lambda i: to_hash(f"show=scope&metric={metrics[i % len(metrics)]}"),
        "view": lambda i: to_hash(f"show={('graph', 'code', 'scope')[i % 3]}"),
    }


def _served_actions(page: Any) -> dict[str, Callable[[int], None]]:
    page.click("text=options")

    def option(name: str) -> None:
        page.fill("label:has-text('show_name_regexes') input", f".*{name}/.*")
        page.keyboard.press("Enter")
        page.wait_for_selector(f"#command:has-text('{name}/')")

    def find(i: int) -> None:
        if not i:
            page.click("fieldset >> text=reset")
            page.check("label:has-text('regex') input")
        page.fill("#find", f"layer_{i}[0-9]*/(add|dropout)")
        page.wait_for_selector("[role=status]:has-text('searching')")
        page.wait_for_selector("[role=status]:has-text(' row')")

    return {
        "new regex option": lambda i: option(f"layer_{i}"),
        "regex without a match": lambda i: option(f"no_layer_{i}"),
        "regex find": find,
    }


if __name__ == "__main__":
    raise SystemExit(main())
