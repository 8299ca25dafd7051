"""The op log of a model: float operations, trainable variables, stacks.

A `ModelLog` becomes columns for a profile, or an OpLogProto, alone or merged with a caller's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from tfprof.definitions.options import TRAINABLE_TYPE
from tfprof.definitions.quirks import Quirks
from tfprof.profiles.schema import Array, LogEntries, Stacks
from tfprof.profiles.source_columns import LogColumns
from tfprof.profiles.string_columns import strings
from tfprof.protos import log_pb2
from tfprof.recording.stacks import CreationStacks

_NONE = np.zeros(0, np.int64)
_NO_STACKS = Stacks(np.zeros(1, np.int64), _NONE, _NONE, _NONE, _NONE, _NONE, {}, None)
_TEXTS = (("file", "file_id"), ("function", "function_id"), ("line", "line_id"))


@dataclass(frozen=True, slots=True)
class ModelLog:
    """Names of nodes with their float operations and stacks, and of trainable variables."""

    names: list[str]
    float_ops: Array
    trainable: list[str] = field(default_factory=list)
    stacks: CreationStacks | None = None

    def columns(self) -> LogColumns:
        """The columns for a profile."""
        row = {name: i for i, name in enumerate(self.names)}
        owners = [row[name] for name in self.trainable if name in row]
        stacks, stack = _NO_STACKS, np.full(len(self.names), -1, np.int64)
        if self.stacks is not None:
            stacks, stack = self.stacks.distinct, self.stacks.index
        types = np.array(owners, np.int32), strings([TRAINABLE_TYPE] * len(owners))
        return LogColumns(LogEntries(strings(self.names), self.float_ops, stack, *types), stacks)

    def message(self) -> Any:
        """The message: an entry per node with float operations, with stacks one per node."""
        log = log_pb2.OpLogProto()
        entries: dict[str, Any] = {}
        codes = [] if self.stacks is None else list(_codes(self.stacks.distinct))
        for i, (name, float_ops) in enumerate(
            zip(self.names, self.float_ops.tolist(), strict=True)
        ):
            if not float_ops and self.stacks is None:
                continue
            entries[name] = log.log_entries.add(name=name, float_ops=float_ops)
            if self.stacks is not None and self.stacks.index[i] >= 0:
                entries[name].code_def.CopyFrom(codes[self.stacks.index[i]])
        for name in self.trainable:
            if name not in entries:
                entries[name] = log.log_entries.add(name=name)
            entries[name].types.append(TRAINABLE_TYPE)
        known = {0: "none"} if self.stacks is None else self.stacks.distinct.strings
        for number, text in known.items():
            log.id_to_string[number] = text
        return log


def _codes(stacks: Stacks) -> Iterator[Any]:
    columns = {
        "file_id": stacks.file_id,
        "lineno": stacks.line,
        "function_id": stacks.function_id,
        "line_id": stacks.text_id,
        "func_start_line": stacks.function_line,
    }
    rows = np.stack(list(columns.values()), axis=1).tolist()
    for first, last in pairwise(stacks.start.tolist()):
        code = log_pb2.CodeDef()
        for row in rows[first:last]:
            code.traces.add(**dict(zip(columns, row, strict=True)))
        yield code


def merge_op_logs(user_log: Any, model_log: Any, quirks: Quirks) -> Any:
    """A caller's op log completed by the model's; neither is changed.

    Entries of the caller come first; what they lack is filled in, and types are added.
    """
    log = log_pb2.OpLogProto()
    entries: dict[str, Any] = {}
    for entry in user_log.log_entries:
        if entry.name not in entries:
            entries[entry.name] = log.log_entries.add()
            entries[entry.name].CopyFrom(entry)
        elif quirks.last_log_entry_replaces:
            entries[entry.name].CopyFrom(entry)
        else:
            _fill(entries[entry.name], entry)
    for number, text in model_log.id_to_string.items():
        log.id_to_string[number] = text
    if not quirks.shared_string_ids:
        _renumber(log, user_log.id_to_string)
    for entry in model_log.log_entries:
        if entry.name not in entries:
            entries[entry.name] = log.log_entries.add(name=entry.name)
        _fill(entries[entry.name], entry)
    return log


def _fill(entry: Any, more: Any) -> None:
    """Add types, and what an entry does not have, from another of the same name."""
    entry.types.extend(more.types)
    if more.float_ops > 0 and not entry.float_ops:
        entry.float_ops = more.float_ops
    if more.code_def.traces and not entry.code_def.traces:
        entry.code_def.CopyFrom(more.code_def)


def _renumber(log: Any, user_strings: Any) -> None:
    """Give the strings of a caller's frames ids of the log's own table."""
    ids = {text: number for number, text in log.id_to_string.items()}
    for entry in log.log_entries:
        for frame in entry.code_def.traces:
            for text_field, id_field in _TEXTS:
                number = getattr(frame, id_field)
                if getattr(frame, text_field) or number not in user_strings:
                    setattr(frame, id_field, 0)
                    continue
                text = user_strings[number]
                if text not in ids:
                    ids[text] = len(ids)
                    log.id_to_string[ids[text]] = text
                setattr(frame, id_field, ids[text])
