"""Seeds from tests/data: graphs of every kind of op, Keras models, captures, checkpoints."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path

from tests.loaders.xplane.traces import made
from tests.robustness.hostile_graphs import GraphMaker
from tfprof import demo
from tfprof.flops.rules import RULES
from tfprof.flops.shapes import SHAPE_RULES
from tfprof.loaders.checkpoint.table import open_table
from tfprof.protos.graph_pb2 import GraphDef, NodeDef

__all__ = [
    "capture_facts",
    "captures",
    "handle_graph",
    "object_checkpoint",
    "op_graphs",
    "rule_graphs",
    "saved_model_files",
    "state_files",
    "traces",
]

_DATA = Path(__file__).parents[1] / "tests" / "data"
_HANDLE_OPS = (
    *(("TensorListReserve", "c2_3 c2_3"), ("TensorListSetItem", "TensorListReserve c1 f3")),
    *(("TensorListGetItem", "TensorListSetItem c1 c2_3"), ("TensorListFromTensor", "f3 c2_3")),
    *(("TensorListStack", "TensorListFromTensor c2_3"), ("TensorListLength", "TensorListSetItem")),
    *(("TensorListGather", "TensorListFromTensor f1 c2_3"), ("EmptyTensorList", "c2_3 c1")),
    *(("TensorListConcatV2", "TensorListFromTensor c2_3 f1"), ("AddN", "TensorListFromTensor")),
    *(("TensorListPushBack", "EmptyTensorList f3"), ("TensorListPopBack", "TensorListPushBack c1")),
    *(("TensorListScatterV2", "f3 f1 c2_3 c2"), ("TensorListElementShape", "TensorListSetItem")),
    *(("TensorListResize", "TensorListFromTensor c2_3"), ("TensorArrayV3", "c2_3")),
    *(("TensorArrayWriteV3", "TensorArrayV3 c1 f3 TensorArrayV3:1"), ("StackV2", "c1")),
    ("TensorArrayScatterV3", "TensorArrayV3 f1 f3 TensorArrayWriteV3"),
    ("TensorArrayReadV3", "TensorArrayV3 c1 TensorArrayScatterV3"),
    ("TensorArrayGatherV3", "TensorArrayV3 f1 TensorArrayScatterV3"),
    ("TensorArraySizeV3", "TensorArrayV3 TensorArrayScatterV3"),
    ("TensorArrayGradV3", "TensorArrayV3 TensorArrayScatterV3"),
    *(("StackPushV2", "StackV2 f3"), ("StackPopV2", "StackV2"), ("Relu", "StackPopV2")),
    *(("OptionalFromValue", "f3"), ("OptionalGetValue", "OptionalFromValue")),
    *(("ResourceGatherNd", "variable f2"), ("ResourceGather", "variable f1")),
    *(("BroadcastArgs", "c2_3 c0_1_2_3"), ("BroadcastGradientArgs", "c2_3 c0_1_2_3")),
    *(("CudnnRNNV3", "f3 f3 f3 f1 f1"), ("CudnnRNNV2", "f3 f3 f3 f1"), ("Mul", "f3 f3")),
)
"""Op types and their inputs: nodes before them, or sources."""
_SMALL = 12
"""How many ops a small graph has, besides their inputs."""


@cache
def op_graphs() -> list[bytes]:
    """Small graphs that together have every op with a rule for its shape or its work."""
    graphs = []
    for path in sorted((_DATA / "samples" / "ops").iterdir()):
        whole = GraphDef.FromString(path.read_bytes())
        by_name = {node.name: node for node in whole.node}
        used = {_node_of(name) for node in whole.node for name in node.input}
        last = [node.name for node in whole.node if node.name not in used]
        for first in range(0, len(last), _SMALL):
            part = GraphDef(node=_with_inputs(last[first : first + _SMALL], by_name))
            graphs.append(part.SerializeToString(deterministic=True))
    return graphs


@cache
def rule_graphs() -> list[bytes]:
    """For each op type with a rule some nodes with any inputs and attributes: most are wrong."""
    graphs = []
    for op in sorted({*SHAPE_RULES, *RULES}):
        dice, maker = random.Random(op), _sources()
        names = [node.name for node in maker.graph.node]
        for i in range(_SMALL):
            node = maker.graph.node.add(name=f"n{i}", op=op)
            node.input.extend(dice.choices(names, k=dice.choice((0, 1, 1, 2, 2, 3, 4, 6))))
            _add_attributes(node, dice)
            names.append(node.name)
        graphs.append(maker.graph.SerializeToString(deterministic=True))
    return graphs


@cache
def handle_graph() -> bytes:
    """Lists, arrays, stacks and variables, as loops use them; recurrent layers and products."""
    maker = _sources()
    for op, inputs in _HANDLE_OPS:
        node = maker.add(op, op, *inputs.split(), T=1, dtype=1)
        node.attr["element_dtype"].type = 1
        node.attr["element_shape"].shape.dim.add(size=4)
        node.attr["rnn_mode"].s = b"lstm"
    for i, equation in enumerate((b"abc,abd->acd", b"abc->ca", b"abc,abc->ab", b"abc,abc->abc")):
        inputs = ["f3"] * (equation.count(b",") + 1)
        maker.add(f"einsum{i}", "Einsum", *inputs, T=1, N=len(inputs), equation=equation)
    graph: bytes = maker.graph.SerializeToString(deterministic=True)
    return graph


def _sources() -> GraphMaker:
    """Tensors of any kind: numbers, sizes, flags, handles and lists."""
    maker = GraphMaker()
    for rank, shape in enumerate(((), (3,), (-1, 4), (2, 3, 4), (-1, 8, 8, 3), (1, 4, 4, 4, 2))):
        maker.add(f"f{rank}", "Placeholder", dtype=1, shape=shape)
    maker.add("flag", "Placeholder", dtype=10, shape=(4,))
    for values in ([0], [1], [2, 3], [-1, 2, 2], [0, 1, 2, 3], [-1]):
        maker.constant("c" + "_".join(map(str, values)), values, rank=len(values) > 1)
    maker.size("f2", 0)
    maker.add("variable", "VarHandleOp", dtype=1, shape=(4, 5))
    maker.add("list", "TensorListReserve", "c2_3", "c1", T=1)
    maker.add("array", "TensorArrayV3", "c1", dtype=1, shape=(4,))
    return maker


def _add_attributes(node: NodeDef, dice: random.Random) -> None:
    for name in ("T", "dtype", "Tidx", "out_type", "DstT", "SrcT", "element_dtype"):
        node.attr[name].type = dice.choice((1, 1, 3, 9, 10))
    for name in ("N", "axis", "num_split", "num", "begin_mask", "shrink_axis_mask", "block_size"):
        if dice.random() < 0.5:
            node.attr[name].i = dice.choice((1, 1, 2, 3, 0, -1))
    for name in ("keep_dims", "transpose_a", "transpose_b", "adj_x", "exclusive"):
        node.attr[name].b = dice.random() < 0.5
    for name in ("strides", "ksize", "dilations"):
        node.attr[name].list.i.extend(dice.choice(((1, 1, 1, 1), (1, 2, 2, 1), (1, 2), ())))
    node.attr["padding"].s = dice.choice((b"SAME", b"VALID", b"EXPLICIT", b"x"))
    node.attr["data_format"].s = dice.choice((b"NHWC", b"NCHW", b"NDHWC", b""))
    node.attr["equation"].s = dice.choice((b"ab,bc->ac", b"...a,a->...", b"ii->i", b"->"))
    node.attr["shape"].shape.dim.add(size=dice.choice((4, -1, 0)))


def _with_inputs(names: list[str], by_name: dict[str, object]) -> list[object]:
    """Nodes and all that they need, in the order of the graph."""
    needed, pending = set(names), list(names)
    while pending:
        inputs = {_node_of(name) for name in by_name[pending.pop()].input} - needed  # type: ignore[attr-defined]
        needed |= inputs
        pending += sorted(inputs)
    return [node for name, node in by_name.items() if name in needed]


def _node_of(name: str) -> str:
    return name.removeprefix("^").partition(":")[0]


@cache
def saved_model_files() -> list[dict[str, bytes]]:
    """SavedModels of Keras 2 and 3, each as its files."""
    folders = [*_DATA.glob("keras_2*/*"), *(_DATA / "samples" / "models").iterdir()]
    return [_files(folder) for folder in sorted(folders)]


@cache
def captures() -> list[dict[str, bytes]]:
    """Captures of programs: small ones and the demo's, each as its files."""
    small = sorted((_DATA / "samples" / "captures").iterdir())
    return [_files(folder) for folder in (*small, demo.paths("keras")["profile"])]


