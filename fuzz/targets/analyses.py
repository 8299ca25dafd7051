"""Analyses of graphs: cost, layer table, inlined views, explanations, with graphs made for them."""

from __future__ import annotations

import contextlib
import io
import random
import tempfile
from functools import cache, partial

from google.protobuf.message import DecodeError

import tfprof
from fuzz import samples, seeds
from fuzz.ask import TERMINALS, dice_of
from fuzz.schema import mutate_message
from fuzz.targets import Target
from tests.robustness import hostile_graphs
from tfprof.errors import LoadError, TfprofError
from tfprof.flops.cost_display import CostDisplay
from tfprof.flops.layer_table import ModelTable
from tfprof.flops.model_cost import Cost
from tfprof.outputs.terminal_model import cost_lines, model_lines
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.saved_model_pb2 import MetaGraphDef, SavedModel
from tfprof.runtime.terminal import plain_text

__all__ = ["TARGETS", "ask_cost", "ask_model"]


@cache
def _graphs() -> list[bytes]:
    """Graphs with loops, functions, shape arithmetic and control flow, besides the usual ones."""
    made = [
        hostile_graphs.embedding(),
        hostile_graphs.square_constant(6),
        hostile_graphs.square_batch(8),
        hostile_graphs.square_sum(4, 3),
        hostile_graphs.nested_quotients(4),
        hostile_graphs.nested_frames(4),
        hostile_graphs.call_twice(5),
        hostile_graphs.counting_loop(),
        hostile_graphs.while_and_case(),
    ]
    return (
        [graph.SerializeToString(deterministic=True) for graph in made]
        + [samples.handle_graph()]
        + samples.op_graphs()
        + samples.rule_graphs()
        + seeds.graphs()[:20]
    )


@cache
def _meta_graphs() -> list[bytes]:
    """The same graphs with a signature, which asks for one node of each."""
    return [seeds.meta_graph(data).SerializeToString(deterministic=True) for data in _graphs()]


def ask_cost(result: Cost, dice: random.Random) -> None:
    """Ask for everything that a cost says."""
    result.text()
    plain_text(cost_lines(result, dice.choice(TERMINALS)))
    if result.symbols and dice.random() < 0.5:
        result.bind(**{name: dice.choice((1, 7, 2**40)) for name in result.symbols}).records()
    _show_in_notebook(result)
    if dice.random() < 0.3 and result.can_list_nodes():
        for node in list(result.nodes())[:3]:
            result.explain(node.name)
            with contextlib.suppress(TfprofError):  # there is no such node
                result.explain(node.name[1:] + "x")
        list(result.main_nodes())
        dict(result.by_scope)


def ask_model(table: ModelTable, dice: random.Random) -> None:
    """Ask for everything that a table of layers says."""
    table.text()
    table.to_dict(dice.choice((None, 1)))
    _show_in_notebook(table)
    if dice.random() < 0.3 and table.cost.can_list_nodes():
        for layer in table.layers[:3]:
            table.explain(layer.name)
    plain_text(model_lines(table, dice.choice(TERMINALS), dice.choice((None, 0, 1, 5))))


def _show_in_notebook(table: CostDisplay) -> None:
    table._repr_html_()
    repr(table)
    str(table)


def _cost(data: bytes) -> None:
    ask_cost(tfprof.cost(data), dice_of(data))


def _cost_of(kind: type[MetaGraphDef | SavedModel], data: bytes) -> None:
    try:
        message = kind.FromString(data)
    except DecodeError as error:
        raise LoadError("protobuf itself refuses it") from error
    tfprof.cost(message)


def _model(data: bytes) -> None:
    graph = GraphDef.FromString(data) if _is_graph(data) else data
    ask_model(tfprof.model(graph), dice_of(data))


def _is_graph(data: bytes) -> bool:
    try:
        GraphDef.FromString(data)
    except Exception:  # what protobuf refuses goes to the reader as it is
        return False
    return True


def _inlined(data: bytes) -> None:
    dice = dice_of(data)
    profile = tfprof.load(graph=data, compat=dice.random() < 0.2)
    options = {
        "select": ["float_ops", "params"],
        "account_type_regexes": [".*"],
        "max_depth": dice.choice((1, 3, 100, 10_000)),
    }
    profile.report(dice.choice(("scope", "graph", "op")), options).text()


def _profile_function(data: bytes) -> None:
    """The functions that print and return messages, as the original's do."""
    dice = dice_of(data)
    compat = dice.random() < 0.7
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        roll = dice.random()
        if roll < 0.4:
            tfprof.profile(data, cmd=dice.choice(("scope", "op", "graph")), compat=compat)
        elif roll < 0.7:
            tfprof.advise(data, compat=compat)
        else:
            tfprof.write_op_log(data, folder, compat=compat)


TARGETS = [
    Target("cost", _cost, _graphs, mutate_message(GraphDef), share=4),
    Target(
        "cost_of_meta_graph",
        partial(_cost_of, MetaGraphDef),
        _meta_graphs,
        mutate_message(MetaGraphDef),
        share=4,
    ),
    Target(
        "saved_model",
        partial(_cost_of, SavedModel),
        seeds.saved_models,
        mutate_message(SavedModel),
        share=4,
    ),
    Target("layer_table", _model, _graphs, mutate_message(GraphDef), share=2),
    Target("inlined_views", _inlined, _graphs, mutate_message(GraphDef), share=2),
    Target("python_functions", _profile_function, _graphs, mutate_message(GraphDef)),
]
