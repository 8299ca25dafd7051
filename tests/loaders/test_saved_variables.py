"""Variables whose shape the graph does not tell: the index of the saved ones does, or nobody."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import tensorflow as tf

import tfprof
from tfprof.protos.graph_pb2 import DataType
from tfprof.protos.saved_model_pb2 import SavedModel

v1 = tf.compat.v1
INDEX = Path("variables", "variables.index")
UNKNOWN = "not among the parameters, as their shapes are not known: "


class Loose(tf.Module):
    """Variables that may be of any size."""

    def __init__(self) -> None:
        self.w = tf.Variable(tf.ones([8, 4]), shape=tf.TensorShape(None), name="w")
        self.v = tf.Variable(tf.ones([4, 5]), shape=tf.TensorShape([None, 5]), name="v")
        self.n = tf.Variable(tf.ones([], tf.int64), shape=tf.TensorShape(None), name="n")

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, 8])])
    def call(self, x: tf.Tensor) -> tf.Tensor:
        return tf.matmul(tf.matmul(x, self.w), self.v)


def _loose(folder: str) -> None:
    module = Loose()
    tf.saved_model.save(module, folder, signatures=module.call)


def _first_kind(folder: str) -> None:
    """The same with variables of TensorFlow 1."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 8], "x")
        start = {"w": tf.ones([8, 4]), "v": tf.ones([4, 5])}
        w, v = (
            v1.get_variable(
                name,
                initializer=v1.placeholder_with_default(value, None),
                validate_shape=False,
                use_resource=name == "w",
            )
            for name, value in start.items()
        )
        y = x @ w @ v
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, folder, {"x": x}, {"y": y})


@pytest.fixture(scope="module", params=[_loose, _first_kind])
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved") / "model"
    request.param(str(folder))
    return folder


@pytest.fixture
def model(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "model"))


def test_shapes_are_those_of_the_saved_values(model: Path) -> None:
    cost = tfprof.cost(model)
    assert cost.params == cost.trainable_params == 8 * 4 + 4 * 5
    assert cost.bind(B=1).contraction_float_ops == 2 * (8 * 4 + 4 * 5)
    assert cost.ledger.complete
    assert any(note.startswith("shapes are those of the saved") for note in cost.ledger.notes)


def test_views_have_them_too(model: Path) -> None:
    kinds = ["VarHandleOp", "VariableV2"]
    report = tfprof.load(model).report("scope", select=["params"], account_type_regexes=kinds)
    assert report.rows[0].total["parameters"] == 8 * 4 + 4 * 5


def test_without_an_index_they_are_unknown(model: Path) -> None:
    (model / INDEX).unlink()
    _check_unknown(tfprof.cost(model))


@pytest.mark.parametrize("how", ["empty", "cut", "changed", "text", "no data"])
def test_a_corrupt_index_is_ignored(model: Path, how: str) -> None:
    data = (model / INDEX).read_bytes()
    broken = {"empty": b"", "cut": data[:-20], "changed": b"\0\1" + data[2:], "text": b"hello"}
    if how in broken:
        (model / INDEX).write_bytes(broken[how])
    else:
        (model / INDEX).with_name("variables.data-00000-of-00001").unlink()
        if not _has_objects(model):
            return  # the index alone has the names
    cost = tfprof.cost(model)
    assert any("the saved variables cannot be read" in note for note in cost.ledger.notes)
    assert all("\n" not in note for note in cost.ledger.notes)
    _check_unknown(cost)


def _has_objects(model: Path) -> bool:
    message = SavedModel.FromString((model / "saved_model.pb").read_bytes())
    return bool(message.meta_graphs[0].object_graph_def.nodes)


def _check_unknown(cost: tfprof.Cost) -> None:
    assert cost.params == 0
    assert {f"{UNKNOWN}w, v", f"{UNKNOWN}v, w"} & set(cost.ledger.notes)
    assert not cost.ledger.complete


def test_a_type_that_is_missing_is_that_of_the_saved_value(saved: Path, model: Path) -> None:
    message = SavedModel.FromString((model / "saved_model.pb").read_bytes())
    for node in message.meta_graphs[0].object_graph_def.nodes:
        node.variable.dtype = DataType.DT_INVALID if node.HasField("variable") else 0
        if not node.variable.name:
            node.ClearField("variable")
    (model / "saved_model.pb").write_bytes(message.SerializeToString())
    assert tfprof.cost(model).params == tfprof.cost(saved).params


def test_the_graph_goes_before_an_index_of_another_model(model: Path, tmp_path: Path) -> None:
    class Other(tf.Module):
        def __init__(self) -> None:
            self.w = tf.Variable(tf.ones([8, 4]), name="w")
            self.v = tf.Variable(tf.ones([4, 6]), name="v")

    tf.saved_model.save(Other(), str(tmp_path / "other"))
    shutil.rmtree(model / "variables")
    shutil.copytree(tmp_path / "other" / "variables", model / "variables")
    cost = tfprof.cost(model)
    if not _has_objects(model):
        assert cost.params == 8 * 4 + 4 * 6  # of `v` the graph knows nothing
        return
    assert cost.params == 8 * 4
    assert f"{UNKNOWN}v" in cost.ledger.notes
    assert any(note.endswith("than the graph, which counts: v") for note in cost.ledger.notes)
