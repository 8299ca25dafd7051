"""The fuzzer itself: its seeds are the same in every process, and it says what it reached."""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from types import NoneType

import pyarrow as pa
import pyarrow.parquet
import pytest
from google.protobuf.message import DecodeError

from fuzz.ask import QUESTIONS
from fuzz.guard import failure_of
from fuzz.parquet import mutate_table
from fuzz.schema import mutate_message
from fuzz.source_coverage import share_by_package
from fuzz.targets import Target, targets
from fuzz.worker import run_input
from tfprof.outputs import OUTPUTS
from tfprof.outputs.diff import DIFF_OUTPUTS
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.log_pb2 import OpLogProto, ProfileProto
from tfprof.protos.run_metadata_pb2 import RunMetadata
from tfprof.protos.saved_model_pb2 import SavedModel

KINDS = {
    "graph": GraphDef,
    "run_meta": RunMetadata,
    "op_log": OpLogProto,
    "profile": ProfileProto,
    "saved_model": SavedModel,
}
ROOT = Path(__file__).parents[2]
HASH_SEEDS = """
import hashlib
from fuzz.targets import Target, targets
from fuzz.worker import run_input

for name, target in targets().items():
    print(name, hashlib.sha256(repr(target.seeds()).encode()).hexdigest())
"""


def run(*arguments, **variables):
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", **variables},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_seeds_are_the_same_in_every_process():
    first, second = (run("-c", HASH_SEEDS, PYTHONHASHSEED=seed) for seed in "12")
    assert first.splitlines() == second.splitlines()
    assert len(first.splitlines()) == len(targets())


def test_prints_shares_coverage_and_failures(tmp_path):
    pytest.importorskip("coverage")
    chosen = ["cost_of_graph", "escapes", "options"]
    out = run("-m", "fuzz", *chosen, "--minutes", "0.05", "--jobs", "1", "--crashers", tmp_path)
    shares = [
        float(share) for share in re.findall(r"([\d.]+)% (?:cost_of_graph|escapes|options)\n", out)
    ]
    assert sum(shares) == pytest.approx(100, abs=0.2)
    share = re.search(r"(\d+)% of the inputs went to readers and analyses\n", out)
    assert share is not None
    assert int(share[1]) >= 50
    assert re.search(r"lines reached: loaders [\d.]+%, .* outputs [\d.]+%\n", out)
    assert re.search(r" inputs tried in [\d.e+-]+ minutes, 0 failures\n$", out)
    assert not any(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forgets the peak of a process")
def test_memory_of_each_input_counts():
    """Also that of an input after one that took more."""
    target = Target("", lambda data: len(bytes(1 << 20) * int(data)), list, lambda data, _: data)
    failures = [run_input(target, megabytes) for megabytes in (b"500", b"100", b"400")]
    assert [type(failure) for failure in failures] == [MemoryError, NoneType, MemoryError]


@pytest.mark.parametrize("name", KINDS)
def test_most_mutated_messages_are_messages(name):
    """What protobuf refuses never reaches a reader."""
    dice, target = random.Random(0), targets()[name]
    kind = KINDS[name]
    mutate, seeds = mutate_message(kind), target.seeds()
    accepted = changed = 0
    for _ in range(300):
        data = dice.choice(seeds)
        mutated = mutate(data, dice)
        changed += mutated != data
        accepted += is_message_of(kind, mutated)
    assert accepted > 200
    assert changed > 250


def is_message_of(kind, data):
    try:
        kind.FromString(data)
    except DecodeError:
        return False
    return True


def test_most_mutated_tables_are_tables():
    dice, seeds = random.Random(0), targets()["tables"].seeds()
    readable = 0
    for _ in range(100):
        mutated = mutate_table(dice.choice(seeds).partition(b"\n")[2], dice)
        with contextlib.suppress(pa.ArrowException, OSError):
            pyarrow.parquet.read_table(io.BytesIO(mutated), page_checksum_verification=True)
            readable += 1
    assert readable > 50


def test_every_output_is_a_question():
    files = set(OUTPUTS) - {"stdout", "none"}
    assert {f"file {name}" for name in files} <= set(QUESTIONS)
    assert {f"diff {name}" for name in files & set(DIFF_OUTPUTS)} <= set(QUESTIONS)


@pytest.mark.parametrize("name", QUESTIONS)
def test_seeds_ask_every_question(name):
    target, data = targets()["questions"], f"0 {name}".encode()
    assert data in target.seeds()
    assert failure_of(target, data) is None
    assert target.size(data) > 1000


def test_share_of_lines_by_package():
    lines = {"views/a.py": (8, [3, 4]), "views/b.py": (2, []), "flops/c.py": (4, [1])}
    assert share_by_package(lines) == pytest.approx({"views": 0.8, "flops": 0.75})


FUZZED = sorted(path for path in (ROOT / "tests" / "data" / "fuzzed").rglob("*") if path.is_file())


@pytest.mark.parametrize("path", FUZZED, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_inputs_that_once_failed(path):
    failure = failure_of(targets()[path.parent.name], path.read_bytes())
    assert failure is None, failure
