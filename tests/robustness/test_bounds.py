"""Sizes: what is large is answered in reasonable time and memory, or refused with one line."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import tfprof
from tests.robustness.memory import measured
from tests.robustness.models import CPU, graph_of, loaded, log_of, run_of, shaped
from tfprof import demo
from tfprof.definitions.limits import (
    MAX_OUTPUT_BYTES,
    check_line_names,
    check_output_size,
    max_output_bytes,
    max_table_bytes,
)
from tfprof.errors import OutputError
from tfprof.loaders.parquet import file
from tfprof.loaders.parquet.file import read_parquet
from tfprof.loaders.parquet.footer import BYTE_ARRAY, read_footer
from tfprof.loaders.parquet.profile_tables import read_tables
from tfprof.protos import log_pb2

SOURCE = Path(tfprof.__file__).parents[1]


@pytest.fixture
def memory():
    """Fails the test if the process grows by more than 1 GB."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 20


def chain(length):
    """A graph in which each node needs the one before."""
    names = [f"n{at}" for at in range(length)]
    return graph_of(("n0", "A"), *((name, "A", up) for up, name in pairwise(names)))


def test_name_of_a_thousand_parts(memory):
    report = loaded(("/".join(["a"] * 1000), "A")).report(max_depth=2000)
    assert len(report) == 1001


@pytest.mark.parametrize("parts", [20_000, 100_000])
def test_name_of_too_many_parts(parts, memory):
    profile = loaded(("/".join(["a"] * parts), "A"), ("b", "B"))
    with pytest.raises(tfprof.LoadError, match="scope view: names have too many parts"):
        profile.report("scope")
    for view in ("graph", "op"):
        assert profile.report(view).text()
    assert tfprof.load(profile=profile.serialize()).report("op").text()


def test_name_of_a_megabyte(memory):
    name = "é" * 500_000
    assert name in loaded((name, "A")).report().text()


def test_chain_of_200_000_nodes(memory):
    profile = tfprof.load(graph=chain(200_000))
    started = time.process_time()
    report = profile.report("graph", max_depth=10**9)
    assert report.rows[-1].depth == 200_000
    assert time.process_time() - started < 20
    with pytest.raises(tfprof.OutputError, match=r"would take .* GB; lower max_depth"):
        report.text()


@pytest.mark.parametrize("output", ["json", "csv", "parquet", "pprof", "folded"])
def test_stack_of_20_000_frames(output, tmp_path, memory):
    stack = [("f.py", "f", line) for line in range(20_000)]
    profile = loaded(("a", "A"), run=run_of(CPU, ("a", 1, 5)), log=log_of({"a": stack}))
    report = profile.report("code", max_depth=10**9)
    assert len(report) == 20_001
    with pytest.raises(tfprof.OutputError, match=r"lower max_depth|too deep"):
        report.write(f"{output}:outfile={tmp_path / 'out'}")
    assert not any(tmp_path.iterdir())


def test_answers_are_refused_before_they_are_made():
    many = 10**6
    check_output_size(MAX_OUTPUT_BYTES, "it", rows=many, names=0)
    with pytest.raises(tfprof.OutputError, match=r"it: would take 0\.5 GB"):
        check_output_size(MAX_OUTPUT_BYTES + 1, "it", rows=many, names=0)
    for rows, names in ((0, 0), (1000, 0), (0, 10**6)):
        limit = max_output_bytes(rows, names)
        check_output_size(limit, "it", rows=rows, names=names)
        with pytest.raises(tfprof.OutputError, match="would take"):
            check_output_size(limit + 1, "it", rows=rows, names=names)


def test_names_of_lines_are_refused_before_they_are_made():
    """Lines with names as file systems allow them are never refused."""
    for lines in (0, 1, 1000):
        limit = 8 * 2**20 + 512 * lines
        files = "a" * 40, "é" * 50, "b" * 40
        check_line_names(limit, lines=lines, files=files)
        with pytest.raises(tfprof.LoadError) as error:
            check_line_names(limit + 1, lines=lines, files=files)
        shown = f"file '{'é' * 40}...' of 50 characters: the name is too long for {lines:,} lines"
        assert shown in str(error.value)


