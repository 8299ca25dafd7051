"""Which line of a stack is the user's, and that timelines and advice agree on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tfprof
from tfprof.advisor import advise
from tfprof.loaders.op_log import read_op_log
from tfprof.profiles.user_code import (
    describe_user_line,
    frame_columns,
    rank_file,
    rank_files,
    user_lines,
)
from tfprof.protos import graph_pb2, log_pb2, run_metadata_pb2

SITE = "/home/me/venv/lib/python3.11/site-packages"
WINDOWS = r"C:\Users\me\venv\Lib\site-packages"

KERAS_FIT = [
    "/home/me/train.py",
    f"{SITE}/keras/src/utils/traceback_utils.py",
    f"{SITE}/keras/src/trainers/trainer.py",
    "/home/me/model.py",
    f"{SITE}/keras/src/layers/layer.py",
    "/tmp/__autograph_generated_filedd2x.py",
    f"{SITE}/tensorflow/python/ops/math_ops.py",
]
V1_MODEL = [
    "train.py",
    "/usr/local/lib/python2.7/dist-packages/tensorflow/python/platform/app.py",
    "models/resnet.py",
    "tensorflow/python/ops/nn_ops.py",
]
NOTEBOOK = [
    "<frozen runpy>",
    f"{SITE}/ipykernel/kernelapp.py",
    "/opt/conda/lib/python3.11/asyncio/base_events.py",
    f"{SITE}/IPython/core/interactiveshell.py",
    "/tmp/ipykernel_1/1234.py",
    f"{SITE}/transformers/models/bert/modeling_tf_bert.py",
    f"{SITE}/tensorflow/python/ops/math_ops.py",
]
INSTALLED_PROJECT = [
    "/home/me/venv/bin/train",
    f"{SITE}/my_project/train.py",
    f"{SITE}/my_project/model.py",
    f"{SITE}/absl/app.py",
    f"{SITE}/tensorflow/python/ops/nn_ops.py",
]
ON_WINDOWS = [
    r"C:\work\train.py",
    r"C:\Python311\Lib\contextlib.py",
    rf"{WINDOWS}\keras\src\layers\layer.py",
]
FOLDER_OF_THE_SAME_NAME = ["/home/me/tensorflow/keras/model.py", "tensorflow/python/ops/x.py"]
ONLY_LIBRARIES = ["<frozen runpy>", "tensorflow/python/a.py", "tensorflow/python/b.py"]

CASES = {
    "Keras fit": (KERAS_FIT, 3),
    "TensorFlow 1 model": (V1_MODEL, 2),
    "notebook": (NOTEBOOK, 4),
    "project in site-packages": (INSTALLED_PROJECT, 2),
    "Windows": (ON_WINDOWS, 0),
    "folder of the same name": (FOLDER_OF_THE_SAME_NAME, 0),
    "only libraries": (ONLY_LIBRARIES, 2),
}


def load(stacks: dict[str, list[str]], *, strings: bool = False) -> tfprof.Profile:
    """A node for each stack; frame `i` is line `i + 1`."""
    graph, log, run = graph_pb2.GraphDef(), log_pb2.OpLogProto(), run_metadata_pb2.RunMetadata()
    device = run.step_stats.dev_stats.add(device="/device:CPU:0")
    ids: dict[str, int] = {}
    for name, files in stacks.items():
        graph.node.add(name=name, op="MatMul")
        device.node_stats.add(node_name=name, all_start_micros=1, op_end_rel_micros=9)
        entry = log.log_entries.add(name=name)
        for line, file in enumerate(files, 1):
            frame = entry.code_def.traces.add(lineno=line)
            if strings:
                frame.file, frame.function, frame.line = file, "call", "x @ w"
                continue
            frame.file_id = ids.setdefault(file, len(ids) + 1)
            frame.function_id = ids.setdefault("call", len(ids) + 1)
            frame.line_id = ids.setdefault("x @ w", len(ids) + 1)
    for text, number in ids.items():
        log.id_to_string[number] = text
    return tfprof.load(graph, [run], log)


@pytest.mark.parametrize("strings", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_user_line(case: str, strings: bool) -> None:
    files, wanted = CASES[case]
    profile = load({"first": ["other.py"], "node": files, "none": []}, strings=strings)
    assert user_lines(profile).to_pylist() == ["other.py:1", f"{files[wanted]}:{wanted + 1}", None]
    name = files[wanted].replace("\\", "/").rpartition("/")[2]
    assert describe_user_line(profile, 1) == f"{name}:{wanted + 1} call: x @ w"
    assert describe_user_line(profile, 2) == ""


def test_libraries() -> None:
    user_files = ["train.py", "/tmp/ipykernel_1/1.py", "<stdin>"]
    assert [rank_file(file) for file in user_files] == [2, 2, 2]
    assert rank_file(f"{SITE}/my_project/model.py") == 1
    assert rank_file(rf"{WINDOWS}\numpy\linalg.py") == 1
    assert rank_file("/usr/lib/python3.11/runpy.py") == 0


def test_rank_of_each_file() -> None:
    library = f"{SITE}/my_project/model.py"
    assert rank_files(["train.py", library, "train.py"]) == {"train.py": 2, library: 1}


def test_lines_are_a_dictionary_in_the_order_of_nodes() -> None:
    """A name may be long, and many nodes have it."""
    stacks = {"a": ["b.py"], "b": [], "c": ["a.py"], "d": ["b.py"]}
    lines = user_lines(load(stacks))
    assert lines.dictionary.to_pylist() == ["b.py:1", "a.py:1"]
    assert lines.indices.to_pylist() == [0, None, 1, 0]


def test_files_with_long_names() -> None:
    """They are cut in descriptions; as columns they are refused if too many lines have them."""
    profile = load({"a": ["d/" + "f" * 300], "b": ["f" * 255]})
    assert describe_user_line(profile, 0) == "f" * 252 + "...:1 call: x @ w"
    assert describe_user_line(profile, 1) == "f" * 255 + ":1 call: x @ w"
    many = load({str(i): ["a.py"] * i + ["f" * 3_000_000] for i in range(3)})
    with pytest.raises(tfprof.LoadError, match=r"of 3,000,000 characters: .* 3 lines of code"):
        user_lines(many)


def test_frames_with_and_without_own_texts() -> None:
    """What a frame lacks as text it has as an id."""
    log = log_pb2.OpLogProto()
    log.id_to_string[1], log.id_to_string[2] = "b.py", "a.py"
    traces = log.log_entries.add(name="x").code_def.traces
    for file, file_id in (("", 1), ("a.py", 0), ("", 2), ("", 3), ("c.py", 1)):
        traces.add(file=file, file_id=file_id)
    graph = graph_pb2.GraphDef()
    graph.node.add(name="x", op="A")
    frames = frame_columns(tfprof.load(graph, op_log=log))
    assert frames.column("file").to_pylist() == ["b.py", "a.py", "a.py", "none", "c.py"]


def test_gradients_have_the_line_of_their_forward_node() -> None:
    stacks = {
        "scope/y": ["model.py"],
        "gradients/scope/y_grad/MatMul": ["train.py"],
        "gradients/other_grad/MatMul": ["train.py"],
        "gradient_tape/scope/y/MatMul": ["train.py"],
        "gradient_tape/other/MatMul": ["train.py"],
    }
    profile = load(stacks)
    model, train = "model.py:1", "train.py:1"
    assert user_lines(profile).to_pylist() == [model, model, train, model, train]
    assert describe_user_line(profile, 1) == "gradient of model.py:1 call: x @ w"
    assert describe_user_line(profile, 2) == "train.py:1 call: x @ w"
    assert describe_user_line(profile, 3) == "gradient of model.py:1 call: x @ w"


def test_several_op_logs() -> None:
    profile = load({"a": [], "b": [], "c": KERAS_FIT})
    for name, file in (("a", "first.py"), ("b", "second.py")):
        log = log_pb2.OpLogProto()
        log.log_entries.add(name=name).code_def.traces.add(lineno=7, file=file)
        profile = profile.with_op_log(read_op_log(log))
    assert user_lines(profile).to_pylist() == ["first.py:7", "second.py:7", "/home/me/model.py:4"]


def test_timelines_and_advice_agree(tmp_path: Path) -> None:
    profile = load({case.replace(" ", "_"): files for case, (files, _) in CASES.items()})
    path = tmp_path / "timeline.json"
    profile.report("scope", step=0, max_depth=9).write(f"timeline:outfile={path}")
    events = json.loads(path.read_text())["traceEvents"]
    drawn = {e["args"]["name"]: e["args"].get("source") for e in events if "dur" in e}
    nodes = advise(profile, {"ExpensiveOperationChecker": {"top": 99}}).findings[1].evidence
    assert len(nodes) == len(CASES)
    for row in nodes:
        file, _, line = drawn[row.name].rpartition(":")
        assert row.source.startswith(f"{file.replace(chr(92), '/').rpartition('/')[2]}:{line} ")
