"""The original's wrong numbers, N1 to N35 of the reference: what tfprof answers instead."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

import tfprof
from tests.outputs.samples import gpu_profile
from tests.robustness.models import CPU, command, graph_of, loaded, log_of, run_of, shaped
from tfprof import advisor
from tfprof.definitions.quirks import quirks_for
from tfprof.profiles.executions import record_warnings
from tfprof.protos import graph_pb2, log_pb2, pprof_pb2, run_metadata_pb2

GPU = "/device:GPU:0"


def total(report, name="micros"):
    measure = {"micros": "exec_micros", "params": "parameters"}.get(name, name)
    return report.rows[0].total[measure]


def names_of(report):
    return [row.name for row in report]


def two_devices(*records):
    """A run of (device, name, start, duration)."""
    run = run_metadata_pb2.RunMetadata()
    for device, *record in records:
        run.step_stats.dev_stats.extend(run_of(device, record).step_stats.dev_stats)
    return run


def test_N01_input_shapes_are_of_the_output_that_is_named():
    graph = graph_of(("split", "Split"), ("a", "A", "split:1"))
    shapes = graph.node[0].attr["_output_shapes"].list.shape
    for size in (3, 5):
        shapes.add().dim.add(size=size)
    text = tfprof.load(graph=graph).report(select=["input_shapes", "micros"]).text()
    assert "0:5" in text
    assert "0:3" not in text


def test_N03_node_that_two_regexes_match_counts_once():
    run = run_of(CPU, ("a", 1, 10))
    for view in ("op", "code"):
        profile = loaded(("a", "MatMul"), run=run, log=log_of({"a": [("f", "f", 1)]}))
        report = profile.report(view, account_type_regexes=["M.*", ".*ul"])
        assert total(report) == 10


def test_N04_only_matched_nodes_count():
    run = run_of(CPU, ("s", 1, 10), ("s/x", 2, 3))
    report = loaded(("s", "A"), ("s/x", "B"), run=run).report(account_type_regexes=["B"])
    assert total(report) == 3


def test_N05_scopes_are_no_definitions():
    report = loaded(("s/t/x", "A"), ("s/t/y", "A")).report()
    assert report.rows[0].total["definition_count"] == 2


@pytest.mark.parametrize(
    "links", [[("a", "A", "b"), ("b", "B", "a")], [("a", "A", "a"), ("b", "B")]]
)
def test_N06_cycles_are_in_graph_view(links):
    run = run_of(CPU, ("a", 1, 5), ("b", 2, 10))
    assert total(loaded(*links, run=run).report("graph")) == 15


def test_N07_copies_make_no_nodes():
    run = two_devices((CPU, "a", 1, 1), (f"{GPU}/memcpy", "edge_x:MEMCPYHtoD", 1, 1))
    assert names_of(loaded(("a", "A"), run=run).report()) == ["_TFProfRoot", "a"]


def test_N08_account_type_regexes_on_the_command_line():
    args = ("-select", "occurrence", "-max_depth", "3")
    everything = command("--demo", "op", *args).out
    counted = command("--demo", "op", "--account_type_regexes=Conv2D", *args).out
    assert counted.count("\n") < everything.count("\n")
    assert "Conv2D" in counted


def test_N09_negative_durations_count_as_the_shortest():
    run = run_of(CPU, ("a", 1, -5), ("b", 2, 10))
    profile = loaded(("a", "A"), ("b", "B"), run=run).add_step(1, run)
    report = profile.report()
    assert total(report) == 11
    assert names_of(report) == ["_TFProfRoot", "a", "b"]
    assert "negative duration" in " ".join(report.messages)


def test_N10_every_frame_is_sampled(tmp_path):
    stacks = {"a": [("f.py", "f", 1)], "b": [("f.py", "f", 1), ("g.py", "g", 2)]}
    run = run_of(CPU, ("a", 1, 10), ("b", 2, 5))
    profile = loaded(("a", "A"), ("b", "B"), run=run, log=log_of(stacks))
    profile.report("code").write(f"pprof:outfile={tmp_path / 'out'}")
    saved = pprof_pb2.Profile.FromString(gzip.decompress((tmp_path / "out").read_bytes()))
    assert sorted(sample.value[1] for sample in saved.sample) == [5, 10]


def test_N11_every_log_keeps_its_strings_and_the_callers_message():
    first, second = log_of({"a": [("one.py", "f", 1)]}), log_of({"b": [("two.py", "g", 2)]})
    before = second.SerializeToString(deterministic=True)
    profiler = tfprof.Profiler(graph_of(("a", "A"), ("b", "B")), first)
    profiler.add_step(0, run_of(CPU, ("a", 1, 1)))
    tfprof.profile(graph_of(("b", "B")), op_log=second, cmd="code", options={"output": "none"})
    assert second.SerializeToString(deterministic=True) == before
    profile = loaded(("a", "A"), ("b", "B"), log=first)
    from tfprof.loaders.op_log import read_op_log

    shown = names_of(profile.with_op_log(read_op_log(second)).report("code"))
    assert [name.partition(":")[0] for name in shown[1:]] == ["one.py", "two.py"]


def test_N12_frames_that_carry_text():
    log = log_pb2.OpLogProto()
    entry = log.log_entries.add(name="a")
    entry.code_def.traces.add(file="/p/old.py", function="f", lineno=7)
    assert "old.py:7:f" in names_of(loaded(("a", "A"), log=log).report("code"))[1]


def test_N13_batch_matmul_of_a_transposed_matrix():
    graph = graph_of(("a", "Placeholder"), ("b", "Placeholder"), ("m", "BatchMatMul", "a", "b"))
    for node, sizes in zip(graph.node, [(2, 5, 4), (2, 5, 3), (2, 4, 3)], strict=True):
        shape = node.attr["_output_shapes"].list.shape.add()
        for size in sizes:
            shape.dim.add(size=size)
    graph.node[2].attr["adj_x"].b = True
    report = tfprof.load(graph=graph).report("op", account_type_regexes=["BatchMatMul"])
    assert report.rows[0].total["float_ops"] == 2 * 2 * 4 * 3 * 5


def test_N14_expensive_nodes_are_real_nodes():
    run = run_of(CPU, ("s/slow", 1, 900_000), ("s/fast", 2, 10))
    text = advisor.advise(loaded(("s/slow", "A"), ("s/fast", "B"), run=run), None).text()
    assert "top 1 graph node: s/slow, cpu: 900.00ms" in text


@pytest.mark.parametrize("op", ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"])
def test_N15_every_fused_batch_norm_is_fused(op):
    run = run_of(CPU, ("bn", 1, 5))
    found = advisor.advise(loaded(("bn", op), run=run), ["OperationChecker"]).text()
    assert "batch normalization" not in found.lower()


def _events(profile, tmp_path, view="graph"):
    profile.report(view, step=0).write(f"timeline:outfile={tmp_path / 'out'}")
    return json.loads((tmp_path / "out").read_bytes())["traceEvents"]


def test_N16_intervals_that_start_together(tmp_path):
    run = run_of(CPU, ("a", 10, 5), ("b", 10, 7))
    events = _events(loaded(("a", "A"), ("b", "B"), run=run), tmp_path)
    drawn = [event for event in events if event["ph"] == "X"]
    assert sorted(event["dur"] for event in drawn) == [5, 7]
    assert len({event["tid"] for event in drawn}) == 2


@pytest.fixture
def memory_events(tmp_path):
    """Those of a model on a GPU that has a variable without an allocator record."""
    return _events(gpu_profile(), tmp_path)


def test_N17_memory_is_sampled_where_an_allocator_says_so(memory_events):
    counters = [event for event in memory_events if event["ph"] == "C"]
    in_use = [event["ts"] for event in counters if "Allocator Bytes in Use" in event["args"]]
    assert in_use == [2050, 3007]


def test_N18_all_top_allocations_in_every_event(memory_events):
    series = {f"Top Allocation {at:02}" for at in range(10)} | {"Not Displayed"}
    shown = [event["args"].keys() for event in memory_events if event["ph"] == "i"]
    assert shown == [series] * 4  # two of bytes in use, two of live bytes


def test_N19_op_view_minimum_is_of_the_tail():
    run = run_of(CPU, ("a", 1, 100), ("b", 2, 10), ("c", 3, 10))
    report = loaded(("a", "A"), ("b", "B"), ("c", "C"), run=run).report(
        "op", min_micros=15, order_by="micros"
    )
    assert names_of(report)[1:] == ["A", "B"]


def test_N20_every_device_of_a_node_counts():
    run = two_devices((CPU, "a", 1, 3), ("/device:CPU:1", "a", 2, 100))
    report = loaded(("a", "A"), run=run).report()
    assert total(report) == 103
    assert any("more than one device" in message for message in report.messages)


@pytest.mark.parametrize("device", ["/host:CPU:0", "/device:TPU:0", "/device:XLA_CPU:0", "cpu:0"])
def test_N21_any_device_has_time(device):
    log = log_of({}, a=7)
    report = loaded(("a", "A"), run=run_of(device, ("a", 1, 9)), log=log).report()
    assert total(report) == 9
    assert report.rows[0].total["float_ops"] == 7


def test_N22_averages_are_over_the_steps_a_node_ran_in():
    profile = loaded(("a", "A"), ("b", "B"), run=run_of(CPU, ("a", 1, 5)))
    profile = profile.add_step(1, run_of(CPU, ("a", 1, 10), ("b", 1, 8)))
    own = {row.name: row.own["exec_micros"] for row in profile.report()}
    assert (own["a"], own["b"]) == (7, 8)


def test_N23_negative_steps_are_refused():
    with pytest.raises(tfprof.OptionError, match="-4"):
        loaded(("a", "A")).add_step(-4, run_of(CPU, ("a", 1, 1)))


def test_N24_anything_with_a_shape_has_parameters():
    graph = graph_of(("x", "Placeholder"))
    shaped(graph.node[0], 3, 4)
    assert total(tfprof.load(graph=graph).report(), "params") == 12


def test_N25_parameters_do_not_wrap():
    graph = graph_of(("v", "VariableV2"), ("w", "VariableV2"))
    shaped(graph.node[0], 2**32, 2**32)
    shaped(graph.node[1], 2**62, 4)
    assert total(tfprof.load(graph=graph).report(), "params") == 2 * 2**64


@pytest.mark.parametrize("depth", [2**31, 2**40, 2**63 - 1])
def test_N26_large_depths_stay_large(depth):
    assert len(loaded(("a/b/c", "A")).report(max_depth=depth)) == 4


def test_N27_views_show_what_came_later():
    profile = loaded(("a", "A"))
    assert len(profile.report()) == 2
    grown = profile.add_step(0, run_of(CPU, ("new", 1, 1)))
    assert names_of(grown.report()) == ["_TFProfRoot", "a", "new"]


def test_N28_saved_profiles_keep_the_warning():
    profile = loaded(("a", "A"), run=run_of(GPU, ("a", 1, 1)))
    saved = tfprof.load(profile=profile.serialize())
    assert "misses accelerator stream" in saved.report().text(legend=True)


def test_N29_fed_tensors_complete_shapes():
    graph = graph_of(("x", "Placeholder"), ("w", "Const"), ("m", "MatMul", "x", "w"))
    for node, sizes in zip(graph.node, [(-1, 4), (4, 3), (-1, 3)], strict=True):
        shape = node.attr["_output_shapes"].list.shape.add()
        for size in sizes:
            shape.dim.add(size=size)
    run = run_of(CPU, ("_arg_x_0_0", 1, 1), ("m", 2, 2))
    for record, sizes in zip(run.step_stats.dev_stats[0].node_stats, [(8, 4), (8, 3)], strict=True):
        for size in sizes:
            if not record.output:
                record.output.add()
            record.output[0].tensor_description.shape.dim.add(size=size)
    report = tfprof.load(graph=graph, run_meta=run).report("op", account_type_regexes=["MatMul"])
    assert report.rows[0].total["float_ops"] == 2 * 8 * 4 * 3


def test_N30_gradients_of_convolutions_have_float_operations():
    from tfprof.flops.tf_formulas import count

    attrs = {"strides": graph_pb2.AttrValue(), "data_format": graph_pb2.AttrValue(s=b"NHWC")}
    attrs["strides"].list.i.extend([1, 2, 2, 1])
    shapes = [(4,), (3, 3, 8, 16), (2, 10, 10, 16)]
    found = count("Conv2DBackpropInput", attrs, shapes, [(2, 20, 20, 8)])
    assert isinstance(found, int)
    assert found > 0


def test_N31_units_of_pprof(tmp_path):
    run = run_of(CPU, ("a", 1, 10))
    profile = loaded(("a", "A"), run=run, log=log_of({"a": [("f.py", "f", 1)]}))
    profile.report("code").write(f"pprof:outfile={tmp_path / 'out'}")
    saved = pprof_pb2.Profile.FromString(gzip.decompress((tmp_path / "out").read_bytes()))
    assert saved.string_table[saved.sample_type[1].unit] == "microseconds"


def test_N32_values_in_full():
    from tfprof import demo
    from tfprof.loaders.checkpoint import open_checkpoint

    profile = tfprof.load(checkpoint=demo.paths()["checkpoint"])
    checkpoint = open_checkpoint(demo.paths()["checkpoint"])
    name = next(n for n, info in checkpoint.tensors.items() if len(info.shape) == 1)
    report = profile.report(select=["tensor_value"], max_depth=99, show_name_regexes=[name])
    waiting = [report.proto()]
    while waiting and waiting[-1].name != name:
        waiting += waiting.pop().children
    found = list(waiting[-1].tensor_value.value_double)
    assert found == checkpoint.read(name).astype(np.float64).tolist()


def test_N33_gradients_by_the_whole_pattern():
    stacks = {"y": [("f.py", "f", 1)], "a_grad/gradients/y": [("g.py", "g", 2)]}
    run = run_of(CPU, ("y", 1, 1), ("a_grad/gradients/y", 2, 5))
    profile = loaded(("y", "A"), ("a_grad/gradients/y", "B"), run=run, log=log_of(stacks))
    report = profile.report("code")
    assert total(report) == 6
    assert not any("(gradient)" in name for name in names_of(report))


@pytest.mark.parametrize(("compat", "micros"), [(False, 6), (True, 1)])
def test_N33_gradients_of_nothing(compat, micros):
    """The original takes it for the gradient of a node without a name, which has no frames."""
    stacks = {"y": [("f.py", "f", 1)], "a_grad/gradients/": [("g.py", "g", 2)]}
    run = run_of(CPU, ("y", 1, 1), ("a_grad/gradients/", 2, 5))
    profile = loaded(("y", "A"), ("a_grad/gradients/", "B"), run=run, log=log_of(stacks))
    report = profile.report("code", account_type_regexes=[".*"], compat=compat)
    assert total(report) == micros


@pytest.mark.parametrize(("compat", "warnings"), [(True, 1), (False, 0)])
def test_several_allocators(compat, warnings):
    run = run_of(CPU, ("a", 1, 10))
    for name in ("GPU_0_bfc", "GPU_1_bfc", "cpu"):
        run.step_stats.dev_stats[0].node_stats[0].memory.add(allocator_name=name, total_bytes=7)
    profile = loaded(("a", "A"), run=run)
    said = record_warnings(profile, quirks_for(compat))
    assert list(said).count("found 2 gpu allocator for 1 node") == warnings
    assert not profile.report("scope", select=["bytes"], compat=compat).messages


def test_N34_one_row_for_files_of_one_name():
    stacks = {"a": [("/p/lib.py", "f", 1)], "b": [("/q/lib.py", "f", 1)]}
    assert len(loaded(("a", "A"), ("b", "B"), log=log_of(stacks)).report("code")) == 2


def test_N35_names_are_cut_at_characters():
    stacks = {"a": [("f.py", "日本語" * 10, 1)]}
    name = names_of(loaded(("a", "A"), log=log_of(stacks)).report("code"))[1]
    assert name == f"f.py:1:{('日本語' * 10)[:17]}..."