def _files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    kept = [path for path in paths if path.name not in ("expected.json", "fingerprint.pb")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in kept}


@cache
def traces() -> list[bytes]:
    """XPlane traces: made by hand, with an accelerator, of real and of compiled programs."""
    maker = made()
    python = maker.plane.lines[0]
    maker.event(python, "EagerLocalExecute: MatMul", 300, 340)
    maker.event(python, "EagerKernelExecute", 310, 330)
    maker.event(python, "train", 0, 400, step_num=4)
    device = maker.space.planes.add(name="/device:GPU:0")
    device.CopyFrom(maker.plane)
    device.name = "/device:GPU:0"
    recorded = sorted([*_DATA.glob("jax/*.xplane.pb"), *_DATA.glob("traces/*.xplane.pb")])
    by_hand = [maker.space for maker in (made(), maker)]
    return [
        *(space.SerializeToString(deterministic=True) for space in by_hand),
        *(path.read_bytes() for path in recorded),
    ]


@cache
def capture_facts() -> list[bytes]:
    """What a capture says of its folder."""
    notes = [[], ["functions that were gone when the trace stopped: __inference_train_12"]]
    facts = [{"steps": [3], "notes": texts, "level": 3, "versions": {}} for texts in notes]
    return [json.dumps(about, indent=1).encode() for about in facts]


@cache
def object_checkpoint() -> tuple[list[tuple[bytes, bytes]], bytes]:
    """The rows of the index of an object-based checkpoint, and its data."""
    prefix = _DATA / "samples" / "checkpoint" / "model-1"
    rows = list(open_table(prefix.with_name("model-1.index")).items())
    return rows, prefix.with_name("model-1.data-00000-of-00001").read_bytes()


@cache
def state_files() -> list[bytes]:
    """What a folder of checkpoints says of the latest."""
    return [
        b'model_checkpoint_path: "model"\nall_model_checkpoint_paths: "model"\n',
        b'model_checkpoint_path: "./m\\157del"\n',
    ]
