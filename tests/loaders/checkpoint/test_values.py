"""Every checkpoint that TensorFlow writes is read back as TensorFlow reads it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import numpy as np
import pytest

from tfprof.errors import LoadError
from tfprof.loaders.checkpoint import open_checkpoint
from tfprof.loaders.checkpoint.dtypes import DTYPES
from tfprof.loaders.checkpoint.names import OBJECT_GRAPH_KEY

from .conftest import WORDS, SaveV1, make_tensors

WIDENED = ("bfloat16", "float8", "float4", "int4", "uint4", "int2", "uint2")


def assert_as_tensorflow_reads(
    tf: ModuleType, path: Path, *, v1: bool = False, known: Mapping[str, Any] = MappingProxyType({})
) -> None:
    """Names, types, shapes, sizes and values agree with `tf.train.load_checkpoint`.

    `known` has the values of what TensorFlow writes but cannot read back.
    """
    reader = tf.train.load_checkpoint(str(path))
    ours = open_checkpoint(path)
    shapes = reader.get_variable_to_shape_map()
    types = reader.get_variable_to_dtype_map()
    shapes.pop(OBJECT_GRAPH_KEY, None)
    assert list(ours.tensors) == sorted(shapes)
    for name, info in ours.tensors.items():
        assert info.name == name
        assert info.dtype == types[name].name
        assert list(info.shape) == shapes[name]
        try:
            theirs = reader.get_tensor(name)
        except (tf.errors.UnimplementedError, ValueError):
            theirs = known[name]
        assert_same(ours.read(name), np.asarray(theirs), info.dtype)
        if types[name] != tf.string:
            assert info.size == math.prod(info.shape) * types[name].size
        else:
            assert (info.size is None) == v1


def assert_same(ours: Any, theirs: Any, dtype: str) -> None:
    """Equal in type, shape and every bit of every value, NaN included."""
    assert ours.shape == theirs.shape
    if dtype.startswith(WIDENED):
        theirs = theirs.astype(ours.dtype)
    if theirs.dtype.names:  # quantized types of NumPy arrays are records of one field
        theirs = theirs.view(theirs.dtype[0])
    if ours.dtype == object:
        assert ours.tolist() == theirs.tolist()
        return
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)


def test_all_types(tf: ModuleType, all_types: Path) -> None:
    assert_as_tensorflow_reads(tf, all_types)


def test_types_are_all_there(all_types: Path) -> None:
    found = {info.dtype for info in open_checkpoint(all_types).tensors.values()}
    assert found == {dtype.name for dtype in DTYPES.values()} - {"resource", "variant"}


def test_shards_and_slices(tf: ModuleType, sharded: Path) -> None:
    assert len(list(sharded.parent.glob("*.data-*-of-00003"))) == 3
    assert_as_tensorflow_reads(tf, sharded, known={"words": WORDS})


def test_one_shard_before_merging(tf: ModuleType, sharded: Path) -> None:
    ours = open_checkpoint(sharded.parent / "unmerged" / "part-00000-of-00003")
    assert list(ours.tensors) == ["a", "grid", "words"]
    assert_same(ours.read("a"), tf.train.load_checkpoint(str(sharded)).get_tensor("a"), "float32")
    with pytest.raises(LoadError, match="tensor 'grid': its slices do not cover it"):
        ours.read("grid")


@pytest.mark.parametrize("sharded", [False, True])
def test_saver_of_tensorflow_1(
    tf: ModuleType, save_v1: SaveV1, tmp_path: Path, sharded: bool
) -> None:
    first, second = save_v1(tmp_path, sharded=sharded)
    assert_as_tensorflow_reads(tf, second)
    reader = tf.train.load_checkpoint(str(second))
    known = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    assert {"net/grid", "net/grid/Adam", "net/grid/Adam_1"} <= known.keys()
    assert len(list(first.parent.glob("model.ckpt-12-?????-of-00002"))) == 2 * sharded
    assert_as_tensorflow_reads(tf, first, v1=True, known=known)


def test_v1_types(tf: ModuleType, tmp_path: Path) -> None:
    saved = {}
    for name, tensor in make_tensors(tf).items():
        try:
            tf.raw_ops.Save(filename=str(tmp_path / "try"), tensor_names=[name], data=[tensor])
        except (tf.errors.UnimplementedError, tf.errors.InvalidArgumentError):
            continue
        saved[name] = tensor
    path = tmp_path / "v1"
    tf.raw_ops.Save(filename=str(path), tensor_names=list(saved), data=list(saved.values()))
    known = {name: saved[name].numpy() for name in saved}
    assert_as_tensorflow_reads(tf, path, v1=True, known=known)
    assert {"plain/float16", "plain/complex128", "strings/words"} <= saved.keys()


def test_object_based(tf: ModuleType, slots: Path) -> None:
    assert_as_tensorflow_reads(tf, slots)


def test_saved_model(tf: ModuleType, keras_model: Path) -> None:
    assert_as_tensorflow_reads(tf, keras_model / "variables" / "variables")


def test_lists_without_data(all_types: Path, tmp_path: Path) -> None:
    (tmp_path / "x.index").write_bytes(all_types.with_suffix(".ckpt.index").read_bytes())
    assert open_checkpoint(tmp_path / "x").tensors == open_checkpoint(all_types).tensors
