"""`tfprof.Profiler` over several steps against the original's."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tfprof
from tests.api.compared import VIEWS, assert_same, presets
from tests.api.models import Training
from tests.oracle.compare import any_depth, canonical
from tfprof import ProfileOptionBuilder
from tfprof.protos.log_pb2 import ProfileProto

METHODS = {
    "scope": "profile_name_scope",
    "graph": "profile_graph",
    "op": "profile_operations",
    "code": "profile_python",
}
QUIET = ProfileOptionBuilder.time_and_memory() | {"output": "none"}


@contextlib.contextmanager
def only_original(tf: Any, *arguments: Any) -> Iterator[Any]:
    """The original's profiler; it must be gone before there is another."""
    gc.collect()
    profiler = tf.compat.v1.profiler.Profiler(*arguments)
    try:
        yield profiler
    finally:
        del profiler
        gc.collect()


def test_three_steps_are_the_originals(tf: Any, training: Training) -> None:
    ours = tfprof.Profiler(training.graph, compat=True)
    cases = [(step, view, options) for step in (-1, 1) for view in VIEWS for options in presets()]
    results: list[Any] = []
    coverage = []
    for step, run in enumerate(training.runs):
        ours.add_step(step, run)
        coverage.append(ours.profile.coverage)
        results.append(
            [ours.profile_operations({**QUIET, "step": step}), ours.serialize_to_string()]
        )
    answers = [
        getattr(ours, METHODS[view])({**options, "step": step}) for step, view, options in cases
    ]
    with only_original(tf, training.graph) as theirs, any_depth():
        for step, run in enumerate(training.runs):
            theirs.add_step(step, run)
            assert coverage[step] == pytest.approx(theirs._coverage, abs=0, rel=1e-15)
            assert_same(theirs.profile_operations({**QUIET, "step": step}), results[step][0])
            saved = ProfileProto.FromString(theirs.serialize_to_string())
            assert canonical(saved) == canonical(ProfileProto.FromString(results[step][1]))
        for (step, view, options), answer in zip(cases, answers, strict=True):
            assert_same(getattr(theirs, METHODS[view])({**options, "step": step}), answer)


def test_profilers_live_side_by_side(tf: Any, resnet: Training) -> None:
    with tf.Graph().as_default() as other:
        tf.compat.v1.get_variable("lonely", [7])
    first, second = tfprof.Profiler(resnet.graph), tfprof.Profiler(other)
    first.add_step(0, resnet.runs[0])
    third = tfprof.Profiler(resnet.graph)
    options = ProfileOptionBuilder.trainable_variables_parameter() | {"output": "none"}
    expected = sum(variable.shape.num_elements() for variable in resnet.trainable)
    assert second.profile_name_scope(options).total_parameters == 7
    del second
    assert third.profile_name_scope(options).total_parameters == expected
    assert first.profile_operations(QUIET).total_exec_micros > 0
    assert third.profile_operations(QUIET).total_exec_micros == 0


def test_threads_share_a_profiler(resnet: Training) -> None:
    profiler = tfprof.Profiler(resnet.graph)
    faults: list[BaseException] = []

    def work(step: int) -> None:
        try:
            profiler.add_step(step, resnet.runs[step % 3])
            profiler.profile_operations(QUIET)
            tfprof.Profiler(resnet.graph).add_step(0, resnet.runs[0])
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(step,)) for step in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert profiler.profile.steps == tuple(range(6))


def test_saved_profiler_answers_the_same(resnet: Training, tmp_path: Path) -> None:
    profiler = tfprof.Profiler(resnet.graph)
    for step, run in enumerate(resnet.runs):
        profiler.add_step(step, run)
    profiler.save(tmp_path / "profile")
    loaded = tfprof.Profiler.load(tmp_path / "profile")
    for view in ("scope", "op", "code"):
        for options in presets():
            answers = [getattr(p, METHODS[view])(options) for p in (profiler, loaded)]
            assert answers[0] == answers[1]


def test_steps_of_a_graph_that_was_read(resnet: Training) -> None:
    live, read = tfprof.Profiler(resnet.graph), tfprof.Profiler(resnet.serialized())
    for profiler in (live, read):
        profiler.add_step(0, resnet.runs[0])
    options = ProfileOptionBuilder.float_operation() | {"output": "none"}
    answers = [p.profile_operations(options).total_float_ops for p in (live, read)]
    assert answers[0] == answers[1] > 0


def test_graph_may_grow_between_steps(tf: Any, resnet: Training) -> None:
    graph = tf.Graph()
    with graph.as_default():
        tf.compat.v1.get_variable("first", [3])
        profiler = tfprof.Profiler(graph)
        tf.compat.v1.get_variable("second", [4])
    profiler.add_step(0, resnet.runs[0])
    options = ProfileOptionBuilder.trainable_variables_parameter() | {"output": "none"}
    assert profiler.profile_name_scope(options).total_parameters == 7


def test_run_without_records_is_reported_and_skipped(
    tf: Any, resnet: Training, capfd: pytest.CaptureFixture[str]
) -> None:
    profiler = tfprof.Profiler(resnet.graph, compat=True)
    capfd.readouterr()
    profiler.add_step(4, tf.compat.v1.RunMetadata())  # aborts the original
    assert capfd.readouterr().err == "Invalid RunMetadata for step 4\n"
    assert profiler.profile.steps == ()


def test_older_name_and_default_options(
    resnet: Training, capfd: pytest.CaptureFixture[str]
) -> None:
    profiler = tfprof.Profiler(resnet.graph)
    assert profiler.profile_python_codes(QUIET) == profiler.profile_python(QUIET)
    shown = profiler.profile_name_scope()
    assert shown.total_parameters == sum(v.shape.num_elements() for v in resnet.trainable)
    assert "Model Analysis Report" in capfd.readouterr().out


def test_advice_is_the_originals(
    tf: Any, resnet: Training, capfd: pytest.CaptureFixture[str]
) -> None:
    checkers = {name: {} for name in tfprof.model_analyzer.ALL_ADVICE}
    ours = tfprof.advise(resnet.graph, resnet.runs[0], compat=True)
    printed = capfd.readouterr().out
    theirs = tf.compat.v1.profiler.advise(resnet.graph, resnet.runs[0])
    assert_same(theirs, ours)
    # The original prints checkers in an order of chance.
    assert sorted(printed.splitlines()) == sorted(capfd.readouterr().out.splitlines())
    profiler = tfprof.Profiler(resnet.graph, compat=True)
    profiler.add_step(0, resnet.runs[0])
    assert profiler.advise() == profiler.advise(checkers) == ours
    assert not profiler.advise(None).checkers
    assert tfprof.advise(
        resnet.graph, resnet.runs[0], options={"JobChecker": {"a": "b"}}, compat=True
    ) == profiler.advise({"JobChecker": {}})
