"""`tfprof.write_op_log` against the original's, entry by entry."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

import tfprof
from tests.api.compared import assert_same
from tests.api.models import Training
from tfprof import OpLogProto


def written(write: Any, folder: Path, *arguments: Any, **more: Any) -> OpLogProto:
    write(arguments[0], str(folder), *arguments[1:], **more)
    return OpLogProto.FromString((folder / "tfprof_log").read_bytes())


@pytest.mark.parametrize("add_trace", [True, False])
def test_log_is_the_originals(tf: Any, training: Training, tmp_path: Path, add_trace: bool) -> None:
    original = tf.compat.v1.profiler.write_op_log
    for run in (None, training.runs[0]):
        arguments = (training.graph, None, run, add_trace)
        ours = written(tfprof.write_op_log, tmp_path, *arguments, compat=True)
        theirs = written(original, tmp_path, *arguments)
        assert [entry.name for entry in ours.log_entries] == [
            entry.name for entry in theirs.log_entries
        ]
        assert_same(theirs, ours)


def own_log(kind: Any, training: Training) -> Any:
    """An op log with types, counts and frames of its own, of nodes that exist and others."""
    log = kind()
    names = [operation.name for operation in training.graph.get_operations()]
    for position, name in enumerate([names[5], "nowhere", names[9], training.trainable[0].op.name]):
        entry = log.log_entries.add(name=name)
        entry.types.append(f"mine_{position % 2}")
        entry.float_ops = position % 2 * 1000
        if position < 2:
            entry.code_def.traces.add(file_id=1, function_id=2, lineno=3)
    log.id_to_string[1] = "mine.py"
    log.id_to_string[2] = "build"
    return log


def test_own_log_is_merged_like_the_originals(tf: Any, resnet: Training, tmp_path: Path) -> None:
    log = own_log(tf.compat.v1.profiler.OpLogProto, resnet)
    untouched = copy.deepcopy(log)
    ours = written(tfprof.write_op_log, tmp_path, resnet.graph, log, compat=True)
    assert log == untouched  # the original changes it
    assert_same(written(tf.compat.v1.profiler.write_op_log, tmp_path, resnet.graph, log), ours)


def test_own_strings_keep_their_meaning(resnet: Training, tmp_path: Path) -> None:
    merged = written(tfprof.write_op_log, tmp_path, resnet.graph, own_log(OpLogProto, resnet))
    entry = merged.log_entries[0]
    frame = entry.code_def.traces[0]
    assert merged.id_to_string[frame.file_id] == "mine.py"
    assert merged.id_to_string[frame.function_id] == "build"
    others = {
        merged.id_to_string[frame.file_id]
        for entry in merged.log_entries[4:]
        for frame in entry.code_def.traces
    }
    assert "mine.py" not in others
    assert any(name.endswith("models.py") for name in others)


def test_own_types_are_accounted(resnet: Training) -> None:
    log = own_log(OpLogProto, resnet)
    options = tfprof.ProfileOptionBuilder().with_accounted_types(["mine_1"]).select(["params"])
    answer = tfprof.profile(resnet.graph, None, log, options=options.with_empty_output().build())
    assert answer.total_parameters == resnet.trainable[0].shape.num_elements()


def test_frames_have_text_and_first_lines_by_default(resnet: Training, tmp_path: Path) -> None:
    log = written(tfprof.write_op_log, tmp_path, resnet.graph)
    entries = {entry.name: entry for entry in log.log_entries}
    frames = [
        frame
        for frame in entries["init/Conv2D"].code_def.traces
        if log.id_to_string[frame.file_id].endswith("models.py")
    ]
    source = Path(log.id_to_string[frames[-1].file_id]).read_text().splitlines()
    for frame in frames:
        assert log.id_to_string[frame.line_id] == source[frame.lineno - 1].strip()
        function = log.id_to_string[frame.function_id]
        assert source[frame.func_start_line - 1].strip().startswith(f"def {function}(")


def test_the_folder_is_made(resnet: Training, tmp_path: Path) -> None:
    tfprof.write_op_log(resnet.graph, tmp_path / "new" / "logs")
    assert (tmp_path / "new" / "logs" / "tfprof_log").stat().st_size
    (tmp_path / "file").touch()
    with pytest.raises(tfprof.OutputError, match=r"file/logs: cannot make the folder: Not a dir"):
        tfprof.write_op_log(resnet.graph, tmp_path / "file" / "logs")
