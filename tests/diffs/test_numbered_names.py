"""Names that differ by counters: kernels stay kernels, and shifted layers are followed."""

from __future__ import annotations

import tfprof
from tests.diffs.graphs import profile_of
from tests.diffs.test_scope_matches import _matches
from tests.test_goldens import graph_of


def _variables(*layers, suffix="", reverse=False):
    """Variables of layers, each a name, its inputs and its units: their op types and shapes."""
    shapes = {}
    for name, inputs, units in layers:
        shapes[f"{name}/kernel{suffix}"] = (3, 3, inputs, units)
        shapes[f"{name}/bias{suffix}"] = (units,)
    names = list(shapes)[::-1] if reverse else list(shapes)
    return dict.fromkeys(names, "VarHandleOp"), shapes


def _profile(variables, extra=()):
    nodes, shapes = variables
    return profile_of({**nodes, **dict(extra)}, shapes=shapes)


def test_a_counter_of_uniqueness_is_no_other_name():
    """An export writes `bias_1` before `kernel_1`; a capture has `kernel` before `bias`."""
    before = _profile(_variables(("net/a", 1, 32), ("net/b", 32, 64), suffix="_1", reverse=True))
    after = _profile(_variables(("net/a", 1, 32), ("net/b", 32, 64)))
    matches, renames = _matches(before, after)
    for layer in ("net/a", "net/b"):
        assert matches[f"{layer}/kernel_1"] == f"{layer}/kernel"
        assert matches[f"{layer}/bias_1"] == f"{layer}/bias"
    assert renames["net/a/kernel_1"] == "net/a/kernel"
    diff = tfprof.diff(before, after, select=["params"])
    assert diff.breakdown("params").added == diff.breakdown("params").removed == 0
    assert len(diff) == 1


def _gradients(layers, scope="tape"):
    """Nodes of a backward pass, which have no shapes: only their number tells which is which."""
    return {f"{scope}/{name}/Grad": "Conv2DBackpropFilter" for name, _, _ in layers}


def _slots(layers):
    """Variables of an optimizer, in one scope."""
    shapes = {f"adam/{n.replace('/', '_')}_kernel": (3, 3, i, u) for n, i, u in layers}
    return dict.fromkeys(shapes, "VarHandleOp"), shapes


def _model(*layers):
    nodes, shapes = _variables(*layers)
    slot_nodes, slots = _slots(layers)
    gradients = _gradients([(name.partition("/")[2], i, u) for name, i, u in layers])
    return profile_of({**nodes, **slot_nodes, **gradients}, shapes={**shapes, **slots})


def test_layers_are_followed_when_one_is_inserted_before_them():
    before = _model(("net/conv", 3, 32), ("net/conv_1", 32, 64), ("net/conv_2", 64, 128))
    after = _model(
        ("net/conv", 3, 32), ("net/conv_1", 32, 48), ("net/conv_2", 48, 64), ("net/conv_3", 64, 128)
    )
    matches, renames = _matches(before, after)
    assert matches["net/conv/kernel"] == "net/conv/kernel"
    assert renames["net/conv_1"] == "net/conv_2"
    assert renames["net/conv_2"] == "net/conv_3"
    assert matches["net/conv_1/kernel"] == "net/conv_2/kernel"
    assert "net/conv_1" not in matches.values()
    assert matches["tape/conv_1/Grad"] == "tape/conv_2/Grad"
    assert matches["tape/conv_2/Grad"] == "tape/conv_3/Grad"
    assert matches["adam/net_conv_2_kernel"] == "adam/net_conv_3_kernel"


def test_layers_are_followed_when_one_is_removed():
    before = _model(("net/conv", 3, 32), ("net/conv_1", 32, 64), ("net/conv_2", 64, 128))
    after = _model(("net/conv", 3, 32), ("net/conv_1", 32, 128))
    matches, _ = _matches(before, after)
    assert matches["net/conv_2/bias"] == "net/conv_1/bias"
    assert "net/conv_1/bias" not in matches
    assert matches["tape/conv_2/Grad"] == "tape/conv_1/Grad"


def test_names_decide_among_equals():
    layers = [(f"net/dense_{i}", 64, 64) for i in range(1, 6)]
    before, after = _model(*layers[:4]), _model(*layers)
    matches, renames = _matches(before, after)
    assert not renames
    assert all(old == new for old, new in matches.items())


def test_layers_with_other_sizes_keep_their_names():
    before = _model(*((f"net/conv_{i}", 16 * i, 16 * i + 16) for i in range(1, 6)))
    after = _model(*((f"net/conv_{i}", 12 * i, 12 * i + 12) for i in range(1, 6)))
    matches, renames = _matches(before, after)
    assert not renames
    assert set(matches) >= set(before.nodes.name.to_pylist())


