"""The compiled programs of a trace: their nodes, and their executions as records of these nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from google.protobuf.message import DecodeError

from tfprof.loaders.hlo.executions import attribute_executions
from tfprof.loaders.hlo.module import Module
from tfprof.loaders.hlo.node_table import HloNodeTable, Program
from tfprof.loaders.hlo.nodes import add_program
from tfprof.loaders.hlo.tf_functions import TfFunctions, parse_module
from tfprof.loaders.xplane.name_budget import NameBudget
from tfprof.loaders.xplane.op_events import NO_PROGRAM, OpExecutions, root_name
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.hlo_pb2 import HloProto

_LIMITED = "instructions share so many others that some inputs and fusions are left out"


@dataclass(slots=True)
class Programs:
    """The programs of all hosts of a trace, each of which becomes nodes once."""

    read_functions: Callable[[], TfFunctions | None] = lambda: None
    """Reads the functions that a capture saved, once a program needs them."""
    notes: list[str] = field(default_factory=list)
    _known: dict[bytes, Program] = field(default_factory=dict)
    _scopes: dict[str, int] = field(default_factory=dict)
    """Scope -> the last number after it that made another scope."""
    _functions: list[TfFunctions] = field(default_factory=list)

    @property
    def has_buffers(self) -> bool:
        """Whether programs say which memory they allocate."""
        programs = self._known.values()
        return any(program.buffers and not program.is_recorded for program in programs)

    def add(
        self, profile: Profile, ops: OpExecutions, hlo: Mapping[int, bytes], budget: NameBudget
    ) -> tuple[Profile, OpExecutions]:
        """A profile with the programs that ran as nodes, and the executions as theirs."""
        ids = np.unique(ops.program[ops.program != NO_PROGRAM]).tolist()
        if not ids:
            return profile, ops
        table, programs = HloNodeTable(budget), dict[int, Program]()
        is_new = False
        for number in ids:
            data = hlo.get(number, b"")
            if data and data not in self._known:
                ran = set(_names(ops.name, ops.program == number))
                module = _parse(data)
                if module is None:
                    continue
                functions = self._functions_of(module)
                scope = self._scope(module, functions)
                self._known[data] = add_program(table, module, scope, ran=ran, functions=functions)
                is_new = True
                if module.is_limited:
                    self.notes.append(f"{scope}: {_LIMITED}")
            if data in self._known:
                programs[number] = self._known[data]
        missing = len(ids) - len(programs)
        if missing:
            self.notes.append(f"compiled programs without HLO in this trace: {missing}")
        if is_new:
            profile = profile.with_graph(table.graph()).with_op_log(table.log())
        return profile, attribute_executions(ops, programs, budget)

    def _functions_of(self, module: Module) -> TfFunctions | None:
        """The captured functions; none for programs of other frameworks."""
        if not parse_module(module.proto.hlo_module.name):
            return None
        if not self._functions:
            self._functions.append(self.read_functions() or TfFunctions(GraphDef(), None))
        return self._functions[0]

    def _scope(self, module: Module, functions: TfFunctions | None) -> str:
        name = module.proto.hlo_module.name
        function = parse_module(name)
        base = root_name(f"__{function}") if function else name or "program"
        if functions is not None:
            base = functions.scope(functions.function_of(name)) or base
        scope = base
        while scope in self._scopes:
            self._scopes[base] += 1
            scope = f"{base}_{self._scopes[base]}"
        self._scopes[scope] = 0
        return scope


def _parse(data: bytes) -> Module | None:
    try:
        return Module(HloProto.FromString(data))
    except DecodeError:
        return None


def _names(column: pa.DictionaryArray, mask: Array) -> list[str]:
    """The distinct values of some rows."""
    indices = np.unique(column.indices.to_numpy()[mask])
    names: list[str] = column.dictionary.take(pa.array(indices)).to_pylist()
    return names
