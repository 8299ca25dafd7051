"""A process killed while it writes: the file is the old one or the complete new one.

`TFPROF_KILLS` says how often each output is killed; the documented figure is of 200.
"""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from pyarrow.parquet import read_table

import tfprof
from tests.robustness import writer
from tfprof.loaders.parquet.profile_tables import read_tables
from tfprof.outputs import OUTPUTS

KILLS = int(os.environ.get("TFPROF_KILLS", "25"))
LATEST = 60_000  # microseconds
ROOTS = [str(Path(tfprof.__file__).parents[1]), str(Path(__file__).parents[2])]
FILES = [name for name, output in OUTPUTS.items() if output.required]


@pytest.fixture(scope="module")
def process():
    command = [sys.executable, "-m", "tests.robustness.writer"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(ROOTS), "ARROW_NUM_THREADS": "1"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as started:
        yield started
        started.stdin.close()


@pytest.fixture(scope="module")
def profiles():
    return writer.profiles()


def killed(process, output, micros):
    process.stdin.write(f"{output} {micros}\n")
    process.stdin.flush()
    assert process.stdout.readline() == "done\n"


@pytest.mark.parametrize("kind", FILES)
def test_file_is_old_or_new(kind, process, profiles, tmp_path, capsys):
    target = tmp_path / "out"
    complete = []
    for profile in profiles:
        start = time.perf_counter()
        writer.write(profile, f"{kind}:outfile={target}")
        # A page takes longer than other outputs, and all do on a busy machine.
        latest = max(LATEST, round(3e6 * (time.perf_counter() - start)))
        complete.append(target.read_bytes())
    assert complete[0] != complete[1]
    dice, seen = random.Random(kind), Counter()
    for _ in range(KILLS):
        killed(process, f"{kind}:outfile={target}", dice.randrange(latest))
        seen[complete.index(target.read_bytes())] += 1
    assert seen.total() == KILLS
    # Kills between the first byte and the renaming leave what was written beside the target.
    assert any(path != target for path in tmp_path.iterdir())


def test_tables_are_each_old_or_new(process, profiles, tmp_path):
    """Each file is whole; a folder that is half of each is refused or read, never a crash."""
    folder = tmp_path / "tables"
    complete = []
    for profile in profiles:
        profile.save_tables(folder)
        complete.append({path.name: read_table(path) for path in folder.iterdir()})
    dice = random.Random(1)
    for _ in range(KILLS):
        killed(process, f"tables:{folder}", dice.randrange(LATEST))
        for name in complete[0]:
            assert read_table(folder / name) in (complete[0][name], complete[1][name])
        with contextlib.suppress(tfprof.LoadError):
            read_tables(folder)
