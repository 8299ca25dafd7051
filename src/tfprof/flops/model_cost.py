"""The cost of a model: parameters, float operations, and the ledger of what was not counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tfprof.definitions.limits import max_inlined_bytes, max_inlined_nodes
from tfprof.definitions.lookup import Lookup
from tfprof.errors import LoadError, OptionError
from tfprof.flops.call_sites import CallSite, walk_calls
from tfprof.flops.cost_display import CostDisplay
from tfprof.flops.interpreter import Instance, Interpreter, RunShapes
from tfprof.flops.ledger import Ledger, make_ledger, note_large, note_unsized
from tfprof.flops.model_graph import ModelGraph
from tfprof.flops.model_inputs import read_model
from tfprof.flops.polynomial import (
    Count,
    assume_sizes,
    bind,
    is_large_symbol,
    pretty,
    symbols,
)
from tfprof.flops.recorded_trip_counts import RunCounts, read_run_counts, recorded_trip_counts
from tfprof.flops.rules import CountKind
from tfprof.flops.rules.formula import Work
from tfprof.flops.symbols import Symbols
from tfprof.flops.tensors import Dims
from tfprof.flops.tf_formulas import Shape
from tfprof.flops.totals import InstanceTotals
from tfprof.flops.variables import Variable
from tfprof.functions.library import FunctionLibrary
from tfprof.runtime.lazy import cached_property

_NO_SYMBOLS = (
    "this model has no symbols, as all its sizes are fixed; "
    "export or capture it with an open batch size (None)"
)


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


@dataclass(frozen=True, repr=False)
class Cost(CostDisplay):
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
    variables: tuple[Variable, ...]
    params: int
    trainable_params: int
    by_op_type: Mapping[str, OpCost]
    ledger: Ledger
    symbols: Mapping[str, str]
    """The unbound symbols and what they stand for."""
    _run: _Run
    _values: Mapping[str, Count]

    @property
    def total(self) -> Mapping[str, Count]:
        """The totals by name, also by those of `-select` and of messages."""
        names = ("params", "trainable_params", "float_ops", "macs", "bytes_read", "bytes_written")
        totals = {name: getattr(self, name) for name in names}
        return Lookup(totals, "total", _find_total)

    def text(self) -> str:
        """What each operation type costs, as `tfprof cost` prints it."""
        from tfprof.flops.op_type_table import operation_text

        return operation_text(self)

    def records(self) -> list[dict[str, Any]]:
        """What each operation type costs, the most expensive first."""
        rows = [
            {"op": op, "nodes": cost.nodes, "float_ops": cost.float_ops, "macs": cost.macs}
            for op, cost in self.by_op_type.items()
        ]
        return sorted(rows, key=lambda row: (-assume_sizes(row["float_ops"]), row["op"]))

    def summary(self) -> str:
        """The totals, and how complete they are."""
        unknown = f", {self.ledger.unknown:,} not counted" if self.ledger.unknown else ""
        return (
            f"{self.params:,} parameters, {pretty(self.float_ops)} float operations"
            f" of {self.ledger.nodes:,} nodes{unknown}"
        )

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
        scopes = {
            name: OpCost(work.float_ops(), work.macs, nodes[name]) for name, work in works.items()
        }
        return Lookup(scopes, "scope")

    def nodes(self) -> Iterator[NodeCost]:
        """Every node that runs, functions expanded."""
        for site in self.call_sites():
            for position in site.instance.order:
                yield self.node(site, position)

    def call_sites(self) -> Iterator[CallSite]:
        """The main graph and every call of a function, callers first."""
        self._require_walk()
        yield from walk_calls(self._run.root, self._run.totals)

    @property
    def symbol_values(self) -> Mapping[str, Count]:
        """What replaces symbols: sizes that are bound or recorded, and symbols equal to them."""
        return self._values

    @property
    def symbol_meanings(self) -> Mapping[str, str]:
        """All symbols of the model, and what they stand for."""
        return self._run.interpreter.symbols.meanings

    def representative(self, symbol: str) -> str:
        """The symbol that replaces all symbols equal to this one."""
        return self._run.interpreter.symbols.representative(symbol)

    @property
    def source(self) -> ModelGraph:
        """What was counted."""
        return self._run.source

    def can_list_nodes(self) -> bool:
        """Whether calls can be expanded without many times the nodes or names of the graph."""
        library, total = self._run.interpreter.library, self._run.totals.total(self._run.root)
        return self.ledger.nodes <= max_inlined_nodes(
            library.size
        ) and total.name_bytes <= max_inlined_bytes(library.name_bytes)

    def main_nodes(self) -> Iterator[NodeCost]:
        """Every node of the graph itself; a call has the work of all that it calls."""
        root, totals = self._run.root, self._run.totals
        site = CallSite(root, "", "", 1)
        for position in root.order:
            node = self.node(site, position)
            if position in root.invocations:
                work = totals.call_work(root, position)
                once = Work(bind(work.macs, self._values), bind(work.elementwise, self._values))
                node = replace(node, kind=CountKind.COUNTED.value, once=once, reason="all it calls")
            yield node

    def _require_walk(self) -> None:
        if not self.can_list_nodes():
            text = f"this model runs {self.ledger.nodes} nodes in nested calls, too many to list"
            raise LoadError(f"{text}: ask for totals only")

    def node(self, site: CallSite, position: int) -> NodeCost:
        """The work of one node at a call site."""
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
            self.bound_shape(outputs[0].shape) if outputs else None,
        )

    def explain(self, name: str) -> str:
        """How a node was counted: its formula, shapes and number of executions.

        `name` is a runtime name, or the end of one that is unique.
        """
        from tfprof.flops.explain_node import explain_node

        return explain_node(self, name)

    def bound_shape(self, shape: Dims | None) -> Dims | None:
        """A shape with symbols replaced by the numbers that they are bound to."""
        if shape is None:
            return None
        return tuple(None if size is None else bind(size, self._values) for size in shape)


def _find_total(name: str) -> str:
    plain = name.removeprefix("total_")
    return "params" if plain == "parameters" else plain


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
    gives numbers to symbols: `B` is the unknown batch size of every input, `T` the length of
    sequences, `<input>.<axis>` any other unknown size, `T`, `T2`, … the trip counts of loops that
    depend on data. `run_shapes`
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
        runs = read_run_counts(run_meta)  # also where no loop needs them: a bad file is an error
        result = with_recorded_trip_counts(result, lambda: runs, bind or {})
    return bind_cost(result, bind) if bind else result


def with_recorded_trip_counts(
    cost: Cost, read_runs: Callable[[], RunCounts], bindings: Mapping[str, int]
) -> Cost:
    """A cost with the trip counts that runs recorded, and notes on which they recorded.

    The runs are read only if a loop's trip count is symbolic and not in `bindings`.
    """
    interpreter = cost._run.interpreter
    meanings, loops = interpreter.symbols.meanings, interpreter.symbols.loops
    wanted = {name: loop for name, loop in loops.items() if name not in bindings}
    if not wanted:
        return cost
    recorded = recorded_trip_counts(interpreter.library, wanted.values(), read_runs())
    known = {name: recorded[loop] for name, loop in wanted.items() if loop in recorded}
    notes = [
        f"{name} = {known[name]} in the run: {meanings[name]}"
        if name in known
        else f"{name} stays symbolic, the run does not record it: {meanings[name]}"
        for name in wanted
    ]
    return bind_cost(replace(cost, _run=replace(cost._run, notes=tuple(notes))), known)


def compute_cost(source: ModelGraph, run_shapes: RunShapes) -> Cost:
    """The cost of a graph that was read; `run_shapes` complete its own."""
    library = FunctionLibrary(source.graph)
    main, names = library.main, Symbols()
    roots = None if source.roots is None else [main.positions[name] for name in source.roots]
    order = main.order(roots)
    read = {ref[0] for position in order for ref in main.inputs[position] if ref is not None}
    shapes = {
        node: names.name_sizes(name, shape)
        for node, (name, shape) in source.inputs.items()
        if main.positions.get(node) in read
    }
    interpreter = Interpreter(
        library,
        placeholders=shapes,
        captures=source.captures,
        run_shapes=run_shapes,
        symbols=names,
    )
    root = interpreter.run(order)
    names.name_inputs()
    return _result(_Run(root, InstanceTotals(), interpreter, source), names.values())


def _result(run: _Run, values: Mapping[str, Count]) -> Cost:
    totals = run.totals.total(run.root)
    work = totals.work()
    macs, elementwise = bind(work.macs, values), bind(work.elementwise, values)
    parameters = [variable for variable in run.source.variables if variable.role == "parameter"]
    by_op = {
        op: _op_cost(summed.value(), values, totals.counted[op])
        for op, summed in totals.by_op.items()
    }
    float_ops = 2 * macs + elementwise
    open_symbols = symbols(float_ops)
    large = sorted(name for name in open_symbols if is_large_symbol(name))
    notes = (*run.source.notes, *run.notes, *note_unsized(parameters), *note_large(large))
    return Cost(
        float_ops=float_ops,
        macs=macs,
        contraction_float_ops=2 * macs,
        elementwise_float_ops=elementwise,
        bytes_read=bind(totals.read.value(), values),
        bytes_written=bind(totals.written.value(), values),
        variables=tuple(run.source.variables),
        params=sum(variable.size() for variable in parameters) + run.source.frozen,
        trainable_params=sum(variable.size() for variable in parameters if variable.trainable),
        by_op_type=Lookup(by_op, "op type"),
        ledger=make_ledger(totals, run.interpreter, frozen=run.source.frozen > 0, more=notes),
        symbols={
            name: meaning
            for name, meaning in run.interpreter.symbols.meanings.items()
            if name in open_symbols
        }
        | dict.fromkeys(large, "a size with too many terms to write out"),
        _run=run,
        _values=values,
    )


def _op_cost(work: Work, values: Mapping[str, Count], nodes: int) -> OpCost:
    return OpCost(bind(work.float_ops(), values), bind(work.macs, values), nodes)


def bind_cost(cost: Cost, values: Mapping[str, int]) -> Cost:
    """A cost with symbols replaced; a name that the model does not have is an error."""
    if not isinstance(values, Mapping):
        raise OptionError(f"cannot bind {values!r}: give sizes by name, such as {{'B': 32}}")
    names = cost._run.interpreter.symbols
    wrong = [name for name in values if not (names.is_known(name) or name in cost.symbols)]
    if wrong:
        has = ", ".join(sorted(names.names()))
        known = f"the symbols of this model are {has}" if has else _NO_SYMBOLS
        raise OptionError(f"cannot bind {wrong[0]!r}: {known}")
    for name, value in values.items():
        is_trip_count = name in names.loops
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if not is_number or value < (0 if is_trip_count else 1):
            needed = "a count" if is_trip_count else "a size of 1 or more"
            raise OptionError(f"cannot bind {name!r} to {value!r}: {needed} is needed")
    chosen: dict[str, int] = {}
    for name, value in values.items():
        kept = names.representative(name)
        if chosen.setdefault(kept, value) != value:
            raise OptionError(
                f"cannot bind {name!r} to {value}: it is taken to be equal to {kept!r}"
            )
    merged = {name: bind(value, chosen) for name, value in cost._values.items()}
    return _result(cost._run, {**merged, **chosen})
