"""The cost of a model: parameters, float operations, and the ledger of what was not counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from tfprof.errors import LoadError, OptionError
from tfprof.flops.call_sites import CallSite, walk_calls
from tfprof.flops.interpreter import Instance, Interpreter, RunShapes
from tfprof.flops.ledger import Ledger, make_ledger
from tfprof.flops.model_inputs import ModelGraph, read_model
from tfprof.flops.polynomial import Count, bind, pretty, symbol, symbols
from tfprof.flops.recorded_trip_counts import RunCounts, read_run_counts, recorded_trip_counts
from tfprof.flops.rules.formula import Work
from tfprof.flops.tensors import Dim, Dims, Tensor
from tfprof.flops.tf_formulas import Shape
from tfprof.flops.totals import InstanceTotals, operation
from tfprof.flops.variables import Variable
from tfprof.functions.expand import MAX_NODES
from tfprof.functions.library import FunctionLibrary
from tfprof.runtime.printable import one_line


@dataclass(frozen=True, slots=True)
class OpCost:
    """The work of all nodes of one op type, or of one scope."""

    float_ops: Count
    macs: Count
    nodes: int


@dataclass(frozen=True, slots=True)
class NodeCost:
    """The work of one node under its runtime name."""

    name: str
    scope: str
    op: str
    kind: str
    reason: str
    trips: Count
    """How often it runs: the product of the trip counts of the loops around it."""
    once: Work
    """The work of one execution."""
    output: Dims | None
    """The shape of its first output."""

    @property
    def float_ops(self) -> Count:
        """Over all executions."""
        return self.once.float_ops() * self.trips

    @property
    def macs(self) -> Count:
        """Over all executions."""
        return self.once.macs * self.trips


@dataclass(frozen=True)
class Cost:
    """What a model costs. Numbers are ints, or polynomials while a symbol is unbound.

    Convention: two float operations per multiply-add. Contractions (matmuls, convolutions, einsum,
    fused recurrent layers) and everything else are also given separately.
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
        return bind_cost(self, values)

    @cached_property
    def by_scope(self) -> Mapping[str, OpCost]:
        """The work below each name scope; `""` is the whole model."""
        works: dict[str, Work] = {"": Work()}
        nodes: Counter[str] = Counter()
        for node in self.nodes():
            parts = node.scope.split("/") if node.scope else []
            for end in range(len(parts) + 1):
                name = "/".join(parts[:end])
                works[name] = works.get(name, Work()) + node.once * node.trips
                nodes[name] += 1
        return {
            name: OpCost(work.float_ops(), work.macs, nodes[name]) for name, work in works.items()
        }

    def nodes(self) -> Iterator[NodeCost]:
        """Every node that runs, functions expanded."""
        self._require_walk()
        for site in walk_calls(self._run.root, self._run.totals):
            for position in site.instance.order:
                yield self._node(site, position)

    def _require_walk(self) -> None:
        if self.ledger.nodes > MAX_NODES:
            text = f"this model runs {self.ledger.nodes} nodes, too many to list"
            raise LoadError(f"{text}: ask for totals only")

    def _node(self, site: CallSite, position: int) -> NodeCost:
        node = site.instance.body.nodes[position]
        count = self._run.totals.count(site.instance, position)
        work = Work(bind(count.work.macs, self._values), bind(count.work.elementwise, self._values))
        outputs = site.instance.outputs.get(position, ())
        return NodeCost(
            site.prefix + node.name,
            (site.scope + node.name).rpartition("/")[0],
            node.op,
            count.kind.value,
            count.reason,
            bind(site.trips * site.instance.repeats.get(position, 1), self._values),
            work,
            _bound_shape(outputs[0].shape, self._values) if outputs else None,
        )

    def explain(self, name: str) -> str:
        """How a node was counted: its formula, shapes and number of executions.

        `name` is a runtime name, or the end of one that is unique.
        """
        self._require_walk()
        matches: list[tuple[CallSite, int]] = []
        for site in walk_calls(self._run.root, self._run.totals):
            for position in site.instance.order:
                full = site.prefix + site.instance.body.nodes[position].name
                if full == name:
                    return self._explanation(site, position)
                if full.endswith(f"/{name}"):
                    matches.append((site, position))
        if len(matches) == 1:
            return self._explanation(*matches[0])
        reason = f"{len(matches)} nodes end so" if matches else "there is no such node"
        raise OptionError(f"cannot explain {name!r}: {reason}")

    def _explanation(self, site: CallSite, position: int) -> str:
        node = self._node(site, position)
        tensors = operation(site.instance, position)
        lines = [
            one_line(f"{node.name} = {node.op}"),
            f"  {node.kind}: {node.reason}",
            f"  inputs: {', '.join(self._show(x) for x in tensors.inputs) or 'none'}",
            f"  outputs: {', '.join(self._show(x) for x in tensors.outputs) or 'none'}",
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
    totals: InstanceTotals
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
    are shapes recorded at run time: node name -> those of its outputs. `run_meta` is a RunMetadata
    (a path, bytes or message) or a list of them, whose records show how often loops ran; what
    `bind` says wins.
    """
    recorded = {
        ("", node): [None if s is None else tuple(None if d < 0 else d for d in s) for s in shapes]
        for node, shapes in (run_shapes or {}).items()
    }
    result = compute_cost(read_model(source, signature=signature, outputs=outputs), recorded)
    if run_meta is not None:
        result = with_recorded_trip_counts(result, lambda: read_run_counts(run_meta), bind or {})
    return bind_cost(result, bind) if bind else result


def with_recorded_trip_counts(
    cost: Cost, read_runs: Callable[[], RunCounts], bindings: Mapping[str, int]
) -> Cost:
    """A cost with the trip counts that runs recorded, and notes on which they recorded.

    The runs are read only if a loop's trip count is symbolic and not in `bindings`.
    """
    interpreter = cost._run.interpreter
    wanted = {name: loop for name, loop in interpreter.loops.items() if name not in bindings}
    if not wanted:
        return cost
    recorded = recorded_trip_counts(interpreter.library, wanted.values(), read_runs())
    known = {name: recorded[loop] for name, loop in wanted.items() if loop in recorded}
    notes = [
        f"{name} = {known[name]} in the run: {interpreter.symbols[name]}"
        if name in known
        else f"{name} stays symbolic, the run does not record it: {interpreter.symbols[name]}"
        for name in wanted
    ]
    return bind_cost(replace(cost, _run=replace(cost._run, notes=tuple(notes))), known)


def compute_cost(source: ModelGraph, run_shapes: RunShapes) -> Cost:
    """The cost of a graph that was read; `run_shapes` complete its own."""
    named: dict[str, str] = {}
    shapes = {node: _symbolic(name, shape, named) for node, (name, shape) in source.inputs.items()}
    library = FunctionLibrary(source.graph)
    interpreter = Interpreter(library, placeholders=shapes, run_shapes=run_shapes)
    root = interpreter.run(source.roots)
    interpreter.symbols.update(
        {name: meaning for name, meaning in named.items() if name not in interpreter.symbols}
    )
    run = _Run(root, InstanceTotals(), interpreter, source)
    values: dict[str, Count] = dict(interpreter.recorded_sizes)
    for name in interpreter.equal:
        kept = interpreter.representative(name)
        values[name] = values.get(kept, symbol(kept))
    return _result(run, values)


def _symbolic(name: str, shape: Dims | None, named: dict[str, str]) -> Dims | None:
    """A shape with a symbol for each unknown size."""
    if shape is None:
        return None
    sizes: list[Dim] = []
    for axis, size in enumerate(shape):
        if size is not None:
            sizes.append(size)
            continue
        unknown = "B" if axis == 0 else f"{name}.{axis}"
        named[unknown] = "batch size" if axis == 0 else f"size of input {name!r} along axis {axis}"
        sizes.append(symbol(unknown))
    return tuple(sizes)


def _result(run: _Run, values: Mapping[str, Count]) -> Cost:
    totals = run.totals.of(run.root)
    macs, elementwise = bind(totals.work.macs, values), bind(totals.work.elementwise, values)
    parameters = [variable for variable in run.source.variables if variable.role == "parameter"]
    by_op = {
        op: OpCost(bind(work.float_ops(), values), bind(work.macs, values), totals.counted[op])
        for op, work in totals.by_op.items()
    }
    float_ops = 2 * macs + elementwise
    notes = (*run.source.notes, *run.notes, *_unsized(parameters))
    open_symbols = symbols(float_ops)
    return Cost(
        float_ops=float_ops,
        macs=macs,
        contraction_float_ops=2 * macs,
        elementwise_float_ops=elementwise,
        bytes_read=bind(totals.read, values),
        bytes_written=bind(totals.written, values),
        variables=tuple(run.source.variables),
        params=sum(variable.size() for variable in parameters) + run.source.frozen,
        trainable_params=sum(variable.size() for variable in parameters if variable.trainable),
        by_op_type=by_op,
        ledger=make_ledger(totals, run.interpreter, frozen=run.source.frozen > 0, more=notes),
        symbols={
            name: meaning
            for name, meaning in run.interpreter.symbols.items()
            if name in open_symbols
        },
        _run=run,
        _values=values,
    )


def _unsized(variables: Sequence[Variable]) -> list[str]:
    """A note on variables whose size is not known."""
    names = [variable.name for variable in variables if variable.shape is None]
    if not names:
        return []
    shown = ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")
    return [f"not among the parameters, as their shapes are not known: {shown}"]


def bind_cost(cost: Cost, values: Mapping[str, int]) -> Cost:
    """A cost with symbols replaced; a name that the model does not have is an error."""
    interpreter = cost._run.interpreter
    known = {*interpreter.symbols, *cost._values}
    wrong = [name for name in values if name not in known]
    if wrong:
        has = ", ".join(sorted(known)) or "none"
        raise OptionError(f"cannot bind {wrong[0]!r}: the symbols of this model are {has}")
    for name, value in values.items():
        is_trip_count = name in interpreter.loops
        if not isinstance(value, int) or value < (0 if is_trip_count else 1):
            needed = "a count" if is_trip_count else "a size of 1 or more"
            raise OptionError(f"cannot bind {name!r} to {value!r}: {needed} is needed")
    chosen: dict[str, int] = {}
    for name, value in values.items():
        kept = interpreter.representative(name)
        if chosen.setdefault(kept, value) != value:
            raise OptionError(
                f"cannot bind {name!r} to {value}: it is taken to be equal to {kept!r}"
            )
    merged = {name: bind(value, chosen) for name, value in cost._values.items()}
    return _result(cost._run, {**merged, **chosen})


def _bound_shape(shape: Dims | None, values: Mapping[str, Count]) -> Dims | None:
    if shape is None:
        return None
    return tuple(None if size is None else bind(size, values) for size in shape)
