"""The layer table is what `model.summary()` shows, wherever the model is read from.

Models are built, saved and asked about in one process, and read from disk in another, which cannot
import TensorFlow. Here the answers are compared. `make layers` builds all models, each also where
Keras counts names from the start; otherwise it is a sample.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

if importlib.util.find_spec("keras") is None:
    pytest.skip("needs Keras", allow_module_level=True)

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = [
    "fresh:mnist",
    "numbered_names",
    "fresh:inception",
    "siamese",
    "dropout_in_a_branch",
    "nested_functional",
    "fresh:nested_shared",
    "stacked_gru",
    "named_sequence",
    "encoder_decoder",
    "fresh:bidirectional",
    "time_distributed_model",
    "vision_transformer",
    "custom_blocks",
    "preprocessing",
    "operators",
    "composed_operators",
    "mixed_precision",
    "frozen_backbone",
    "subclassed_fitted",
    "fresh:subclassed_nested",
    "subclassed_pair",
]
OUTSIDE = "(outside layers)"
ALL = os.environ.get("TFPROF_LAYERS") == "all"
PROCESSES = min(os.cpu_count() or 1, 4) if ALL else 1
"""That build and read models at the same time."""


def _names() -> list[str]:
    """The models to compare; their names are read from the source, which needs TensorFlow."""
    if not ALL:
        return SAMPLE
    source = Path(__file__).with_name("keras_models.py").read_text()
    small = re.findall(r"^@_model\ndef (\w+)", source, re.MULTILINE)
    families = re.findall(r'^_application\("(\w+)"|^APPLICATIONS\["(\w+)"\]', source, re.MULTILINE)
    large = [family or other for family, other in families]
    # Names are counted on from model to model, so that the first round is done last.
    return [*small, *large, *(f"fresh:{name}" for name in small)]


NAMES = _names()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the models and the answers about them are; one of several workers makes them."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "layers"
    done = folder / "done"
    try:
        folder.mkdir()
    except FileExistsError:
        _wait_for(done)
    else:
        try:
            with ThreadPoolExecutor(PROCESSES) as pool:
                list(pool.map(_build, [folder] * PROCESSES, range(PROCESSES)))
        finally:
            done.touch()
    return folder


def _build(folder: Path, part: int) -> None:
    """Build and read every so manyth model, in a folder of its own until all is done."""
    own = folder / str(part)
    own.mkdir()
    _run("build_models", str(own), *NAMES[part::PROCESSES])
    _run("read_models", str(own))
    for file in own.glob("*.json"):
        file.rename(folder / file.name)
    shutil.rmtree(own)


def _wait_for(file: Path) -> None:
    while not file.exists():
        time.sleep(0.5)


def _run(module: str, *arguments: str) -> None:
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    subprocess.run(
        [sys.executable, "-m", f"tests.flops.layers.{module}", *arguments],
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
    )


def _answers(folder: Path, name: str, source: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What Keras says of a model, and what tfprof says of one of its forms."""
    stem = folder / name.replace(":", "_")
    built = json.loads(Path(f"{stem}.json").read_text())
    if source in ("memory", "keras"):
        if source not in built:
            pytest.skip("Keras does not load it")
        return built, built[source]
    file = Path(f"{stem}.{source}.json")
    if not file.exists():
        pytest.skip("TensorFlow does not save it")
    return built, json.loads(file.read_text())


def _shapes(text: str) -> list[list[int | None]]:
    """The shapes in the text of an output."""
    found = re.findall(r"\(([^()]*)\)", text)
    return [list(ast.literal_eval(f"({sizes},)" if sizes else "()")) for sizes in found]


def _any_batch(shapes: list[list[int | None]]) -> list[list[int | None]]:
    """Shapes without the batch size: a subclassed model has that of its first call."""
    return [[None, *shape[1:]] for shape in shapes]


