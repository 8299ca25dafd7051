"""The nodes of a made-up model: convolution layers on four GPU towers, trained by momentum.

A branch is a chain of layers forward and back; a larger model has more branches. Parameters,
averaging and updates are on the CPU; initializers are in the graph but do not run.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

__all__ = ["CPU", "GPUS", "IDLE", "LAYERS", "OUTPUTS", "Node", "nodes"]

GPUS = 4
CPU, IDLE = -1, -2  # placements beside the number of a GPU
LAYERS = 16  # in a branch
OUTPUTS = {"FusedBatchNormV3": 6, "FusedBatchNormGradV3": 5, "ShapeN": 2}  # others have one
_KINDS = 12  # different layers, by their channels

# Forward part of a layer: name, op, inputs. `<` is the layer below, `$` the layer's parameters.
_FORWARD = (
    ("Conv2D", "Conv2D", ("<", "$weights/read")),
    ("bn/FusedBatchNorm", "FusedBatchNormV3", ("Conv2D", "$weights/read")),
    ("Relu", "Relu", ("bn/FusedBatchNorm",)),
    ("dropout/random_uniform", "RandomUniform", ("^Relu",)),
    ("dropout/GreaterEqual", "GreaterEqual", ("dropout/random_uniform", "Relu")),
    ("dropout/Cast", "Cast", ("dropout/GreaterEqual",)),
    ("dropout/mul", "Mul", ("Relu", "dropout/Cast")),
    ("add", "AddV2", ("dropout/mul", "<")),
)

# Backward part. `>` is the gradient that comes from the layer above, `/` starts a forward name.
_BACKWARD = (
    ("add_grad/Shape", "Shape", ("/dropout/mul",)),
    ("add_grad/Shape_1", "Shape", ("/add",)),
    (
        "add_grad/BroadcastGradientArgs",
        "BroadcastGradientArgs",
        ("add_grad/Shape", "add_grad/Shape_1"),
    ),
    ("add_grad/Sum", "Sum", (">", "add_grad/BroadcastGradientArgs")),
    ("add_grad/Reshape", "Reshape", ("add_grad/Sum", "add_grad/Shape")),
    ("add_grad/Sum_1", "Sum", (">", "add_grad/BroadcastGradientArgs:1")),
    ("add_grad/Reshape_1", "Reshape", ("add_grad/Sum_1", "add_grad/Shape_1")),
    ("dropout/mul_grad/Mul", "Mul", ("add_grad/Reshape", "/dropout/Cast")),
    ("dropout/mul_grad/Sum", "Sum", ("dropout/mul_grad/Mul", "add_grad/Shape")),
    ("dropout/mul_grad/Reshape", "Reshape", ("dropout/mul_grad/Sum", "add_grad/Shape")),
    ("Relu_grad/ReluGrad", "ReluGrad", ("dropout/mul_grad/Reshape", "/Relu")),
    (
        "bn/FusedBatchNorm_grad/FusedBatchNormGradV3",
        "FusedBatchNormGradV3",
        ("Relu_grad/ReluGrad", "/Conv2D", "/bn/FusedBatchNorm:3"),
    ),
    ("Conv2D_grad/ShapeN", "ShapeN", ("/Conv2D", "$weights/read")),
    (
        "Conv2D_grad/Conv2DBackpropInput",
        "Conv2DBackpropInput",
        ("Conv2D_grad/ShapeN", "$weights/read", "bn/FusedBatchNorm_grad/FusedBatchNormGradV3"),
    ),
    (
        "Conv2D_grad/Conv2DBackpropFilter",
        "Conv2DBackpropFilter",
        ("/Conv2D", "Conv2D_grad/ShapeN:1", "bn/FusedBatchNorm_grad/FusedBatchNormGradV3"),
    ),
    ("AddN", "AddN", ("Conv2D_grad/Conv2DBackpropInput", "add_grad/Reshape_1")),
)

_INITIALIZER = (
    ("Initializer/shape", "Const", ()),
    ("Initializer/mean", "Const", ()),
    ("Initializer/stddev", "Const", ()),
    ("Initializer/TruncatedNormal", "TruncatedNormal", ("Initializer/shape",)),
    ("Initializer/mul", "Mul", ("Initializer/TruncatedNormal", "Initializer/stddev")),
    ("Initializer/add", "AddV2", ("Initializer/mul", "Initializer/mean")),
    ("Assign", "Assign", ("", "Initializer/add")),
)


class Node(NamedTuple):
    """A node, where it runs, which of the layer kinds it has, and whose line of code it is."""

    name: str
    op: str
    inputs: tuple[str, ...]
    placement: int
    kind: int
    line: int


def nodes(count: int) -> Iterator[Node]:
    """Exactly so many nodes."""
    return islice(_endless(), count)


def _endless() -> Iterator[Node]:
    yield Node("input/Placeholder", "Placeholder", (), CPU, 0, 0)
    yield Node("learning_rate", "Const", (), CPU, 0, 1)
    yield Node("global_step", "VariableV2", (), CPU, 0, 2)
    branch = 0
    while True:
        layers = [f"model/branch_{branch}/layer_{layer}" for layer in range(LAYERS)]
        kinds = [(branch + layer) % _KINDS for layer in range(LAYERS)]
        for layer, kind in zip(layers, kinds, strict=True):
            yield from _parameters(layer, kind)
        for gpu in range(GPUS):
            yield from _tower(gpu, layers, kinds)
        for layer, kind in zip(layers, kinds, strict=True):
            yield from _update(layer, kind)
        branch += 1


def _parameters(layer: str, kind: int) -> Iterator[Node]:
    name = f"{layer}/weights"
    for line, (part, op, inputs) in enumerate(_INITIALIZER):
        sources = tuple(f"{name}/{i}" if i else name for i in inputs)
        yield Node(f"{name}/{part}", op, sources, IDLE, kind, 10 + line)
    yield Node(name, "VariableV2", (), CPU, kind, 20)
    yield Node(f"{name}/read", "Identity", (name,), CPU, kind, 21)
    yield Node(f"{name}/Momentum", "VariableV2", (), CPU, kind, 22)


def _tower(gpu: int, layers: list[str], kinds: list[int]) -> Iterator[Node]:
    below = {0: "input/Placeholder"}
    for number, (layer, kind) in enumerate(zip(layers, kinds, strict=True)):
        scope = f"tower_{gpu}/{layer}/"
        names = {"<": below[number], "$weights/read": f"{layer}/weights/read"}
        for line, (part, op, inputs) in enumerate(_FORWARD):
            sources = tuple(names.get(i) or _under(scope, i) for i in inputs)
            yield Node(scope + part, op, sources, gpu, kind, 30 + line)
        below[number + 1] = f"{scope}add"
    above = below[len(layers)]
    for layer, kind in zip(reversed(layers), reversed(kinds), strict=True):
        forward = f"tower_{gpu}/{layer}"
        scope = f"tower_{gpu}/gradients/{forward}/"
        names = {">": above, "$weights/read": f"{layer}/weights/read"}
        for line, (part, op, inputs) in enumerate(_BACKWARD):
            sources = tuple(
                names.get(i) or (forward + i if i[0] == "/" else scope + i) for i in inputs
            )
            yield Node(scope + part, op, sources, gpu, kind, 50 + line)
        above = f"{scope}AddN"


def _under(scope: str, name: str) -> str:
    return f"^{scope}{name[1:]}" if name[0] == "^" else scope + name


def _update(layer: str, kind: int) -> Iterator[Node]:
    scope = f"train/update_{layer}"
    grads = tuple(
        f"tower_{gpu}/gradients/tower_{gpu}/{layer}/Conv2D_grad/Conv2DBackpropFilter"
        for gpu in range(GPUS)
    )
    yield Node(f"{scope}/concat", "ConcatV2", grads, CPU, kind, 70)
    yield Node(f"{scope}/Mean", "Mean", (f"{scope}/concat",), CPU, kind, 71)
    yield Node(
        f"{scope}/ApplyMomentum",
        "ApplyMomentum",
        (
            f"{layer}/weights",
            f"{layer}/weights/Momentum",
            "learning_rate",
            f"{scope}/Mean",
            "learning_rate",
        ),
        CPU,
        kind,
        72,
    )
