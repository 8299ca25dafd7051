"""Every format is recognized as itself and as nothing else; what is none of them is named."""

from __future__ import annotations

import os
import shutil
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format

import tfprof
from fuzz import seeds
from tests.loaders.checkpoint.table_writer import write_table
from tests.loaders.xplane.traces import made
from tfprof import demo
from tfprof.cli.inputs import load_arguments
from tfprof.errors import LoadError, OptionError
from tfprof.loaders import LOADERS, assign_inputs, recognize
from tfprof.loaders.files import read_head
from tfprof.loaders.message_kinds import HEAD_SIZE, message_kind
from tfprof.protos import graph_pb2, log_pb2, run_metadata_pb2, saved_model_pb2, xplane_pb2

DEMO = demo.paths()
CLASSES: dict[str, Any] = {
    "GraphDef": graph_pb2.GraphDef,
    "MetaGraphDef": saved_model_pb2.MetaGraphDef,
    "SavedModel": saved_model_pb2.SavedModel,
    "RunMetadata": run_metadata_pb2.RunMetadata,
    "OpLogProto": log_pb2.OpLogProto,
    "ProfileProto": log_pb2.ProfileProto,
}


def saved_profile() -> log_pb2.ProfileProto:
    """A profile of one node."""
    profile = log_pb2.ProfileProto()
    profile.nodes[0].name, profile.nodes[0].op = "a", "A"
    return profile


@cache
def messages() -> dict[str, list[bytes]]:
    """Messages of every kind: small ones, generated ones with odd content, and the demo's."""
    small: dict[str, list[Any]] = {
        "GraphDef": [
            graph_pb2.GraphDef(node=[{"name": "a", "op": "A"}]),
            graph_pb2.GraphDef(versions={"producer": 9}, node=[{"name": "x/y", "op": "NoOp"}]),
        ],
        "RunMetadata": [
            run_metadata_pb2.RunMetadata(step_stats={"dev_stats": [{"device": "cpu"}]}),
            run_metadata_pb2.RunMetadata(
                partition_graphs=[{"node": [{"name": "a", "op": "A"}], "versions": {"producer": 1}}]
            ),
        ],
        "OpLogProto": [
            log_pb2.OpLogProto(log_entries=[{"name": "a"}]),
            log_pb2.OpLogProto(log_entries=[{"name": "a", "types": ["t", "u"]}]),
            log_pb2.OpLogProto(log_entries=[{"name": "a", "float_ops": 3}]),
        ],
        "ProfileProto": [saved_profile()],
        "MetaGraphDef": [
            saved_model_pb2.MetaGraphDef(graph_def={"node": [{"name": "a", "op": "A"}]})
        ],
    }
    generated = {
        "GraphDef": seeds.graphs(),
        "MetaGraphDef": seeds.meta_graphs(),
        "SavedModel": seeds.saved_models(),
        "RunMetadata": [*seeds.runs(), *(path.read_bytes() for path in DEMO["run_meta"])],
        "OpLogProto": [*seeds.logs(), DEMO["op_log"].read_bytes()],
        "ProfileProto": [*seeds.profiles(), tfprof.load(**DEMO).serialize()],
    }
    return {
        kind: [m.SerializeToString() for m in small.get(kind, ())]
        # Fewer bytes are a message without any value, which may be of any kind.
        + [data for data in generated[kind] if len(data) > 4]
        for kind in CLASSES
    }


@pytest.mark.parametrize("kind", CLASSES)
def test_messages_are_distinguished(kind: str) -> None:
    found = [message_kind(data[:HEAD_SIZE]) for data in messages()[kind]]
    assert len(found) > 20
    assert set(found) == {kind}


@pytest.mark.parametrize("kind", CLASSES)
def test_messages_in_text_are_distinguished(kind: str) -> None:
    small = [data for data in messages()[kind] if len(data) < 5000]
    texts = [text_format.MessageToString(CLASSES[kind].FromString(data)) for data in small]
    # Strings alone may be those of an op log or of a profile.
    named = [text for text in texts if not text.startswith("id_to_string")]
    assert {message_kind(text.encode()[:HEAD_SIZE]) for text in named} == {kind}


