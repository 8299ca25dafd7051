"""Traces that were made by hand: times, nesting, roots, steps, and files that are no traces."""

from __future__ import annotations

import json
import os
import random
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import tfprof
from tests.loaders.xplane.traces import Maker, made
from tests.test_goldens import graph_of
from tfprof.errors import LoadError
from tfprof.loaders.xplane.nesting import find_outer
from tfprof.loaders.xplane.planes import Trace
from tfprof.protos.varint import encode_varint
from tfprof.protos.xplane_pb2 import XLine, XSpace
from tfprof.resolve import attributed_share

COMPILED = Path(__file__).parents[2] / "data" / "samples" / "captures" / "compiled"


def rows(profile: tfprof.Profile) -> dict[tuple[int, str], tuple[int, int]]:
    """(step, node) -> microseconds and number of its records."""
    found: dict[tuple[int, str], tuple[int, int]] = {}
    for records in profile.records:
        names = records.names.cast("string").to_pylist()
        for name, micros in zip(names, records.duration.tolist(), strict=True):
            time, count = found.get((records.step, name), (0, 0))
            found[records.step, name] = time + micros, count + 1
    return found


def test_roots_steps_and_self_times(tmp_path: Path) -> None:
    profile = tfprof.load(made().write(tmp_path))
    per_run = {"a/call": (10, 1), "a/MatMul": (10, 1), "b": (1, 2)}
    expected = {
        (step, f"{root}/{name}"): row
        for root, steps in (("train", (0, 1)), ("test", (0,)))
        for step in steps
        for name, row in per_run.items()
    }
    found = rows(profile)
    # Half a microsecond in two parts is rounded once.
    assert found == expected
    report = profile.report("op", select=["micros", "op_types"])
    assert {row.name for row in report} >= {"PartitionedCall", "MatMul", "_FusedConv2D"}
    assert any("no graph is beside this trace" in message for message in report.messages)


def test_times_are_summed_in_nanoseconds(tmp_path: Path) -> None:
    """Of 0.25us and 0.25us in three runs nothing is lost, and each row is rounded by itself."""
    maker = Maker()
    worker = maker.line("tf_Compute/1")
    for i in range(100):
        maker.event(worker, f"n{i}:Add", i, i + 0.4)
    profile = tfprof.load(maker.write(tmp_path))
    report = profile.report("op", select=["micros"])
    assert report.root.total["exec_micros"] == 40
    assert report["Add"].own["exec_micros"] == 40
    scope = profile.report("scope", select=["micros"], max_depth=5)
    assert scope["other/n7"].own["exec_micros"] == 0
    assert scope["other"].total["exec_micros"] == 40
    profile.save_tables(tmp_path / "tables")
    again = tfprof.load(tmp_path / "tables")
    assert again.report("op", select=["micros"]).text() == report.text()
    assert again.trace == profile.trace
    assert again.totals == profile.totals
    folded = scope.write(f"folded:outfile={tmp_path / 'folded'}")
    assert "-" not in (tmp_path / "folded").read_text()
    assert folded is None


def test_totals(tmp_path: Path) -> None:
    """Elapsed, busy and summed time; what runs in another op is busy and summed once."""
    maker = made()
    other = maker.line("tf_Compute/2")
    maker.event(other, "ExecutorState::Process", 10, 90, id=7)
    maker.event(other, "c:Mul", 20, 50)
    profile = tfprof.load(maker.write(tmp_path))
    (first, second) = profile.totals.steps
    # 10 to 30 and 20 to 50 overlap in the first step, which is also that of `test`.
    assert first.step == 0
    assert first.wall_ns == 240_250
    assert dict(first.busy_ns) == {profile.devices[0]: 40_000 + 250 + 20_500}
    assert first.summed_ns == 2 * 20_500 + 30_000
    assert (second.wall_ns, second.summed_ns) == (40_250, 20_500)
    assert profile.totals.wall_ns == 240_250
    assert dict(profile.totals.busy_ns) == {profile.devices[0]: 40_000 + 250 + 20_500 + 20_500}
    assert profile.summary().to_dict()["totals"] == profile.totals.to_dict()


