"""Formats that tfprof does not read, so that errors can name them and say what to do.

`OTHER_FORMATS` has a row for each: the first that recognizes a file or folder names it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tfprof.loaders.files import is_file
from tfprof.loaders.message_kinds import (
    is_known_text,
    is_text,
    read_fields,
    text_fields,
)

Recognize = Callable[[Path, bytes], bool]


@dataclass(frozen=True, slots=True)
class OtherFormat:
    """A format that tfprof does not read: its name with an article, and what to do with it.

    `recognize` takes the path and the first bytes of the file, which are empty for a folder.
    `{path}` and `{folder}` in the advice stand for the path and the folder that it is in.
    """

    name: str
    recognize: Recognize
    advice: str = ""

    def advice_for(self, path: Path) -> str:
        """What to do with a file of this format."""
        return self.advice.format(path=path, folder=path.parent)


_VARINT, _LENGTH = 0, 2
_ZIP_ENTRY = re.compile(rb"PK\x03\x04.{22}(..)..", re.DOTALL)
_PROTO_MESSAGE = re.compile(rb"^# *proto-message: *([\w.]+)", re.MULTILINE)
_MAX_NAMED_FIELDS = 3
_TEXT_MESSAGE_SUFFIXES = (".pbtxt", ".pb", ".prototxt", ".textproto", ".pbtext", ".config")
_EXPORT = "load it in Keras and call model.export(DIR), then give DIR"
_TRACE = "open it in ui.perfetto.dev; tfprof reads the RunMetadata that session.run returned"


def _starts(*magics: bytes, offset: int = 0) -> Recognize:
    return lambda _path, head: head.startswith(magics, offset)


def _ends(*suffixes: str) -> Recognize:
    return lambda path, head: bool(head) and path.name.lower().endswith(suffixes)


def _is_called(*names: str) -> Recognize:
    return lambda path, head: bool(head) and path.name in names


def _both(first: Recognize, second: Recognize) -> Recognize:
    return lambda path, head: first(path, head) and second(path, head)


def _zip_with(*names: bytes) -> Recognize:
    """An archive with an entry whose name ends so."""
    return lambda _path, head: any(entry.endswith(names) for entry in _zip_entries(head))


def _zip_entries(head: bytes) -> list[bytes]:
    matches = _ZIP_ENTRY.finditer(head)
    return [head[m.end() : m.end() + int.from_bytes(m[1], "little")] for m in matches]


def _json_with(*keys: bytes) -> Recognize:
    """JSON that has one of some keys; any JSON if none is named."""

    def recognize(_path: Path, head: bytes) -> bool:
        is_json = b"\0" not in head and head.lstrip().startswith((b"{", b"["))
        return is_json and (not keys or any(b'"%s"' % key in head for key in keys))

    return recognize


def _text_with(*fields: str, content: bytes = b"") -> Recognize:
    """The text of a message with these fields at its top level, and some content anywhere."""
    return lambda _path, head: content in head and set(fields) <= text_fields(head)


def _page(*starts: bytes) -> Recognize:
    return lambda _path, head: head[:64].lstrip().lower().startswith(starts)


def _is_onnx(_path: Path, head: bytes) -> bool:
    """A ModelProto: its version comes first, and its graph is field 7."""
    fields = [(number, wire) for number, wire, _ in read_fields(head)]
    known = {*range(1, 9), 14, 20, 25, 26}
    is_model = fields[:1] == [(1, _VARINT)] and (7, _LENGTH) in fields
    return is_model and {number for number, _ in fields} <= known


def _is_caffe2(_path: Path, head: bytes) -> bool:
    """A NetDef: a name, and operators with their type in field 4."""
    fields = read_fields(head)
    operators = [dict(_texts(value)) for number, wire, value in fields if (number, wire) == (2, 2)]
    named = dict(_texts(head))
    return 1 in named and bool(operators) and all(4 in operator for operator in operators[:-1])


def _is_descriptor_set(_path: Path, head: bytes) -> bool:
    """A FileDescriptorSet: files whose first field is the name of a .proto file."""
    files = [dict(_texts(value)) for number, _, value in read_fields(head) if number == 1]
    return bool(files) and files[0].get(1, b"").endswith(b".proto")


def _texts(data: bytes) -> list[tuple[int, bytes]]:
    """The fields of a message that are short printable texts."""
    return [
        (number, value)
        for number, wire, value in read_fields(data)
        if wire == _LENGTH
        and 0 < len(value) < 256
        and value.isascii()
        and value.decode().isprintable()
    ]


def _is_fingerprint(path: Path, head: bytes) -> bool:
    """A FingerprintDef: five hashes, a version and an id."""
    fields = [(number, wire) for number, wire, _ in read_fields(head)]
    hashes = [number for number, wire in fields if wire == _VARINT and number <= 5]
    enough = 2 if path.name == "fingerprint.pb" else 5
    return len(hashes) >= enough and {number for number, _ in fields} <= set(range(1, 8))


def _is_record_file(_path: Path, head: bytes) -> bool:
    """TFRecords: a length and its checksum come first."""
    if len(head) < 16:
        return False
    from tfprof.loaders.checkpoint.storage import masked_crc32c

    (checksum,) = struct.unpack_from("<I", head, 8)
    return bool(masked_crc32c(head[:8]) == checksum)


def _is_event_file(path: Path, head: bytes) -> bool:
    return ".tfevents." in path.name and _is_record_file(path, head)


def _is_lone_table(path: Path, head: bytes) -> bool:
    return head.startswith(b"PAR1") and is_file(path.parent / "profile.parquet")


def _holds(*patterns: str) -> Recognize:
    """A folder with such a file."""

    def recognize(path: Path, head: bytes) -> bool:
        try:
            return not head and path.is_dir() and any(any(path.glob(p)) for p in patterns)
        except (OSError, ValueError):
            return False

    return recognize


OTHER_FORMATS: tuple[OtherFormat, ...] = (
    OtherFormat(
        "a Git LFS pointer",
        _starts(b"version https://git-lfs"),
        "fetch the file itself with `git lfs pull`",
    ),
    OtherFormat("a PNG image", _starts(b"\x89PNG")),
    OtherFormat("a JPEG image", _starts(b"\xff\xd8\xff")),
    OtherFormat("a GIF image", _starts(b"GIF8")),
    OtherFormat("a PDF document", _starts(b"%PDF")),
    OtherFormat(
        "an HDF5 file with weights only",
        _both(_starts(b"\x89HDF"), _ends(".weights.h5")),
        "load the weights in Keras and call model.export(DIR), then give DIR",
    ),
    OtherFormat("an HDF5 file, such as Keras writes", _starts(b"\x89HDF"), _EXPORT),
    OtherFormat(
        "a Keras model",
        _both(_starts(b"PK\x03\x04"), _ends(".keras")),
        "try `tfprof model {path}`",
    ),
    OtherFormat(
        "a Keras model without its suffix",
        _zip_with(b"model.weights.h5"),
        "let its name end in .keras, then try `tfprof model`",
    ),
    OtherFormat("a NumPy archive", _zip_with(b".npy")),
    OtherFormat("a PyTorch model", _zip_with(b"/data.pkl", b"/version", b".data/serialization_id")),
    OtherFormat("a zip archive", _starts(b"PK\x03\x04"), "unpack it and give what is in it"),
    OtherFormat(
        "a compressed archive",
        _both(_starts(b"\x1f\x8b"), _ends(".tgz", ".tar.gz")),
        "unpack it with `tar -xf`, and give what is in it",
    ),
    OtherFormat("gzip data", _starts(b"\x1f\x8b"), "decompress it with gunzip"),
    OtherFormat(
        "compressed data",
        _starts(b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf\x27\x1c"),
        "decompress it",
    ),
    OtherFormat(
        "a tar archive",
        _starts(b"ustar", offset=257),
        "unpack it with `tar -xf`, and give what is in it",
    ),
    OtherFormat("one table of a profile", _is_lone_table, "give its folder, {folder}"),
    OtherFormat("a Parquet table", _starts(b"PAR1"), "give a folder that `tfprof tables` wrote"),
    OtherFormat("an Arrow file", _starts(b"ARROW1"), "give a folder that `tfprof tables` wrote"),
    OtherFormat(
        "a TensorFlow Lite model",
        _starts(b"TFL3", offset=4),
        "give the SavedModel that it was converted from",
    ),
    OtherFormat(
        "a TensorBoard event file",
        lambda path, head: head.startswith(b"brain.Event:", 24) or _is_event_file(path, head),
        "give a SavedModel or a GraphDef, and a RunMetadata",
    ),
    OtherFormat(
        "a TFRecord file", _is_record_file, "it has data for a model; give the model itself"
    ),
    OtherFormat("a NumPy array", _starts(b"\x93NUMPY")),
    OtherFormat(
        "a Python pickle",
        _starts(b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"),
        "load it in Python and export a SavedModel, then give that",
    ),
    OtherFormat("a safetensors file", _starts(b'{"', offset=8)),
    OtherFormat("a GGUF model", _starts(b"GGUF")),
    OtherFormat("a SQLite database", _starts(b"SQLite format 3\0")),
    OtherFormat("a program", _starts(b"\x7fELF", b"MZ\x90", b"\xcf\xfa\xed\xfe", b"#!")),
    OtherFormat(
        "the fingerprint of a SavedModel", _is_fingerprint, "give the SavedModel, {folder}"
    ),
    OtherFormat(
        "the Keras metadata of a SavedModel",
        _is_called("keras_metadata.pb"),
        "give the SavedModel, {folder}",
    ),
    OtherFormat(
        "the code traces of a SavedModel",
        _is_called("saved_model_debug_info.pb"),
        "give the SavedModel, the folder above {folder}",
    ),
    OtherFormat("an ONNX model", _is_onnx, "give the TensorFlow model that it was converted from"),
    OtherFormat(
        "an ONNX model", _ends(".onnx"), "give the TensorFlow model that it was converted from"
    ),
    OtherFormat("a Caffe model", _ends(".caffemodel")),
    OtherFormat("a Core ML model", _ends(".mlmodel")),
    OtherFormat("compiled .proto files", _is_descriptor_set),
    OtherFormat("a Caffe2 model", _is_caffe2),
    OtherFormat("an HTML page", _page(b"<!doctype html", b"<html"), "download the file itself"),
    OtherFormat("XML", _page(b"<?xml")),
    OtherFormat("a trace of events (JSON)", _json_with(b"traceEvents"), _TRACE),
    OtherFormat(
        "a TensorFlow.js model",
        _json_with(b"modelTopology", b"weightsManifest"),
        "give the SavedModel that it was converted from",
    ),
    OtherFormat(
        "the architecture of a Keras model (JSON)",
        _json_with(b"class_name"),
        "load it with keras.models.model_from_json and call model.export(DIR), then give DIR",
    ),
    OtherFormat("JSON", _json_with()),
    OtherFormat(
        "a report of tfprof",
        _starts(b"node name | ", b"\nDoc:\n", b'"row","parent",'),
        "give a profile; `tfprof tables` and profile.serialize() save one",
    ),
    OtherFormat(
        "a text that names checkpoints",
        _text_with("model_checkpoint_path"),
        "give the checkpoint, by its prefix",
    ),
    OtherFormat("a label map", _text_with("item")),
    OtherFormat("a MediaPipe graph", _text_with("node", content=b"calculator:")),
    OtherFormat("a Caffe network", _text_with("layer")),
    OtherFormat("a Caffe network", _text_with("layers")),
    OtherFormat("an object detection pipeline", _text_with("model", "train_config")),
    OtherFormat("a list of op definitions", _text_with("op")),
    OtherFormat(
        "a folder of TensorFlow.js models",
        _holds("model.json"),
        "give the SavedModel that it was converted from",
    ),
    OtherFormat(
        "a folder of SavedModels",
        _holds("*/saved_model.pb", "*/saved_model.pbtxt"),
        "give one of the folders in it",
    ),
    OtherFormat(
        "a TensorBoard log folder without a trace",
        _holds("events.out.tfevents.*", "*/events.out.tfevents.*", "plugins/profile"),
        "trace steps with tfprof.KerasCallback, or with profile_batch of the TensorBoard callback",
    ),
)
"""Every format that tfprof only names; the special ones come before the general ones."""


def find_other_format(path: Path, head: bytes) -> OtherFormat | None:
    """The format of a file or folder that tfprof does not read, if it is known."""
    for other in OTHER_FORMATS:
        if other.recognize(path, head):
            return other
    name = _text_name(path, head)
    return OtherFormat(name, lambda *_: True) if name else None


def _text_name(path: Path, head: bytes) -> str:
    """What to call a text that is no message of a known schema."""
    if not is_text(head) or is_known_text(head):
        return ""
    declared, fields = _PROTO_MESSAGE.search(head), text_fields(head)
    if declared and fields:
        return f"the text of another message, {declared[1].decode(errors='replace')}"
    if not fields or path.suffix.lower() not in _TEXT_MESSAGE_SUFFIXES:
        return "text"
    names = sorted(fields)[:_MAX_NAMED_FIELDS]
    return f"the text of another message, with {', '.join(names)}"
