"""The variables of a model: which are parameters, which are trained, which are optimizer slots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from tfprof.flops.tensors import Dims, dims_of, elements, is_float, read_constant
from tfprof.protos.graph_pb2 import GraphDef, NodeDef
from tfprof.protos.saved_model_pb2 import MetaGraphDef, SavedObject, SavedObjectGraph


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of a model."""

    name: str
    shape: tuple[int, ...] | None
    trainable: bool
    role: str = "parameter"
    """`parameter`, `slot` of an optimizer, or `state` (random seeds, counters)."""

    def size(self) -> int:
        """Number of elements; 0 if the shape is not known."""
        return 0 if self.shape is None else prod(self.shape)


SEED = "seed_generator_state"
_KERAS_3 = {"_default_save_signature", "_inbound_nodes", "_losses_override"}
"""Attributes that only models of Keras 3 have."""


def variables_of_meta_graph(meta: MetaGraphDef) -> list[Variable]:
    """Variables of a SavedModel: from its object graph, else from its graph and collections."""
    variables = variables_of_objects(meta.object_graph_def)
    if variables:
        return list(variables.values())
    collected = meta.collection_def.get("trainable_variables") if meta.collection_def else None
    trained = None if collected is None else {_name(v) for v in collected.bytes_list.value}
    return variables_of_graph(meta.graph_def, trained)


def variables_of_objects(objects: SavedObjectGraph) -> dict[int, Variable]:
    """Variables by the position of their object, in the order of the model's list if it has one.

    Keras keeps copies of its variables beside them; then its lists say which are the model's.
    """
    listed = listed_objects(objects, "variables")
    trained = listed_objects(objects, "trainable_variables")
    if trained is None or not (listed or trained):
        # What a compiled Keras model trains; an empty list says nothing.
        trained = listed_objects(objects, "optimizer", "_trainable_variables") or None
    trained_objects = None if trained is None else set(trained)
    keras = bool(listed) or is_keras_3(objects)
    slots = {
        slot.slot_variable_node_id for node in objects.nodes for slot in node.slot_variables
    } | _below(objects, "optimizer")
    variables: dict[int, Variable] = {}
    for index in listed or range(len(objects.nodes)):
        node = objects.nodes[index]
        if node.HasField("variable"):
            is_listed = trained_objects is not None and index in trained_objects
            trainable = node.variable.trainable if trained_objects is None else is_listed
            variables[index] = _of_object(
                node, trainable=trainable, slot=index in slots, keras=keras
            )
    return variables


def listed_objects(objects: SavedObjectGraph, *path: str) -> list[int] | None:
    """The members of the list that attributes of the root lead to, each once; None without it."""
    index = 0
    for name in path:
        children = child_objects(objects, index)
        if name not in children:
            return None
        index = children[name]
    return list(dict.fromkeys(child_objects(objects, index).values()))


def child_objects(objects: SavedObjectGraph, index: int) -> dict[str, int]:
    """The children of an object by name; references to objects that are not there are left out."""
    count = len(objects.nodes)
    children = objects.nodes[index].children if index < count else ()
    return {child.local_name: child.node_id for child in children if 0 <= child.node_id < count}


def is_keras_3(objects: SavedObjectGraph) -> bool:
    """Whether the root is a Keras 3 model that `tf.saved_model.save` saved."""
    return child_objects(objects, 0).keys() >= _KERAS_3


def _of_object(node: SavedObject, *, trainable: bool, slot: bool, keras: bool) -> Variable:
    """An integer variable is a counter, unless it is a weight of a Keras layer."""
    saved = node.variable
    state = saved.name.endswith(SEED) or not (keras or is_float(saved.dtype))
    role = "slot" if slot else "state" if state else "parameter"
    return Variable(saved.name, _fixed(dims_of(saved.shape)), trainable, role)


def _below(objects: SavedObjectGraph, name: str) -> set[int]:
    """Objects that belong to the root's child of a name."""
    root = child_objects(objects, 0)
    pending = [root[name]] if name in root else []
    visited: set[int] = set()
    while pending:
        index = pending.pop()
        if index not in visited:
            visited.add(index)
            # An optimizer refers to the model's variables, and owns only its own.
            pending += [
                child
                for local_name, child in child_objects(objects, index).items()
                if not local_name.startswith("_trainable")
            ]
    return visited


def variables_of_graph(graph: GraphDef, trained: set[str] | None = None) -> list[Variable]:
    """Variables of a graph, one for each shared name.

    `trained` are the names of the trainable ones; without it every variable counts as trainable.
    """
    variables: dict[str, Variable] = {}
    for node in _nodes(graph):
        if node.op not in ("VarHandleOp", "VariableV2", "Variable"):
            continue
        name = handle_name(node)
        shape = _fixed(dims_of(node.attr["shape"].shape))
        known = trained is None or name in trained or node.name in trained
        role = "parameter" if is_float(node.attr["dtype"].type) else "state"
        variables.setdefault(name, Variable(name, shape, known and role == "parameter", role))
    return list(variables.values())


def handle_name(node: NodeDef) -> str:
    """The name of the variable that a node is the handle of; several nodes may be of one."""
    shared = node.attr["shared_name"].s if "shared_name" in node.attr else b""
    return shared.decode("utf-8", "replace") or node.name


def _nodes(graph: GraphDef) -> Iterator[NodeDef]:
    yield from graph.node
    for function in graph.library.function:
        yield from function.node_def


def count_constants(graph: GraphDef) -> int:
    """Elements of the floating-point constants of a frozen graph, which were its parameters."""
    return sum(map(constant_size, _nodes(graph)))


def constant_size(node: NodeDef) -> int:
    """Elements of a floating-point constant; 0 for scalars and other nodes."""
    if node.op != "Const" or "dtype" not in node.attr or "value" not in node.attr:
        return 0
    if not is_float(node.attr["dtype"].type):
        return 0
    tensor = node.attr["value"].tensor
    size = elements(read_constant(tensor).shape) if tensor.tensor_shape.dim else 0
    return size if isinstance(size, int) else 0


def _fixed(shape: Dims | None) -> tuple[int, ...] | None:
    if shape is None:
        return None
    sizes = tuple(size for size in shape if isinstance(size, int))
    return sizes if len(sizes) == len(shape) else None


def _name(definition: bytes) -> str:
    """The name (field 1) of a serialized VariableDef, without its output number."""
    if definition[:1] != b"\x0a":
        return ""
    length, shift, start = 0, 0, 1
    for byte in definition[1:6]:
        length |= (byte & 0x7F) << shift
        shift, start = shift + 7, start + 1
        if byte < 0x80:
            break
    return definition[start : start + length].decode("utf-8", "replace").partition(":")[0]