def test_events_are_accounted_for(tmp_path: Path) -> None:
    maker = made()
    worker = maker.plane.lines[1]
    maker.event(worker, "ExecutorState::ScheduleReady", 0, 1)
    maker.event(worker, "$train.py:3 step", 0, 1)
    maker.event(worker, "mystery", 0, 1)
    maker.event(worker, "train", 0, 1, step_num=4)
    environment = maker.space.planes[1]
    environment.lines.add(events=[{}, {}])
    profile = tfprof.load(maker.write(tmp_path))
    assert profile.trace is not None
    assert profile.trace.used == {"ops": 12, "runs of functions": 9, "steps and launches": 1}
    ignored = {"scheduling": 1, "Python functions": 1, "others": 1, "plane Task Environment": 2}
    assert profile.trace.ignored == ignored
    events = [event for p in maker.space.planes for line in p.lines for event in line.events]
    assert profile.trace.read == len(events)
    assert profile.trace.hosts == ("host",)
    text = profile.trace.describe()
    assert text.startswith("trace level unknown; 27 events read, 22 used (ops 12, ")
    assert text.endswith("no allocator records, so bytes are unknown")
    assert profile.summary().to_dict()["trace"] == profile.trace.to_dict()


def test_marked_steps(tmp_path: Path) -> None:
    maker = made()
    markers = maker.line("markers")
    for number, first in ((41, 0), (42, 100), (43, 200)):
        maker.event(markers, "train", first, first + 99, step_num=number)
    assert tfprof.load(maker.write(tmp_path)).steps == (41, 42, 43)


def test_a_step_whose_mark_was_before_the_trace(tmp_path: Path) -> None:
    """As in tf_keras, where a callback starts the trace inside the first step."""
    maker = made()
    markers = maker.line("markers")
    for number, first in ((42, 100), (43, 200)):
        maker.event(markers, "train", first, first + 99, step_num=number)
    found = rows(tfprof.load(maker.write(tmp_path)))
    assert {step for step, node in found if node == "train/b"} == {41, 42}


def test_an_op_after_the_last_process_belongs_to_it(tmp_path: Path) -> None:
    maker = made()
    maker.event(maker.plane.lines[1], "open:Mul", 295, 297)
    assert rows(tfprof.load(maker.write(tmp_path)))[0, "test/open"] == (2, 1)


def test_eager_and_data_ops(tmp_path: Path) -> None:
    maker = made()
    python, data = maker.plane.lines[0], maker.line("tf_data_iterator_resource/3")
    maker.event(python, "EagerLocalExecute: MatMul", 300, 340)
    maker.event(python, "EagerKernelExecute", 310, 330)
    maker.event(data, "ExecutorState::Process", 300, 310, id=99)
    maker.event(data, "Map:Map", 301, 305)
    found = rows(tfprof.load(maker.write(tmp_path)))
    assert found[0, "eager/MatMul"] == (20, 1)
    assert found[0, "tf_data/Map"] == (4, 1)


@pytest.mark.parametrize("name", ["<lambda>", "__call__", "élan vital-1.x"])
def test_functions_of_any_name(tmp_path: Path, name: str) -> None:
    maker = Maker()
    python, worker = maker.line("python"), maker.line("tf_Compute/1")
    for step in range(2):
        first = 100 * step
        maker.event(python, f"EagerLocalExecute: __inference_{name}_12", first, first + 9)
        maker.event(python, "FunctionRun", first + 1, first + 2, id=step + 7)
        maker.event(worker, "ExecutorState::Process", first + 10, first + 90, id=step + 7)
        maker.event(worker, "a/MatMul:MatMul", first + 12, first + 22)
    found = rows(tfprof.load(maker.write(tmp_path)))
    assert found == {(step, f"{name}/a/MatMul"): (10, 1) for step in range(2)}