def _without_counters(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with names as of first layers: a subclassed model makes its layers when it is loaded."""

    def first(name: str | None) -> str | None:
        return name and re.sub(r"_\d+$", "", name)

    return [
        {
            **row,
            "name": first(row["name"]),
            "parent": first(row["parent"]),
            "children": [first(child) for child in row["children"]],
        }
        for row in rows
    ]


def _with_keras_names(
    rows: list[dict[str, Any]], expected: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Rows of a graph, where an operation that is no layer has the name of its node."""
    layers = {row["name"] for row in expected if not row["operation"]}
    if len(rows) != len(expected):
        return rows
    return [
        {**row, "name": wanted["name"]}
        if wanted["operation"] and row["name"] not in layers
        else row
        for row, wanted in zip(rows, expected, strict=True)
    ]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("source", ["memory", "export", "save", "keras"])
class TestLayers:
    """Each model in each form."""

    def test_rows_are_those_of_keras(self, folder: Path, name: str, source: str) -> None:
        """Names, order, nesting, shapes and parameters; classes where the source has them."""
        built, found = _answers(folder, name, source)
        expected = built["expected"]
        in_graph = source in ("export", "save")
        if in_graph:
            expected = [row for row in expected if row["in_graph"]]
        rows = [row for row in found["layers"] if row["name"] != OUTSIDE]
        if source == "keras" and built["subclassed"]:
            rows, expected = _without_counters(rows), _without_counters(expected)
        if in_graph:
            rows = _with_keras_names(rows, expected)
        assert [(row["depth"], row["name"]) for row in rows] == [
            (row["depth"], row["name"]) for row in expected
        ]
        trained = "trainable_params"
        if source == "save" and not built["compiled"]:
            trained = "saved_trainable_params"
        for row, wanted in zip(rows, expected, strict=True):
            assert row["parent"] == wanted["parent"], row
            assert row["params"] == wanted["params"], row
            assert row["trainable_params"] == wanted[trained], row
            assert wanted["calls"] in (None, row["calls"]), row
            shapes = wanted["used_output" if in_graph else "output"]
            if shapes:
                found_shapes = _shapes(row["output"])
                if in_graph:  # an export has any batch size
                    found_shapes, shapes = _any_batch(found_shapes), _any_batch(shapes)
                assert found_shapes == shapes, row
            assert row["output"] != "?", row
            if not in_graph:
                assert row["type"] == wanted["type"]
                children = [child for child in row["children"] if child != OUTSIDE]
                assert children == wanted["children"], row

    def test_work_and_parameters_add_up(self, folder: Path, name: str, source: str) -> None:
        """Rows without children make the totals, and nested models those of their rows."""
        built, found = _answers(folder, name, source)
        leaves = [row for row in found["bound"] if not row["children"]]
        assert sum(row["params"] for row in leaves) == found["params"] == built["params"]
        assert sum(row["float_ops"] for row in leaves) == found["float_ops"]
        for row in found["bound"]:
            if row["children"]:
                inner = [r for r in found["bound"] if r["parent"] == row["name"]]
                assert [r["name"] for r in inner] == row["children"]
                assert sum(r["float_ops"] for r in inner) == row["float_ops"]
                assert sum(r["macs"] for r in inner) == row["macs"]
                assert sum(r["params"] for r in inner) == row["params"]
        if "op view" in found:
            assert found["op view"] == found["float_ops"], found["messages"]
            shown = "per_example" if found["op view is per example"] else "unbound"
            assert found["op view, unbound"] == found[shown]
            assert found["op view is per example"] == (found["symbols"] == ["B"])

    def test_work_is_the_same_everywhere(self, folder: Path, name: str, source: str) -> None:
        """A layer costs in each form what it costs in memory, if all sizes are the same."""
        built, found = _answers(folder, name, source)
        memory = [row for row in built["memory"]["bound"] if row["name"] != OUTSIDE]
        rows = [row for row in found["bound"] if row["name"] != OUTSIDE]
        if ("B" in found["symbols"]) != ("B" in built["memory"]["symbols"]):
            pytest.skip("one of them is for the batch size of the first call")
        if source == "export" and built["augmented"]:
            pytest.skip("the export augments its inputs")
        if source in ("export", "save"):
            in_graph = [row["in_graph"] for row in built["expected"]]
            memory = [row for row, kept in zip(memory, in_graph, strict=True) if kept]
        for row, wanted in zip(rows, memory, strict=True):
            assert row["float_ops"] == wanted["float_ops"], row