@pytest.mark.parametrize("slot", [-1, -(2**31), 70_000, 2**31 - 1])
def test_output_numbers_of_any_size(slot, memory):
    run = run_of(CPU, ("a", 1, 1), ("_arg_a_99999999999999999999_0", 1, 1))
    for record in run.step_stats.dev_stats[0].node_stats:
        record.output.add(slot=slot).tensor_description.shape.dim.add(size=3)
    assert loaded(("a", "MatMul"), run=run).report().text()


def test_output_numbers_of_a_saved_profile(memory):
    saved = log_pb2.ProfileProto()
    for at in range(3000):
        saved.nodes[at].name, saved.nodes[at].op = f"n{at}", "A"
        saved.nodes[at].output_shapes[65_535].int64_values.append(3)
    assert tfprof.load(profile=saved.SerializeToString()).report().text()


def test_many_steps(memory):
    saved = log_pb2.ProfileProto(steps=range(100_000))
    for at in range(50):
        saved.nodes[at].name, saved.nodes[at].op = f"n{at}", "A"
        for step in range(0, 100_000, 20_000):
            saved.nodes[at].execs[step].run_count = 1
    profile = tfprof.load(profile=saved.SerializeToString())
    assert profile.report(step=20_000).text()
    assert len(profile.steps) == 100_000


def test_sums_beyond_64_bits_are_exact():
    run = run_of(CPU, *[("a", 1, 2**62)] * 3)
    for record in run.step_stats.dev_stats[0].node_stats:
        record.memory.add(allocator_name="cpu", total_bytes=2**62)
    report = loaded(("a", "A"), run=run, log=log_of({}, a=2**62)).report(select=["micros"])
    found = report.rows[0].total
    assert (found["exec_micros"], found["requested_bytes"]) == (3 * 2**62, 3 * 2**62)
    assert found["float_ops"] == 3 * 2**62


@pytest.mark.parametrize("view", ["scope", "code"])
def test_timelines_of_sums_beyond_64_bits_are_refused(tmp_path, view):
    run = run_of(CPU, *[("a", 1, 2**63 - 1)] * 2)
    report = loaded(("a", "A"), run=run, log=log_of({"a": [("x.py", "f", 1)]})).report(
        view, select=["micros"]
    )
    with pytest.raises(OutputError, match="64 bits"):
        report.write(f"timeline:outfile={tmp_path}/out")
    assert not list(tmp_path.iterdir())


def test_messages_stop_at_64_bits():
    run = run_of(CPU, ("a", 1, 1), ("b", 2, 1))
    for record in run.step_stats.dev_stats[0].node_stats:
        record.memory_stats.persistent_memory_size = -(2**63)
    message = loaded(("a", "A"), ("b", "A"), run=run).report(max_depth=9).proto()
    assert message.total_residual_bytes == -(2**63)


def test_sums_inside_a_record_stop_at_64_bits():
    run = run_of(CPU, ("a", 2**62, 2**62))
    record = run.step_stats.dev_stats[0].node_stats[0]
    for _ in range(4):
        record.memory.add(allocator_name="cpu", total_bytes=2**62)
    report = loaded(("a", "A"), run=run).report()
    assert report.rows[0].total["requested_bytes"] == 2**63 - 1


def test_sums_inside_a_record_wrap_in_compat(tmp_path):
    run = run_of(CPU, ("a", 1, 1))
    record = run.step_stats.dev_stats[0].node_stats[0]
    for slot, size in enumerate((2**32, 2**63 - 1)):
        memory = record.output.add(slot=slot).tensor_description.allocation_description
        memory.allocated_bytes = size
        record.memory.add(allocator_name="cpu", live_bytes=size)
    profile = loaded(("a", "A"), run=run)
    wrapped = 2**32 + 2**63 - 1 - 2**64
    for compat, size in ((True, wrapped), (False, 2**63 - 1)):
        found = profile.report(compat=compat, select=["bytes"], account_type_regexes=[".*"])
        assert (found.total[0, "output_bytes"], found.total[0, "residual_bytes"]) == (size, size)
    profile.save_tables(tmp_path)
    saved = tfprof.Profile.from_tables(tmp_path).report(select=["bytes"])
    assert saved.total[0, "output_bytes"] == 2**63 - 1