def test_newest_of_several_runs(tmp_path: Path) -> None:
    old, new = made(), Maker()
    worker = new.line("tf_Compute/1")
    new.event(worker, "new:Add", 0, 5)
    os.utime(old.write(tmp_path, "2026_01_02"), (10**9, 10**9))
    new.write(tmp_path, "2026_01_03")
    profile = tfprof.load(tmp_path)
    assert rows(profile).keys() == {(0, "other/new")}
    messages = profile.report("scope", select=["micros"]).messages
    assert "2 runs are in this folder: the newest is 2026_01_03" in messages
    assert "\nNote        2 runs are in this folder: the newest is 2026_01_03\n" in str(
        profile.summary()
    )


def test_runs_in_folders_of_a_log_folder(tmp_path: Path) -> None:
    made().write(tmp_path / "train")
    os.utime(made().write(tmp_path / "validation", "old"), (10**9, 10**9))
    profile = tfprof.load(tmp_path)
    messages = profile.report("scope", select=["micros"]).messages
    assert "2 runs are in this folder: the newest is run" in messages


def test_graph_of_another_program(tmp_path: Path) -> None:
    made().write(tmp_path)
    about = {"steps": [0], "notes": [], "versions": {}, "level": 3}
    (tmp_path / "capture.json").write_text(json.dumps(about))
    graph = graph_of(("elsewhere", "NoOp"), ("b/c", "MatMul"))
    (tmp_path / "functions.pb").write_bytes(graph.SerializeToString())
    profile = tfprof.load(tmp_path)
    assert profile.trace is not None
    assert profile.trace.level == 3
    messages = profile.report("scope", select=["micros"]).messages
    assert any("only 0% of traced time attributed to graph nodes" in text for text in messages)
    summary = profile.summary()
    assert json.loads(summary.json())["messages"] == list(messages)
    assert "\nNote        only 0% of traced time attributed" in summary.text()


def test_file_of_a_host_that_is_cut(tmp_path: Path) -> None:
    made().write(tmp_path, host="a")
    file = made().write(tmp_path, host="b")
    file.write_bytes(file.read_bytes()[:-5])
    with pytest.raises(LoadError, match="truncated, or a different format") as error:
        tfprof.load(tmp_path)
    assert str(file) in str(error.value)


def test_hosts_are_devices(tmp_path: Path) -> None:
    for host in ("Worker-1", "gpu-box"):
        maker = made()
        maker.space.hostnames[0] = host
        maker.write(tmp_path, host=host)
    profile = tfprof.load(tmp_path)
    # The second name would read as that of a device.
    assert profile.devices == (
        "/job:worker-1/replica:0/task:0/device:cpu:0",
        "/job:host_1/replica:0/task:1/device:cpu:0",
    )
    assert profile.trace is not None
    assert profile.trace.hosts == ("Worker-1", "gpu-box")
    assert rows(profile)[0, "train/a/MatMul"] == (20, 2)
    first, second = profile.totals.steps[0].busy_ns.values()
    assert first == second == 2 * 20_500
    report = profile.report("scope", select=["micros"], account_type_regexes=[".*worker-1.*"])
    assert report.messages


def test_level_2_is_said(tmp_path: Path) -> None:
    maker = made()
    environment = maker.space.planes[1]
    environment.stat_metadata[2].name = "profile_options"
    environment.stats.add(metadata_id=2, bytes_value=b"\x10\x02")
    messages = tfprof.load(maker.write(tmp_path)).report("op", select=["micros"]).messages
    assert "trace level 2: cheap ops were not recorded" in messages


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (XSpace(hostnames=["x"]).SerializeToString(), "no op was recorded"),
        (made().space.SerializeToString()[:-7], "truncated, or a different format"),
        (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "truncated, or a different format"),
    ],
)
def test_malformed(tmp_path: Path, data: bytes, reason: str) -> None:
    file = tmp_path / "host.xplane.pb"
    file.write_bytes(data)
    with pytest.raises(LoadError, match=reason) as error:
        tfprof.load(file)
    assert str(file) in str(error.value)


