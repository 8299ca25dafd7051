"""Small graphs whose analysis once took minutes or gigabytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfprof.protos.graph_pb2 import DataType, GraphDef, NodeDef

__all__ = [
    "GraphMaker",
    "call_chain",
    "call_twice",
    "counting_loop",
    "embedding",
    "huge_tensor",
    "many_outputs",
    "nested_frames",
    "nested_quotients",
    "node_chain",
    "square_batch",
    "square_constant",
    "square_sum",
    "while_and_case",
]

_TYPES = {"dtype", "T", "out_type", "Tindices", "Tparams"}


class GraphMaker:
    """A graph, node by node."""

    def __init__(self) -> None:
        self.graph = GraphDef()

    def add(self, name: str, op: str, *inputs: str, **attrs: Any) -> NodeDef:
        """Add a node; attributes are shapes, types, numbers or bytes."""
        return set_attrs(self.graph.node.add(name=name, op=op, input=inputs), attrs)

    def constant(
        self, name: str, values: Sequence[int], *, dtype: int = DataType.DT_INT32, rank: int = 1
    ) -> str:
        """Add a constant of integers; of rank 0 it is a scalar."""
        tensor = self.add(name, "Const", dtype=dtype).attr["value"].tensor
        tensor.dtype = dtype
        if rank:
            tensor.tensor_shape.dim.add(size=len(values))
        field = tensor.int64_val if dtype == DataType.DT_INT64 else tensor.int_val
        field.extend(values)
        return name

    def size(self, source: str, axis: int) -> str:
        """Add the size of a tensor along an axis, as a scalar."""
        prefix = f"{source}_size{axis}"
        self.add(f"{prefix}_shape", "Shape", source, T=1, out_type=3)
        bounds = [self.constant(f"{prefix}_{i}", [axis + i]) for i in range(2)]
        self.constant(f"{prefix}_step", [1])
        inputs = (f"{prefix}_shape", *bounds, f"{prefix}_step")
        self.add(prefix, "StridedSlice", *inputs, T=3, shrink_axis_mask=1)
        return prefix

    def squares(self, source: str, times: int, dtype: int) -> str:
        """Multiply a tensor by itself, and the product again."""
        for i in range(times):
            source = self.add(f"square{i}", "Mul", source, source, T=dtype).name
        return source

    def fill(self, size: str) -> None:
        """Add a vector of this size, and arithmetic on it."""
        self.add("dims", "Pack", size, T=3, N=1)
        tensor = self.add("one", "Const", dtype=1).attr["value"].tensor
        tensor.dtype = DataType.DT_FLOAT
        tensor.float_val.append(1)
        self.add("fill", "Fill", "dims", "one", T=1)
        self.add("relu", "Relu", "fill", T=1)


def set_attrs(node: NodeDef, attrs: dict[str, Any]) -> NodeDef:
    """Set attributes of a node: shapes, types, numbers or bytes."""
    for key, value in attrs.items():
        if key in _TYPES:
            node.attr[key].type = value
        elif key == "shape":
            node.attr[key].shape.SetInParent()
            for size in value:
                node.attr[key].shape.dim.add(size=size)
        elif isinstance(value, bytes):
            node.attr[key].s = value
        else:
            node.attr[key].i = value
    return node


def embedding() -> GraphDef:
    """Parameters, but no float operations."""
    maker = GraphMaker()
    maker.add("table", "VarHandleOp", dtype=1, shape=(100, 8))
    maker.add("ids", "Placeholder", dtype=3, shape=(-1,))
    maker.add("gather", "ResourceGather", "table", "ids", dtype=1, Tindices=3)
    return maker.graph


def square_constant(times: int = 26) -> GraphDef:
    """3 squared again and again, which has 2^times digits if it is not cut to 64 bits."""
    maker = GraphMaker()
    maker.constant("three", [3], dtype=DataType.DT_INT64, rank=0)
    maker.squares("three", times, DataType.DT_INT64)
    return maker.graph


def square_batch(times: int = 45) -> GraphDef:
    """The batch size to the power of 2^times."""
    maker = GraphMaker()
    maker.add("x", "Placeholder", dtype=1, shape=(-1, 7))
    maker.fill(maker.squares(maker.size("x", 0), times, DataType.DT_INT32))
    return maker.graph


def square_sum(sizes: int = 30, times: int = 5) -> GraphDef:
    """A sum of unknown sizes to the power of 2^times."""
    maker = GraphMaker()
    total = ""
    for i in range(sizes):
        maker.add(f"x{i}", "Placeholder", dtype=1, shape=(-1, -1))
        size = maker.size(f"x{i}", 1)
        total = maker.add(f"sum{i}", "AddV2", total, size, T=3).name if total else size
    maker.fill(maker.squares(total, times, DataType.DT_INT32))
    return maker.graph


def nested_quotients(depth: int = 60) -> GraphDef:
    """The batch size divided by itself divided by itself, and so on."""
    maker = GraphMaker()
    maker.add("x", "Placeholder", dtype=1, shape=(-1, 7))
    maker.add("y", "Placeholder", dtype=1, shape=(-1, -1))
    size, total = maker.size("x", 0), maker.size("y", 1)
    for i in range(depth):
        total = maker.add(f"quotient{i}", "FloorDiv", size, total, T=3).name
    maker.fill(total)
    return maker.graph


def nested_frames(depth: int) -> GraphDef:
    """V1 loops inside each other."""
    maker = GraphMaker()
    source = maker.add("x", "Placeholder", dtype=1, shape=(4,)).name
    for i in range(depth):
        source = maker.add(f"enter{i}", "Enter", source, T=1, frame_name=b"frame%d" % i).name
    maker.add("relu", "Relu", source, T=1)
    return maker.graph


def call_twice(functions: int = 200) -> GraphDef:
    """Functions that each call the next one twice: 2^functions nodes once all are inlined."""
    maker = GraphMaker()
    for i in range(functions):
        function = maker.graph.library.function.add()
        function.signature.name = f"f{i}"
        function.signature.input_arg.add(name="x", type=1)
        function.signature.output_arg.add(name="y", type=1)
        if i == functions - 1:
            function.node_def.add(name="r", op="Relu", input=["x"]).attr["T"].type = 1
            function.ret["y"] = "r:activations:0"
            break
        for name, source in (("a", "x"), ("b", "a:output:0")):
            _call(function.node_def.add(name=name, input=[source]), f"f{i + 1}")
        function.ret["y"] = "b:output:0"
    maker.add("x", "Placeholder", dtype=1, shape=(4,))
    _call(maker.graph.node.add(name="call", input=["x"]), "f0")
    return maker.graph


def call_chain(functions: int = 8000) -> GraphDef:
    """Functions that each call the next one: names are as long as the chain."""
    maker = GraphMaker()
    maker.add("x", "Placeholder", dtype=1, shape=(4, 4))
    maker.add("call", "PartitionedCall", "x").attr["f"].func.name = "f0"
    for i in range(functions):
        function = maker.graph.library.function.add()
        function.signature.name = f"f{i}"
        function.signature.input_arg.add(name="a", type=1)
        function.signature.output_arg.add(name="r", type=1)
        is_last = i == functions - 1
        node = function.node_def.add(name="call", op="Relu" if is_last else "PartitionedCall")
        node.input.append("a")
        node.attr["T"].type = 1
        node.attr["f"].func.name = f"f{i + 1}"
        function.ret["r"] = "call:activations:0" if is_last else "call:output:0"
    return maker.graph


def _call(node: NodeDef, function: str) -> None:
    node.op = "PartitionedCall"
    node.attr["f"].func.name = function
    node.attr["Tin"].list.type.append(1)
    node.attr["Tout"].list.type.append(1)


def node_chain(length: int) -> GraphDef:
    """Nodes that each need the one before."""
    maker = GraphMaker()
    maker.add("n0", "A")
    for i in range(1, length):
        maker.add(f"n{i}", "A", f"n{i - 1}")
    return maker.graph


def huge_tensor() -> GraphDef:
    """A tensor with more elements than a float can count."""
    maker = GraphMaker()
    maker.add("x", "Placeholder", dtype=1, shape=(2**62,) * 20)
    maker.add("relu", "Relu", "x", T=1)
    return maker.graph


def many_outputs(nodes: int, outputs: int) -> GraphDef:
    """Splits that have many outputs by their attribute, and a node that reads the last split."""
    maker = GraphMaker()
    maker.add("x", "Placeholder", dtype=1, shape=(4096, 4))
    maker.constant("axis", [0], rank=0)
    for i in range(nodes):
        op, count = ("Split", "num_split") if i % 2 == 0 else ("Unpack", "num")
        inputs = ("axis", "x") if op == "Split" else ("x",)
        maker.add(f"split{i}", op, *inputs, T=1, **{count: outputs})
    maker.add("relu", "Relu", "split0", T=1)
    return maker.graph


def counting_loop(limit: int = 5) -> GraphDef:
    """A V1 loop that counts, and multiplies a matrix in each iteration."""
    maker = GraphMaker()
    for name, value in (("zero", 0), ("one", 1), ("limit", limit)):
        maker.constant(name, [value], rank=0)
    maker.add("x", "Placeholder", dtype=1, shape=(-1, 4))
    for name, source, kind in (("i", "zero", 3), ("m", "x", 1)):
        maker.add(f"{name}_enter", "Enter", source, T=kind, frame_name=b"loop")
        maker.add(f"{name}_merge", "Merge", f"{name}_enter", f"{name}_next", T=kind, N=2)
    maker.add("less", "Less", "i_merge", "limit", T=3)
    maker.add("cond", "LoopCond", "less")
    for name, kind in (("i", 3), ("m", 1)):
        maker.add(f"{name}_switch", "Switch", f"{name}_merge", "cond", T=kind)
        maker.add(f"{name}_exit", "Exit", f"{name}_switch", T=kind)
    maker.add("i_add", "AddV2", "i_switch:1", "one", T=3)
    maker.add("m_relu", "Relu", "m_switch:1", T=1)
    maker.add("i_next", "NextIteration", "i_add", T=3)
    maker.add("m_next", "NextIteration", "m_relu", T=1)
    return maker.graph


def while_and_case() -> GraphDef:
    """A While loop and a Case whose branches are functions."""
    maker = GraphMaker()
    for name, op in (("body", "Relu"), ("other", "Tanh")):
        function = maker.graph.library.function.add()
        function.signature.name = name
        function.signature.input_arg.add(name="x", type=1)
        function.signature.output_arg.add(name="y", type=1)
        function.node_def.add(name="r", op=op, input=["x"]).attr["T"].type = 1
        function.ret["y"] = "r:activations:0" if op == "Relu" else "r:y:0"
    cond = maker.graph.library.function.add()
    cond.signature.name = "cond"
    cond.signature.input_arg.add(name="x", type=1)
    cond.signature.output_arg.add(name="y", type=DataType.DT_BOOL)
    value = cond.node_def.add(name="c", op="Const").attr["value"].tensor
    value.dtype = DataType.DT_BOOL
    value.bool_val.append(True)
    cond.ret["y"] = "c:output:0"
    maker.add("x", "Placeholder", dtype=1, shape=(-1, 4))
    loop = maker.add("loop", "StatelessWhile", "x")
    loop.attr["cond"].func.name, loop.attr["body"].func.name = "cond", "body"
    loop.attr["T"].list.type.append(1)
    maker.constant("branch", [1], rank=0)
    case = maker.add("case", "StatelessCase", "branch", "loop")
    for name in ("body", "other"):
        case.attr["branches"].list.func.add(name=name)
    case.attr["Tin"].list.type.append(1)
    case.attr["Tout"].list.type.append(1)
    return maker.graph
