"""The variables of a model: which are parameters, which are trained, which are optimizer slots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

from tfprof.flops.tensors import Dims, constant, dims_of, elements, is_float
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


# Lists by which Keras models and exports name their variables.
_LISTS = ("trainable_variables", "non_trainable_variables")
SEED = "seed_generator_state"


def of_meta_graph(meta: MetaGraphDef) -> list[Variable]:
    """Variables of a SavedModel: from its object graph, else from its graph and collections."""
    objects = meta.object_graph_def
    if any(node.HasField("variable") for node in objects.nodes):
        return list(_of_objects(objects))
    collected = meta.collection_def.get("trainable_variables") if meta.collection_def else None
    trained = None if collected is None else {_name(v) for v in collected.bytes_list.value}
    return of_graph(meta.graph_def, trained)


def _of_objects(objects: SavedObjectGraph) -> Iterator[Variable]:
    """Each variable object once.

    Keras keeps copies of its variables beside them; then its lists say which are the model's.
    """
    slots = {
        slot.slot_variable_node_id for node in objects.nodes for slot in node.slot_variables
    } | _below(objects, "optimizer")
    children = {child.local_name: child.node_id for child in objects.nodes[0].children}
    listed = [children[name] for name in _LISTS if name in children]
    indices: Iterable[int] = range(len(objects.nodes))
    if listed:
        members = (child.node_id for i in listed for child in objects.nodes[i].children)
        indices = dict.fromkeys(members)
    for index in indices:
        node = objects.nodes[index]
        if node.HasField("variable"):
            yield _of_object(node, slot=index in slots, listed=bool(listed))


def _of_object(node: SavedObject, *, slot: bool, listed: bool) -> Variable:
    """An integer variable is a counter, unless Keras lists it among a layer's weights."""
    saved = node.variable
    state = saved.name.endswith(SEED) or not (listed or is_float(saved.dtype))
    role = "slot" if slot else "state" if state else "parameter"
    return Variable(saved.name, _fixed(dims_of(saved.shape)), saved.trainable, role)


def _below(objects: SavedObjectGraph, name: str) -> set[int]:
    """Objects that belong to the root's child of a name."""
    pending = [child.node_id for child in objects.nodes[0].children if child.local_name == name]
    visited: set[int] = set()
    while pending:
        index = pending.pop()
        if index not in visited:
            visited.add(index)
            # An optimizer refers to the model's variables, and owns only its own.
            pending += [
                child.node_id
                for child in objects.nodes[index].children
                if not child.local_name.startswith("_trainable")
            ]
    return visited


def of_graph(graph: GraphDef, trained: set[str] | None = None) -> list[Variable]:
    """Variables of a graph, one for each shared name.

    `trained` are the names of the trainable ones; without it every variable counts as trainable.
    """
    variables: dict[str, Variable] = {}
    for node in _nodes(graph):
        if node.op not in ("VarHandleOp", "VariableV2", "Variable"):
            continue
        name = node.attr["shared_name"].s.decode("utf-8", "replace") or node.name
        shape = _fixed(dims_of(node.attr["shape"].shape))
        known = trained is None or name in trained or node.name in trained
        role = "parameter" if is_float(node.attr["dtype"].type) else "state"
        variables.setdefault(name, Variable(name, shape, known and role == "parameter", role))
    return list(variables.values())


def _nodes(graph: GraphDef) -> Iterator[NodeDef]:
    yield from graph.node
    for function in graph.library.function:
        yield from function.node_def


def of_constants(graph: GraphDef) -> int:
    """Elements of the floating-point constants of a frozen graph, which were its parameters."""
    total = 0
    for node in _nodes(graph):
        if node.op == "Const" and is_float(node.attr["dtype"].type):
            size = elements(constant(node.attr["value"].tensor).shape)
            if isinstance(size, int) and node.attr["value"].tensor.tensor_shape.dim:
                total += size
    return total


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
