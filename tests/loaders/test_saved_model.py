"""SavedModel folders in the views: their graph, and the code traces they were saved with."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tensorflow as tf

import tfprof
from tfprof.protos.graph_pb2 import GraphDebugInfo
from tfprof.protos.saved_model_pb2 import SavedModel

DEBUG_FILE = Path("debug", "saved_model_debug_info.pb")
LINES = """
import keras
import tensorflow as tf

class Scorer(tf.Module):
    def __init__(self):
        self.w = tf.Variable(tf.ones([8, 4]), name="w")

    @tf.function(autograph=False)
    def score(self, x):
        return tf.matmul(x, self.w)

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([2, 8])])
    def twice(self, x):
        first = self.score(x)
        return first + self.score(x)

class Mixing(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], 3))

    def call(self, x):
        return keras.ops.matmul(x, self.w)
"""
MATMUL = "lines.py:11:score"
FIRST = "lines.py:15:twice"
MIXING = "lines.py:23:call"

WITHOUT_TENSORFLOW = """
import sys
sys.modules["tensorflow"] = sys.modules["keras"] = None
from tfprof.cli import main
sys.exit(main(sys.argv[1:]))
"""


def _lines() -> dict:
    names: dict = {}
    exec(compile(LINES, "lines.py", "exec"), names)
    return names


def _save(model, folder: Path, **options) -> str:
    traced = tf.saved_model.SaveOptions(save_debug_info=True)
    tf.saved_model.save(model, str(folder), options=traced, **options)
    return str(folder)


@pytest.fixture(scope="module")
def module(tmp_path_factory) -> str:
    scorer = _lines()["Scorer"]()
    folder = tmp_path_factory.mktemp("saved") / "module"
    return _save(scorer, folder, signatures=scorer.twice)


@pytest.fixture(scope="module")
def keras_model(tmp_path_factory) -> str:
    import keras

    names = _lines()
    model = keras.Sequential([keras.Input([5], batch_size=4), names["Mixing"]()])
    return _save(model, tmp_path_factory.mktemp("saved") / "keras")


def test_code_view_has_the_lines(module: str) -> None:
    report = tfprof.load(module).report("code", select=["macs"], max_depth=99)
    found = {(row.parent.name, row.name): row.total["macs"] for row in report.rows[2:]}
    # Both calls run what was made by the first.
    assert found[FIRST, MATMUL] == 2 * 2 * 8 * 4
    assert report.rows[0].total["macs"] == 2 * 2 * 8 * 4


def test_code_view_has_the_lines_of_a_keras_layer(keras_model: str) -> None:
    report = tfprof.load(keras_model).report("code", select=["macs"], max_depth=99)
    assert report[MIXING].total["macs"] == 4 * 5 * 3


def test_the_command_needs_no_tensorflow(module: str) -> None:
    words = ["--graph_path", module, "code", "-select", "float_ops,op_types", "-max_depth", "999"]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TENSORFLOW, *words], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert f"{MATMUL} (256/256 flops, MatMul|ReadVariableOp)" in done.stdout


def test_what_only_saves_and_restores_is_left_out(module: str) -> None:
    profile = tfprof.load(module)
    names = profile.nodes.name.to_pylist()
    assert sorted(names) == ["StatefulPartitionedCall", "serving_default_x", "w"]
    report = profile.report("scope", select=["params"], account_type_regexes=["VarHandleOp"])
    assert report.rows[0].total["parameters"] == 8 * 4


def test_without_signatures_everything_is_shown(module: str, tmp_path: Path) -> None:
    folder = _copied(module, tmp_path)
    model = SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    model.meta_graphs[0].signature_def.clear()
    (folder / "saved_model.pb").write_bytes(model.SerializeToString())
    assert "saver_filename" in tfprof.load(folder).nodes.name.to_pylist()


def test_all_ways_of_asking_agree(module: str, capsys) -> None:
    options = {"select": ["float_ops"], "max_depth": 99, "output": "none"}
    expected = tfprof.load(module).report("code", options).proto()
    assert expected.total_float_ops == 2 * 2 * 2 * 8 * 4 + 8
    assert tfprof.profile(module, cmd="code", options=options) == expected
    file = Path(module, "saved_model.pb")
    assert tfprof.load(file).report("code", options).proto() == expected
    again = tfprof.load(profile=tfprof.load(module).serialize())
    assert again.report("code", options).proto() == expected
    assert "unexpected" not in capsys.readouterr().err


def test_an_op_log_goes_first(module: str) -> None:
    name = "StatefulPartitionedCall/StatefulPartitionedCall/StatefulPartitionedCall/MatMul"
    log = tfprof.OpLogProto()
    entry = log.log_entries.add(name=name, float_ops=7)
    entry.code_def.traces.add(file="other.py", lineno=3, function="f", line="g()")
    report = tfprof.load(module, op_log=log).report("code", select=["float_ops"], max_depth=99)
    assert report["other.py:3:f:g()"].own["float_ops"] == 7


def test_a_model_without_traces_has_no_code_view(module: str, tmp_path: Path) -> None:
    folder = _copied(module, tmp_path)
    (folder / DEBUG_FILE).unlink()
    assert len(tfprof.load(folder).report("scope"))
    with pytest.raises(tfprof.OptionError, match="No code trace"):
        tfprof.load(folder).report("code")


def _copied(module: str, to: Path) -> Path:
    return Path(shutil.copytree(module, to / "model"))


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _changed(change):
    def changed(data: bytes) -> bytes:
        info = GraphDebugInfo.FromString(data)
        change(info)
        return info.SerializeToString()

    return changed


CORRUPT = {
    "cut": _cut,
    "text": lambda _: b"no message at all",
    "no files": _changed(lambda info: info.ClearField("files")),
    "no frames": _changed(lambda info: info.ClearField("frames_by_id")),
    "no traces": _changed(lambda info: info.ClearField("traces_by_id")),
}


@pytest.mark.parametrize("how", CORRUPT)
def test_a_corrupt_debug_file_is_named(how: str, module: str, tmp_path: Path) -> None:
    file = _copied(module, tmp_path) / DEBUG_FILE
    file.write_bytes(CORRUPT[how](file.read_bytes()))
    with pytest.raises(tfprof.LoadError) as caught:
        tfprof.load(tmp_path / "model")
    assert str(caught.value).startswith(f"{file}: not a GraphDebugInfo")
    assert "\n" not in str(caught.value)


def test_frames_inside_traces_are_read(module: str, tmp_path: Path) -> None:
    """Older files have the frames in the traces, under the names of nodes."""
    file = _copied(module, tmp_path) / DEBUG_FILE
    info = GraphDebugInfo.FromString(file.read_bytes())
    older = GraphDebugInfo(files=info.files)
    for name, trace in info.name_to_trace_id.items():
        frames = [info.frames_by_id[key] for key in info.traces_by_id[trace].frame_id]
        older.traces[name].file_line_cols.extend(frames)
    file.write_bytes(older.SerializeToString())
    texts = [
        tfprof.load(folder).report("code", select=["macs"], max_depth=99).text()
        for folder in (module, tmp_path / "model")
    ]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("content", [None, b"", b"\xff\xff"])
def test_a_folder_without_a_model(content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "saved_model.pb").write_bytes(content)
    with pytest.raises(tfprof.LoadError) as caught:
        tfprof.load(tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)
