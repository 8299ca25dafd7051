"""Write tests/data/jax/NAME.xplane.pb: JAX programs, traced with `jax.profiler.trace`.

    python tools/jax_trace.py train loops

Only the compiled program, its events and the frames of `train.py` are kept, so that a file is small
and says nothing of the machine that it was recorded on. It needs JAX.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tfprof.loaders.xplane.folders import find_traces
from tfprof.protos.hlo_pb2 import HloProto
from tfprof.protos.xplane_pb2 import XPlane, XSpace

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "data" / "jax"
_TRAIN = """\
import jax
import jax.numpy as jnp
import numpy as np


def loss_fn(params, x, y):
    for i, layer in enumerate(params["hidden"]):
        with jax.named_scope(f"layer{i}"):
            x = jnp.tanh(x @ layer["w"] + layer["b"])
    return jnp.mean((x @ params["out"] - y) ** 2)


@jax.jit
def train_step(params, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    return loss, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def normal(*shape):
    return np.random.default_rng(0).standard_normal(shape, "float32")


hidden = [{"w": normal(64, 256), "b": normal(256)}, {"w": normal(256, 128), "b": normal(128)}]
params = {"hidden": hidden, "out": normal(128, 10)}
x, y = normal(32, 64), normal(32, 10)
jax.block_until_ready(train_step(params, x, y))
with jax.profiler.trace(folder):
    for step in range(3):
        loss, params = train_step(params, x, y)
    jax.block_until_ready(params)
"""

_LOOPS = """\
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def train_step(params, x, count):
    def cell(state, row):
        state = jnp.tanh(row @ params["w"] + state @ params["u"])
        return state, state.sum()

    state, sums = jax.lax.scan(cell, jnp.zeros(8), x)
    image = x.reshape(1, 8, 8, 1)
    image = jax.lax.conv_general_dilated(
        image, params["kernel"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    image = jax.lax.reduce_window(image, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    counted = jax.lax.fori_loop(0, 5, lambda i, value: value * 1.5 + i, image)
    searched = jax.lax.while_loop(
        lambda pair: pair[0] < count,
        lambda pair: (pair[0] + 1, pair[1] @ pair[1]),
        (0, params["u"]),
    )
    chosen = jax.lax.cond(sums[0] > 0, jnp.sort, lambda v: v * 2, sums)
    taken = jnp.take(chosen, jnp.array([3, 1]))
    key = jax.random.key(0)
    noise = jax.random.normal(key, (4,))
    ffts = jnp.fft.rfft(state).real
    return counted, searched, taken.sum() + noise.sum() + ffts.sum() + jnp.cumsum(state).max()


def normal(*shape):
    return np.random.default_rng(0).standard_normal(shape, "float32")


params = {"w": normal(8, 8), "u": normal(8, 8), "kernel": normal(3, 3, 1, 4)}
jax.block_until_ready(train_step(params, normal(8, 8), 3))
with jax.profiler.trace(folder):
    jax.block_until_ready(train_step(params, normal(8, 8), 3))
"""
PROGRAMS = {"train": _TRAIN, "loops": _LOOPS}
"""A training step; loops, branches, convolutions and what else has formulas."""


def main() -> None:
    for name in sys.argv[1:]:
        write_trace(name)


def write_trace(name: str) -> None:
    """Run a program, and write what is kept of its trace."""
    with tempfile.TemporaryDirectory() as folder:
        exec(compile(PROGRAMS[name], "train.py", "exec"), {"folder": folder})
        files = find_traces(Path(folder))
        assert files is not None
        space = XSpace.FromString(files.traces[0].read_bytes())
    kept = XSpace(hostnames=["host"])
    for plane in space.planes:
        if plane.name in ("/host:metadata", "/host:CPU"):
            added = kept.planes.add()
            added.CopyFrom(plane)
            del added.stats[:]
            if plane.name == "/host:CPU":
                _keep_instructions(added)
            else:
                _keep_program(added)
    environment = kept.planes.add(name="Task Environment")
    environment.stat_metadata[1].name = "profile_start_time"
    environment.stats.add(metadata_id=1, uint64_value=10**18)
    kept.DiscardUnknownFields()
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{name}.xplane.pb").write_bytes(kept.SerializeToString(deterministic=True))


def _keep_program(plane: XPlane) -> None:
    """Keep the HLO of the training step, with the frames of the program's own file."""
    for number in list(plane.event_metadata):
        entry = plane.event_metadata[number]
        if not entry.name.startswith("jit_train_step"):
            del plane.event_metadata[number]
            continue
        for stat in entry.stats:
            if stat.bytes_value:
                stat.bytes_value = _without_outer_frames(stat.bytes_value)


def _without_outer_frames(data: bytes) -> bytes:
    program = HloProto.FromString(data)
    program.DiscardUnknownFields()
    index = program.hlo_module.stack_frame_index
    own = {
        number
        for number, location in enumerate(index.file_locations, 1)
        if index.file_names[location.file_name_id - 1] == "train.py"
    }
    for frame in index.stack_frames:
        parent = frame.parent_frame_id
        if parent and index.stack_frames[parent - 1].file_location_id not in own:
            frame.parent_frame_id = 0
    for number, name in enumerate(index.file_names):
        index.file_names[number] = name if name == "train.py" else "elsewhere.py"
    return program.SerializeToString(deterministic=True)


def _keep_instructions(plane: XPlane) -> None:
    """Keep the events of instructions, under the names of their threads without numbers."""
    hlo_op = next(n for n, stat in plane.stat_metadata.items() if stat.name == "hlo_op")
    for line in plane.lines:
        line.name = line.name.partition("/")[0]
        events = [e for e in line.events if any(stat.metadata_id == hlo_op for stat in e.stats)]
        del line.events[:]
        line.events.extend(events)
    used = {event.metadata_id for line in plane.lines for event in line.events}
    for number in [n for n in plane.event_metadata if n not in used]:
        del plane.event_metadata[number]


if __name__ == "__main__":
    main()
