"""SavedModels of Keras 2: layers by metadata, parameters by lists.

The files are from `tools/keras_2_models.py`: those in `keras_2` by Keras 2.15, those in `keras_2_9`
by Keras 2.9. Before TensorFlow 2.5 the metadata was in the object graph.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import tfprof
from tests.cli.conftest import call
from tfprof.errors import LoadError
from tfprof.protos.keras_metadata_pb2 import KerasMetadata
from tfprof.protos.saved_model_pb2 import SavedModel

DATA = Path(__file__).resolve().parents[2] / "data"
MODELS = sorted(f"{path.parent.name}/{path.name}" for path in DATA.glob("keras_2*/*"))


def _as_it_is(path: Path) -> None:
    """TensorFlow 2.15 and Keras 2.9."""


def _before_2_5(path: Path) -> None:
    """TensorFlow 2.4: each object has its metadata."""
    file = path / "keras_metadata.pb"
    stored = KerasMetadata.FromString(file.read_bytes())
    file.unlink()
    _change(path, lambda objects: [
        setattr(objects.nodes[node.node_id].user_object, "metadata", node.metadata)
        for node in stored.nodes
    ])  # fmt: skip


def _without_lists_of_layers(path: Path) -> None:
    """Only attributes such as `layer-0`."""

    def change(objects: Any) -> None:
        for node in objects.nodes:
            kept = [child for child in node.children if child.local_name != "layers"]
            del node.children[:]
            node.children.extend(kept)

    _change(path, change)


def _change(path: Path, change: Any) -> None:
    model = SavedModel.FromString((path / "saved_model.pb").read_bytes())
    change(model.meta_graphs[0].object_graph_def)
    (path / "saved_model.pb").write_bytes(model.SerializeToString())


@pytest.fixture
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copytree(DATA / request.param, tmp_path / "model"))


def _expected(model: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((model / "expected.json").read_text())
    return loaded


def _shape(text: str) -> list[int | None]:
    return [None if size == "None" else int(size) for size in re.findall(r"None|\d+", text)]


@pytest.mark.parametrize("model", MODELS, indirect=True)
@pytest.mark.parametrize("form", [_as_it_is, _before_2_5])
def test_rows_are_those_of_keras(model: Path, form: Any) -> None:
    form(model)
    expected = _expected(model)
    table = tfprof.model(model)
    rows = [row for row in table.layers if row.name != "(outside layers)"]
    assert [(r.name, r.type, r.parent, r.params, r.trainable_params) for r in rows] == [
        (r["name"], r["type"], r["parent"], r["params"], r["trainable_params"])
        for r in expected["layers"]
    ]
    for row, wanted in zip(rows, expected["layers"], strict=True):
        if wanted["output"] is not None:
            assert _shape(row.output) == wanted["output"], row
    leaves = [row for row in table.layers if not row.children]
    assert sum(row.params for row in leaves) == table.cost.params
    assert sum(row.float_ops for row in leaves) == table.cost.bind(B=1).float_ops


@pytest.mark.parametrize("model", MODELS, indirect=True)
@pytest.mark.parametrize("form", [_as_it_is, _before_2_5])
def test_parameters(model: Path, form: Any) -> None:
    form(model)
    expected, cost = _expected(model), tfprof.cost(model)
    totals = expected["params"], expected["trainable_params"]
    assert (cost.params, cost.trainable_params) == totals


@pytest.mark.parametrize("model", MODELS, indirect=True)
@pytest.mark.parametrize("form", [_as_it_is, _before_2_5])
@pytest.mark.parametrize("bind", [(), ("--bind", "B=32")])
def test_the_commands_agree(model: Path, form: Any, bind: tuple[str, ...]) -> None:
    """`op`, `cost` and `model` on float operations, for one example or a batch."""
    form(model)
    rows = json.loads(call(str(model), "op", "-select", "float_ops", "--json", *bind).out)
    cost = json.loads(call("cost", str(model), "--json", *bind).out)
    table = json.loads(call("model", str(model), "--json", *bind).out)
    total = sum(row["float_ops"] for row in table["layers"] if not row["children"])
    assert rows[0]["total_float_ops"] == total > 0
    assert cost["float_ops"] == table["float_ops"]
    if bind:
        assert cost["float_ops"] == total
    else:
        assert tfprof.cost(model).bind(B=1).float_ops == total


@pytest.mark.parametrize("model", ["keras_2/shared"], indirect=True)
def test_a_layer_that_is_called_twice(model: Path) -> None:
    calls = {row.name: row.calls for row in tfprof.model(model).layers}
    assert calls["dense"] == 2
    assert calls["lstm"] == 1


@pytest.mark.parametrize("model", ["keras_2/frozen_backbone", "keras_2/sequential"], indirect=True)
def test_numbered_layers(model: Path) -> None:
    names = [row.name for row in tfprof.model(model).layers]
    _without_lists_of_layers(model)
    assert [row.name for row in tfprof.model(model).layers] == names


@pytest.mark.parametrize("model", MODELS, indirect=True)
def test_without_metadata_scopes_are_layers(model: Path) -> None:
    """As after `tf.saved_model.save`."""
    whole = {row.name: row for row in tfprof.model(model).layers}
    (model / "keras_metadata.pb").unlink()
    table = tfprof.model(model)
    expected = _expected(model)
    assert table.cost.params == expected["params"]
    worked = [row for row in table.layers if row.float_ops and row.name != "(outside layers)"]
    assert worked
    for row in worked:
        assert (row.float_ops, row.params) == (whole[row.name].float_ops, whole[row.name].params)
    assert sum(row.float_ops for row in table.layers) == table.cost.bind(B=1).float_ops


@pytest.mark.parametrize("model", ["keras_2/sequential"], indirect=True)
@pytest.mark.parametrize("text", ["{", "[1]", '{"name": 3, "config": []}', "[" * 100_000])
def test_strange_metadata_is_not_used(model: Path, text: str) -> None:
    file = model / "keras_metadata.pb"
    stored = KerasMetadata.FromString(file.read_bytes())
    for node in stored.nodes:
        node.metadata = text
    file.write_bytes(stored.SerializeToString())
    assert tfprof.model(model).cost.params == _expected(model)["params"]


@pytest.mark.parametrize("model", ["keras_2/sequential"], indirect=True)
def test_damaged_metadata_is_named(model: Path) -> None:
    file = model / "keras_metadata.pb"
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(LoadError, match=r"keras_metadata.pb: not the metadata of Keras, or trunc"):
        tfprof.model(model)
