"""Random graphs of any size, one kind for each way in which an analysis could be slow."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.robustness.hostile_graphs import GraphMaker
from tfprof.protos.graph_pb2 import DataType, GraphDef, NodeDef
from tfprof.protos.run_metadata_pb2 import RunMetadata

__all__ = ["KINDS", "run_of"]

_FLOAT, _INT = DataType.DT_FLOAT, DataType.DT_INT32
_UNARY = ("Relu", "Tanh", "Neg", "Exp", "Identity", "Softmax")
_CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


def _start(width: int = 8) -> GraphMaker:
    maker = GraphMaker()
    maker.add("x", "Placeholder", dtype=_FLOAT, shape=(-1, width))
    return maker


def layers(size: int, dice: random.Random) -> GraphDef:
    """Layers in nested scopes, with variables, whose inputs are any earlier ones."""
    maker, known, scope = _start(), ["x"], ""
    while len(maker.graph.node) < size:
        number = len(maker.graph.node)
        scope = "/".join(f"block_{dice.randrange(9)}" for _ in range(dice.randint(1, 4)))
        name = f"{scope}/layer_{number}"
        kernel = maker.add(f"{name}/kernel", "VarHandleOp", dtype=_FLOAT, shape=(8, 8)).name
        maker.add(f"{name}/read", "ReadVariableOp", kernel, dtype=_FLOAT)
        maker.add(f"{name}/MatMul", "MatMul", dice.choice(known), f"{name}/read", T=_FLOAT)
        inputs = (f"{name}/MatMul", dice.choice(known))
        known.append(maker.add(f"{name}/add", "AddV2", *inputs, T=_FLOAT).name)
        known.append(maker.add(f"{name}/out", dice.choice(_UNARY), known[-1], T=_FLOAT).name)
    return maker.graph


def chain(size: int, dice: random.Random) -> GraphDef:
    """Nodes that each need the one before."""
    maker, last = _start(), "x"
    for i in range(size):
        last = maker.add(f"n{i}", dice.choice(_UNARY), last, T=_FLOAT).name
    return maker.graph


def wide(size: int, dice: random.Random) -> GraphDef:
    """Nodes beside each other, and one that needs them all."""
    maker = _start()
    names = [maker.add(f"n{i}", dice.choice(_UNARY), "x", T=_FLOAT).name for i in range(size)]
    maker.add("sum", "AddN", *names, T=_FLOAT, N=len(names))
    return maker.graph


def diamonds(size: int, dice: random.Random) -> GraphDef:
    """Nodes that each need two of the last ones: paths double with each of them."""
    maker, known = _start(), ["x", "x"]
    for i in range(size):
        inputs = dice.choices(known[-3:], k=2)
        known.append(maker.add(f"n{i}", dice.choice(("AddV2", "Mul")), *inputs, T=_FLOAT).name)
    return maker.graph


def deep_names(size: int, dice: random.Random) -> GraphDef:
    """Names of up to 30 scopes."""
    maker, last = _start(), "x"
    for i in range(size):
        scopes = "/".join(f"s{dice.randrange(2)}" for _ in range(dice.randint(1, 30)))
        last = maker.add(f"{scopes}/n{i}", dice.choice(_UNARY), last, T=_FLOAT).name
    return maker.graph


def control_inputs(size: int, dice: random.Random) -> GraphDef:
    """Nodes with several control inputs."""
    maker, known = _start(), ["x"]
    for i in range(size):
        controls = [f"^{name}" for name in dice.choices(known[-50:], k=5)]
        node = maker.add(f"n{i}", dice.choice(_UNARY), known[-1], *controls, T=_FLOAT)
        known.append(node.name)
    return maker.graph


def shape_arithmetic(size: int, dice: random.Random) -> GraphDef:
    """Sizes that are computed from sizes, with which tensors are made."""
    maker = _start()
    sizes = [maker.size("x", 0)]
    number = 0
    while len(maker.graph.node) < size:
        number += 1
        op = dice.choice(("AddV2", "Mul", "FloorDiv", "Sub", "Maximum"))
        inputs = (
            dice.choice(sizes[-3:]),
            maker.constant(f"c{number}", [dice.randint(1, 3)], rank=0),
        )
        value = maker.add(f"size{number}", op, *inputs, T=_INT).name
        sizes.append(value)
        maker.add(f"dims{number}", "Pack", value, T=_INT, N=1)
        maker.add(f"fill{number}", "Fill", f"dims{number}", f"c{number}", T=_INT)
        maker.add(f"relu{number}", "Relu", f"fill{number}", T=_INT)
    return maker.graph


def v1_loops(size: int, dice: random.Random) -> GraphDef:
    """Loops of Enter, Merge, Switch, NextIteration and Exit, one after the other."""
    maker, last, number = _start(), "x", 0
    while len(maker.graph.node) < size:
        number += 1
        last = _v1_loop(maker, f"loop{number}", last, dice.randint(1, 9))
    return maker.graph


def _v1_loop(maker: GraphMaker, name: str, source: str, limit: int) -> str:
    for key, value in (("zero", 0), ("one", 1), ("limit", limit)):
        maker.constant(f"{name}/{key}", [value], rank=0)
    for key, given, kind in (("i", f"{name}/zero", _INT), ("m", source, _FLOAT)):
        enter = f"{name}/{key}_enter"
        maker.add(enter, "Enter", given, T=kind, frame_name=name.encode())
        maker.add(f"{name}/{key}_merge", "Merge", enter, f"{name}/{key}_next", T=kind, N=2)
    maker.add(f"{name}/less", "Less", f"{name}/i_merge", f"{name}/limit", T=_INT)
    maker.add(f"{name}/cond", "LoopCond", f"{name}/less")
    for key, kind in (("i", _INT), ("m", _FLOAT)):
        maker.add(f"{name}/{key}_switch", "Switch", f"{name}/{key}_merge", f"{name}/cond", T=kind)
        maker.add(f"{name}/{key}_exit", "Exit", f"{name}/{key}_switch", T=kind)
    maker.add(f"{name}/i_add", "AddV2", f"{name}/i_switch:1", f"{name}/one", T=_INT)
    maker.add(f"{name}/m_relu", "Relu", f"{name}/m_switch:1", T=_FLOAT)
    maker.add(f"{name}/i_next", "NextIteration", f"{name}/i_add", T=_INT)
    maker.add(f"{name}/m_next", "NextIteration", f"{name}/m_relu", T=_FLOAT)
    return f"{name}/m_exit"


def functions(size: int, dice: random.Random) -> GraphDef:
    """Functions of some nodes, each of which is called twice, loops and branches of them."""
    maker, last, number, count = _start(), "x", 0, 0
    _add_condition(maker)
    while count < size:
        number += 1
        _add_function(maker, f"f{number}", dice)
        for call in range(2):
            last = _add_call(maker, f"call{number}_{call}", f"f{number}", last, dice)
        # Once inlined: two bodies.
        count += 2 * 10
    return maker.graph


def _add_function(maker: GraphMaker, name: str, dice: random.Random) -> None:
    function = maker.graph.library.function.add()
    function.signature.name = name
    function.signature.input_arg.add(name="x", type=_FLOAT)
    function.signature.output_arg.add(name="y", type=_FLOAT)
    last = "x"
    for i in range(10):
        op = dice.choice(("Relu", "Neg"))
        function.node_def.add(name=f"n{i}", op=op, input=[last]).attr["T"].type = _FLOAT
        last = f"n{i}:{'activations' if op == 'Relu' else 'y'}:0"
    function.ret["y"] = last


def _add_condition(maker: GraphMaker) -> None:
    function = maker.graph.library.function.add()
    function.signature.name = "condition"
    function.signature.input_arg.add(name="x", type=_FLOAT)
    function.signature.output_arg.add(name="y", type=DataType.DT_BOOL)
    value = function.node_def.add(name="c", op="Const").attr["value"].tensor
    value.dtype = DataType.DT_BOOL
    value.bool_val.append(True)
    function.ret["y"] = "c:output:0"


def _add_call(maker: GraphMaker, name: str, called: str, source: str, dice: random.Random) -> str:
    op = dice.choice(("PartitionedCall", "StatefulPartitionedCall", "StatelessWhile"))
    node: NodeDef = maker.graph.node.add(name=name, op=op, input=[source])
    if op == "StatelessWhile":
        node.attr["cond"].func.name, node.attr["body"].func.name = "condition", called
        node.attr["T"].list.type.append(_FLOAT)
        return name
    node.attr["f"].func.name = called
    node.attr["Tin"].list.type.append(_FLOAT)
    node.attr["Tout"].list.type.append(_FLOAT)
    return name


def variables(size: int, dice: random.Random) -> GraphDef:
    """Variables of one shape, each with an optimizer's slots and its gradient."""
    maker, number = _start(), 0
    while len(maker.graph.node) < size:
        number += 1
        name = f"layer_{dice.randrange(100)}/w{number}"
        for suffix in ("", "/Adam", "/Adam_1"):
            maker.add(f"{name}{suffix}", "VarHandleOp", dtype=_FLOAT, shape=(8, 8))
        maker.add(f"{name}/read", "ReadVariableOp", name, dtype=_FLOAT)
        maker.add(f"{name}/MatMul", "MatMul", "x", f"{name}/read", T=_FLOAT)
        grad = f"gradients/{name}/MatMul_grad/MatMul"
        maker.add(grad, "MatMul", f"{name}/MatMul", f"{name}/read", T=_FLOAT)
        inputs = (name, f"{name}/Adam", f"{name}/Adam_1", *[grad] * 7)
        maker.add(f"{name}/apply", "ResourceApplyAdam", *inputs, T=_FLOAT)
    return maker.graph


KINDS: dict[str, Callable[[int, random.Random], GraphDef]] = {
    make.__name__: make
    for make in (
        *(layers, chain, wide, diamonds, deep_names, control_inputs, shape_arithmetic),
        *(v1_loops, functions, variables),
    )
}


def run_of(graph: GraphDef, dice: random.Random) -> RunMetadata:
    """A step in which every node ran, one after the other, with memory."""
    run, now = RunMetadata(), 1_700_000_000_000_000
    device = run.step_stats.dev_stats.add(device=_CPU)
    for node in graph.node:
        micros = dice.randint(1, 50)
        record = device.node_stats.add(
            node_name=node.name, all_start_micros=now, op_end_rel_micros=micros
        )
        record.all_end_rel_micros = micros
        record.memory.add(allocator_name="cpu", total_bytes=256 * micros)
        now += micros
    return run
