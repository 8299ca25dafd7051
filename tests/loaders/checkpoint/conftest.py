"""Checkpoints that TensorFlow itself writes, once per session."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest


@pytest.fixture(scope="session")
def tf() -> Any:
    """TensorFlow, quiet; its own warnings on import are not ours."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import tensorflow as tf

        tf.get_logger().setLevel("ERROR")
        return tf


WORDS = np.array([b"w%d" % place * place for place in range(6)], object)


PLAIN = [f"float{bits}" for bits in (16, 32, 64)] + ["bool", "complex64", "complex128"]
PLAIN += [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
SMALL = [f"float8_{kind}" for kind in ("e5m2", "e5m2fnuz", "e4m3fn", "e4m3fnuz", "e4m3b11fnuz")]
SMALL += ["float4_e2m1fn", "int4", "uint4", "int2", "uint2"]


def sample(dtype: Any, shape: tuple[int, ...]) -> Any:
    """Values that use the whole range of a type."""
    dice = np.random.default_rng(7)
    dtype = np.dtype(dtype)
    if dtype == np.bool_:
        return dice.integers(0, 2, shape).astype(np.bool_)
    if dtype.kind == "c":
        return (dice.normal(size=shape) + 1j * dice.normal(size=shape)).astype(dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return dice.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    return dice.normal(size=shape).astype(dtype)


def make_tensors(tf: ModuleType) -> dict[str, Any]:
    """One tensor of each type that TensorFlow's SaveV2 takes, besides odd shapes and strings.

    No fixture keeps them: at the end of a long session TensorFlow crashed in its CPU allocator
    (`tsl::cpu_allocator_base`) when it freed them.
    """
    tensors = {f"plain/{name}": tf.constant(sample(name, (3, 5))) for name in PLAIN}
    tensors["plain/bfloat16"] = tf.cast(tf.constant(sample("f4", (3, 5))), tf.bfloat16)
    codes = np.arange(256, dtype=np.uint8)
    for name in SMALL:
        kind = getattr(tf.dtypes.experimental, name)
        if name.startswith("float8"):
            values = codes.view(kind.as_numpy_dtype)
        else:
            values = codes[:16].astype(np.int8).astype(kind.as_numpy_dtype)
        tensors[f"small/{name}"] = tf.constant(values)
    for name in ("qint8", "quint8", "qint16", "quint16", "qint32"):
        stored = tf.constant(sample(name[1:], (4, 2)))
        tensors[f"quantized/{name}"] = tf.bitcast(stored, getattr(tf, name))
    tensors["shape/scalar"] = tf.constant(2.5)
    tensors["shape/empty"] = tf.zeros((0, 3))
    tensors["shape/deep"] = tf.constant(sample("f4", (1, 2, 1, 3, 1, 2)))
    words = [[b"", b"a", b"\x00\xff"], ["größe".encode(), b"x" * 300, b"line\n"]]
    tensors["strings/words"] = tf.constant(words)
    tensors["strings/one"] = tf.constant(b"scalar")
    tensors["strings/none"] = tf.constant([], tf.string)
    tensors["größe/名前"] = tf.constant([1.0, 2.0])
    return tensors


@pytest.fixture(scope="session")
def all_types(tf: ModuleType, tmp_path_factory: Any) -> Path:
    """A V2 checkpoint in one shard, with every type."""
    prefix: Path = tmp_path_factory.mktemp("all") / "model.ckpt"
    tensors = make_tensors(tf)
    tf.raw_ops.SaveV2(
        prefix=str(prefix),
        tensor_names=list(tensors),
        shape_and_slices=[""] * len(tensors),
        tensors=list(tensors.values()),
    )
    return prefix


@pytest.fixture(scope="session")
def sharded(tf: ModuleType, tmp_path_factory: Any) -> Path:
    """A V2 checkpoint in three shards, two partitioned tensors across them."""
    folder: Path = tmp_path_factory.mktemp("sharded")
    matrix = sample("f4", (7, 5))
    parts = [
        (["a", "grid", "words"], ["", "7 5 0,3:-", "6 0,2"], [matrix, matrix[:3], WORDS[:2]]),
        (["b", "grid", "words"], ["", "7 5 3,4:0,2", "6 2,3"],
         [matrix * 2, matrix[3:, :2], WORDS[2:5]]),
        (["c", "grid", "words"], ["", "7 5 3,4:2,3", "6 5,1"],
         [np.arange(70), matrix[3:, 2:], WORDS[5:]]),
    ]  # fmt: skip
    prefixes = []
    for number, (names, slices, tensors) in enumerate(parts):
        prefixes.append(str(tf.raw_ops.ShardedFilename(
            basename=str(folder / "temp" / "part"), shard=number, num_shards=3
        ).numpy().decode()))  # fmt: skip
        tf.raw_ops.SaveV2(prefix=prefixes[-1], tensor_names=names, shape_and_slices=slices,
                          tensors=[tf.constant(tensor) for tensor in tensors])  # fmt: skip
    shutil.copytree(folder / "temp", folder / "unmerged")
    prefix = folder / "model.ckpt-1000"
    tf.raw_ops.MergeV2Checkpoints(
        checkpoint_prefixes=prefixes, destination_prefix=str(prefix), delete_old_dirs=False
    )
    return prefix


SaveV1 = Callable[..., tuple[Path, Path]]


@pytest.fixture(scope="session")
def save_v1(tf: ModuleType) -> SaveV1:
    """Saves a graph with the Saver of TensorFlow 1 in both versions: slices, shards, slots."""

    def save(folder: Path, *, sharded: bool) -> tuple[Path, Path]:
        v1 = tf.compat.v1
        config = v1.ConfigProto(device_count={"CPU": 2})
        with tf.Graph().as_default(), v1.Session(config=config) as session:
            partitioner = v1.fixed_size_partitioner(3)
            with v1.variable_scope("net"), tf.device("/cpu:1"):
                grid = v1.get_variable("grid", (7, 4), partitioner=partitioner, use_resource=True)
                bias = v1.get_variable("bias", (4,), use_resource=True)
            many = [
                v1.get_variable(f"other/{name}", initializer=sample(name, (2, 3)))
                for name in ("f4", "f8", "i4", "i8", "i2", "i1", "u1", "c8", "bool")
            ]
            loss = tf.reduce_sum(tf.square(tf.matmul(tf.ones((2, 7)), grid) + bias))
            step = v1.train.AdamOptimizer(0.1).minimize(loss)
            assert many
            session.run(v1.global_variables_initializer())
            session.run(step)
            for number in (1, 2):
                (folder / f"v{number}").mkdir()
            savers = [v1.train.Saver(write_version=version, sharded=sharded) for version in (1, 2)]
            first, second = (
                saver.save(session, str(folder / f"v{number}" / "model.ckpt"), global_step=12)
                for number, saver in enumerate(savers, 1)
            )
            return Path(first), Path(second)

    return save


@pytest.fixture(scope="session")
def slots(tf: ModuleType, tmp_path_factory: Any) -> Path:
    """An object-based checkpoint with an optimizer's slots; two variables have one name."""
    folder: Path = tmp_path_factory.mktemp("slots")

    class Net(tf.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.kernel = tf.Variable(tf.ones((2, 3)), name="dense/kernel")
            self.first = tf.Variable(tf.ones(3), name="bias")
            self.second = tf.Variable(tf.ones(3), name="bias")
            self.table = {"a/b.c": tf.Variable(1.0, name="")}

    net = Net()
    optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
    variables = [net.kernel, net.first]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(net.kernel * net.first)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    return Path(tf.train.Checkpoint(net=net, optimizer=optimizer).save(str(folder / "ckpt")))


@pytest.fixture(scope="session")
def keras_model(tf: ModuleType, tmp_path_factory: Any) -> Path:
    """A SavedModel of Keras 3, trained for one step."""
    folder: Path = tmp_path_factory.mktemp("keras") / "saved"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import keras

        keras.utils.clear_session()  # names count from the beginning, whatever ran before
        layers = [keras.Input((3,)), keras.layers.Dense(4), keras.layers.Dense(2)]
        model = keras.Sequential(layers, name="net")
        model.compile("adam", "mse")
        model.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)
        tf.saved_model.save(model, str(folder))
    return folder
