"""`--quiet` is quiet: no command prints a message, and no library a log line."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, Tfprof, environment
from tfprof import demo
from tfprof.api.profile import Profile
from tfprof.cli.commands import COMMANDS

PATHS = demo.paths()
MODEL = ("model", "cost")
OWN_INPUT = (*MODEL, "gate")
ARGUMENTS = {"completion": ["bash"], **{name: [str(PATHS["graph"])] for name in MODEL}}
ARGUMENTS["diff"] = ["--before_step=0", "--after_step=1"]
ARGUMENTS["gate"] = [str(PATHS["graph"]), "--init"]


@pytest.mark.parametrize(
    "name", [n for n, c in COMMANDS.items() if c.where != "shell" and not c.runs_program]
)
def test_every_command(run: Tfprof, name: str, tmp_path: Path) -> None:
    words = [*(["--demo"] if COMMANDS[name].inputs and name not in OWN_INPUT else []), name]
    words += [
        *ARGUMENTS.get(name, []),
        *([f"--out={tmp_path}/out"] if name in ("report", "tables") else []),
        *([f"--budget={tmp_path}/budget.toml"] if name == "gate" else []),
    ]
    done = run(*(words if name == "help" else [*words, "--quiet"]))
    assert not done.err, done.err
    assert done.status == 0
    assert done.out or name in ("report", "tables")


@pytest.mark.parametrize(
    "words",
    [
        [str(PATHS["run_meta"][0]), "op"],
        [str(PATHS["graph"]), "op", "-select", "micros,tensor_value,float_ops"],
        ["--demo", "graph", "-select", "micros", "-output", "timeline:outfile={folder}/t.json"],
        ["--demo", "op", "-select", "float_ops", "--json"],
    ],
)
def test_what_has_messages(run: Tfprof, words: list[str], tmp_path: Path) -> None:
    words = [word.format(folder=tmp_path) for word in words]
    assert run(*words).err
    done = run(*words, "--quiet")
    assert (done.status, done.err) == (0, "")


def test_warnings_are_messages(
    run: Tfprof, demo_profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def warn(*_: object, **__: object) -> Profile:
        warnings.warn("an odd\nplugin", RuntimeWarning, stacklevel=1)
        return demo_profile

    monkeypatch.setattr("tfprof.cli.load_profile", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert run("--demo", "op").err == "an odd plugin\n"
        assert run("--demo", "op", "--quiet").err == ""


@pytest.fixture(scope="module")
def keras_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keras") / "model.keras"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import keras

        layers = [keras.layers.Input((8,)), keras.layers.Dense(4)]
        keras.Sequential(layers).save(path)
    return path


def test_keras_files_show_no_log(process: Tfprof, keras_model: Path) -> None:
    done = process("model", str(keras_model), TF_CPP_MIN_LOG_LEVEL="0", PYTHONWARNINGS="")
    assert (done.status, done.err) == (0, "")
    assert "dense" in done.text


def test_keras_files_show_progress(keras_model: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    shell = pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], "cost", str(keras_model)],
        env=environment(TERM="xterm", PYTHONWARNINGS=""),
        encoding="utf-8",
        timeout=60,
    )
    shown = shell.read()
    assert "reading the model with Keras, " in shown
    assert "MatMul" in shown
    assert "oneDNN" not in shown
