"""Readers of protobuf messages."""

from __future__ import annotations

import random
import tempfile
from functools import cache, partial
from pathlib import Path

import tfprof
from benchmarks import random_graphs
from fuzz import seeds
from fuzz.ask import ask, dice_of
from fuzz.mutate import mutate_bytes
from fuzz.schema import mutate_below_line, mutate_message, mutate_text
from fuzz.targets import Target
from tfprof import demo
from tfprof.api.profile import Profile
from tfprof.flops.model_cost import cost
from tfprof.loaders.op_log import read_op_log
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.log_pb2 import OpLogProto, ProfileProto
from tfprof.protos.run_metadata_pb2 import RunMetadata
from tfprof.protos.saved_model_pb2 import MetaGraphDef

__all__ = ["TARGETS"]

_DATA = Path(__file__).parents[2] / "tests" / "data"


@cache
def _graph_of(at: int) -> Profile:
    """A graph for runs and logs to speak of."""
    graphs = seeds.graphs()
    return tfprof.load(graph=graphs[at % len(graphs)], count_float_ops=False)


def _load(kind: str, data: bytes) -> None:
    ask(tfprof.load(**{kind: data}), dice_of(data))


def _run(data: bytes) -> None:
    dice = dice_of(data)
    if dice.random() < 0.3:
        loaded = tfprof.load(graph=seeds.graphs()[dice.randrange(20)], run_meta=[data, data])
    else:
        loaded = _graph_of(dice.randrange(20)).add_step(dice.choice((0, 7, 2**40)), data)
    ask(loaded, dice)


def _steps(data: bytes) -> None:
    """A run of the graph it belongs to: the first line says which."""
    number, _, run = data.partition(b"\n")
    whole = seeds.whole_cases()
    graph, log = whole[int(number) % len(whole) if number.isdigit() else 0][:2]
    ask(tfprof.load(graph=graph, run_meta=[run, run], op_log=log or None), dice_of(data))


def _step_seeds() -> list[bytes]:
    return [b"%d\n" % i + run for i, (_, _, run) in enumerate(seeds.whole_cases())]


@cache
def _demos() -> tuple[Profile, ...]:
    traces = (_DATA / "jax").glob("*.xplane.pb")
    return (
        *(tfprof.load(**demo.paths(name)) for name in demo.NAMES),
        *(tfprof.load(path) for path in sorted(traces)),
        _large(),
    )


def _large() -> Profile:
    """A profile whose outputs are written in blocks and numbers formatted together."""
    dice = random.Random(1)
    graph = random_graphs.deep_names(5_000, dice)
    run = random_graphs.run_of(graph, dice).SerializeToString(deterministic=True)
    return tfprof.load(graph=graph.SerializeToString(deterministic=True), run_meta=[run, run])


def _questions(data: bytes) -> None:
    """Questions to profiles of real size; the bytes only choose them."""
    dice = dice_of(data)
    ask(dice.choice(_demos()), dice)


def _question_seeds() -> list[bytes]:
    _demos()  # the first question does not wait for them
    return [b"%d" % i for i in range(40)]


def _log(data: bytes) -> None:
    dice = dice_of(data)
    ask(_graph_of(dice.randrange(80)).with_op_log(read_op_log(data)), dice)


def _cost_of_text(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pbtxt"
        path.write_bytes(data)
        cost(path)


TARGETS = [
    Target("graph", partial(_load, "graph"), seeds.graphs, mutate_message(GraphDef)),
    Target("graph_text", partial(_load, "graph"), seeds.graphs_as_text, mutate_text(GraphDef)),
    Target("run_meta", _run, seeds.runs, mutate_message(RunMetadata)),
    Target("steps", _steps, _step_seeds, mutate_below_line(lambda _: mutate_message(RunMetadata))),
    Target("questions", _questions, _question_seeds, mutate_bytes, share=0.3),
    Target("op_log", _log, seeds.logs, mutate_message(OpLogProto)),
    Target("profile", partial(_load, "profile"), seeds.profiles, mutate_message(ProfileProto)),
    Target("meta_graph", partial(_load, "graph"), seeds.meta_graphs, mutate_message(MetaGraphDef)),
    Target("cost_of_graph", cost, seeds.graphs, mutate_message(GraphDef), share=3),
    Target("cost_of_graph_text", _cost_of_text, seeds.graphs_as_text, mutate_text(GraphDef)),
]
