"""Small traces that once took minutes or gigabytes: each keeps a budget of 2 s and 300 MB."""

from __future__ import annotations

from tests.robustness import hostile_programs
from tests.robustness.budget import run_measured


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
        _open(program, tmp_path, "op")


def test_buffers_of_many_allocations_and_peaks(tmp_path):
    for program in (
        hostile_programs.many_allocations(),
        hostile_programs.rising_peaks(),
        hostile_programs.many_slices(),
    ):
        _open(program, tmp_path, "op", "-select", "bytes")


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
