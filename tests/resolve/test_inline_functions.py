"""Small graphs with functions: what the views show of them, and what the quirks hide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from google.protobuf import text_format

import tfprof
from tfprof.definitions.quirks import ORIGINAL, REPAIRED
from tfprof.flops.tensors import Tensor, read_constant
from tfprof.profiles.executions import executed_counts
from tfprof.profiles.schema import Calls, Edges
from tfprof.protos.graph_pb2 import AttrValue, DataType, GraphDef
from tfprof.protos.run_metadata_pb2 import RunMetadata
from tfprof.reports.make_report import make_report
from tfprof.resolve import resolve

GRAPH = """
node { name: "x" op: "Placeholder" }
node {
  name: "call" op: "PartitionedCall" input: "x" attr { key: "f" value { func { name: "f" } } }
}
node { name: "out" op: "Identity" input: "call" }
library {
  function {
    signature { name: "f" input_arg { name: "a" } output_arg { name: "r" } }
    node_def { name: "sum" op: "Neg" input: "mul:z:0" }
    node_def { name: "mul" op: "Mul" input: "a" input: "a" }
    ret { key: "r" value: "sum:y:0" }
  }
}
"""


def graph(text: str = GRAPH) -> GraphDef:
    return text_format.Parse(text, GraphDef())


def run(**micros: int) -> RunMetadata:
    message = RunMetadata()
    device = message.step_stats.dev_stats.add(device="/cpu:0")
    for name, duration in micros.items():
        device.node_stats.add(
            node_name=name.replace("__", "/"), all_start_micros=1, op_end_rel_micros=duration
        )
    return message


def test_views_have_the_nodes_of_functions():
    profile = tfprof.load(graph=graph())
    scope = profile.report("scope", select=["occurrence"])
    assert scope.names == ["_TFProfRoot", "call", "call/mul", "call/sum", "out", "x"]
    walk = profile.report("graph", select=["occurrence"])
    depths = {row.name: row.depth for row in walk.rows}
    assert [depths[n] for n in ("out", "call", "call/sum", "call/mul", "x")] == [1, 2, 3, 4, 5]
    assert "Mul" in profile.report("op", select=["occurrence"]).names


def test_compat_does_not_inline():
    profile = tfprof.load(graph(), run(call__mul=3))
    assert resolve(profile, ORIGINAL) is profile
    options = {"select": ["micros"], "account_type_regexes": [".*"], "show_name_regexes": [".*"]}
    options |= {"start_name_regexes": [".*"], "max_depth": 100, "order_by": "name"}
    report = profile.report("op", options, compat=True)
    assert sorted(report.names[1:]) == ["Identity", "PartitionedCall", "Placeholder", "call/mul"]


@pytest.mark.parametrize(
    ("off", "shown"),
    [
        ("functions_not_inlined", {"call", "call/mul", "call/sum", "out", "x", "_arg_x_0_0"}),
        ("runtime_names_not_mapped", {"call", "out", "x"}),
        ("graph_op_types_only", {"call", "call/mul", "out", "x", "_arg_x_0_0"}),
    ],
)
def test_every_quirk_acts_alone(off, shown):
    profile = tfprof.load(graph=graph(), run_meta=run(call__mul=3, _arg_x_0_0=1))
    quirks = replace(ORIGINAL, **{off: False})
    options = tfprof.Options.build(
        {"select": ["micros"]}, replace(quirks, missing_lists_are_empty=False)
    )
    report = make_report(profile, "scope", options, quirks)
    assert set(report.names[1:]) == shown


def test_records_belong_to_nodes_of_functions():
    profile = tfprof.load(graph=graph(), run_meta=run(call__mul=3, _arg_x_0_0=1, stray=4))
    report = profile.report("scope", select=["micros"])
    assert report["call/mul"].own["exec_micros"] == 3
    assert report["x"].own["exec_micros"] == 1
    assert report["stray"].own["exec_micros"] == 4
    assert profile.attributed_share == 0.5


def test_labels_say_what_ran():
    given = run(call__mul=3, stray=4)
    records = given.step_stats.dev_stats[0].node_stats
    records[0].timeline_label = "call/mul = _FusedMul(x, x)"
    records[1].timeline_label = "stray = Cast(x)"
    report = tfprof.load(graph=graph(), run_meta=given).report("op", select=["micros"])
    assert {"_FusedMul", "Cast"} <= set(report.names)
    assert not {"Mul", "stray"} & set(report.names)


def test_labels_without_an_op_change_nothing():
    given = run(call__mul=3)
    given.step_stats.dev_stats[0].node_stats[0].timeline_label = "[CPU] 4B to 0x123"
    report = tfprof.load(graph=graph(), run_meta=given).report("op", select=["micros"])
    assert "Mul" in report.names
    assert "" not in report.names


def test_op_logs_know_nodes_of_functions():
    log = tfprof.OpLogProto()
    log.log_entries.add(name="call/mul", float_ops=7, types=["special"])
    log.log_entries.add(name="no/such/node", float_ops=9)
    profile = tfprof.load(graph=graph(), op_log=log)
    report = profile.report("scope", select=["float_ops"], account_type_regexes=["special"])
    assert report.rows[0].total["float_ops"] == 7
    assert profile.nodes.float_ops.sum() == 0


def test_function_nodes_have_the_stack_of_their_caller():
    log = tfprof.OpLogProto()
    log.id_to_string[1] = "model.py"
    for line, name in enumerate(("x", "call", "out"), 1):
        entry = log.log_entries.add(name=name)
        entry.code_def.traces.add(file_id=1, function_id=1, lineno=line)
    report = tfprof.load(graph=graph(), run_meta=run(call__mul=3), op_log=log).report(
        "code", select=["micros"]
    )
    assert report["model.py:2:model.py"].own["exec_micros"] == 3


def test_gradients_of_tapes_are_gradients():
    text = "".join(
        f'node {{ name: "{name}" op: "Op" }}'
        for name in ("f/y", "f/gradient_tape/y/Mul", "z", "gradient_tape/z/a/b", "gradient_tape/q")
    )
    log = tfprof.OpLogProto()
    log.id_to_string[1] = "m.py"
    for line, name in enumerate(("f/y", "f/gradient_tape/y/Mul", "z", "gradient_tape/z/a/b"), 1):
        log.log_entries.add(name=name).code_def.traces.add(file_id=1, function_id=1, lineno=line)
    profile = tfprof.load(graph=graph(text), op_log=log)
    rows = profile.report("code", select=["occurrence"]).names[1:]
    assert set(rows) == {
        "m.py:1:m.py",
        "m.py:3:m.py",
        "m.py:1:m.py (gradient)",
        "m.py:3:m.py (gradient)",
    }


def test_functions_that_cannot_be_inlined_are_warned_about():
    text = GRAPH.replace('name: "f" }', 'name: "missing" }', 1)
    profile = tfprof.load(graph=graph(text))
    report = profile.report("scope", select=["occurrence"])
    assert "function 'missing' is not in the library" in report.messages
    assert not profile.report("op", {"select": ["params"]}, compat=True).messages


def test_a_name_that_the_graph_has_is_its_node():
    text = GRAPH + 'node { name: "call/mul" op: "Own" input: "x" }'
    report = tfprof.load(graph=graph(text)).report("op", select=["occurrence"])
    assert "Own" in report.names
    assert "Mul" not in report.names


def test_nodes_without_records_ran_with_their_call():
    """Frames: the graph, a loop's condition and body, two branches in the body, an idle call."""
    calls = Calls(
        np.array([0, 1, 2, 2, 3, 4, 5, 0]),
        np.array([-1, 0, 0, 3, 3, 7]),
        np.array([-1, 0, 0, 2, 2, 0]),
        Edges.empty(),
    )
    ran = np.array([True, True, True, False, True, False, False, False])
    runs = np.array([1, 6, 5, 0, 2, 0, 0, 0])
    assert executed_counts(calls, ran, runs).tolist() == [1, 6, 5, 5, 2, 0, 1, 1]
    assert executed_counts(None, ran, runs).tolist() == [1, 6, 5, 1, 2, 1, 1, 1]


