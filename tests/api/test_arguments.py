"""Wrong arguments: an error with a sentence that says what is accepted."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import tfprof
from tests.api.models import Training

QUIET = {"output": "none"}


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        (
            {"cmd": "scpoe"},
            tfprof.OptionError,
            r"unknown view 'scpoe'; known are .*did you mean 'scope'",
        ),
        ({"cmd": "advise"}, tfprof.OptionError, r"unknown view 'advise'; known are scope, graph"),
        ({"cmd": None}, TypeError, r"view: a NoneType was given; accepted are scope"),
        ({"cmd": ["op"]}, TypeError, r"view: a list was given"),
        ({"options": 7}, TypeError, r"options: a int was given; accepted are a dict"),
        ({"options": ["a"]}, TypeError, r"options: a list was given"),
        ({"options": {"max_dept": 1}}, tfprof.OptionError, r"did you mean 'max_depth'"),
        ({"options": {"select": ["micro"]}}, tfprof.OptionError, r"did you mean 'micros'"),
        ({"options": {"max_depth": 1.5}}, tfprof.OptionError, r"not a whole number"),
        ({"graph": 7}, TypeError, r"graph: a int was given; accepted are a tf\.Graph"),
        ({"graph": ["a"]}, TypeError, r"graph: a list was given"),
        ({"graph": "/no/such/graph"}, tfprof.LoadError, r"no such file"),
        ({"run_meta": 7, "options": QUIET}, tfprof.LoadError, r"run_meta: cannot read a int"),
        ({"op_log": 7, "options": QUIET}, tfprof.LoadError, r"op_log: cannot read a int"),
    ],
)
def test_profile_lists_what_is_accepted(more: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        tfprof.profile(**{"graph": b"", **more})


def test_things_near_a_graph_have_a_hint(tf: Any, resnet: Training) -> None:
    with pytest.raises(TypeError, match=r"pass its \.graph"):
        tfprof.profile(resnet.session)
    with pytest.raises(TypeError, match=r"get_concrete_function\(\) first"):
        tfprof.profile(tf.function(lambda x: x))


@pytest.mark.parametrize("bind", [5, "B=8", [("B", 8)]])
def test_sizes_are_given_by_name(bind: Any) -> None:
    with pytest.raises(tfprof.OptionError, match=r"cannot bind .*: give sizes by name, such as"):
        tfprof.load(graph=b"", bind=bind)


def test_profiler_lists_what_is_accepted() -> None:
    with pytest.raises(TypeError, match="graph: a int was given"):
        tfprof.Profiler(7)
    profiler = tfprof.Profiler(b"")
    with pytest.raises(TypeError, match="step: a str was given"):
        profiler.add_step("1", b"")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="run_meta: None was given"):
        profiler.add_step(1, None)
    with pytest.raises(tfprof.OptionError, match="did you mean 'order_by'"):
        profiler.profile_graph({"order_bye": "name"})
    with pytest.raises(TypeError, match="options: a str was given; accepted is a dict"):
        profiler.advise("all")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="log_dir: a int was given"):
        tfprof.write_op_log(b"", 7)  # type: ignore[arg-type]


def test_wrong_options_fail_before_the_graph_is_read() -> None:
    with pytest.raises(tfprof.OptionError, match="max_dept"):
        tfprof.profile("/no/such/graph", options={"max_dept": 1})


def test_tensorflow_is_not_imported_for_files(tmp_path: Any) -> None:
    program = (
        "import sys, tfprof\n"
        "tfprof.profile(b'', options={'output': 'none'})\n"
        "tfprof.profile(options={'output': 'none'})\n"
        "tfprof.Profiler(b'').serialize_to_string()\n"
        "tfprof.ProfileContext, tfprof.compat, tfprof.model_analyzer, tfprof.tfprof_logger\n"
        "assert 'tensorflow' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
