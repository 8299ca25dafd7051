"""Every command of the documentation and of help, run as written: none has an empty answer."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import tfprof
from tests.cli.conftest import Outcome, call
from tfprof import demo
from tfprof.cli.commands import COMMANDS
from tfprof.protos.saved_model_pb2 import SavedModel

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
COMMAND = re.compile(r"^ *(?:\$ )?tfprof (.*)$", re.MULTILINE)
PROMPT = re.compile(r"^ *tfprof> (.*)$", re.MULTILINE)
PLACEHOLDERS = {"…": "--demo", "my_code": "resnet_model", "conv2d_1": "dense", "/tmp/": "out/"}
MODELS = ("my_saved_model", "my_lstm", "my_rnn", "mnist")
SYNTAX = ("FILE_OR_FOLDER", "[COMMAND]")
NO_ANSWER = ("set", "reset", "exit", "quit")


def _blocks() -> Iterator[str]:
    """Fenced and indented code of all pages, and the examples of help."""
    for page in PAGES:
        fenced, block = False, ""
        for line in page.read_text().splitlines():
            if line.startswith("```"):
                fenced = not fenced
            elif fenced or line.startswith("    "):
                block += f"{line}\n"
                continue
            yield block
            block = ""
    yield from (command.examples for command in COMMANDS.values())


def _commands() -> list[str]:
    found = (line for block in _blocks() for line in COMMAND.findall(block))
    return sorted({line for line in found if not any(word in line for word in SYNTAX)})


def _sessions() -> list[list[str]]:
    """The lines typed at a prompt, one list for each block."""
    return [lines for block in _blocks() if (lines := PROMPT.findall(block))]


def model(symbol: int = -1, units: int = 4) -> SavedModel:
    """A dense layer whose batch size is open."""
    saved = SavedModel(saved_model_schema_version=1)
    meta = saved.meta_graphs.add(meta_info_def={"tags": ["serve"]})
    nodes = {
        "x": ("Placeholder", [], (symbol, 8)),
        "dense/kernel": ("VarHandleOp", [], (8, units)),
        "dense/ReadVariableOp": ("ReadVariableOp", ["dense/kernel"], (8, units)),
        "dense/MatMul": ("MatMul", ["x", "dense/ReadVariableOp"], (symbol, units)),
    }
    for name, (op, inputs, shape) in nodes.items():
        node = meta.graph_def.node.add(name=name, op=op, input=inputs)
        node.attr["dtype" if op != "MatMul" else "T"].type = 1
        sizes = node.attr["shape"].shape if op != "MatMul" else None
        for target in filter(None, (sizes, node.attr["_output_shapes"].list.shape.add())):
            for size in shape:
                target.dim.add(size=size)
    signature = meta.signature_def["serving_default"]
    signature.inputs["x"].name, signature.outputs["y"].name = "x:0", "dense/MatMul:0"
    for size in (symbol, 8):
        signature.inputs["x"].tensor_shape.dim.add(size=size)
    return saved


@pytest.fixture
def folder(documented_files: Path, tmp_path: Path) -> Path:
    """A folder with all that the documentation calls a file, for one test: none needs another."""
    return shutil.copytree(documented_files, tmp_path / "documented", copy_function=os.link)


@pytest.fixture(scope="module")
def documented_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same for all tests, none of which writes to it."""
    root = tmp_path_factory.mktemp("documented")
    for path in demo.paths()["graph"].parent.iterdir():
        if path.is_file():
            shutil.copy(path, root)
    shutil.copy(root / "run_meta_0", root / "run_meta")
    training = ROOT / "tests" / "data" / "memory" / "cnn"
    shutil.copy(training / "graph.pb", root / "train_graph.pb")
    shutil.copy(training / "run_meta_32", root / "train_run_meta")
    for name in MODELS:
        (root / name).mkdir()
        (root / name / "saved_model.pb").write_bytes(model().SerializeToString())
    (root / "new_saved_model").mkdir()
    (root / "new_saved_model" / "saved_model.pb").write_bytes(model(units=6).SerializeToString())
    profile = tfprof.load(**demo.paths())
    (root / "model.profile").write_bytes(profile.serialize())
    shutil.copytree(demo.paths("keras")["profile"], root / "run1")
    shutil.copytree(demo.FLEET, root / "fleet_store")
    for worker in ("worker_0", "worker_1"):
        (root / "traces" / worker).mkdir(parents=True)
        for step in ("run_meta_0", "run_meta_1"):
            shutil.copy(root / step, root / "traces" / worker)
    capture = tfprof.load(root / "run1")
    capture.replace(records=capture.records[1:]).save_tables(root / "run2")
    (root / "out").mkdir()
    return root


def is_empty(done: Outcome) -> bool:
    """Whether an answer has no row but a header and a root."""
    text = done.out
    if text.startswith((b"[", b"{")):
        return len(json.loads(text)) < 2
    if text.startswith(b"PAR1"):
        return False
    return len([line for line in done.lines if "_TFProfRoot" not in line]) < 2


def written_file(words: list[str]) -> str:
    """The file or folder that a command writes to, if there is one."""
    joined = " ".join(words)
    found = re.search(r"outfile=([^ ,]+)|--out[= ](\S+)|-output ([^ :]+\.\w+)", joined)
    name = next(filter(None, found.groups()), "") if found else ""
    return "" if name == "-" else name


def has_content(path: Path) -> bool:
    """Whether a file, a folder, or the files of steps that a timeline has are written."""
    if path.is_dir():
        return any(path.iterdir())
    files = [path] if path.exists() else list(path.parent.glob(f"{path.stem}_*{path.suffix}"))
    return bool(files) and all(file.stat().st_size for file in files)


def test_there_are_commands() -> None:
    assert len(_commands()) > 50
    assert sum(map(len, _sessions())) > 5


@pytest.mark.parametrize("line", _commands())
def test_no_documented_command_has_an_empty_answer(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for placeholder, value in PLACEHOLDERS.items():
        line = line.replace(placeholder, value)
    words = shlex.split(re.split(r" [|>] ", line)[0], comments=True)
    if words[0] == "run":
        pytest.skip("runs a program of TensorFlow; tests/recording runs such programs")
    if "--engine" in words:
        pytest.skip("needs a Spark cluster; tests/fleet/test_spark.py runs one")
    if "ui" in words:
        pytest.skip("serves until it is interrupted; tests/api/test_server.py runs it")
    budget = folder / "tfprof.toml"
    if "--init" in words:
        budget.unlink(missing_ok=True)
    elif "gate" in words:
        budget.write_text('[budget]\nparams = "+0%"\nfloat_ops = "+0%"\n')
    is_prompt = not set(words) & set(COMMANDS)
    done = call(*words, stdin="op -select occurrence\n" if is_prompt else "")
    assert done.status == 0, done.err
    target = written_file(words)
    if target:
        assert has_content(folder / target)
    else:
        assert not is_empty(done), done.text


def test_no_documented_line_of_the_prompt_has_an_empty_answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for lines in _sessions():
        kept: list[str] = []
        for line in lines:
            if line.split()[0] in NO_ANSWER:
                kept.append(line)
                continue
            done = call("--demo", stdin="\n".join([*kept, line]))
            assert done.status == 0, line
            assert not is_empty(done), line
