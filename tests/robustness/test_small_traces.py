"""Small traces that once took minutes or gigabytes: each keeps a budget of 2 s and 300 MB."""

from __future__ import annotations

import pytest

from tests.robustness import hostile_programs, hostile_traces
from tests.robustness.budget import run_measured
from tests.robustness.models import CPU, graph_of, run_of
from tfprof.protos.log_pb2 import ProfileProto
from tfprof.protos.xplane_pb2 import XSpace


def _open(program, tmp_path, *command):
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(hostile_programs.trace_of(program))
    done = run_measured(path, *command).check()
    assert done.status == 0
    return done


def test_stacks_that_each_are_longer_by_a_frame(tmp_path):
    program = hostile_programs.long_stacks()
    for view in ("op", "code"):
        _open(program, tmp_path, view)


def test_instructions_that_share_a_fusion_or_a_tuple(tmp_path):
    for program in (hostile_programs.shared_fusion(), hostile_programs.shared_tuple()):
        assert "some inputs and fusions are left out" in _open(program, tmp_path, "op").err


def test_buffers_of_many_allocations_and_peaks(tmp_path):
    for program in (
        hostile_programs.many_allocations(),
        hostile_programs.rising_peaks(),
        hostile_programs.many_slices(),
    ):
        _open(program, tmp_path, "op", "-select", "bytes")


@pytest.mark.parametrize(
    "program",
    [
        hostile_programs.long_op_in_shared_fusion,
        hostile_programs.many_ops_in_shared_fusion,
        hostile_programs.long_library_call_in_shared_fusion,
        hostile_programs.long_module_name,
        hostile_programs.long_op_of_readers,
        hostile_programs.long_instruction_of_readers,
    ],
)
def test_long_text_that_many_instructions_share(program, tmp_path):
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(hostile_programs.trace_of_runs(program(), 5))
    done = run_measured(path, "op").check()
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert "host.xplane.pb: long names are parts of so many others" in done.err


def test_instructions_without_names_and_loops_that_share_a_condition(tmp_path):
    for program in (
        hostile_programs.nameless_chain("dot"),
        hostile_programs.nameless_chain("convolution"),
        hostile_programs.shared_condition(),
    ):
        _open(program, tmp_path, "op")


def test_name_of_a_program_with_many_parts(tmp_path):
    _open(hostile_programs.long_name(), tmp_path, "op")


def test_sizes_and_configurations_that_no_instruction_has(tmp_path):
    for program in (
        hostile_programs.many_dimensions(),
        hostile_programs.large_product(),
        hostile_programs.nested_configuration(),
    ):
        done = _open(program, tmp_path, "op", "-select", "float_ops,output_bytes")
        assert "FLOPs unavailable for 1 node" in done.err or "2 nodes" in done.err


def _open_planes(space, tmp_path):
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(space.SerializeToString())
    return run_measured(path, "op").check()


@pytest.mark.parametrize(
    "trace",
    [
        hostile_traces.eager_op_of_many_calls,
        hostile_traces.ops_of_one_function,
        hostile_traces.kernels_of_one_module,
        hostile_traces.copies_of_one_op,
    ],
)
def test_long_name_that_is_part_of_many(trace, tmp_path):
    done = _open_planes(trace(), tmp_path)
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert "host.xplane.pb: long names are parts of so many others" in done.err


@pytest.mark.parametrize("letter", ["f", "\u20ac", "\U0001f600"])
def test_long_name_that_is_part_of_some(letter, tmp_path):
    """The most that a trace of 45 kB may need."""
    assert _open_planes(hostile_traces.ops_of_one_function(65, letter), tmp_path).status == 0


def test_long_scope_of_some_names(tmp_path):
    trace = hostile_traces.ops_of_one_function(65, "f/")
    (tmp_path / "host.xplane.pb").write_bytes(trace.SerializeToString())
    assert run_measured(tmp_path, "op").check().status == 0
    done = run_measured(tmp_path, "scope").check()
    assert done.status == 1
    assert "scope view: names have too many parts" in done.err.splitlines()[-1]


def test_kernels_that_refer_to_one_long_name(tmp_path):
    done = _open_planes(hostile_traces.kernels_of_one_op(), tmp_path)
    assert done.status == 0
    assert "3,000 used (gpu kernels 3,000)" in done.err


def _add_plane(space, name, line="line", number=1):
    plane = space.planes.add(name=name)
    plane.event_metadata[number].name = "a:B"
    plane.lines.add(name=line).events.add(metadata_id=number, duration_ps=1)
    return plane