@pytest.mark.parametrize("kind", CLASSES)
def test_truncated_messages_are_recognized_or_unclear(kind: str) -> None:
    """A large part is recognized as the whole is; no part is taken for another kind."""
    for data in messages()[kind]:
        found = {message_kind(data[:size]) for size in (len(data) // 2, len(data) - 1)}
        assert found <= {kind, ""}, data


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Files and folders of every format."""
    root = tmp_path_factory.mktemp("samples")
    found: dict[str, list[Path]] = {kind: [] for kind in LOADERS}
    for kind in CLASSES:
        data = messages()[kind][-1]
        for suffix in ("", ".pb"):
            found[kind].append(root / f"{kind}{suffix}")
            found[kind][-1].write_bytes(data)
        found[kind].append(root / f"{kind}.pbtxt")
        small = text_format.MessageToString(CLASSES[kind].FromString(messages()[kind][0]))
        found[kind][-1].write_text(small)
    for name, content in (("binary", seeds.saved_models()[20]), ("text", None)):
        folder = root / f"saved_model_{name}"
        folder.mkdir()
        model = saved_model_pb2.SavedModel.FromString(seeds.saved_models()[20])
        file = folder / ("saved_model.pb" if content else "saved_model.pbtxt")
        file.write_bytes(content or text_format.MessageToString(model).encode())
        found["SavedModel"] += [folder, file]
    prefix = DEMO["checkpoint"]
    for file in prefix.parent.glob(f"{prefix.name}.*"):
        (root / "training").mkdir(exist_ok=True)
        shutil.copy(file, root / "training" / file.name.replace(prefix.name, "model"))
    state = root / "training" / "checkpoint"
    state.write_text('model_checkpoint_path: "model"\nall_model_checkpoint_paths: "model"\n')
    v1 = root / "old_checkpoint"
    v1.write_bytes(write_table(seeds.old_checkpoint()))
    found["checkpoint"] = [state.parent, state, v1, prefix, *sorted(state.parent.glob("model.*"))]
    tfprof.load(**DEMO).save_tables(root / "tables")
    found["tables folder"] = [root / "tables"]
    trace = made().write(root / "logs")
    shutil.copy(trace, root / "trace")
    folders = [trace.parent, trace.parent.parent, root / "logs"]
    found["XPlane trace"] = [trace, *folders, root / "trace"]
    return found


@pytest.mark.parametrize("kind", LOADERS)
def test_exactly_one_loader_recognizes_a_file(samples: dict[str, list[Path]], kind: str) -> None:
    for path in samples[kind]:
        head = read_head(path, HEAD_SIZE)
        found = [loader.name for loader in LOADERS.values() if loader.recognize(path, head)]
        assert found == [kind], path


@pytest.mark.parametrize("kind", LOADERS)
def test_recognized_files_open(samples: dict[str, list[Path]], kind: str) -> None:
    for path in samples[kind]:
        assert len(tfprof.load(path).nodes) or kind in ("RunMetadata", "OpLogProto"), path


@pytest.mark.parametrize("kind", LOADERS)
@pytest.mark.parametrize("given_as", ["graph", "run_meta", "op_log", "profile", "checkpoint"])
def test_inputs_of_another_part_are_named(
    samples: dict[str, list[Path]], kind: str, given_as: str
) -> None:
    loader = LOADERS[kind]
    path = samples[kind][0]
    is_right = given_as in (loader.provides, loader.flag.removesuffix("_path"))
    if is_right or (kind, given_as) == ("SavedModel", "checkpoint"):
        return
    with pytest.raises(LoadError) as caught:
        tfprof.load(**{given_as: path})
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert f"it is {loader.noun}: give it as {loader.provides} (--{loader.flag})" in text


@pytest.mark.parametrize(
    ("kind", "given_as"),
    [
        (kind, part)
        for kind, part in product(CLASSES, ["graph", "run_meta", "op_log", "profile"])
        if part != LOADERS[kind].provides
    ],
)
@pytest.mark.parametrize("form", ["bytes", "message", "empty message"])
def test_messages_in_memory_of_another_part_are_named(
    samples: dict[str, list[Path]], kind: str, given_as: str, form: str
) -> None:
    loader, path = LOADERS[kind], samples[kind][0]
    data = (path / "saved_model.pb" if path.is_dir() else path).read_bytes()
    message = CLASSES[kind]
    source = {"bytes": data, "message": message.FromString(data)}.get(form, message())
    with pytest.raises(LoadError) as caught:
        tfprof.load(**{"graph": graph_pb2.GraphDef(), given_as: source})
    text = str(caught.value)
    assert text.startswith(f"{given_as}: ")
    assert f"it is {loader.noun}: give it as {loader.provides} (--{loader.flag})" in text


@pytest.mark.parametrize("length", range(1, 33))
def test_bytes_of_names_alone_are_the_part_that_they_are_given_as(length: int) -> None:
    """Also if the lengths are white space, so that the bytes could be a text."""
    graph, log = graph_pb2.GraphDef(), log_pb2.OpLogProto()
    graph.node.add(name="n" * length)
    log.log_entries.add(name="n" * length)
    profile = tfprof.load(graph.SerializeToString(), op_log=log.SerializeToString())
    assert profile.nodes.name.to_pylist() == ["n" * length]


@pytest.mark.parametrize("given_as", ["graph", "run_meta", "op_log", "profile"])
def test_messages_of_no_part_are_named(given_as: str) -> None:
    says = f"^{given_as}: not an? [A-Za-z]+; it is a message of class XSpace$"
    with pytest.raises(LoadError, match=says):
        tfprof.load(**{"graph": graph_pb2.GraphDef(), given_as: xplane_pb2.XSpace()})


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (
            b"\n\x00",
            "a RunMetadata or a ProfileProto; say which, with --run_meta_path or --profile_path",
        ),
        (
            b'id_to_string { key: 1 value: "a" }\n',
            "an OpLogProto or a ProfileProto; say which, with --op_log_path or --profile_path",
        ),
    ],
)
def test_what_may_be_several_messages_has_to_be_named(
    data: bytes, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "input"
    path.write_bytes(data)
    with pytest.raises(LoadError) as caught:
        recognize(path)
    assert str(caught.value) == f"{path}: may be {says}"


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "empty").touch()
    (tmp_path / "folder").mkdir()
    for name, says in {
        "nowhere": "no such file or folder; tfprof reads ",
        "empty": "is empty; tfprof reads ",
        "folder": "is a directory of an unknown format; tfprof reads ",
        "device": "is a device; give a file: tfprof reads ",
        "pipe": "is a pipe; name its content, as in --graph_path=",
    }.items():
        with pytest.raises(LoadError) as caught:
            recognize(tmp_path / name)
        assert str(caught.value).startswith(f"{tmp_path / name}: {says}")


def test_files_are_parts_of_one_profile() -> None:
    paths = [DEMO["op_log"], DEMO["run_meta"][1], DEMO["graph"], *DEMO["run_meta"][:1]]
    given = assign_inputs([*paths, DEMO["checkpoint"]])
    # Steps are in the order in which they are given.
    runs = [DEMO["run_meta"][1], DEMO["run_meta"][0]]
    assert given == {**DEMO, "run_meta": runs}
    expected = tfprof.load(**given).report("op", select=["micros"]).text()
    assert (
        tfprof.load(*paths, DEMO["checkpoint"]).report("op", select=["micros"]).text() == expected
    )


def test_contradictions_are_one_line(samples: dict[str, list[Path]]) -> None:
    graph, profile, folder = (samples[k][0] for k in ("GraphDef", "ProfileProto", "tables folder"))
    model, run = samples["SavedModel"][0], samples["RunMetadata"][0]
    for paths, says in {
        (graph, model): f"{model}: is another graph beside {graph}; give only one",
        (profile, graph): f"{profile} is a whole profile; leave out {graph}",
        (run, profile): f"{profile} is a whole profile; leave out ",
        (folder, profile): f"{folder} is a whole profile; leave out {profile}",
    }.items():
        with pytest.raises(OptionError) as caught:
            assign_inputs(paths)
        assert str(caught.value).startswith(says) or str(caught.value).startswith(
            f"{profile} is a whole profile"
        )


def test_flags_and_paths_together(samples: dict[str, list[Path]]) -> None:
    graph, log = str(DEMO["graph"]), str(DEMO["op_log"])
    first, second = map(str, DEMO["run_meta"])
    given = load_arguments({"op_log_path": log, "run_meta_path": [first]}, [graph, second])
    assert given == {key: DEMO[key] for key in ("graph", "run_meta", "op_log")}  # type: ignore[literal-required]
    assert load_arguments({}) is None
    for values, paths, says in (
        ({"graph_path": "g"}, [graph], f"--graph_path and {graph} are both a graph"),
        ({"profile_path": "p"}, [graph], f"--profile_path is a whole profile; leave out {graph}"),
        ({"demo": True}, [graph], f"--demo brings its own files; leave out {graph}"),
    ):
        with pytest.raises(OptionError, match=says):
            load_arguments(values, paths)


def test_recognition_does_not_read_all_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "graph.pb"
    path.write_bytes(DEMO["graph"].read_bytes()[:HEAD_SIZE])
    with path.open("r+b") as file:
        file.truncate(1 << 40)
    assert recognize(path).name == "GraphDef"


@pytest.fixture(scope="module")
def tensorflow_files(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, str]:
    """Files as TensorFlow itself writes them, and what they are."""
    import tensorflow as tf

    v1, root = tf.compat.v1, tmp_path_factory.mktemp("tensorflow")
    metadata, prefix = v1.RunMetadata(), str(root / "model.ckpt")
    options = v1.RunOptions(trace_level=3, output_partition_graphs=True)
    config = v1.ConfigProto(graph_options={"build_cost_model": 1})
    with tf.Graph().as_default() as graph, v1.Session(config=config) as session:
        w = v1.get_variable("w", (8, 4))
        train = v1.train.AdamOptimizer().minimize(tf.reduce_sum(tf.ones((2, 8)) @ w))
        session.run(v1.global_variables_initializer())
        session.run(train, options=options, run_metadata=metadata)
        v1.train.Saver().save(session, prefix)
        v1.train.write_graph(graph, str(root), "graph.pb", as_text=False)
        v1.train.write_graph(graph, str(root), "graph.pbtxt")
        tfprof.write_op_log(graph, root, run_meta=metadata)
    (root / "run_meta").write_bytes(metadata.SerializeToString())
    metadata.ClearField("step_stats")
    (root / "untraced").write_bytes(metadata.SerializeToString())
    module = tf.Module()
    module.w = tf.Variable(tf.ones([8]), name="w")
    call = tf.function(lambda x: x * module.w).get_concrete_function(tf.TensorSpec([8]))
    tf.saved_model.save(module, str(root / "saved"), signatures=call)
    (root / "frozen.pb").write_bytes(call.graph.as_graph_def().SerializeToString())
    tf.profiler.experimental.start(str(root / "logs"))
    call(tf.ones([8]))
    tf.profiler.experimental.stop()
    return {
        Path(prefix): "checkpoint",
        Path(f"{prefix}.index"): "checkpoint",
        Path(f"{prefix}.data-00000-of-00001"): "checkpoint",
        Path(f"{prefix}.meta"): "MetaGraphDef",
        root / "graph.pb": "GraphDef",
        root / "graph.pbtxt": "GraphDef",
        root / "frozen.pb": "GraphDef",
        root / "run_meta": "RunMetadata",
        root / "untraced": "RunMetadata",
        root / "tfprof_log": "OpLogProto",
        root / "saved": "SavedModel",
        root / "saved" / "saved_model.pb": "SavedModel",
        root / "saved" / "variables": "checkpoint",
        **dict.fromkeys((root / "logs").rglob("*.xplane.pb"), "XPlane trace"),
        root / "logs": "XPlane trace",
    }


def test_files_of_tensorflow(tensorflow_files: dict[Path, str]) -> None:
    assert "XPlane trace" in tensorflow_files.values()
    for path, kind in tensorflow_files.items():
        if kind in LOADERS:
            head = read_head(path, HEAD_SIZE)
            found = [loader.name for loader in LOADERS.values() if loader.recognize(path, head)]
            assert found == [kind], path
            tfprof.load(path)
        else:
            with pytest.raises(LoadError, match=f"is {kind}"):
                recognize(path)
