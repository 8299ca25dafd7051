"""Function libraries with calls to them, and records as the runtime names and labels them."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle.dice import Dice
from tfprof.protos import graph_pb2, run_metadata_pb2

__all__ = ["FUNCTIONS", "add_labels", "add_library", "run_time_names"]

FUNCTIONS = ("__inference_f_1", "body_2", "cond_3", "calls_itself", "Conv2D")
MISSING = "not/in/the/library"
INNER = ("x", "a", "a/b", "MatMul", "loop/body/add", "ReadVariableOp", "日本")
KERNELS = ("_FusedConv2D", "_FusedMatMul", "Conv2D", "Const", "_MklNativeConv2D", "日本", "")
ODD_LABELS = (
    "",
    " = ",
    "no equals sign",
    "a = B(c) = D(e)",
    "[cpu 0.5MB 0.5MB] a = MatMul(",
    "= (",
)

Node = graph_pb2.NodeDef


def add_library(dice: Dice, graph: graph_pb2.GraphDef) -> None:
    """Give a graph functions, and let some of its nodes call them."""
    for name in dice.sample(FUNCTIONS, dice.randint(1, len(FUNCTIONS))):
        _add_function(dice, graph.library.function.add(), name)
    for node in graph.node:
        if dice.chance(0.3):
            dice.choice(CALLS)(dice, node)
        if dice.chance(0.05):
            node.input.append(f"{dice.choice(graph.node).name}:{dice.randrange(3)}")
    if dice.chance(0.1):
        graph.library.gradient.add(function_name=FUNCTIONS[0], gradient_func=FUNCTIONS[1])
    graph.versions.producer = dice.choice((0, 21, 1994))


def _add_function(dice: Dice, function: graph_pb2.FunctionDef, name: str) -> None:
    function.signature.name = name
    for index in range(dice.randint(0, 3)):
        function.signature.input_arg.add(name=f"arg{index}", type=dice.choice((1, 3, 20)))
    known = [argument.name for argument in function.signature.input_arg]
    for inner in dice.several(INNER, 5):
        node = function.node_def.add(name=inner, op=dice.choice(("MatMul", "Add", "NoOp")))
        node.input.extend(dice.several(known, 2))
        if dice.chance(0.2):
            node.op = "calls_itself"
        if dice.chance(0.2):
            dice.choice(CALLS)(dice, node)
        if dice.chance(0.3):
            node.attr["_output_shapes"].list.shape.add().dim.add(size=dice.choice((-1, 4)))
        known.append(f"{inner}:z:0")
    if known and dice.chance(0.8):
        function.signature.output_arg.add(name="y", type=1)
        function.ret["y"] = dice.choice(known)


def _named(dice: Dice) -> str:
    return MISSING if dice.chance(0.1) else dice.choice(FUNCTIONS)


def _called_by(dice: Dice, node: Node, ops: tuple[str, ...], *functions: str) -> None:
    node.op = dice.choice(ops)
    for attribute in functions:
        if dice.chance(0.95):
            node.attr[attribute].func.name = _named(dice)


def _call(dice: Dice, node: Node) -> None:
    _called_by(dice, node, ("PartitionedCall", "StatefulPartitionedCall", "RemoteCall"), "f")


def _op_is_function(dice: Dice, node: Node) -> None:
    node.op = _named(dice)


def _loop(dice: Dice, node: Node) -> None:
    _called_by(dice, node, ("While", "StatelessWhile"), "cond", "body")


def _branch(dice: Dice, node: Node) -> None:
    _called_by(dice, node, ("If", "StatelessIf"), "then_branch", "else_branch")


def _case(dice: Dice, node: Node) -> None:
    node.op = dice.choice(("Case", "StatelessCase"))
    for _ in range(dice.randint(0, 3)):
        node.attr["branches"].list.func.add(name=_named(dice))


CALLS: tuple[Callable[[Dice, Node], None], ...] = (_call, _op_is_function, _loop, _branch, _case)


def run_time_names(dice: Dice, names: list[str]) -> list[str]:
    """What the runtime and optimizers make of the names of nodes."""
    forms = (
        "{0}/{1}",
        "{0}/body/_{2}/{1}",
        "{0}/cond/_{2}/{1}",
        "{0}/then/_{2}/{1}",
        "{0}/branch1/_{2}/{1}",
        "{0}/enter/_{2}",
        "{0}/LoopCond/_{2}",
        "Func/{0}/input/_{2}",
        "{0}/_{2}",
        "{0}__cf__{2}",
        "ConstantFolding/{0}-folded-{2}",
        "{0}/ArithmeticOptimizer/AddOpsRewrite_{1}",
        "{0}-{2}-TransposeNHWCToNCHW-LayoutOptimizer",
        "_arg_{0}_0_{2}",
        "_retval_{0}_0_{2}",
    )
    chosen = dice.several(names, 8)
    return [dice.choice(forms).format(n, dice.choice(INNER), dice.randrange(40)) for n in chosen]


def add_labels(dice: Dice, run: run_metadata_pb2.RunMetadata) -> None:
    """Let records say what ran."""
    for device in run.step_stats.dev_stats:
        for record in device.node_stats:
            if dice.chance(0.4):
                called = f"{record.node_name} = {dice.choice(KERNELS)}(a, b:1)"
                record.timeline_label = dice.choice(ODD_LABELS) if dice.chance(0.1) else called