def test_planes_with_large_ids(tmp_path):
    space = XSpace()
    for _ in range(2000):
        _add_plane(space, "other", number=1 << 24)
    _add_plane(space, "/host:CPU")
    assert _open_planes(space, tmp_path).status == 0


def test_planes_of_many_lines(tmp_path):
    space = XSpace()
    planes = _add_plane(space, "/host:CPU"), _add_plane(space, "/device:GPU:0")
    for i in range(8000):
        for plane in planes:
            line = plane.lines.add(name=f"line {i}" if i % 2 else "Source code", timestamp_ns=i)
            line.events.add(metadata_id=1, duration_ps=1)
    assert "16,002 events read" in _open_planes(space, tmp_path).err


def test_more_devices_than_a_host_has(tmp_path):
    space = XSpace()
    for i in range(2000):
        _add_plane(space, f"/device:GPU:{i}")
    done = _open_planes(space, tmp_path)
    assert done.status == 1
    assert "2,000 devices, more than 500; trace each host on its own" in done.err
    assert done.err.count("\n") == 1


def test_many_runs_of_a_program_with_many_buffers(tmp_path):
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(hostile_programs.trace_of_runs(hostile_programs.many_results(2000), 1000))
    done = run_measured(path, "op", "-select", "bytes", "-output", "json").check()
    assert f'"total_bytes":{8 * 2000}' in done.out


def test_steps_that_each_run_another_op(tmp_path):
    """Steps share the names of all ops."""
    space, count = XSpace(), 2200
    plane = space.planes.add(name="/host:CPU")
    plane.stat_metadata[1].name = "step_num"
    ops, marks = (plane.lines.add(name=name) for name in ("ops", "steps"))
    plane.event_metadata[count + 1].name = "train"
    for i in range(count):
        plane.event_metadata[i + 1].name = f"n{i}:A"
        ops.events.add(metadata_id=i + 1, offset_ps=i * 10**6 + 10, duration_ps=500)
        mark = marks.events.add(metadata_id=count + 1, offset_ps=i * 10**6, duration_ps=10**6)
        mark.stats.add(metadata_id=1, int64_value=i)
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(space.SerializeToString())
    assert run_measured(path, "op").check().status == 0


def _write_steps(folder, steps, nodes):
    """A profile in which each step runs one of the nodes."""
    profile = ProfileProto(steps=range(steps))
    for i in range(nodes):
        profile.nodes[i].name, profile.nodes[i].op = f"n{i}", "A"
        profile.nodes[i].canonical_device = "gpu:0"
    for step in range(steps):
        execution = profile.nodes[step % nodes].execs[step]
        execution.run_count, execution.all_start_micros, execution.latest_end_micros = 1, 1, 2
        execution.cpu_execs["gpu:0"].times.add(int64_values=[1, 1])
    (folder / "profile").write_bytes(profile.SerializeToString())
    return f"--profile_path={folder / 'profile'}"


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("graph", "-output", "timeline:outfile=t.json"), "choose one with -step N"),
        (("op", "-output", "html:outfile=page.html"), "use tfprof ui"),
    ],
    ids=["timelines", "page"],
)
@pytest.mark.parametrize(("steps", "nodes"), [(3000, 3), (2500, 2500), (300, 4000)])
def test_outputs_of_all_steps_in_which_little_runs(steps, nodes, command, says, tmp_path):
    profile = _write_steps(tmp_path, steps, nodes)
    done = run_measured(profile, *command, cwd=tmp_path).check()
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert f"{steps:,} steps" in done.err
    assert says in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["profile"]


@pytest.mark.parametrize(("steps", "nodes"), [(20, 3), (8, 3000)])
def test_outputs_of_some_steps_are_written(steps, nodes, tmp_path):
    profile = _write_steps(tmp_path, steps, nodes)
    for command in (
        ("graph", "-output", "timeline:outfile=t.json"),
        ("op", "-output", "html:outfile=page.html"),
    ):
        assert run_measured(profile, *command, cwd=tmp_path).check().status == 0
    assert len(list(tmp_path.glob("t_*.json"))) == steps


def test_files_of_many_runs(tmp_path):
    """What is kept of a run is as large as the run."""
    (tmp_path / "graph.pb").write_bytes(graph_of(("n", "A")).SerializeToString())
    run = run_of(CPU, ("n", 1, 1)).SerializeToString()
    paths = [tmp_path / f"run_{step}" for step in range(1200)]
    for path in paths:
        path.write_bytes(run)
    runs = ",".join(map(str, paths))
    done = run_measured(f"--graph_path={tmp_path / 'graph.pb'}", f"--run_meta_path={runs}", "op")
    assert done.check().megabytes < 200