def test_changed_bytes_give_an_answer_or_an_error(tmp_path: Path) -> None:
    data = made().space.SerializeToString()
    generator = random.Random(1)
    file = tmp_path / "host.xplane.pb"
    for _ in range(300):
        changed = bytearray(data)
        for _ in range(generator.randint(1, 3)):
            changed[generator.randrange(len(data))] = generator.randrange(256)
        file.write_bytes(changed)
        with suppress(tfprof.TfprofError):
            tfprof.load(file).report("op", select=["micros"]).text()


def test_outer_interval() -> None:
    generator = np.random.default_rng(3)
    for _ in range(50):
        # Intervals of one line that nest or are apart, as calls on a thread do.
        start, end = [0], [1000]
        for _ in range(30):
            first, last = sorted(generator.integers(0, 1000, 2).tolist())
            crosses = any(
                a < first < b < last or first < a < last < b
                for a, b in zip(start, end, strict=True)
            )
            if not crosses and (first, last) not in zip(start, end, strict=True) and first < last:
                start.append(first)
                end.append(last)
        expected = []
        for i, (a, b) in enumerate(zip(start, end, strict=True)):
            around = [
                (d - c, j)
                for j, (c, d) in enumerate(zip(start, end, strict=True))
                if j != i and c <= a and b <= d
            ]
            expected.append(min(around)[1] if around else -1)
        found = find_outer(np.zeros(len(start)), np.array(start), np.array(end))
        assert found.tolist() == expected


def test_lines_are_split_into_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rows(tfprof.load(made().write(tmp_path)))
    monkeypatch.setattr("tfprof.loaders.xplane.events._CHUNK_SIZE", 40)
    assert rows(tfprof.load(made().write(tmp_path))) == whole


def test_fields_between_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protobuf allows any order of fields."""
    monkeypatch.setattr("tfprof.loaders.xplane.events._CHUNK_SIZE", 40)
    file = made().write(tmp_path)
    whole = rows(tfprof.load(file))
    space = made().space
    lines = list(space.planes[0].lines)
    del space.planes[0].lines[:]
    parts = [
        b"".join(
            part.SerializeToString()
            for part in (
                XLine(name=line.name, timestamp_ns=line.timestamp_ns, events=line.events[:3]),
                XLine(display_name="a thread"),
                XLine(events=line.events[3:]),
            )
        )
        for line in lines
    ]
    plane = space.planes[0].SerializeToString() + b"".join(
        b"\x1a" + encode_varint(len(line)) + line for line in parts
    )
    rest = space.planes[1].SerializeToString()
    file.write_bytes(b"".join(b"\x0a" + encode_varint(len(data)) + data for data in (plane, rest)))
    assert rows(tfprof.load(file)) == whole


def test_hostname() -> None:
    assert Trace(memoryview(made().space.SerializeToString())).hostname == "host"


def test_code_view_says_how_to_get_stacks(tmp_path: Path) -> None:
    profile = tfprof.load(made().write(tmp_path))
    with pytest.raises(tfprof.OptionError, match=r"this trace has no stacks; record one .*run`$"):
        profile.report("code", select=["micros"])


def test_a_function_that_is_compiled_as_a_whole() -> None:
    """Its program and the op that runs it belong to the call of the function."""
    profile = tfprof.load(COMPILED)
    assert attributed_share(profile) > 0.99
    report = profile.report("scope", max_depth=2, account_type_regexes=[".*"])
    scopes = {row.name for row in report.rows}
    assert {"train_step"} <= scopes <= {"_TFProfRoot", "Variable", "train_step", "train_step_args"}
    lines = profile.report("code", max_depth=9, select=["micros"]).text()
    assert "y = inner(x)" in lines
