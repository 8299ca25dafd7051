"""The nodes of a job: names and op types from the traces; types, code and FLOPs from the graph."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tfprof.definitions.limits import check_line_names
from tfprof.definitions.quirks import REPAIRED
from tfprof.errors import LoadError
from tfprof.fleet.chunks import write_table
from tfprof.fleet.step_records import WAITING_OPS
from tfprof.fleet.store import NODE_SCHEMA
from tfprof.flops.node_flops import node_flops
from tfprof.loaders import read_input
from tfprof.outputs.files import replace_file
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.profile import Profile
from tfprof.profiles.user_code import describe_user_line, user_lines


def read_model(graph: Path | None, op_log: Path | None) -> Profile:
    """The graph and op log of a job, once for all its steps."""
    profile = Profile()
    if graph is not None:
        profile = profile.with_graph(read_input("graph", graph))
    if op_log is not None:
        if graph is None:
            raise LoadError(f"{op_log}: an op log has no nodes; give the graph too (--graph_path)")
        profile = profile.with_op_log(read_input("op_log", op_log))
    return profile


class NodeTable:
    """The nodes of a job, in memory and in its file."""

    def __init__(self, path: Path, job: str, model: Profile) -> None:
        """Read the file, if there is one; with a model its nodes are described anew."""
        self._path, self._job, self._model = path, job, model
        self._known = (
            pq.read_table(path, schema=NODE_SCHEMA) if path.exists() else NODE_SCHEMA.empty_table()
        )
        columns = (self._known.column(name).to_pylist() for name in ("node", "name", "op"))
        self._nodes = {node: (name, op) for node, name, op in zip(*columns, strict=True)}
        self._has_changed = bool(len(model.nodes))

    def add(self, nodes: Mapping[int, tuple[str, str]]) -> None:
        """Add nodes of a chunk; the first op type of a name stays."""
        for node, (name, op) in nodes.items():
            if node not in self._nodes:
                self._nodes[node] = (name, op)
                self._has_changed = True
            elif self._nodes[node][0] != name:
                other = self._nodes[node][0]
                raise LoadError(f"'{name}' and '{other}' have the same id; rename one of them")

    def write(self) -> None:
        """Write the file, if a node or the model is new."""
        if not self._has_changed:
            return
        kept = NODE_SCHEMA.empty_table() if len(self._model.nodes) else self._known
        described = set(kept.column("node").to_pylist())
        new = self._describe(sorted(node for node in self._nodes if node not in described))
        self._known = pa.concat_tables([kept, new]).sort_by("node")
        with replace_file(self._path) as stream:
            write_table(self._known, stream)
        self._has_changed = False

    def _describe(self, ids: list[int]) -> pa.Table:
        names = pa.array([self._nodes[node][0] for node in ids], pa.string())
        ops = [self._nodes[node][1] for node in ids]
        row = index_in(names, self._model.nodes.name)
        columns: dict[str, Any] = {"job": [self._job] * len(ids), "node": ids, "name": names}
        columns |= {"op": ops, "types": self._types(row, ops)}
        columns["waits"] = [op in WAITING_OPS for op in ops]
        columns |= self._code(row)
        columns["float_ops"] = pa.array(np.append(_float_ops(self._model), 0)[row], mask=row < 0)
        return pa.table(columns, NODE_SCHEMA)

    def _types(self, row: Any, ops: list[str]) -> list[list[str]]:
        """The op types of each node, in the trace and in the graph, and those of the op log."""
        types = {node: [op] for node, op in enumerate(self._model.nodes.op.to_pylist())}
        owners = self._model.type_node.tolist()
        for owner, name in zip(owners, self._model.type_name.to_pylist(), strict=True):
            types[owner].append(name)
        return [
            sorted({op, *types.get(node, ())}) for node, op in zip(row.tolist(), ops, strict=True)
        ]

    def _code(self, row: Any) -> dict[str, list[Any]]:
        """File, line and text of the user's code that made each node."""
        lines = user_lines(self._model)
        line_of_node = np.append(lines.indices.fill_null(-1).to_numpy(), -1)
        parts = [line.rpartition(":") for line in lines.dictionary.to_pylist()]
        columns: dict[str, list[Any]] = {"file": [], "line": [], "code": []}
        texts: dict[int, str] = {}
        size = 0
        for node, line in zip(row.tolist(), line_of_node[row].tolist(), strict=True):
            if line >= 0 and line not in texts:
                text = describe_user_line(self._model, node)
                texts[line] = text.removeprefix("gradient of ")
            file, _, number = parts[line] if line >= 0 else ("", "", "")
            size += len(file)
            columns["file"].append(file or None)
            columns["line"].append(int(number) if line >= 0 else None)
            columns["code"].append(texts[line] if line >= 0 else None)
        check_line_names(size, lines=len(row), files=(file for file, _, _ in parts))
        return columns


def _float_ops(model: Profile) -> Any:
    if not len(model.nodes):
        return np.zeros(0, np.int64)
    counts = node_flops(model, REPAIRED).float_ops
    return np.array([int(count) if isinstance(count, (int, np.integer)) else 0 for count in counts])
