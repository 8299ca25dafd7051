"""Names of 200 kB that once took minutes: what is derived from a name takes time linear in it."""

from __future__ import annotations

import time

import pytest

from tests.robustness.budget import SECONDS, slowness
from tfprof.flops.optimizer_slots import with_slots
from tfprof.flops.variables import Variable
from tfprof.loaders.hlo.op_names import parse_argument, parse_op_name
from tfprof.loaders.hlo.tf_functions import TfFunctions
from tfprof.loaders.xplane.device_ops import _parse_title, _split
from tfprof.profiles.devices import device_kind
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.reports.overview import _is_trainer
from tfprof.resolve.runtime_names import find_origin, strip_counters
from tfprof.runtime.terminal import shorten_name

SIZE = 200_000


def repeated(part, suffix=""):
    """A name of this part again and again."""
    return part * (SIZE // len(part)) + suffix


def find_nothing(name):
    return find_origin(name, lambda _: False, lambda _: False)


def find_forward_frames(name):
    return TfFunctions(GraphDef(), None).frames("f", f"gradient_tape/{name}")


def shorten_for_a_terminal(name):
    return shorten_name(name, 80)


def split_title(title):
    return _split(_parse_title(title), "", "", "")


@pytest.mark.parametrize(
    ("derive", "name"),
    [
        (shorten_for_a_terminal, repeated("a/", "x")),
        (find_nothing, repeated("Optimizer/_a")),
        (find_nothing, "Optimizer/" + repeated("_a")),
        (find_nothing, "Optimizer/" + repeated("-a")),
        (find_nothing, repeated("a/")),
        (find_nothing, repeated("_arg_", "x")),
        (find_nothing, repeated("__cf__1", "x")),
        (strip_counters, "/body" + repeated("/_1", "/")),
        (strip_counters, repeated("/body/_1", "/")),
        (strip_counters, repeated("/body/_", "/")),
        (parse_op_name, "jit(" * (SIZE // 5) + ")" * (SIZE // 5)),
        (parse_op_name, repeated("jit(")),
        (parse_op_name, repeated("(/)")),
        (parse_argument, repeated("[")),
        (parse_argument, repeated("['")),
        (parse_argument, repeated("[\n", "]")),
        (parse_argument, repeated(".a[")),
        (find_forward_frames, repeated("gradients/")),
        (find_forward_frames, repeated("gradients/a_grad/")),
        (find_forward_frames, repeated("a/")),
        (split_title, repeated("1", "x")),
        (split_title, "Memcpy" + repeated("a2", "!")),
        (split_title, repeated("<(")),
        (device_kind, repeated("/a:1/stream", "\n\n")),
        (device_kind, repeated("/a:1")),
        (_is_trainer, repeated("/keras/src/")),
        (_is_trainer, repeated("/keras/src/trainer.py", "x")),
    ],
)
def test_derived_names(derive, name):
    budget = SECONDS * slowness()
    started = time.process_time()
    derive(name)
    assert time.process_time() - started < budget


def test_variables_of_one_shape():
    """10,000 variables are not compared with 10,000 others."""
    variables = [Variable(f"w{i}", (3,), trainable=True) for i in range(10_000)]
    variables += [Variable(f"adam/w{i}_velocity", (3,), trainable=False) for i in range(10_000)]
    variables += [Variable("adam/" + repeated("a_"), (3,), trainable=False)]
    budget = SECONDS * slowness()
    started = time.process_time()
    roles = [variable.role for variable in with_slots(variables)]
    assert time.process_time() - started < budget
    assert roles.count("slot") == 10_001
