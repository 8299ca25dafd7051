"""The page of a store in Chromium: what it draws and lists are the numbers of Python."""

from __future__ import annotations

from pathlib import Path

import ibis  # noqa: F401 - what every question here needs; `make test-lowest` has none
import numpy as np
import pyarrow.parquet as pq
import pytest

import tfprof
from benchmarks.fleet.generate import Faults, TracedSteps, generate
from tests.fleet.traces import write_traces
from tests.web.conftest import Tab
from tests.web.test_hostile_names import NAMES
from tests.web.test_layout import axe  # noqa: F401 - a fixture
from tfprof.definitions.units import format_time
from tfprof.fleet.answer import text_columns
from tfprof.fleet.ingestion import ingest
from tfprof.fleet.page.charts import MEASURES, PERCENTS
from tfprof.fleet.page.writer import describe_page
from tfprof.fleet.questions import QUESTIONS

TRACES = Path(__file__).parents[1] / "data" / "fleet"
WORKERS, STEPS = 9, 20


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two jobs, one with a straggler."""
    root = tmp_path_factory.mktemp("fleet_page") / "store"
    traced = TracedSteps(TRACES)
    generate(
        traced, root, workers=WORKERS, steps=STEPS, faults=("straggler",), job="a_slow", seed=3
    )
    generate(traced, root, workers=2, steps=6, job="b_fast")
    return root


@pytest.fixture(scope="module")
def page_file(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "fleet.html"
    with tfprof.fleet.open(store) as fleet:
        fleet.save_page(path, command="my_store")
    return path


@pytest.fixture(scope="module")
def steps(store: Path) -> list[dict]:
    """The rollup that charts are made of."""
    return pq.read_table(next((store / "job=a_slow").glob("steps-*.parquet"))).to_pylist()


@pytest.mark.parametrize("measure", MEASURES)
def test_bands_are_quantiles_of_all_workers(tab, page_file, steps, measure):
    page = tab.open(page_file)
    page.get_by_role("button", name=measure, exact=True).click()
    page.wait_for_function(f"tfprof.shown().measure === '{measure}'")
    page.get_by_text("these numbers as a table").click()
    for step in range(STEPS):
        values = [row[measure] for row in steps if row["step"] == step]
        wanted = [format_time(round(q)) for q in np.percentile(values, PERCENTS)]
        cells = page.locator(f"[aria-label='quantiles of {measure}'] tbody tr").nth(step)
        assert cells.locator("td").all_inner_texts() == wanted
        assert page.evaluate(f"tfprof.bandText({step})").endswith(f"p95 {wanted[-1]}")


def test_cells_are_workers_and_steps(tab, page_file, steps):
    page = tab.open(page_file)
    for row in steps:
        number = int(row["worker"].removeprefix("worker_"))
        text = page.evaluate(f"tfprof.cellText({number}, {row['step']})")
        value = format_time(row["work"])
        assert text == f"{row['worker']}, step {row['step']}: {value} work"


def test_the_straggler_has_another_colour(tab, page_file, steps):
    page = tab.open(page_file)

    def color(worker: str) -> list[int]:
        values = [row["work"] for row in steps if row["worker"] == worker]
        script = f"tfprof.cellColor({values[0]}).match(/[0-9]+/g).map(Number)"
        return page.evaluate(script)

    red, _, blue = color(Faults.STRAGGLER)
    assert red > blue + 100
    red, _, blue = color("worker_0")
    assert red < blue + 60


def test_traffic_is_the_sum_of_transfers(tab, page_file, store):
    page = tab.open(page_file)
    path = next((store / "job=a_slow").glob("transfers-*.parquet"))
    rows = pq.read_table(path).to_pylist()
    ends = sorted({row["source"] for row in rows if "ps:" in row["source"]})
    sent = [r for r in rows if r["source"] == ends[0] and r["worker"] == "worker_0"]
    count = sum(row["transfers"] for row in sent)
    text = page.evaluate(f"tfprof.trafficText(0, {len(ends)})")
    assert text.startswith(f"{ends[0]} → worker_0: ")
    assert f" in {count:,} transfers" in text


def test_tables_are_the_answers(tab, page_file, store):
    page = tab.open(page_file)
    with tfprof.fleet.open(store) as fleet:
        for name in QUESTIONS:
            answer = fleet.ask(name)
            columns = text_columns(answer.rows)
            card = page.locator(f"section#{name}")
            assert card.locator("code").inner_text() == f"tfprof fleet {name} my_store"
            for line in answer.findings or (answer.nothing,):
                assert line in card.inner_text()
            shown = card.locator("tbody tr").all()
            assert len(shown) == len(answer.rows)
            for i in (0, len(shown) - 1):
                cells = shown[i].locator("td").all_inner_texts()
                assert cells == [column.cells[i].strip() for column in columns]


def test_a_finding_leads_to_its_answer(tab, page_file):
    page = tab.open(page_file)
    summary = page.locator("[aria-label='what stands out']")
    assert f"{Faults.STRAGGLER} is a chronic straggler" in summary.inner_text()
    summary.get_by_role("link", name="stragglers").first.click()
    assert page.locator("#stragglers tr.marked").first.is_visible()


def test_jobs(tab, page_file):
    page = tab.open(page_file)
    assert "9 workers, 20 steps" in page.locator(".loaded").inner_text()
    page.get_by_label("job").select_option("b_fast")
    page.wait_for_function("tfprof.shown().job === 'b_fast'")
    assert "2 workers, 6 steps" in page.locator(".loaded").inner_text()


def test_arrow_keys_move_through_a_chart(tab, page_file):
    page = tab.open(page_file)
    chart = page.get_by_role("application", name="heat map")
    chart.focus()
    for key in ("ArrowDown", "ArrowDown", "End"):
        page.keyboard.press(key)
    status = page.locator("[aria-label='workers and steps'] [role=status]")
    status.get_by_text(f"worker_1, step {STEPS - 1}:").wait_for()
    assert status.inner_text() == page.evaluate(f"tfprof.cellText(1, {STEPS - 1})")


def test_the_pointer_describes_a_cell(tab, page_file):
    page = tab.open(page_file)
    chart = page.get_by_role("application", name="heat map")
    chart.hover(position={"x": chart.bounding_box()["width"] - 3, "y": 3})
    page.get_by_text(f"worker_0, step {STEPS - 1}:").wait_for()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_nobody_is_kept_out(browser, page_file, axe, scheme, width):  # noqa: F811
    size = {"width": width, "height": 800}
    tab = Tab(browser, viewport=size, color_scheme=scheme, bypass_csp=True)
    page = tab.open(page_file)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(f"{axe}; undefined")
    result = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    tab.context.close()
    found = [
        (violation["id"], node["html"][:200])
        for violation in result["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
    assert not found


def test_names_are_text(tab, tmp_path):
    """A worker, a job and ops with names that are markup, or turn text around."""
    names = [NAMES[kind] for kind in ("script", "image", "right to left", "long", "nul")]
    traces = write_traces(tmp_path / "traces", workers=2, steps=3)
    hostile = "<img src=x onerror=\"document.title='run'\">\u202e"
    for folder in traces.iterdir():
        for path in folder.iterdir():
            run = tfprof.protos.run_metadata_pb2.RunMetadata.FromString(path.read_bytes())
            records = run.step_stats.dev_stats[0].node_stats
            for name in names:
                added = records.add(all_start_micros=records[-1].all_start_micros + 100)
                added.node_name, added.op_end_rel_micros = name.partition(":")[0], 90
                added.timeline_label = f"{added.node_name} = {hostile.replace(' ', '_')}(x)"
            path.write_bytes(run.SerializeToString())
        folder.rename(folder.with_name(hostile.replace("/", "_") + folder.name))
    ingest([traces], job=hostile, out=tmp_path / "store")
    with tfprof.fleet.open(tmp_path / "store") as fleet:
        fleet.save_page(tmp_path / "x.html", command="'$(rm -rf x)'")
    page = tab.open(tmp_path / "x.html")
    assert page.title() == "tfprof"
    assert page.locator("img, iframe, main script").count() == 0
    text = page.locator("main").inner_text()
    assert "\u202e" not in text
    assert "⟨U+202E⟩" in text
    assert "document.title='run'" in text
    assert "xxxxxxxxxx" in text


def test_a_large_fleet_is_a_small_page(tab, tmp_path, monkeypatch):
    """Neighbours share a cell, which shows the one that stands out most; the page says so."""
    monkeypatch.setattr("tfprof.fleet.page.charts.ROWS", 3)
    monkeypatch.setattr("tfprof.fleet.page.charts.COLUMNS", 4)
    monkeypatch.setattr("tfprof.fleet.page.traffic.ENDS", 2)
    ingest([write_traces(tmp_path / "traces", workers=7, steps=10)], job="j", out=tmp_path / "s")
    path = tmp_path / "x.html"
    with tfprof.fleet.open(tmp_path / "s") as fleet:
        fleet.save_page(path)
        (job,) = describe_page(fleet, {}, command="x")["jobs"]
    assert job["rows"] == ["worker_0 to worker_2", "worker_3 to worker_4", "worker_5 to worker_6"]
    assert job["columns"] == [(0, 2), (3, 4), (5, 7), (8, 9)]
    rows = pq.read_table(next((tmp_path / "s" / "job=j").glob("steps-*.parquet"))).to_pylist()
    for name, choose in (("work", max), ("wait", min)):
        (measure,) = [m for m in job["measures"] if m["name"] == name]
        of_cell = [
            r[name]
            for r in rows
            if r["worker"] in ("worker_3", "worker_4") and r["step"] in (5, 6, 7)
        ]
        assert measure["cells"][1 * 4 + 2] == choose(of_cell)
    assert job["traffic"]["rows"] == ["ps:0/cpu:0", "ps:1/cpu:0"]
    assert job["traffic"]["columns"] == ["worker_0 to worker_3", "worker_4 to worker_6"]
    assert sum(job["traffic"]["bytes"]) == 7 * 10 * 2 * 4000
    page = tab.open(path)
    assert "a row is up to 3 workers" in page.locator("main").inner_text()
    text = page.evaluate("tfprof.cellText(1, 2)")
    assert text.startswith("worker_3 to worker_4, steps 5 to 7: ")
    assert text.endswith(" work (largest)")
