"""Timelines: what the original writes, what is repaired, and what viewers need."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfprof
from tests.outputs.samples import gpu_profile, random_profile, report_of
from tests.outputs.timeline.trace_rules import check, read
from tfprof import demo
from tfprof.outputs.timeline.writer import step_path

MICROS = "exec_micros"
STARS = "\n******************************************************\n"


def _compat_options(**more):
    names = ("account_type_regexes", "start_name_regexes", "show_name_regexes")
    regexes = {name: [".*"] for name in names}
    return {"select": ["micros"], "order_by": "name", "max_depth": 100, **regexes, **more}


def test_golden_gpu_timeline_in_compat(tmp_path, capsys):
    """G4 of the reference, which the original wrote."""
    file = tmp_path / "t.json"
    report = gpu_profile().report("graph", _compat_options(step=0), compat=True)
    report.write(f"timeline:outfile={file}")
    text = (tmp_path / "t.json_0").read_text()
    events = json.loads(text)["traceEvents"]
    assert text == json.dumps({"traceEvents": events}, sort_keys=True, separators=(",", ":")) + "\n"
    assert [e["args"]["name"].split(" /")[0] for e in events if e["ph"] == "M"] == [
        "Op scheduling threads:",
        "Op scheduling threads:",
        "Op execution threads:",
        "mem usage on:/job:localhost/replica:0/task:0/device:gpu:0",
        "mem usage on:/job:localhost/replica:0/task:0/device:gpu:0 allocations",
    ]
    flows = [(e["id"], e["name"], e["ts"]) for e in events if e["ph"] in "st"]
    assert flows == [
        (1, "c_flow", 1020),
        (1, "c_flow", 2000),
        (2, "c_flow", 1020),
        (2, "c_flow", 3000),
        (3, "r_flow", 2060),
        (3, "r_flow", 9000),
    ]
    used = [e for e in events if e["name"] == "Allocated Bytes"]
    assert [(e["ts"], *e["args"].values()) for e in used] == [
        (1005, 0),
        (2050, 5_000_000),
        (3007, 4_000_000),
    ]
    top = [e["args"] for e in events if e["name"] == "Top Allocations"]
    assert "Top Allocation 00" not in top[0]
    assert top[1]["Top Allocation 00"] == "3 MB from mm"
    assert top[1]["Top Allocation 02"] == "3.2e-05 MB from v"
    assert top[1]["Not Displayed"] == "2.00 MB"
    assert capsys.readouterr().out == (
        "generating trace file.\n"
        "/job:localhost/replica:0/task:0/device:gpu:0 peak memory: 6.00 MB\n"
        f"{STARS}Timeline file is written to {file}_0.\nOpen a Chrome browser, enter URL "
        f"chrome://tracing and load the timeline file.{STARS}"
    )


def test_repaired_memory(tmp_path):
    """Only samples of a GPU allocator count (N17), and all ten series are there (N18)."""
    file = tmp_path / "t.json"
    gpu_profile().report("graph", step=0, max_depth=100).write(f"timeline:outfile={file}")
    events = check(read(file))
    in_use = [e["ts"] for e in events["C"] if "Allocator Bytes in Use" in e["args"]]
    assert in_use == [2050, 3007]
    series = {f"Top Allocation {slot:02}" for slot in range(10)} | {"Not Displayed"}
    assert all(e["args"].keys() == series for e in events["i"])
    assert len(events["i"]) == len(events["C"])


def test_live_bytes_of_every_pool(tmp_path):
    """The highest sample of a pool is the peak that reports and advice state."""
    file, profile = tmp_path / "t.json", tfprof.load(**demo.paths())
    profile.report("graph", step=0, max_depth=10_000).write(f"timeline:outfile={file}")
    live = [e["args"]["Live Bytes"] for e in check(read(file))["C"]]
    assert max(live) == profile.report("scope", select="live_bytes", step=0).total["live_bytes"]


def test_repaired_equal_starts(tmp_path):
    """Two runs with one start are two regions, in lanes of their own (N16)."""
    profile = gpu_profile(("r", 2000, 10))
    counts = []
    for compat, name in ((True, "t.json_0"), (False, "t.json")):
        report = profile.report("graph", _compat_options(step=0), compat=compat)
        report.write(f"timeline:outfile={tmp_path / 't.json'}")
        counts.append(sum(e["ph"] == "X" for e in read(tmp_path / name)))
    assert counts == [9, 10]
    check(read(tmp_path / "t.json"))


def test_regions_say_what_they_are(tmp_path):
    file = tmp_path / "t.json"
    profile = gpu_profile()
    profile.report("graph", step=0, max_depth=100).write(f"timeline:outfile={file}")
    args = {e["name"]: e["args"] for e in read(file) if e["ph"] == "X"}
    assert args["mm"]["op"] == "MatMul"
    assert args["mm"]["bytes"] == 3_000_124
    assert args["mm"]["input_shapes"] == "0:unknown|1:unknown"
    assert args["v"]["params"] == 8


def test_flows(tmp_path):
    """Arrows between devices, within them as well, or none."""
    counts = {}
    for flows in ("cross", "all", "none"):
        file = tmp_path / f"{flows}.json"
        report = gpu_profile().report("graph", step=0, max_depth=100)
        report.write(f"timeline:outfile={file},flows={flows}")
        counts[flows] = len(check(read(file))["s"])
    assert counts == {"cross": 3, "all": 6, "none": 0}


def test_min_micros_leaves_out_what_ran_less(tmp_path):
    file = tmp_path / "t.json"
    report = gpu_profile().report("graph", step=0, max_depth=100, min_micros=100)
    report.write(f"timeline:outfile={file}")
    assert {e["name"] for e in read(file) if e["ph"] == "X"} == {"mm", "r"}


def test_compressed_and_counted(tmp_path, capsys):
    file = tmp_path / "t.json.gz"
    gpu_profile().report("scope").write(f"timeline:outfile={file}")
    assert file.read_bytes()[:2] == b"\x1f\x8b"
    assert len(check(read(file))["X"]) == 6
    printed = capsys.readouterr()
    assert not printed.out
    assert "6 events" in printed.err


def test_a_file_for_each_step(tmp_path):
    profile = next(p for p in map(random_profile, range(100)) if len(p.steps) > 1)
    report_of(profile, "graph").write(f"timeline:outfile={tmp_path / 't'}")
    assert {f.name for f in tmp_path.iterdir()} == {f"t_{step}" for step in profile.steps}


@pytest.mark.parametrize("kind", ["scope", "code"])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_trees_are_as_wide_as_their_rows(kind, seed, tmp_path_factory):
    file = tmp_path_factory.getbasetemp() / "tree.json"
    report = report_of(random_profile(seed), kind)
    if report is None:
        return
    report.write(f"timeline:outfile={file}")
    regions = check(read(file))["X"]
    total = report.total[:, MICROS].tolist()
    shown = [row for row in range(len(report)) if not row or total[row] > 0]
    assert [e["dur"] for e in regions] == [total[row] for row in shown]
    assert [e["name"] for e in regions] == [report.names[row] for row in shown]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), flows=st.sampled_from(["cross", "all", "none"]))
def test_runs_add_up_to_their_rows(seed, flows, tmp_path_factory):
    """The regions of a step last as long as the report says, for all nodes with a device."""
    file = tmp_path_factory.getbasetemp() / "graph.json"
    profile = random_profile(seed)
    for step in profile.steps[:1]:
        report = report_of(profile, "graph", step=step)
        report.write(f"timeline:outfile={file},flows={flows}")
        events = check(read(file))
        sums = dict.fromkeys(report.names[1:], 0)
        for region in events["X"]:
            sums[region["name"]] += region["dur"]
        drawn = {name for name, micros in sums.items() if micros}
        own = dict(zip(report.names[1:], report.own[1:, MICROS].tolist(), strict=True))
        assert {name: sums[name] for name in drawn} == {name: own[name] for name in drawn}
        placed = dict(zip(report.names, _has_device(report), strict=True))
        assert drawn == {name for name in own if own[name] and placed[name]}


def _has_device(report):
    from tfprof.profiles.executions import executions_of

    device = executions_of(report.profile, report.quirks).device
    return [node >= 0 and device[node] >= 0 for node in report.node.tolist()]


def test_wrong_requests(tmp_path):
    profile = gpu_profile()
    with pytest.raises(tfprof.OptionError, match="op view"):
        profile.report("op").write(f"timeline:outfile={tmp_path / 't'}")
    with pytest.raises(tfprof.OptionError, match="flows is 'some'"):
        profile.report("graph").write(f"timeline:flows=some,outfile={tmp_path / 't'}")
    with pytest.raises(tfprof.OptionError, match="needs a step"):
        tfprof.Profile().report("graph").write(f"timeline:outfile={tmp_path / 't'}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("path", "of_step"),
    [
        ("x.json", "x_3.json"),
        ("folder.d/x", "folder.d/x_3"),
        ("a/x.trace.json", "a/x_3.trace.json"),
        ("x.trace.json.gz", "x_3.trace.json.gz"),
        ("x.json.gz", "x_3.json.gz"),
        ("v1.2.json", "v1.2_3.json"),
        (".json", ".json_3"),
    ],
)
def test_the_step_comes_before_the_suffix(path, of_step):
    assert step_path(path, 3) == of_step


def test_several_steps_are_several_files(tmp_path):
    profile = tfprof.load(**demo.paths())
    options, output = {"select": ["micros"]}, f"timeline:outfile={tmp_path / 't.json'}"
    profile.report("graph", options).write(output)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t_0.json", "t_1.json"]
    profile.report("graph", options, compat=True).write(output)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "t.json_0", "t.json_1", "t_0.json", "t_1.json",
    ]  # fmt: skip
