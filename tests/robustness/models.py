"""Small models for the tests of this folder."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, NamedTuple

import tfprof
from tests.test_goldens import CPU, graph_of, run_of
from tfprof import cli
from tfprof.api.screen import Screen
from tfprof.protos import log_pb2

__all__ = ["CPU", "Outcome", "command", "graph_of", "loaded", "log_of", "run_of", "shaped"]

Frame = tuple[str, str, int]


def log_of(stacks: dict[str, Sequence[Frame]], **float_ops: int) -> log_pb2.OpLogProto:
    """An op log of stacks (file, function, line) and float operations by node."""
    log = log_pb2.OpLogProto()
    words: dict[str, int] = {}
    for name, frames in stacks.items():
        entry = log.log_entries.add(name=name)
        entry.code_def.SetInParent()
        for file, function, line in frames:
            ids = [words.setdefault(word, len(words) + 1) for word in (file, function)]
            entry.code_def.traces.add(file_id=ids[0], function_id=ids[1], lineno=line)
    for name, count in float_ops.items():
        log.log_entries.add(name=name, float_ops=count)
    for word, key in words.items():
        log.id_to_string[key] = word
    return log


def shaped(node: Any, *sizes: int) -> None:
    """Give a node of a GraphDef an own shape."""
    node.attr["shape"].shape.SetInParent()
    for size in sizes:
        node.attr["shape"].shape.dim.add(size=size)


def loaded(*nodes: Any, run: Any = None, log: Any = None) -> tfprof.Profile:
    """A profile of nodes (name, op, inputs)."""
    return tfprof.load(graph=graph_of(*nodes), run_meta=run, op_log=log)


class Outcome(NamedTuple):
    """What a call of the command did."""

    status: int
    out: str
    err: str


def command(*argv: str, stdin: str = "", terminal: bool = False) -> Outcome:
    """The command, called in this process."""
    out, err = io.BytesIO(), io.StringIO()
    status = cli.main(argv, screen=Screen(out, err, terminal), stdin=io.StringIO(stdin))
    return Outcome(status, out.getvalue().decode(), err.getvalue())
