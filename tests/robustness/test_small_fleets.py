"""Small traces and odd stores of a fleet that once failed: each keeps 2 s and 300 MB."""

from __future__ import annotations

import pytest

from tests.robustness.budget import run_measured
from tfprof.protos.log_pb2 import ProfileProto
from tfprof.protos.run_metadata_pb2 import RunMetadata

pytest.importorskip("duckdb")


@pytest.fixture
def ingest(tmp_path):
    """Adds a file of a worker to a store."""

    def add(name, message):
        path = tmp_path / "traces" / "worker_0" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(message.SerializeToString())
        argv = "ingest", "traces", "--job", "j", "--out", "store", "--processes", "1"
        return run_measured("fleet", *argv, cwd=tmp_path).check()

    return add


def _run(devices):
    run = RunMetadata()
    for i in range(devices):
        device = run.step_stats.dev_stats.add(device=f"d{i}")
        device.node_stats.add(node_name="a", all_start_micros=1, op_end_rel_micros=1)
    return run


def test_more_devices_than_16_bits_count(ingest):
    assert "33,000 records" in ingest("run_meta_1", _run(33_000)).out


def test_step_beyond_32_bits(ingest):
    profile, step = ProfileProto(steps=[2**40]), 2**40
    node = profile.nodes[0]
    node.name, node.op = "a", "A"
    node.execs[step].run_count = 1
    node.execs[step].devices.append("/cpu:0")
    node.execs[step].cpu_execs["/cpu:0"].times.add().int64_values.extend([1, 1])
    done = ingest("profile.pb", profile)
    assert done.status == 1
    assert "step 1099511627776 is beyond the 32 bits of a store" in done.err


@pytest.mark.parametrize(
    "line",
    [
        '{"merged":"x"}',
        '{"merged":-1}',
        '{"merged":99}',
        "[" * 100_000,
        '{"worker":"w","steps":[],"records":1}',
        '{"worker":5,"steps":[1],"records":1}',
        '{"worker":"w","steps":["a"],"records":1}',
        '{"worker":"w","steps":[1],"records":"a"}',
        '{"worker":"w","steps":[1],"records":1,"source":2}',
        '{"worker":"\\ud800","steps":[1],"records":1}',
    ],
    ids=lambda line: line[:40],
)
def test_manifest_that_tfprof_did_not_write(line, ingest, tmp_path):
    ingest("run_meta_1", _run(1))
    with (tmp_path / "store" / "job=j" / "manifest.jsonl").open("a") as stream:
        stream.write(f"{line}\n")
    argv = "ingest", "traces", "--job", "j", "--out", "store", "--processes", "1"
    for command in (("stragglers", "store"), argv):
        done = run_measured("fleet", *command, cwd=tmp_path).check()
        assert done.status == 1
        assert "manifest.jsonl: is damaged; remove" in done.err


def test_version_of_a_store_that_is_nested(tmp_path):
    (tmp_path / "store.json").write_text("[" * 100_000)
    done = run_measured("fleet", "stragglers", tmp_path).check()
    assert "is no fleet store" in done.err


def test_pattern_with_many_stars(tmp_path):
    (tmp_path / "traces" / ("a" * 200)).mkdir(parents=True)
    (tmp_path / "traces" / ("a" * 200) / "run_meta_0").write_bytes(b"")
    argv = "ingest", "traces", "--job", "j", "--out", "store"
    for stars, says in ((11, "has no traced steps that match"), (50_000, "at most 1,000 are")):
        pattern = f"{'*'.join('a' * (stars + 1))}b/{{worker}}"
        done = run_measured("fleet", *argv, "--pattern", pattern, cwd=tmp_path).check()
        assert says in done.err
        assert done.err.count("\n") == 1
