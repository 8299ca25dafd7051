"""Bad files of every kind, made by `python -m fuzz.bad` or found by `python -m fuzz`.

Each is read or refused in one line, as `outcomes` says, within the bounds of docs/robustness.md.
"""

from __future__ import annotations

import random
import shutil
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import pytest
from google._upb import _message as upb

import tfprof
from fuzz.bad.readers import READERS, outcome_of
from fuzz.guard import failure_of
from fuzz.targets import targets
from tests.robustness.memory import measured
from tfprof.definitions.limits import max_table_bytes
from tfprof.loaders.parquet.profile_tables import read_tables

BAD = Path(__file__).parents[1] / "data" / "bad"
OUTCOMES = dict(line.split() for line in (BAD / "outcomes").read_text().splitlines())
FILES = sorted(path for path in BAD.rglob("*") if path.is_file() and path.parent != BAD)
TARGETS = targets()
ROOM = 200_000_000
NO_UTF8 = [name for name in OUTCOMES if "no_utf8" in name or "surrogate" in name]


@pytest.fixture(autouse=True)
def usual_depth():
    """As deep as protobuf goes by default, not as where messages of the original are compared."""
    upb.SetAllowOversizeProtos(False)
    yield
    upb.SetAllowOversizeProtos("tests.oracle.compare" in sys.modules)


bad_files = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(BAD)))


def bound(path):
    """The most memory that a bad file may take."""
    size = path.stat().st_size
    return ROOM + 40 * size + (max_table_bytes(size) if path.parent.name == "tables" else 0)


@bad_files
def test_answers_or_one_error(path):
    started = time.process_time()
    with measured() as peak:
        failure = failure_of(TARGETS[path.parent.name], path.read_bytes())
    assert failure is None, failure
    assert time.process_time() - started < 10
    assert peak.size < bound(path)


@bad_files
def test_is_read_or_refused(path, tmp_path):
    with measured() as peak, warnings.catch_warnings():
        warnings.simplefilter("error")
        outcome, reason = outcome_of(path, tmp_path)
    assert outcome == OUTCOMES[str(path.relative_to(BAD))], reason
    assert peak.size < bound(path)
    if outcome == "refused":
        assert len(reason.splitlines()) == 1
        assert str(path) in reason or str(tmp_path) in reason


def test_every_reader_has_bad_files():
    counts = Counter(path.parent.name for path in FILES)
    assert set(counts) == set(READERS)
    assert set(counts) <= set(TARGETS)
    assert min(counts.values()) >= 6
    assert {str(path.relative_to(BAD)) for path in FILES} == set(OUTCOMES)


def test_measured_sees_memory():
    with measured() as peak:
        bytes(bytearray(100_000_000))
    assert 100_000_000 <= peak.size < 300_000_000


@pytest.mark.parametrize("name", ["escape_unknown", "escape_unknown_among_others"])
def test_escape_that_python_warns_of_is_kept(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        profile = tfprof.load(graph=BAD / "graph_text" / name)
    assert profile.nodes.name.to_pylist()[0] in (r"a\qb", r"a\zb\d")


@pytest.mark.parametrize(
    ("name", "file", "column"),
    [
        ("column_missing_in_nodes", "nodes", "op"),
        ("column_missing_in_edges", "edges", "consumer"),
        ("column_missing_in_profile", "profile", "steps"),
        ("column_missing_in_records", "records", "duration"),
        ("column_missing_in_frames", "frames", "file_id"),
        ("part_missing", "records", "part"),
        ("column_twice", "edges", "consumer"),
    ],
)
def test_table_without_a_column_is_named(name, file, column, tmp_path):
    outcome, reason = outcome_of(BAD / "tables" / name, tmp_path)
    assert outcome == "refused"
    assert reason.startswith(f"{tmp_path / file}.parquet: ")
    assert f"'{column}'" in reason


def test_the_good_tables_are_read(tmp_path):
    """Else the tests above would pass whatever is wrong."""
    good = next(data for data in TARGETS["tables"].seeds() if data.startswith(b"nodes"))
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "good").write_bytes(good)
    (tmp_path / "work").mkdir()
    assert outcome_of(tmp_path / "tables" / "good", tmp_path / "work") == ("read", "")
    assert len(read_tables(tmp_path / "work").edges.consumer)
    shutil.rmtree(tmp_path / "work")


@pytest.mark.parametrize("name", NO_UTF8)
def test_what_is_no_utf_8_is_refused(name):
    assert OUTCOMES[name] == "refused"


def test_there_are_cases_of_no_utf_8_for_all_that_has_names():
    folders = {name.partition("/")[0] for name in NO_UTF8}
    assert folders == set(READERS) - {"checkpoint_index", "checkpoint_shard", "checkpoint_v1"}


@pytest.mark.parametrize("name", list(TARGETS))
def test_seeds_and_some_mutations(name):
    """A short run of the fuzzer, the same each time: the targets themselves must work."""
    target, dice = TARGETS[name], random.Random(name)
    for data in target.seeds()[:20]:
        assert failure_of(target, data) is None
    for _ in range(25):
        data = target.mutator(dice.choice(target.seeds()), dice)
        assert failure_of(target, data) is None, data