def test_long_constants_of_functions_keep_their_type_and_shape_in_copies():
    model = graph()
    weights = model.library.function[0].node_def.add(name="weights", op="Const")
    tensor = weights.attr["value"].tensor
    tensor.dtype = weights.attr["dtype"].type = DataType.DT_INT32
    tensor.tensor_content = bytes(4 * 16 * 64)
    for size in (16, 64):
        tensor.tensor_shape.dim.add(size=size)
    profile = tfprof.load(graph=model)
    assert len(profile.serialize()) < len(tensor.tensor_content)
    loaded = tfprof.load(profile=profile.serialize())
    for nodes in (resolve(profile, REPAIRED).nodes, loaded.nodes):
        row = nodes.name.index("call/weights").as_py()
        attrs = {entry["key"]: entry["value"] for entry in nodes.attrs[row].as_py()}
        assert set(attrs) == {"dtype", "value"}
        copied = read_constant(AttrValue.FromString(attrs["value"]).tensor)
        assert copied == Tensor(DataType.DT_INT32, (16, 64))  # whose values are not known
    assert read_constant(tensor).value is not None


def test_other_attributes_of_functions_are_in_copies():
    """Such as the shapes of what an iterator yields, which say how large a batch is."""
    model = graph()
    batches = model.library.function[0].node_def.add(name="batches", op="IteratorGetNext")
    for _ in range(200):
        shape = batches.attr["output_shapes"].list.shape.add()
        for size in (32, 8):
            shape.dim.add(size=size)
    nodes = resolve(tfprof.load(graph=model), REPAIRED).nodes
    (attr,) = nodes.attrs[nodes.name.index("call/batches").as_py()].as_py()
    assert AttrValue.FromString(attr["value"]) == batches.attr["output_shapes"]
