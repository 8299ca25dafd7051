"""Which variables are parameters, and which of them are trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format

from tfprof.flops.model_cost import cost
from tfprof.flops.optimizer_slots import with_slots
from tfprof.flops.variables import Variable, variables_of_meta_graph
from tfprof.protos.graph_pb2 import DataType
from tfprof.protos.saved_model_pb2 import MetaGraphDef, SavedModel, SavedObjectGraph

BACKBONE, HEAD, SEED = "backbone/kernel", "head/kernel", "dropout/seed_generator_state"


class Objects:
    """An object graph under construction."""

    def __init__(self) -> None:
        self.meta = MetaGraphDef()
        self.graph: SavedObjectGraph = self.meta.object_graph_def
        self.graph.nodes.add().user_object.identifier = "_generic_user_object"

    def variable(self, name: str, *shape: int, trainable: bool = True) -> int:
        saved = self.graph.nodes.add().variable
        saved.name, saved.trainable, saved.dtype = name, trainable, DataType.DT_FLOAT
        for size in shape:
            saved.shape.dim.add(size=size)
        return len(self.graph.nodes) - 1

    def object(self, children: Mapping[str, int]) -> int:
        self.graph.nodes.add().user_object.identifier = "_generic_user_object"
        index = len(self.graph.nodes) - 1
        self.attach(index, children)
        return index

    def list(self, members: Sequence[int]) -> int:
        return self.object({str(i): member for i, member in enumerate(members)})

    def attach(self, owner: int, children: Mapping[str, int]) -> None:
        for name, child in children.items():
            self.graph.nodes[owner].children.add(local_name=name, node_id=child)

    def totals(self) -> tuple[int, int]:
        """All parameters and the trained ones."""
        found = [v for v in with_slots(variables_of_meta_graph(self.meta)) if v.role == "parameter"]
        return sum(v.size() for v in found), sum(v.size() for v in found if v.trainable)


def test_keras_2_lists_all_and_the_trained() -> None:
    objects = Objects()
    frozen, trained = objects.variable(BACKBONE, 100), objects.variable(HEAD, 7)
    moving = objects.variable("bn/moving_mean", 5, trainable=False)
    objects.attach(
        0,
        {
            "variables": objects.list([frozen, moving, trained]),
            "trainable_variables": objects.list([trained]),
        },
    )
    assert objects.totals() == (112, 7)


def test_keras_3_exports_keep_copies() -> None:
    objects = Objects()
    listed = [objects.variable(BACKBONE, 100), objects.variable(HEAD, 7), objects.variable(SEED, 2)]
    copies = [objects.variable(HEAD, 7), objects.variable(BACKBONE, 100)]
    objects.attach(
        0,
        {
            "variables": objects.list(listed),
            "trainable_variables": objects.list([listed[1]]),
            "non_trainable_variables": objects.list([listed[0], listed[2]]),
            "_all_variables": objects.list(copies),
        },
    )
    assert objects.totals() == (107, 7)


def test_a_model_that_is_frozen_as_a_whole() -> None:
    objects = Objects()
    listed = objects.list([objects.variable(HEAD, 7)])
    objects.attach(0, {"variables": listed, "trainable_variables": objects.list([])})
    assert objects.totals() == (7, 0)


def test_an_archive_that_tracks_nothing_has_empty_lists() -> None:
    objects = Objects()
    used = objects.list([objects.variable(HEAD, 7), objects.variable("fixed", 3, trainable=False)])
    empty = {"variables": objects.list([]), "trainable_variables": objects.list([])}
    objects.attach(0, {**empty, "_all_variables": used})
    assert objects.totals() == (10, 7)


def test_a_compiled_model_trains_what_its_optimizer_lists() -> None:
    objects = Objects()
    frozen, trained = objects.variable(BACKBONE, 100), objects.variable(HEAD, 7)
    slot = objects.variable("adam/head_kernel_momentum", 7, trainable=False)
    optimizer = objects.object(
        {"_variables": objects.list([slot]), "_trainable_variables": objects.list([trained])}
    )
    layers = objects.list([objects.object({"k": frozen}), objects.object({"k": trained})])
    objects.attach(0, {"_layers": layers, "optimizer": optimizer})
    assert objects.totals() == (107, 7)


@pytest.mark.parametrize("reference", [-1, 999])
def test_references_to_nothing_are_left_out(reference: int) -> None:
    objects = Objects()
    listed = objects.list([objects.variable(HEAD, 7), reference])
    objects.attach(0, {"variables": listed, "optimizer": reference, "trainable_variables": listed})
    assert objects.totals() == (7, 7)


@pytest.mark.parametrize(
    "name",
    [
        "training/Adam/dense/kernel/m",
        "training/Adam/Variable_3",
        "training_1/RMSprop/dense/kernel/rms",
        "training/Adam/learning_rate",
        "Adam/beta_1",
        "SGD_1/iterations",
    ],
)
def test_slots_of_keras_on_tensorflow_1(name: str) -> None:
    """They may be in the collection of trainable variables."""
    kernel = Variable("dense/kernel", (4, 3), trainable=True)
    for trainable in (True, False):
        found = with_slots([kernel, Variable(name, (4, 3), trainable=trainable)])
        assert [variable.role for variable in found] == ["parameter", "slot"]
        assert [variable.trainable for variable in found] == [True, False]


@pytest.mark.parametrize("name", ["training/kernel", "Adam/kernel", "adams/training/SGD/kernel"])
def test_layers_may_be_called_like_an_optimizer(name: str) -> None:
    (found,) = with_slots([Variable(name, (4, 3), trainable=True)])
    assert found.role == "parameter"


def test_a_saved_model_may_be_text(tf: Any, tmp_path: Path) -> None:
    module = tf.Module()
    module.w = tf.Variable(tf.ones([4, 3]), name="w")
    call = tf.function(lambda x: x @ module.w, input_signature=[tf.TensorSpec([None, 4])])
    tf.saved_model.save(module, str(tmp_path), signatures=call)
    file = tmp_path / "saved_model.pb"
    message = SavedModel.FromString(file.read_bytes())
    file.with_suffix(".pbtxt").write_text(text_format.MessageToString(message))
    file.unlink()
    for source in (tmp_path, file.with_suffix(".pbtxt")):
        result = cost(source, bind={"B": 1})
        assert (result.params, result.float_ops) == (12, 24)


def test_frozen_functions_count_their_constants(tf: Any) -> None:
    from tensorflow.python.framework.convert_to_constants import (
        convert_variables_to_constants_v2 as freeze,
    )

    weight = tf.Variable(tf.ones([4, 3]))
    scale = tf.constant([1.0, 2.0, 3.0])
    function = tf.function(lambda x: x @ weight * scale)
    concrete = function.get_concrete_function(tf.TensorSpec([None, 4]))
    frozen = freeze(concrete)
    for source in (frozen, frozen.graph, frozen.graph.as_graph_def()):
        assert cost(source).params == 15
    assert cost(concrete).params == 12
    # The body of a function does not say how large the variables are that it is given.
    assert cost(concrete.graph).params == cost(concrete.graph.as_graph_def()).params == 0
