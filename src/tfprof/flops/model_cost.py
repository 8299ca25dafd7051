"""The cost of a model: parameters, float operations, and the ledger of what was not counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from tfprof.errors import LoadError, OptionError
from tfprof.flops.call_sites import CallSite, walk_calls
from tfprof.flops.interpreter import Instance, Interpreter
from tfprof.flops.ledger import Ledger, make_ledger
from tfprof.flops.model_inputs import ModelGraph, read_model
from tfprof.flops.polynomial import (
    Count,
    bind,
    pretty,
    symbol,
    symbols,
)
from tfprof.flops.recorded_trip_counts import read_run_counts, recorded_trip_counts
from tfprof.flops.tensors import Dim, Dims, Tensor
from tfprof.flops.tf_formulas import Shape
from tfprof.flops.totals import InstanceTotals, OpTotal, operation
from tfprof.flops.variables import Variable
from tfprof.functions.expand import MAX_NODES
from tfprof.functions.library import Library
from tfprof.runtime.printable import one_line

__all__ = ["Cost", "NodeCost", "OpCost", "cost"]


@dataclass(frozen=True, slots=True)
class OpCost:
    """The work of all nodes of one op type, or of one scope."""

    float_ops: Count
    macs: Count
    nodes: int


@dataclass(frozen=True, slots=True)
class NodeCost:
    """The work of one node under its run-time name."""

    name: str
    scope: str
    op: str
    kind: str
    reason: str
    trips: Count
    """How often it runs, loops multiplied."""
    float_ops: Count
    """Over all its runs."""
    macs: Count
    output: Dims | None
    """The shape of its first output."""


@dataclass(frozen=True)
class Cost:
    """What a model costs. Numbers are ints, or polynomials while a symbol is unbound.

    Convention: two float operations per multiply-add. Contractions (matrix products, convolutions,
    einsum, fused recurrent layers) and everything else are also given apart.
    """

    float_ops: Count
    macs: Count
    contraction_float_ops: Count
    elementwise_float_ops: Count
    bytes_read: Count
    bytes_written: Count
    variables: tuple[Variable, ...] = field(repr=False)
    params: int
    trainable_params: int
    by_op_type: Mapping[str, OpCost] = field(repr=False)
    ledger: Ledger
    symbols: Mapping[str, str]
    """The unbound symbols and what they stand for."""
    _run: _Run = field(repr=False)
    _values: Mapping[str, Count] = field(repr=False)

    def bind(self, **values: int) -> Cost:
        """The same cost with symbols replaced by numbers: `cost.bind(B=8)`."""
        return bound(self, values)

    @cached_property
    def by_scope(self) -> Mapping[str, OpCost]:
        """The work below each name scope; `""` is the whole model."""
        totals: dict[str, OpTotal] = {"": OpTotal()}
        for node in self.nodes():
            scope = node.scope
            parts = scope.split("/") if scope else []
            for end in range(len(parts) + 1):
                total = totals.setdefault("/".join(parts[:end]), OpTotal())
                total.add(node.macs, node.float_ops - 2 * node.macs, 1)
        return {
            name: OpCost(total.float_ops(), total.macs, total.nodes)
            for name, total in totals.items()
        }

    def nodes(self) -> Iterator[NodeCost]:
        """Every node that runs, functions written out."""
        self._require_walk()
        for place in walk_calls(self._run.root, self._run.tallies):
            for position in place.instance.order:
                yield self._node(place, position)

    def _require_walk(self) -> None:
        if self.ledger.nodes > MAX_NODES:
            text = f"this model runs {self.ledger.nodes} nodes, too many to list"
            raise LoadError(f"{text}: ask for totals only")

    def _node(self, place: CallSite, position: int) -> NodeCost:
        node = place.instance.body.nodes[position]
        verdict = self._run.tallies.verdict(place.instance, position)
        runs = place.trips * place.instance.repeats.get(position, 1)
        trips = bind(runs, self._values)
        outputs = place.instance.outputs.get(position, ())
        return NodeCost(
            place.prefix + node.name,
            (place.scope + node.name).rpartition("/")[0],
            node.op,
            verdict.kind.value,
            verdict.reason,
            trips,
            bind(verdict.work.float_ops(), self._values) * trips,
            bind(verdict.work.macs, self._values) * trips,
            _bound_shape(outputs[0].shape, self._values) if outputs else None,
        )

    def explain(self, name: str) -> str:
        """How a node was counted: its formula, shapes and number of runs.

        `name` is a run-time name, or the end of one that is unique.
        """
        self._require_walk()
        ending: list[tuple[CallSite, int]] = []
        for place in walk_calls(self._run.root, self._run.tallies):
            for position in place.instance.order:
                full = place.prefix + place.instance.body.nodes[position].name
                if full == name:
                    return self._explanation(place, position)
                if full.endswith(f"/{name}"):
                    ending.append((place, position))
        if len(ending) == 1:
            return self._explanation(*ending[0])
        found = f"{len(ending)} nodes end so" if ending else "there is no such node"
        raise OptionError(f"cannot explain {name!r}: {found}")

    def _explanation(self, place: CallSite, position: int) -> str:
        node = self._node(place, position)
        seen = operation(place.instance, position)
        lines = [
            one_line(f"{node.name} = {node.op}"),
            f"  {node.kind}: {node.reason}",
            f"  inputs: {', '.join(self._show(x) for x in seen.inputs) or 'none'}",
            f"  outputs: {', '.join(self._show(x) for x in seen.outputs) or 'none'}",
        ]
        if node.trips != 1:
            lines.append(f"  runs: {pretty(node.trips)}")
        if node.kind == "counted":
            exact = f" ({node.float_ops:,})" if isinstance(node.float_ops, int) else ""
            lines.append(f"  float operations: {pretty(node.float_ops)}{exact}")
        return "\n".join(lines)

    def _show(self, tensor: Tensor) -> str:
        shape = _bound_shape(tensor.shape, self._values)
        if shape is None:
            return "?"
        return "x".join("?" if size is None else str(size) for size in shape) or "scalar"


@dataclass(frozen=True, slots=True)
class _Run:
    """What a cost was computed from."""

    root: Instance
    tallies: InstanceTotals
    interpreter: Interpreter
    source: ModelGraph
    notes: tuple[str, ...] = ()


def cost(
    source: Any,
    signature: str | None = None,
    *,
    bind: Mapping[str, int] | None = None,
    outputs: Iterable[str] | None = None,
    run_shapes: Mapping[str, Sequence[Shape | None]] | None = None,
    run_meta: Any = None,
) -> Cost:
    """The cost of a SavedModel directory, graph, file, or live model or function.

    Of a graph all nodes are counted (its initializers too), or those that `outputs` need. `bind`
    gives numbers to symbols: `B` is the unknown batch size of every input, `<input>.<axis>`
    any other unknown size, `T`, `T2`, … the trip counts of loops that depend on data. `run_shapes`
    are shapes seen at run time: node name -> those of its outputs. `run_meta` is a RunMetadata (a
    path, bytes or message) or a list of them, whose records tell how often loops ran; what `bind`
    says goes before.
    """
    made = _compute(read_model(source, signature=signature, outputs=outputs), run_shapes or {})
    if run_meta is not None:
        made = _with_rounds(made, run_meta, bind or {})
    return bound(made, bind) if bind else made


def _with_rounds(made: Cost, run_meta: Any, given: Mapping[str, int]) -> Cost:
    """A cost with the trips of loops as runs tell them, and notes on which they tell."""
    interpreter = made._run.interpreter
    wanted = {name: loop for name, loop in interpreter.loops.items() if name not in given}
    found = recorded_trip_counts(interpreter.library, wanted.values(), read_run_counts(run_meta))
    told = {name: found[loop] for name, loop in wanted.items() if loop in found}
    notes = [
        f"{name} is {told[name]}, by the run records: {interpreter.symbols[name]}"
        if name in told
        else f"{name} stays open, the run records do not tell it: {interpreter.symbols[name]}"
        for name in wanted
    ]
    return bound(replace(made, _run=replace(made._run, notes=tuple(notes))), told)


def _compute(source: ModelGraph, run_shapes: Mapping[str, Sequence[Shape | None]]) -> Cost:
    named: dict[str, str] = {}
    shapes = {node: _symbolic(name, shape, named) for node, (name, shape) in source.inputs.items()}
    seen = {
        node: [None if s is None else tuple(None if d < 0 else d for d in s) for s in outputs]
        for node, outputs in run_shapes.items()
    }
    interpreter = Interpreter(Library(source.graph), placeholders=shapes, run_shapes=seen)
    root = interpreter.run(source.roots)
    interpreter.symbols.update(
        {name: meaning for name, meaning in named.items() if name not in interpreter.symbols}
    )
    run = _Run(root, InstanceTotals(), interpreter, source)
    same: dict[str, Count] = {
        name: symbol(interpreter.representative(name)) for name in interpreter.equal
    }
    return _result(run, same)


def _symbolic(name: str, shape: Dims | None, named: dict[str, str]) -> Dims | None:
    """A shape with a symbol for each unknown size."""
    if shape is None:
        return None
    sizes: list[Dim] = []
    for axis, size in enumerate(shape):
        if size is not None:
            sizes.append(size)
            continue
        letter = "B" if axis == 0 else f"{name}.{axis}"
        named[letter] = "batch size" if axis == 0 else f"size of input {name!r} along axis {axis}"
        sizes.append(symbol(letter))
    return tuple(sizes)


def _result(run: _Run, values: Mapping[str, Count]) -> Cost:
    tally = run.tallies.of(run.root)
    macs, rest = bind(tally.macs, values), bind(tally.elementwise, values)
    variables = tuple(run.source.variables)
    kept = [variable for variable in variables if variable.role == "parameter"]
    by_op = {
        op: OpCost(bind(total.float_ops(), values), bind(total.macs, values), total.nodes)
        for op, total in tally.by_op.items()
    }
    total = 2 * macs + rest
    notes = (*run.source.notes, *run.notes, *_unsized(kept))
    open_symbols = symbols(total)
    return Cost(
        float_ops=total,
        macs=macs,
        contraction_float_ops=2 * macs,
        elementwise_float_ops=rest,
        bytes_read=bind(tally.read, values),
        bytes_written=bind(tally.written, values),
        variables=variables,
        params=sum(variable.size() for variable in kept) + run.source.frozen,
        trainable_params=sum(variable.size() for variable in kept if variable.trainable),
        by_op_type=by_op,
        ledger=make_ledger(tally, run.interpreter, frozen=run.source.frozen > 0, more=notes),
        symbols={
            name: meaning
            for name, meaning in run.interpreter.symbols.items()
            if name in open_symbols
        },
        _run=run,
        _values=values,
    )


def _unsized(variables: Sequence[Variable]) -> list[str]:
    """What to tell of variables whose size is not known."""
    names = [variable.name for variable in variables if variable.shape is None]
    if not names:
        return []
    shown = ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")
    return [f"not among the parameters, as their shapes are not known: {shown}"]


def bound(made: Cost, values: Mapping[str, int]) -> Cost:
    """A cost with symbols replaced; a name that the model does not have is an error."""
    known = {*made._run.interpreter.symbols, *made._values}
    wrong = [name for name in values if name not in known]
    if wrong:
        has = ", ".join(sorted(known)) or "none"
        raise OptionError(f"cannot bind {wrong[0]!r}: the symbols of this model are {has}")
    for name, value in values.items():
        trips = made._run.interpreter.symbols.get(name, "").startswith("trips")
        if not isinstance(value, int) or value < (0 if trips else 1):
            least = "a count" if trips else "a size of 1 or more"
            raise OptionError(f"cannot bind {name!r} to {value!r}: {least} is needed")
    chosen: dict[str, int] = {}
    for name, value in values.items():
        kept = made._run.interpreter.representative(name)
        if chosen.setdefault(kept, value) != value:
            raise OptionError(
                f"cannot bind {name!r} to {value}: it is taken to be equal to {kept!r}"
            )
    merged = {name: bind(value, chosen) for name, value in made._values.items()}
    return _result(made._run, {**merged, **chosen})


def _bound_shape(shape: Dims | None, values: Mapping[str, Count]) -> Dims | None:
    if shape is None:
        return None
    return tuple(None if size is None else bind(size, values) for size in shape)
