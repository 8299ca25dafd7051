"""Make the demo of a capture in src/tfprof/demo/keras: run tools/demo_model/transformer.py.

Needs TensorFlow and some seconds. Graph and float operations come out the same every time; times
are what this machine measured. What is changed after the capture, and why:

- stacks name files relative to their package, and the trace names no host and no folder;
- events that tfprof does not read, which are nine of ten, are left out, and so are their stats.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

from tfprof.loaders.xplane.folders import ABOUT, DEBUG_INFO, FUNCTIONS, VARIABLES, find_traces
from tfprof.protos.graph_pb2 import GraphDebugInfo
from tfprof.protos.xplane_pb2 import ProfileOptions, XPlane, XSpace

ROOT = Path(__file__).resolve().parent.parent
MODEL = ROOT / "tools" / "demo_model" / "transformer.py"
DEMO = ROOT / "src" / "tfprof" / "demo" / "keras"
TRACE = Path("plugins", "profile", "run", "host.xplane.pb")
UNUSED_EVENTS = (
    *("ThreadpoolListener", "ExecutorPropagateOutputs", "ExecutorState::ScheduleReady"),
    *("ExecutorState::Process Scheduled", "Iterator::", "ExecutorDoneCallback"),
)
USED_STATS = {"id", "step_num", "shape", "addr", "allocation_bytes", "tf_op"}
MACHINE = ["site-packages", tempfile.gettempdir(), sys.prefix, str(Path.home()), str(ROOT)]


def main() -> int:
    """Capture in a process of its own, so that stacks begin with the model's."""
    with tempfile.TemporaryDirectory() as folder:
        # oneDNN's kernels have other names than the ops of the graph.
        environment = {**os.environ, "TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "2"}
        program = [sys.executable, "-W", "ignore", MODEL.name, folder]
        subprocess.run(program, cwd=MODEL.parent, env=environment, check=True)
        captured = Path(folder)
        files = find_traces(captured)
        if files is None:
            sys.exit("no trace was captured")
        shutil.rmtree(DEMO, ignore_errors=True)
        write(TRACE, clean_trace(files.traces[0].read_bytes()))
        write(Path(DEBUG_INFO), clean_debug_info((captured / DEBUG_INFO).read_bytes()))
        for name in (FUNCTIONS, VARIABLES, ABOUT):
            write(Path(name), (captured / name).read_bytes())
    return 0


def write(name: Path, content: bytes) -> None:
    """Write a file of the demo, unless it has a name of this machine, and print its size."""
    private = [text for text in MACHINE if text.encode() in content]
    if private:
        sys.exit(f"{name} contains {', '.join(private)}")
    file = DEMO / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    print(f"{name!s:42} {len(content):>9,} bytes {len(zlib.compress(content)):>9,} compressed")


def clean_trace(content: bytes) -> bytes:
    """The trace without the names of host and folder, and without what is not read."""
    space = XSpace.FromString(content)
    space.hostnames[:] = ["host"]
    for plane in space.planes:
        drop_events(plane)
        names = {number: entry.name for number, entry in plane.stat_metadata.items()}
        for stat in plane.stats:
            if names[stat.metadata_id] == "profile_options":
                options = ProfileOptions.FromString(stat.bytes_value)
                level = ProfileOptions(host_tracer_level=options.host_tracer_level)
                stat.bytes_value = level.SerializeToString()
    return space.SerializeToString(deterministic=True)


def drop_events(plane: XPlane) -> None:
    """Drop events, stats and metadata that are not used."""
    unused = {
        number
        for number, entry in plane.event_metadata.items()
        if entry.name.startswith(UNUSED_EVENTS)
    }
    stats = {n for n, entry in plane.stat_metadata.items() if entry.name in USED_STATS}
    events, references = set(), set(stats) | {stat.metadata_id for stat in plane.stats}
    for line in plane.lines:
        kept = [event for event in line.events if event.metadata_id not in unused]
        for event in kept:
            used = [stat for stat in event.stats if stat.metadata_id in stats]
            del event.stats[:]
            event.stats.extend(used)
            events.add(event.metadata_id)
            references |= {stat.ref_value for stat in used if stat.HasField("ref_value")}
        del line.events[:]
        line.events.extend(kept)
    for number in set(plane.event_metadata) - events:
        del plane.event_metadata[number]
    for number in set(plane.stat_metadata) - references:
        del plane.stat_metadata[number]


def clean_debug_info(content: bytes) -> bytes:
    """The stacks with files relative to their package."""
    info = GraphDebugInfo.FromString(content)
    info.files[:] = [neutral(file) for file in info.files]
    return info.SerializeToString(deterministic=True)


def neutral(file: str) -> str:
    """A file's name without the folder in which this machine has it."""
    if Path(file).is_relative_to(MODEL.parent):
        return Path(file).relative_to(MODEL.parent).as_posix()
    _, packages, name = file.rpartition(f"{os.sep}site-packages{os.sep}")
    if not packages:
        sys.exit(f"a stack leads through an unknown file: {file}")
    return Path(name).as_posix()


if __name__ == "__main__":
    sys.exit(main())