def test_parameters_beyond_all_numbers_are_unknown():
    graph = graph_of(("v", "VariableV2"))
    shaped(graph.node[0], *[2**62] * 300)
    assert tfprof.load(graph=graph).report().rows[0].total["parameters"] == 0


def test_tables_that_unpack_to_too_much(tmp_path):
    loaded(("a", "A")).save_tables(tmp_path)
    zeros = pa.table({"part": np.zeros(4_000_000, np.int64)})
    path = tmp_path / "strings.parquet"
    with pyarrow.parquet.ParquetWriter(path, zeros.schema, compression="zstd") as writer:
        for _ in range(20):
            writer.write_table(zeros)
    assert path.stat().st_size < 500_000
    with pytest.raises(tfprof.LoadError, match="far too many"):
        read_tables(tmp_path)


def test_memory_is_a_small_multiple_of_the_input(tmp_path):
    """A graph of 50,000 nodes, in a process of its own: at most 200 MB and 40 times its size."""
    path = tmp_path / "graph.pb"
    path.write_bytes(chain(50_000).SerializeToString())
    program = (
        "import re, tfprof\n"
        f"tfprof.load(graph={str(path)!r}).report('graph').text()\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=True,
        env={"PYTHONPATH": str(SOURCE), "PATH": ""},
    )
    assert int(done.stdout) * 1024 < 200e6 + 40 * path.stat().st_size


def test_strings_that_unpack_to_too_much(tmp_path):
    """A repeated string is counted before it is decoded; one that fits is read."""
    path = tmp_path / "table.parquet"
    index = pa.array(np.zeros(3000, np.int32))
    for size, fits in ((1000, True), (1_000_000, False)):
        texts = pa.DictionaryArray.from_arrays(index, ["x" * size])
        lists = pa.ListArray.from_arrays(pa.array([0, 3000], pa.int32()), texts)
        for column in (texts, lists):
            pyarrow.parquet.write_table(pa.table({"a": column}), path, store_schema=False)
            with measured() as peak:
                if fits:
                    assert read_parquet(path).nbytes > 3000 * size
                else:
                    with pytest.raises(tfprof.LoadError, match=r"table\.parquet: .* far too many"):
                        read_parquet(path)
            assert peak.size < max_table_bytes(path.stat().st_size)


def test_strings_are_counted_only_where_there_is_doubt(tmp_path, monkeypatch):
    def unexpected(*_args):
        raise AssertionError("the strings of a small table are read twice")

    monkeypatch.setattr(file, "_decoded_size", unexpected)
    loaded(("a", "A")).save_tables(tmp_path)
    assert len(read_tables(tmp_path).nodes) == 1


def test_footers_say_what_arrow_says(tmp_path):
    """The reader of footers against Arrow's, for every table there is."""
    tfprof.load(**demo.paths()).save_tables(tmp_path)
    for path in tmp_path.iterdir():
        metadata = pyarrow.parquet.read_metadata(path)
        columns = [
            metadata.row_group(group).column(i)
            for group in range(metadata.num_row_groups)
            for i in range(metadata.num_columns)
        ]
        chunks = read_footer(path)
        assert [(chunk.path, chunk.num_values, chunk.uncompressed_size) for chunk in chunks] == [
            (column.path_in_schema, column.num_values, column.total_uncompressed_size)
            for column in columns
        ]
        strings = [column.physical_type == "BYTE_ARRAY" for column in columns]
        assert [chunk.type == BYTE_ARRAY for chunk in chunks] == strings


@pytest.mark.parametrize(
    "footer",
    [b"", b"\x19" * 5000, b"\x1c" * 5000, b"\x19\xfc\xff\xff\xff\xff\x0f", b"\x1f\0", b"\xff" * 50],
)
def test_malformed_footers(footer, tmp_path):
    path = tmp_path / "table.parquet"
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with measured() as peak, pytest.raises(ValueError, match="footer"):
        read_footer(path)
    assert peak.size < 50_000_000
