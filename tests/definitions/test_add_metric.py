"""A metric is one row: one that is added here, from outside, works wherever metrics do."""

from __future__ import annotations

import gzip
import importlib.util
import json
from pathlib import Path

import pytest

import tfprof
from tests.cli.conftest import call
from tfprof import demo
from tfprof.api.screen import Screen
from tfprof.cli.completion import candidates
from tfprof.cli.completion_scripts import script
from tfprof.cli.console import Console
from tfprof.definitions.metrics import METRICS, Metric, orders
from tfprof.definitions.options import OPTIONS, Options
from tfprof.protos import pprof_pb2

NANOS = Metric(
    "nanos",
    "execution nanoseconds",
    "number",
    "nanos: Execution time in nanoseconds.",
    needs="run metadata",
    measure="exec_nanos",
    source=lambda sums: 1000 * sums.exec_micros,
    minimum="run for at least N nanoseconds",
    extension=True,
)


@pytest.fixture(autouse=True)
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, NANOS.name, NANOS)


@pytest.fixture(scope="module")
def profile() -> tfprof.Profile:
    return tfprof.load(**demo.paths())


def test_rows_have_it(profile: tfprof.Profile) -> None:
    for view in ("scope", "graph", "op", "code"):
        root = profile.report(view, select=["nanos"]).root
        assert root.total["exec_nanos"] == 1000 * root.total["exec_micros"] > 0


def test_text_and_legend(profile: tfprof.Profile) -> None:
    report = profile.report("scope", select=["nanos", "bytes"], max_depth=1)
    assert "node name | execution nanoseconds | requested bytes\n" in report.text()
    assert NANOS.legend in report.text(legend=True)
    in_list = profile.report("op", select=["nanos", "device"]).text()
    assert in_list.startswith("node name | execution nanoseconds | assigned devices\n")


def test_order_and_minimum(profile: tfprof.Profile) -> None:
    rows = profile.report("op", select=["nanos"], order_by="nanos").rows[1:]
    numbers = [row.own["exec_nanos"] for row in rows]
    assert numbers == sorted(numbers, reverse=True)
    wanted = {"min_nanos": rows[3].total["exec_nanos"], "order_by": "nanos"}
    for options in (wanted, Options.build(**wanted)):
        shown = profile.report("op", options).names[1:]
        assert shown == [row.name for row in rows[:4]]


def test_data_outputs(profile: tfprof.Profile, tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    profile.report("op").write(f"json:outfile={path}")
    rows = json.loads(path.read_text())
    assert rows[0]["total_nanos"] == 1000 * rows[0]["total_micros"]
    assert profile.report("op", select=["nanos"]).proto().total_exec_micros


def test_pprof(profile: tfprof.Profile, tmp_path: Path) -> None:
    path = tmp_path / "profile.gz"
    report = profile.report("code", select=["nanos"], max_depth=99)
    report.write(f"pprof:outfile={path}")
    message = pprof_pb2.Profile.FromString(gzip.decompress(path.read_bytes()))
    assert [message.string_table[kind.type] for kind in message.sample_type] == ["count", "nanos"]
    assert NANOS.legend in message.string_table
    assert sum(sample.value[1] for sample in message.sample) == report.root.total["exec_nanos"]


def test_command_line() -> None:
    arguments = ["-select", "nanos", "-order_by", "nanos", "-min_nanos", "1000"]
    done = call("--demo", "op", *arguments)
    assert done.status == 0
    assert done.out.startswith(b"node name | execution nanoseconds\n")
    assert call("--demo", "--compat", "op", *arguments).status == 2
    assert NANOS.legend in call("help", "nanos").out.decode()
    assert "nanoseconds" in call("help", "-min_nanos").out.decode()


def test_completion() -> None:
    console = Console(Screen(None, None), tfprof.Profile, is_shell=True)
    assert [c.text for c in candidates("op -select nan", console)] == ["nanos"]
    assert [c.text for c in candidates("op -order_by nan", console)] == ["nanos"]
    assert [c.text for c in candidates("op -min_na", console)] == ["-min_nanos"]
    assert "min_nanos" in script(["bash"])


def test_docs() -> None:
    path = Path(__file__).parents[2] / "tools" / "docs.py"
    spec = importlib.util.spec_from_file_location("docs", path)
    docs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(docs)
    page = docs.options()
    assert f"| `nanos` | {NANOS.title} | {NANOS.legend} | run metadata |" in page
    assert (
        "| `-min_nanos` | integer | `0` | show nodes that run for at least N nanoseconds |" in page
    )


def test_it_can_be_removed(profile: tfprof.Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(METRICS, "nanos")
    assert "nanos" not in orders()
    assert "min_nanos" not in OPTIONS
    with pytest.raises(tfprof.OptionError, match="unknown value 'nanos'"):
        profile.report("op", select=["nanos"])
    assert "exec_nanos" not in profile.report("op").root.total
