"""The recipes of CONTRIBUTING.md: each snippet is run as another package would run it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tfprof
from tests.cli.conftest import call
from tfprof import demo
from tfprof.advisor import CHECKERS
from tfprof.definitions.metrics import METRICS
from tfprof.definitions.options import OPTIONS
from tfprof.flops.rules import RULES
from tfprof.loaders import LOADERS
from tfprof.outputs import OUTPUTS
from tfprof.protos.graph_pb2 import GraphDef

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"
TABLES = (METRICS, LOADERS, OUTPUTS, CHECKERS, OPTIONS, RULES)


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """Remove the rows that a snippet adds."""
    before = [set(table) for table in TABLES]
    yield
    for table, names in zip(TABLES, before, strict=True):
        for name in set(table) - names:
            if name in table:
                del table[name]


@pytest.fixture(scope="module")
def profile() -> tfprof.Profile:
    return tfprof.load(**demo.paths())


def add(recipe: str) -> None:
    """Run the snippet of a recipe."""
    section = PAGE.read_text().partition(f"\n### {recipe}\n")[2].partition("\n### ")[0]
    (snippet,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    exec(snippet, {})


def test_every_recipe_is_tested() -> None:
    section = PAGE.read_text().partition("## Add a …")[2].partition("\n## ")[0]
    recipes = re.findall(r"^### (.*)$", section, re.MULTILINE)
    assert recipes == ["Metric", "Loader", "Output", "Checker", "Option", "FLOP rule"]


def test_metric(profile: tfprof.Profile, tmp_path: Path) -> None:
    add("Metric")
    report = profile.report("op", select=["nanos"], order_by="nanos", min_nanos=10**6)
    assert report.root.total["exec_nanos"] == 1000 * report.root.total["exec_micros"] > 0
    report.write(f"csv:outfile={tmp_path / 'rows.csv'}")
    header = (tmp_path / "rows.csv").read_text().partition("\n")[0]
    assert "own_nanos" in header
    assert "total_nanos" in header
    assert call("--demo", "--compat", "op", "-select", "nanos").status == 2


def test_loader(tmp_path: Path) -> None:
    add("Loader")
    path = tmp_path / "model.ops"
    path.write_bytes(b"OPS1\na VariableV2\nb MatMul\n")
    for loaded in (tfprof.load(path), tfprof.load(graph=path)):
        assert loaded.nodes.name.to_pylist() == ["a", "b"]
    for words in ([str(path)], [f"--graph_path={path}"]):
        done = call(*words, "op", "-select", "occurrence")
        assert "MatMul" in done.text, done.err
    assert call(str(tmp_path), "op").err.rstrip().endswith("OpList")


def test_output(profile: tfprof.Profile, tmp_path: Path) -> None:
    add("Output")
    report = profile.report("op")
    for output in (f"names:outfile={tmp_path / 'file'}", str(tmp_path / "rows.names")):
        report.write(output)
    assert (tmp_path / "rows.names").read_text().splitlines() == report.names
    assert (tmp_path / "file").read_bytes() == (tmp_path / "rows.names").read_bytes()


def test_checker() -> None:
    add("Checker")
    done = call("--demo", "advise", "LargeGraph:limit=1000")
    assert "LargeGraph:\nthe graph is large\n" in done.text


def test_option(profile: tfprof.Profile) -> None:
    add("Option")
    assert profile.report("scope").options["indent"] == 2
    assert profile.report("scope", indent=4).options["indent"] == 4
    assert call("--demo", "scope", "-indent", "4").status == 0


def test_flop_rule() -> None:
    add("FLOP rule")
    model = GraphDef()
    for name, sizes in {"x": (2, 3), "y": (2, 5)}.items():
        node = model.node.add(name=name, op="Placeholder" if name == "x" else "MyMatMul")
        node.attr["dtype" if name == "x" else "T"].type = 1
        shape = node.attr["_output_shapes"].list.shape.add()
        for size in sizes:
            shape.dim.add(size=size)
    model.node[1].input.append("x")
    assert tfprof.cost(model).float_ops == 2 * 2 * 5 * 3
    report = tfprof.load(graph=model).report("op", select=["macs"])
    assert report.root.total["macs"] == 2 * 5 * 3
