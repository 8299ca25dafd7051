"""Protobuf messages that are cut, bent, or say what cannot be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fuzz.wire import Field, decode, encode
from tfprof.protos import graph_pb2, log_pb2, run_metadata_pb2, saved_model_pb2
from tfprof.protos.varint import encode_varint

__all__ = ["bend", "messages"]

_CPU = "/device:CPU:0"
_MOST = 2**63 - 1

Edit = Callable[[Any], object]


def messages() -> Iterator[tuple[str, str, bytes]]:
    """The target, the name and the bytes of each."""
    for target, whole in _WHOLE.items():
        for name, data in bend(whole().SerializeToString(deterministic=True)):
            yield target, name, data
        for name, edit in _EDITS[target].items():
            message = whole()
            edit(message)
            yield target, name, message.SerializeToString(deterministic=True)


def bend(data: bytes) -> Iterator[tuple[str, bytes]]:
    """What a disk, a network or an enemy makes of any message."""
    yield "empty", b""
    yield "cut_in_half", data[: len(data) // 2]
    yield "cut_by_a_byte", data[:-1]
    yield "a_byte_too_many", data + b"\x0a"
    yield "zeros", bytes(512)
    yield "ones", b"\xff" * 512
    yield "size_beyond_the_file", b"\x0a" + encode_varint(2**31 - 1) + data
    yield "size_of_64_bits", b"\x0a" + encode_varint(2**64 - 1) + data
    yield "number_without_end", b"\x08" + b"\xff" * 11 + data
    yield "field_number_zero", b"\x02\x00" + data
    yield "wire_type_unknown", b"\x0e\x00" + data
    yield "group_without_end", data + b"\x0b"
    yield "groups_too_deep", b"\x0b" * 5000 + b"\x0c" * 5000
    yield "messages_too_deep", _deep(3000)
    yield "name_of_no_utf8", data.replace(b"name_a", b"n\xff\xc3(\x80")
    yield "name_of_surrogates", data.replace(b"name_a", b"\xed\xa0\x80\xed\xb0\x80")
    yield "name_of_controls", data.replace(b"name_a", b"\x1b[2J\r\n")
    yield "names_as_numbers", encode(_other_type(decode(data)))
    yield "another_kind_of_file", b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    yield "text_of_another_kind", b'step_stats { dev_stats { device: "a\\q" } } nonsense: 1\n'
    yield "html", b"<!DOCTYPE html><html><body>404 Not Found</body></html>\n"


def _deep(levels: int) -> bytes:
    data = b""
    for _ in range(levels):
        data = b"\x0a" + encode_varint(len(data)) + data
    return data


def _other_type(fields: list[Field]) -> list[Field]:
    """The fields with every text made a number."""
    return [
        Field(field.number, 2, _other_type(field.value))
        if isinstance(field.value, list)
        else Field(field.number, 0, 7)
        for field in fields
    ]


def _graph() -> graph_pb2.GraphDef:
    graph = graph_pb2.GraphDef()
    graph.node.add(name="name_a", op="VariableV2").attr["shape"].shape.dim.add(size=3)
    graph.node.add(name="scope/b", op="MatMul", input=["name_a", "name_a"])
    graph.node.add(name="scope/c", op="Relu", input=["scope/b"], device=_CPU)
    return graph


def _run() -> run_metadata_pb2.RunMetadata:
    run = run_metadata_pb2.RunMetadata()
    stats = run.step_stats.dev_stats.add(device=_CPU).node_stats
    for at, name in enumerate(("name_a", "scope/b", "scope/c")):
        record = stats.add(node_name=name, all_start_micros=10 * at + 1, op_end_rel_micros=5)
        record.memory.add(allocator_name="cpu", total_bytes=64, peak_bytes=64)
        record.output.add(slot=0).tensor_description.shape.dim.add(size=3)
    return run


def _log() -> log_pb2.OpLogProto:
    log = log_pb2.OpLogProto()
    entry = log.log_entries.add(name="name_a", float_ops=7, types=["own"])
    entry.code_def.traces.add(file_id=1, lineno=3, function_id=2, line_id=3)
    for key, text in enumerate(("a.py", "f", "x = name_a"), 1):
        log.id_to_string[key] = text
    return log


def _profile() -> log_pb2.ProfileProto:
    saved = log_pb2.ProfileProto(steps=[0], has_trace=True)
    for at, name in enumerate(("name_a", "scope/b")):
        node = saved.nodes[at]
        node.name, node.op, node.id = name, "MatMul", at
        node.shape.append(3)
        node.execs[0].run_count = 1
        node.execs[0].cpu_execs[_CPU].times.add(int64_values=[5, 6])
        node.execs[0].memory_execs.add(requested_bytes=64)
    saved.nodes[1].inputs[0] = 0
    saved.nodes[1].trace.traces.add(file_id=1, lineno=3)
    saved.id_to_string[1] = "a.py"
    return saved


def _meta() -> saved_model_pb2.MetaGraphDef:
    meta = saved_model_pb2.MetaGraphDef(graph_def=_graph())
    signature = meta.signature_def["serving_default"]
    signature.inputs["in"].name, signature.outputs["out"].name = "name_a:0", "scope/c:0"
    return meta


def _saved_model() -> saved_model_pb2.SavedModel:
    return saved_model_pb2.SavedModel(meta_graphs=[_meta()])


def _input(of: int, *names: str) -> Edit:
    return lambda graph: graph.node[of].input.extend(names)


def _shape(*sizes: int) -> Edit:
    def edit(graph: Any) -> None:
        graph.node[0].attr["shape"].shape.dim.extend(
            graph_pb2.TensorShapeProto.Dim(size=size) for size in sizes
        )

    return edit


def _value(**fields: Any) -> Edit:
    return lambda graph: (
        graph.node[1].attr["value"].tensor.MergeFrom(graph_pb2.TensorProto(dtype=1, **fields))
    )


def _strides(graph: Any) -> None:
    graph.node[1].op = "Conv2D"
    graph.node[1].attr["strides"].list.i.extend([0, -1, _MOST, 0])
    graph.node[1].attr["data_format"].s = b"\xff\xfe"
    graph.node[1].attr["T"].f = float("nan")


def _function_of_itself(graph: Any) -> None:
    function = graph.library.function.add()
    function.signature.name = "f"
    function.node_def.add(name="again", op="PartitionedCall").attr["f"].func.name = "f"
    graph.node.add(name="call", op="PartitionedCall").attr["f"].func.name = "f"


_GRAPHS: dict[str, Edit] = {
    "input_of_itself": _input(1, "scope/b"),
    "inputs_in_a_circle": _input(0, "scope/c"),
    "input_of_nobody": _input(1, "nobody", "^nobody", "", "^", ":", "name_a:"),
    "input_of_an_output_too_high": _input(1, "name_a:2147483648", "name_a:99999999999999999999"),
    "input_of_an_output_that_is_no_number": _input(1, f"name_a:{'9' * 5000}", "name_a:\u00b2"),
    "names_twice": lambda graph: graph.node.extend(list(graph.node)),
    "name_missing": lambda graph: graph.node.add(op="A"),
    "name_of_many_parts": lambda graph: graph.node.add(name="/".join("a" * 2000), op="A"),
    "name_of_the_root": lambda graph: graph.node.add(name="_TFProfRoot", op="A"),
    "shape_below_zero": _shape(-2, -(2**63)),
    "shape_beyond_64_bits": _shape(_MOST, _MOST, _MOST),
    "shape_beyond_all_numbers": _shape(*[_MOST] * 200),
    "tensor_larger_than_it_is": _value(tensor_content=b"\0", int_val=[1]),
    "attributes_of_wrong_kinds": _strides,
    "function_of_itself": _function_of_itself,
}


def _records(**fields: Any) -> Edit:
    def edit(run: Any) -> None:
        for record in run.step_stats.dev_stats[0].node_stats:
            record.MergeFrom(run_metadata_pb2.NodeExecStats(**fields))

    return edit


def _slots(*slots: int) -> Edit:
    def edit(run: Any) -> None:
        for slot in slots:
            run.step_stats.dev_stats[0].node_stats[0].output.add(slot=slot)

    return edit


def _bytes(count: int) -> Edit:
    def edit(run: Any) -> None:
        for record in run.step_stats.dev_stats[0].node_stats:
            for _ in range(3):
                memory = record.memory.add(allocator_name="cpu", total_bytes=count)
                memory.allocation_records.add(alloc_micros=count, alloc_bytes=count)

    return edit


_RUNS: dict[str, Edit] = {
    "times_beyond_64_bits": _records(all_start_micros=_MOST, op_end_rel_micros=_MOST),
    "times_below_zero": _records(all_start_micros=-(2**63), op_end_rel_micros=-(2**63)),
    "ends_before_it_starts": _records(op_start_rel_micros=9, op_end_rel_micros=-9),
    "bytes_beyond_64_bits": _bytes(_MOST),
    "bytes_below_zero": _bytes(-(2**63)),
    "outputs_too_high": _slots(2**31 - 1, 2**30, 70_000),
    "outputs_below_zero": _slots(-1, -(2**31)),
    "nodes_of_nobody": _records(node_name="nobody", timeline_label="x = ?(,)"),
    "names_missing": _records(node_name="", timeline_label=":"),
    "device_missing": lambda run: run.step_stats.dev_stats.add().node_stats.add(node_name="name_a"),
    "graph_that_is_cut": lambda run: run.partition_graphs.add(node=_graph().node[2:]),
}


def _frames(**fields: Any) -> Edit:
    return lambda log: [entry.code_def.traces.add(**fields) for entry in log.log_entries]


_LOGS: dict[str, Edit] = {
    "texts_of_nobody": _frames(file_id=99, function_id=-1, line_id=2**62),
    "lines_below_zero": _frames(file="a.py", lineno=-(2**31), func_start_line=-1),
    "float_ops_beyond_64_bits": lambda log: [
        log.log_entries.add(name="name_a", float_ops=_MOST) for _ in range(3)
    ],
    "float_ops_below_zero": lambda log: log.log_entries.add(name="scope/b", float_ops=-(2**63)),
    "entries_of_nobody": lambda log: log.log_entries.add(name="nobody", types=["", "a", "a"]),
    "texts_out_of_range": lambda log: log.id_to_string.update({2**62: "x", -(2**62): "y", 0: ""}),
}


def _node(**fields: Any) -> Edit:
    return lambda saved: saved.nodes[0].MergeFrom(log_pb2.ProfileNode(**fields))


_PROFILES: dict[str, Edit] = {
    "input_of_itself": _node(inputs={0: 0}),
    "inputs_in_a_circle": _node(inputs={0: 1}),
    "inputs_of_nobody": _node(inputs={-1: 99, 2**31 - 1: -1}, src_output_index={99: -1}),
    "output_shapes_too_high": _node(output_shapes={2**31 - 1: log_pb2.Tuple(int64_values=[3])}),
    "shapes_beyond_64_bits": _node(shape=[_MOST] * 5, output_shapes={0: log_pb2.Tuple()}),
    "steps_that_nobody_has": lambda saved: saved.steps.extend([-1, _MOST, 7, 7, 0]),
    "runs_of_no_step": _node(execs={5: log_pb2.ExecProfile(run_count=-3)}),
    "times_that_are_no_pairs": lambda saved: (
        saved.nodes[0].execs[0].cpu_execs[""].times.add(int64_values=[1, 2, 3])
    ),
    "times_missing": lambda saved: saved.nodes[0].execs[0].cpu_execs[_CPU].times.add(),
    "nodes_of_one_name": lambda saved: saved.nodes[7].MergeFrom(saved.nodes[0]),
    "ids_that_differ_from_keys": _node(id=2**40),
    "texts_of_nobody": lambda saved: saved.nodes[0].trace.traces.add(file_id=99, line_id=-1),
}


def _signature(name: str) -> Edit:
    def edit(meta: Any) -> None:
        meta.signature_def["serving_default"].outputs["out"].name = name

    return edit


def _loop(meta: Any) -> None:
    """A While whose body is itself, and whose condition nobody has."""
    _function_of_itself(meta.graph_def)
    node = meta.graph_def.node.add(name="loop", op="While", input=["scope/c"])
    node.attr["body"].func.name, node.attr["cond"].func.name = "f", "nobody"
    _signature("loop:0")(meta)


_METAS: dict[str, Edit] = {
    "graph_missing": lambda meta: meta.ClearField("graph_def"),
    "outputs_of_nobody": _signature("nobody:0"),
    "outputs_without_a_name": _signature(":"),
    "outputs_too_high": _signature("scope/c:2147483648"),
    "inputs_in_a_circle": lambda meta: meta.graph_def.node[0].input.append("scope/c"),
    "loop_of_itself": _loop,
}

_WHOLE: dict[str, Callable[[], Any]] = {
    "graph": _graph,
    "run_meta": _run,
    "op_log": _log,
    "profile": _profile,
    "meta_graph": _meta,
    "saved_model": _saved_model,
}
_EDITS: dict[str, dict[str, Edit]] = {
    "graph": _GRAPHS,
    "run_meta": _RUNS,
    "op_log": _LOGS,
    "profile": _PROFILES,
    "meta_graph": _METAS,
    "saved_model": {
        "no_graphs": lambda model: model.ClearField("meta_graphs"),
        "two_graphs": lambda model: model.meta_graphs.append(_meta()),
        "loop_of_itself": lambda model: _loop(model.meta_graphs[0]),
        "input_of_an_output_that_is_no_number": lambda model: _input(
            2, f"name_a:{'9' * 5000}", "name_a:\u00b2"
        )(model.meta_graphs[0].graph_def),
    },
}
