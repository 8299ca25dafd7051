"""What asks for nothing of the engine does not wait for it."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.cli.conftest import environment

HEAVY = {"numpy", "pyarrow", "ptars", "google", "prompt_toolkit", "tensorflow"}


@pytest.mark.parametrize("argument", ["--version", "--help", "help"])
def test_light_answers_import_no_engine(argument: str) -> None:
    script = (
        "import sys; from tfprof.cli import main; main(sys.argv[1:]); "
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, argument],
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
    )
    assert done.stdout.startswith("tfprof ")
    assert not HEAVY & set(done.stderr.split())


def test_an_answer_does_not_import_the_prompt() -> None:
    script = (
        "import sys; from tfprof.cli import main; main(['--demo', 'op']); "
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment()
    )
    assert not {"prompt_toolkit", "tensorflow", "pandas"} & set(done.stderr.split())


def test_whoever_wants_pandas_still_gets_it() -> None:
    if find_spec("pandas") is None:
        raise ModuleNotFoundError("pandas", name="pandas")
    script = (
        "from tfprof.cli import main; main(['--demo', '--quiet', 'op', '-output', 'none']); "
        "import pyarrow; print(pyarrow.table({'a': [7]}).to_pandas()['a'].sum())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment()
    )
    assert done.stdout == "7\n"