def test_counters_of_any_size():
    digits = "9" * 5000
    layers = [("net/conv_2", 1, 2), (f"net/conv_{digits}", 2, 4), ("net/conv_10", 4, 8)]
    before = _profile(_variables(*layers))
    after = _profile(_variables(("net/conv_3", 1, 2), ("net/conv_11", 4, 8)))
    matches, _ = _matches(before, after)
    assert matches["net/conv_10"] == "net/conv_11"
    assert f"net/conv_{digits}" not in matches


def test_strict_follows_nothing():
    before = _model(("net/conv", 3, 32), ("net/conv_1", 32, 64))
    after = _model(("net/conv", 3, 32), ("net/conv_1", 32, 48), ("net/conv_2", 48, 64))
    matches, renames = _matches(before, after, strict=True)
    assert not renames
    assert all(old == new for old, new in matches.items())


FORWARD = {
    "inner": "StatefulPartitionedCall",
    "inner/net/conv/Conv2D": "Conv2D",
    "inner/net/conv/BiasAdd": "BiasAdd",
    "inner/net/conv/Relu": "Relu",
    "inner/net/dense/MatMul": "MatMul",
    "inner/net/dense/Softmax": "Softmax",
}


def _call(name, extra=()):
    nodes = {name: "StatefulPartitionedCall"}
    nodes |= {f"{name}/{inner}": op for inner, op in {**FORWARD, **dict(extra)}.items()}
    return profile_of(nodes)


def test_a_call_that_does_more_is_the_same_call():
    """A training step has the model in it, and much else."""
    tape = {f"inner/tape/step{i}/Mul_{j}": "Mul" for i in range(20) for j in range(5)}
    before, after = _call("serve"), _call("fit", tape)
    matches, renames = _matches(before, after)
    assert renames == {"serve": "fit"}
    assert matches["serve/inner/net/conv/Conv2D"] == "fit/inner/net/conv/Conv2D"
    assert len(matches) == len(before.nodes) + 4


def test_a_variable_of_another_shape_is_no_rename():
    shapes = {"net/kernel": (3, 3), "net/table": (1000, 64)}
    before = profile_of({"net/x": "Add", "net/kernel": "VarHandleOp"}, shapes=shapes)
    after = profile_of({"net/x": "Add", "net/table": "VarHandleOp"}, shapes=shapes)
    matches, renames = _matches(before, after)
    assert not renames
    assert "net/kernel" not in matches


def test_a_variable_without_a_shape_is_not_one_that_has_it():
    nodes = {"net/x": "Add", "net/kernel": "VarHandleOp"}
    before = profile_of(nodes, shapes={"net/kernel": (3, 3)})
    after = profile_of({"net/x": "Add", "net/table": "VarHandleOp"})
    _, renames = _matches(before, after)
    assert not renames


def test_a_renamed_variable_is_found_by_its_shape():
    shapes = {"net/kernel": (3, 4), "net/bias": (4,), "net/offset": (4,), "net/weights": (3, 4)}
    before = profile_of(dict.fromkeys(("net/kernel", "net/bias"), "VarHandleOp"), shapes=shapes)
    after = profile_of(dict.fromkeys(("net/offset", "net/weights"), "VarHandleOp"), shapes=shapes)
    _, renames = _matches(before, after)
    assert renames == {"net/kernel": "net/weights", "net/bias": "net/offset"}


def _dense(batch):
    """A matrix product of a batch, -1 for an open one."""
    graph = graph_of(("x", "Placeholder"), ("w", "VariableV2"), ("y", "MatMul"))
    for node, shape in zip(graph.node, ((batch, 8), (8, 4)), strict=False):
        for size in shape:
            node.attr["shape"].shape.dim.add(size=size)
        node.attr["dtype"].type = 1
    graph.node[2].input.extend(["x", "w"])
    return tfprof.load(graph)


def test_an_open_batch_size_is_that_of_the_other():
    for before, after in ((_dense(-1), _dense(64)), (_dense(64), _dense(-1))):
        diff = tfprof.diff(before, after, select=["float_ops"])
        total = diff.breakdown("float_ops")
        assert total.before == total.after == 2 * 64 * 8 * 4
        assert any("B = 64, the batch size of" in message for message in diff.messages)


def test_two_open_batch_sizes_stay_open():
    diff = tfprof.diff(_dense(-1), _dense(-1), select=["float_ops"])
    assert diff.breakdown("float_ops").before == 2 * 8 * 4
    assert any("per example" in message for message in diff.messages)
