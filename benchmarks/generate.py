"""Profiles of a made-up model as files: graph.pb, graph.pbtxt, tfprof_log, run_meta_0 and so on.

The same size gives the same bytes. Files are kept in a folder per size and made only once.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from google.protobuf import text_format

from benchmarks.attributes import attributes, bytes_of, shape_of
from benchmarks.model import CPU, GPUS, IDLE, OUTPUTS, Node, nodes
from benchmarks.stacks import stack, strings
from benchmarks.wire import integer, nested, text, varint
from tfprof.protos import graph_pb2

__all__ = ["folder_for", "generate", "main"]

VERSION = 2  # of the files; a change makes new ones
TEXT_LIMIT = 20_000  # nodes up to which the graph is written as text, too
_HOST = "/job:localhost/replica:0/task:0/device:"
_EPOCH = 1_700_000_000_000_000
_STEP = 60_000_000
_FLOPS = {"Conv2D": 2, "Conv2DBackpropInput": 4, "Conv2DBackpropFilter": 4, "AddV2": 1, "Mul": 1}


def folder_for(size: int, root: Path | None = None) -> Path:
    """Where the files of a size are kept."""
    base = root or Path(tempfile.gettempdir()) / "tfprof-benchmarks"
    return base / f"v{VERSION}-{size}"


def generate(size: int, steps: int, root: Path | None = None) -> Path:
    """The folder with the files of a model of this many nodes and steps, made if need be."""
    folder = folder_for(size, root)
    folder.mkdir(parents=True, exist_ok=True)
    model = list(nodes(size))
    _once(folder / "graph.pb", lambda: _graph(model))
    _once(folder / "tfprof_log", lambda: _op_log(model))
    if size <= TEXT_LIMIT:
        _once(folder / "graph.pbtxt", lambda: [_as_text((folder / "graph.pb").read_bytes())])
    for step in range(steps):
        _once(folder / f"run_meta_{step}", lambda step=step: _run(model, step))
    return folder


def _once(path: Path, parts: Callable[[], Iterable[bytes]]) -> None:
    if path.exists():
        return
    draft = path.with_name(f".{path.name}")
    with draft.open("wb", buffering=1 << 20) as stream:
        stream.writelines(parts())
    draft.replace(path)


def _graph(model: list[Node]) -> Iterator[bytes]:
    device = {gpu: text(4, f"/device:GPU:{gpu}") for gpu in range(GPUS)}
    device |= dict.fromkeys((CPU, IDLE), text(4, "/device:CPU:0"))
    for node in model:
        parts = [text(1, node.name), text(2, node.op)]
        parts += [text(3, name) for name in node.inputs]
        parts += [device[node.placement], attributes(node.op, node.kind)]
        yield nested(1, b"".join(parts))
    yield nested(4, integer(1, 2000))


def _as_text(graph: bytes) -> bytes:
    return text_format.MessageToString(graph_pb2.GraphDef.FromString(graph)).encode()


def _op_log(model: list[Node]) -> Iterator[bytes]:
    for number, node in enumerate(model):
        parts = [text(1, node.name)]
        if node.op in _FLOPS:
            parts.append(integer(2, _FLOPS[node.op] * bytes_of(node.kind)))
        if node.op == "VariableV2" and not node.name.endswith("Momentum"):
            parts.append(text(3, "_trainable_variables"))
        parts.append(nested(4, stack(node.line, node.kind, number)))
        yield nested(1, b"".join(parts))
    for key, words in enumerate(strings()):
        yield nested(2, varint(8) + varint(key) + text(2, words))


def _run(model: list[Node], step: int) -> list[bytes]:
    """A RunMetadata: a record per CPU node, two per GPU node, and some copies between devices."""
    clock = _Clock(step)
    cpu: list[bytes] = []
    gpus: list[list[bytes]] = [[] for _ in range(GPUS)]
    streams: list[list[bytes]] = [[] for _ in range(GPUS)]
    copies: list[bytes] = []
    for number, node in enumerate(model):
        if node.placement == IDLE:
            continue
        start, duration = clock.next(number)
        name = text(1, node.name)
        if node.placement == CPU:
            allocator = b"\x0a\x03cpu"
            record = [name, _times(start, duration), _memory(node, number, allocator, start, b"")]
            cpu.append(nested(2, b"".join(record)))
            continue
        allocator = nested(1, b"GPU_%d_bfc" % node.placement)
        in_use = integer(5, (number % 1000 + 1) * 262_144)
        record = [name, _times(start, duration), _memory(node, number, allocator, start, in_use)]
        gpus[node.placement].append(nested(2, b"".join(record)))
        kernel = text(1, f"{node.name}:{node.op}")
        label = text(8, f"kernel_{node.op}")
        streams[node.placement].append(nested(2, kernel + _times(start + 3, duration * 3) + label))
        if number % 200 == 0:
            copies.append(
                nested(2, text(1, f"edge_{number}_{node.op}:MEMCPYHtoD") + _times(start + 1, 2))
            )
    devices = [(f"{_HOST}CPU:0", cpu), ("/device:GPU:0/memcpy", copies)]
    devices += [(f"{_HOST}GPU:{gpu}", records) for gpu, records in enumerate(gpus)]
    devices += [(f"/device:GPU:{gpu}/stream:all", records) for gpu, records in enumerate(streams)]
    stats = [nested(1, text(1, device) + b"".join(records)) for device, records in devices]
    size = sum(map(len, stats))
    return [varint(1 << 3 | 2) + varint(size), *stats]


class _Clock:
    """Starts and durations that only depend on the step and the node."""

    def __init__(self, step: int) -> None:
        self._now = _EPOCH + step * _STEP
        self._state = step * 7919 + 1

    def next(self, number: int) -> tuple[int, int]:
        """When the next node starts, and how long it takes, in microseconds."""
        self._state = (self._state * 1_103_515_245 + 12_345 + number) & 0x7FFFFFFF
        self._now += self._state >> 8 & 63
        return self._now, 1 + (self._state >> 12) % 400


def _times(start: int, duration: int) -> bytes:
    return b"".join(
        (
            b"\x10",
            varint(start),
            b"\x18\x01",
            b"\x20",
            varint(duration),
            b"\x28",
            varint(duration + 2),
            b"\x48",
            varint(start - 5),
        )
    )


def _memory(node: Node, number: int, allocator: bytes, start: int, in_use: bytes) -> bytes:
    """What a scheduling allocates: by allocator, by output, and for the kernel itself."""
    size = bytes_of(node.kind)
    total = size + number % 64 * 256
    used = [allocator, integer(2, total), integer(3, total), integer(4, size), in_use]
    if in_use:
        allocated = varint(8) + varint(start) + b"\x10" + varint(total)
        freed = varint(8) + varint(start + 40) + b"\x10" + varint(-(total - size or 256))
        used += [nested(6, allocated), nested(6, freed)]
    parts = [nested(6, b"".join(used))]
    for slot in range(OUTPUTS.get(node.op, 1)):
        where = [integer(1, size), integer(2, size + 255 & ~255), b"\x1a", allocator[1:]]
        where += [integer(4, 1), integer(6, 0x7F00_0000_0000 + number * 4096 + slot * 256)]
        tensor = b"\x08\x01" + nested(2, shape_of(node.kind)) + nested(4, b"".join(where))
        parts.append(nested(7, integer(1, slot) + nested(3, tensor)))
    if number % 16 == 0:
        parts.append(nested(12, integer(1, 1024) + integer(3, 512)))
    return b"".join(parts)


def main(argv: list[str] | None = None) -> int:
    """Make the files of one size."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generate", description=__doc__)
    parser.add_argument("--size", type=int, default=20_000, help="nodes")
    parser.add_argument("--steps", type=int, default=2, help="run_meta files")
    parser.add_argument("--dir", type=Path, help="where to keep the files")
    arguments = parser.parse_args(argv)
    began = time.monotonic()
    folder = generate(arguments.size, arguments.steps, arguments.dir)
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size / 1e6:10.2f} MB  {path}")
    print(f"{time.monotonic() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
