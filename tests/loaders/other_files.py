"""Samples of formats that tfprof does not read, of bytes that are nothing, and of folders."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import struct
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fuzz.wire import BYTES, VARINT, Field, encode
from tfprof.loaders.checkpoint.storage import masked_crc32c
from tfprof.protos import graph_pb2, saved_model_pb2

__all__ = ["FILES", "FOLDERS", "NAMELESS", "write_file", "write_folder"]


def _zip(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, "content")
    return stream.getvalue()


def _tar() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("saved_model.pb"))
    return stream.getvalue()


def _saved(save: object, *arrays: object) -> bytes:
    stream = io.BytesIO()
    save(stream, *arrays)  # type: ignore[operator]
    return stream.getvalue()


def _records(*contents: bytes) -> bytes:
    """TFRecords: length, its checksum, content, its checksum."""
    parts = []
    for content in contents:
        size = struct.pack("<Q", len(content))
        checksums = (struct.pack("<I", masked_crc32c(part)) for part in (size, content))
        parts += [size, next(checksums), content, next(checksums)]
    return b"".join(parts)


def _message(*fields: tuple[int, int | bytes | list[Field]]) -> bytes:
    kinds = [VARINT if isinstance(value, int) else BYTES for _, value in fields]
    pairs = zip(fields, kinds, strict=True)
    return encode([Field(number, kind, value) for (number, value), kind in pairs])


def _text(number: int, text: str) -> Field:
    return Field(number, BYTES, text.encode())


def _onnx() -> bytes:
    node = [_text(1, "x"), _text(2, "y"), _text(3, "conv"), _text(4, "Conv")]
    graph = [Field(1, BYTES, node), _text(2, "torch_jit")]
    return _message((1, 7), (2, b"pytorch"), (3, b"2.1.0"), (7, graph), (8, [Field(2, VARINT, 17)]))


def _caffe2() -> bytes:
    operator = [_text(1, "data"), _text(2, "conv1"), _text(3, ""), _text(4, "Conv")]
    return _message((1, b"squeezenet"), (2, operator), (2, operator), (3, b"simple"))


def _descriptors() -> bytes:
    message = [_text(1, "Example"), Field(2, BYTES, [_text(1, "features"), Field(3, VARINT, 1)])]
    file = [_text(1, "a/example.proto"), _text(2, "tensorflow"), Field(4, BYTES, message)]
    return _message((1, file))


def _fingerprint() -> bytes:
    hashes = [(number, 2**63 + 12345 * number) for number in range(1, 6)]
    return _message(*hashes, (6, [Field(1, VARINT, 1)]), (7, b"123e4567"))


def _files() -> Iterator[tuple[str, str, bytes]]:
    """The format that a row of the table names, the name of a file, and its content."""
    trace = json.dumps({"traceEvents": [{"ph": "X", "name": "a"}]}).encode()
    array = np.arange(6.0)
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    hdf5 = b"\x89HDF\r\n\x1a\n" + bytes(40)
    sqlite = b"SQLite format 3\0\x10\0"
    metadata = b'{"class_name": "Dense", "config": {}}'
    keras = _message((1, [Field(2, VARINT, 3), _text(4, "_tf_keras_layer"), _text(5, "{}")]))
    for name in ("saved_model.pb", "graph.pb", "model.h5"):
        yield "a Git LFS pointer", name, pointer
    yield "a PNG image", "photo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    yield "a JPEG image", "photo.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF"
    yield "a GIF image", "photo.gif", b"GIF89a\x01\0\x01\0"
    yield "a PDF document", "paper.pdf", b"%PDF-1.7\n"
    yield "an HDF5 file with weights only", "model.weights.h5", hdf5
    for name in ("model.h5", "model.hdf5", "model.pb"):
        yield "an HDF5 file, such as Keras writes", name, hdf5
    yield "a Keras model", "model.keras", _zip("metadata.json", "config.json", "model.weights.h5")
    yield "a Keras model without its suffix", "model", _zip("config.json", "model.weights.h5")
    yield "a NumPy archive", "arrays.npz", _saved(np.savez, array)
    yield "a PyTorch model", "model.pt", _zip("archive/data.pkl", "archive/version")
    yield "a zip archive", "model.zip", _zip("my_model/saved_model.pb")
    yield "a compressed archive", "model.tar.gz", gzip.compress(_tar())
    yield "gzip data", "trace.json.gz", gzip.compress(trace)
    yield "compressed data", "graph.pb.xz", b"\xfd7zXZ\0\0\x04"
    yield "a tar archive", "model.tar", _tar()
    yield "a Parquet table", "rows.parquet", b"PAR1\x15\x04\0"
    yield "an Arrow file", "rows.arrow", b"ARROW1\0\0"
    yield "a TensorFlow Lite model", "model.tflite", b"\x1c\0\0\0TFL3\x14\0"
    event = _message((2, 1), (3, b"brain.Event:2"))
    yield "a TensorBoard event file", "old_events", bytes(24) + b"brain.Event:2" + bytes(9)
    yield "a TensorBoard event file", "events.out.tfevents.1.host.v2", _records(event, b"\x08\1")
    yield "a TFRecord file", "train.tfrecord", _records(b"\n\x0b\n\t\n\1a\x12\4\x1a\2\n\0")
    yield "a NumPy array", "array.npy", _saved(np.save, array)
    yield "a Python pickle", "model.pkl", pickle.dumps({"a": 1})
    yield (
        "a safetensors file",
        "model.safetensors",
        struct.pack("<Q", 30) + b'{"a":{"dtype":"F32"}}',
    )
    yield "a GGUF model", "model.gguf", b"GGUF\3\0\0\0"
    yield "a SQLite database", "data.db", sqlite
    yield "a program", "tool", b"\x7fELF\2\1\1\0"
    yield "a program", "train.sh", b"#!/bin/sh\nexit\n"
    for name in ("fingerprint.pb", "old.pb"):
        yield "the fingerprint of a SavedModel", name, _fingerprint()
    yield "the Keras metadata of a SavedModel", "keras_metadata.pb", keras
    yield "the code traces of a SavedModel", "saved_model_debug_info.pb", _message((1, b"a.py"))
    for name in ("model.onnx", "model.pb"):
        yield "an ONNX model", name, _onnx()
    yield "an ONNX model", "broken.onnx", b"\x08\x07\x12\x07pytorch"
    yield "a Caffe model", "net.caffemodel", _message((1, b"net"), (100, b"layer"))
    yield "a Core ML model", "model.mlmodel", _message((1, 4), (2, b"x"), (500, b"y"))
    yield "compiled .proto files", "descriptors.pb", _descriptors()
    yield "a Caffe2 model", "predict_net.pb", _caffe2()
    yield "an HTML page", "graph.pb", b"\n<!DOCTYPE html>\n<html><body>404</body></html>"
    yield "XML", "data.xml", b'<?xml version="1.0"?><a/>'
    yield "a trace of events (JSON)", "trace.json", trace
    yield "a TensorFlow.js model", "model.json", b'{"modelTopology": {}, "weightsManifest": []}'
    yield "the architecture of a Keras model (JSON)", "architecture.json", metadata
    yield "JSON", "config.json", b'[{"a": 1}]'
    yield "a report of tfprof", "report.txt", b"node name | # parameters\n_TFProfRoot (--/5)\n"
    yield "a report of tfprof", "legend.txt", b"\nDoc:\nscope: The nodes\n"
    yield "a report of tfprof", "rows.csv", b'"row","parent","depth"\n0,,0\n'
    state = b'model_checkpoint_path: "model"\n'
    yield "a text that names checkpoints", "latest.pbtxt", state
    yield "a label map", "labels.pbtxt", b'item {\n  id: 1\n  name: "cat"\n}\n'
    mediapipe = b'node {\n  calculator: "ImageCalculator"\n  input_stream: "x"\n}\n'
    yield "a MediaPipe graph", "hands.pbtxt", mediapipe
    yield "a MediaPipe graph", "face.pbtxt", b'input_stream: "x"\n' + mediapipe
    yield "a Caffe network", "net.prototxt", b'name: "net"\nlayer {\n  name: "data"\n}\n'
    yield "a Caffe network", "old.prototxt", b'name: "net"\nlayers {\n  name: "data"\n}\n'
    pipeline = b"model {\n  ssd {\n  }\n}\ntrain_config {\n  batch_size: 24\n}\n"
    yield "an object detection pipeline", "pipeline.config", pipeline
    yield "a list of op definitions", "ops.pbtxt", b'op {\n  name: "Abs"\n  summary: "x"\n}\n'
    declared = b"# proto-message: MakeExamplesRunInfo\noptions {\n  sample_name: 5\n}\n"
    yield "the text of another message, MakeExamplesRunInfo", "run_info.pbtxt", declared
    selector = b"name: VARIANT_READS\nvariant_reads_model {\n  min_num_supporting_reads: 2\n}\n"
    fields = "the text of another message, with name, variant_reads_model"
    yield fields, "selector.pbtxt", selector
    yield "text", "notes.txt", b"Dear diary,\n"
    yield "text", "main.py", b"import tensorflow as tf\n\nx: int = 3\n"


FILES: list[tuple[str, str, bytes]] = list(_files())
"""The name of the format in errors, the name of a file, and its content."""

NAMELESS: dict[str, bytes] = {
    "empty": b"",
    "random": b"\xff\xfe\x01\0" * 100,
    "example.pb": _message((1, [Field(1, BYTES, [_text(1, "a"), Field(2, BYTES, b"\x1a\2\n\0")])])),
    "config.pb": _message((6, [Field(4, VARINT, 1)]), (7, 1)),
    "library.pb": graph_pb2.GraphDef(
        library={"function": [{"signature": {"name": "f"}}]}, versions={"producer": 27}
    ).SerializeToString(),
    "meta.pb": saved_model_pb2.MetaGraphDef(
        meta_info_def={"tags": ["serve"]}, graph_def={"versions": {"producer": 27}}
    ).SerializeToString(),
    "saved_model.pb": saved_model_pb2.SavedModel(saved_model_schema_version=1).SerializeToString(),
    "truncated.pb": graph_pb2.GraphDef(
        node=[{"name": "abcdef", "op": "MatMul"}]
    ).SerializeToString()[:-3],
}
"""Files from which nothing can be shown, though they are of no format that has a name."""

FOLDERS: dict[str, tuple[str, ...]] = {
    "": (),
    "a folder of TensorFlow.js models": ("model.json",),
    "a folder of SavedModels": ("1/saved_model.pb",),
    "a TensorBoard log folder without a trace": ("events.out.tfevents.1.host",),
}
"""What errors call a folder, and the files in it."""


def write_file(folder: Path, name: str, content: bytes) -> Path:
    """Write a sample."""
    path = folder / name
    path.write_bytes(content)
    return path


def write_folder(folder: Path, files: tuple[str, ...]) -> Path:
    """Make a folder with such files."""
    path = folder / "folder"
    path.mkdir()
    for name in files:
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_bytes(b"x")
    return path
