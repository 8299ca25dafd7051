"""`tfprof.profile` of live graphs against the original's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tfprof
from tests.api.compared import EVERYTHING, VIEWS, assert_same, presets
from tests.api.models import Training
from tests.oracle.compare import any_depth
from tfprof import ProfileOptionBuilder, demo

JAX_TRACE = Path(__file__).parents[1] / "data" / "jax" / "train.xplane.pb"


def test_every_view_and_preset_is_the_originals(tf: Any, training: Training) -> None:
    before = training.serialized()
    cases = [
        (view, options, run)
        for run in (None, training.runs[0])
        for view in VIEWS
        for options in presets()
    ]
    ours = [
        tfprof.profile(training.graph, run, None, view, options, compat=True)
        for view, options, run in cases
    ]
    assert training.serialized() == before  # the original completes shapes in the graph itself
    for (view, options, run), answer in zip(cases, ours, strict=True):
        with any_depth():
            theirs = tf.compat.v1.profiler.profile(training.graph, run, None, view, options)
        assert_same(theirs, answer)


@pytest.mark.parametrize("view", VIEWS)
def test_printed_report_is_the_originals(
    tf: Any, training: Training, capfd: pytest.CaptureFixture[str], view: str
) -> None:
    builder = ProfileOptionBuilder(ProfileOptionBuilder.time_and_memory())
    options = builder.select(EVERYTHING).order_by("params").build()
    tfprof.profile(training.graph, training.runs[1], cmd=view, options=options, compat=True)
    ours = capfd.readouterr()
    with any_depth():
        tf.compat.v1.profiler.profile(training.graph, training.runs[1], cmd=view, options=options)
    theirs = capfd.readouterr()
    assert ours.out == theirs.out
    assert sorted(ours.err.splitlines()) == sorted(theirs.err.splitlines())


def test_trainable_parameters_are_those_of_the_variables(training: Training) -> None:
    expected = sum(variable.shape.num_elements() for variable in training.trainable)
    with training.graph.as_default():
        for view in VIEWS:
            options = ProfileOptionBuilder.trainable_variables_parameter() | {"output": "none"}
            assert tfprof.profile(cmd=view, options=options).total_parameters == expected


def test_default_counts_with_the_batch_of_a_run(resnet: Training) -> None:
    options = ProfileOptionBuilder.float_operation() | {"output": "none"}
    static = tfprof.profile(resnet.graph, options=options)
    run = tfprof.profile(resnet.graph, resnet.runs[0], options=options)
    # Without a run they are those of one example. Not all work grows with the batch of two, and
    # initializers do not run.
    assert 1.8 * static.total_float_ops < run.total_float_ops < 2 * static.total_float_ops
    conv = 2 * (2 * 8 * 8 * 4) * (3 * 3 * 3)  # the first convolution, fed with a batch of two
    names = {child.name: child for child in run.children}
    assert names["init/Conv2D"].float_ops == conv


def test_incomplete_shapes_are_reported_like_the_original(
    tf: Any, resnet: Training, capfd: pytest.CaptureFixture[str]
) -> None:
    options = ProfileOptionBuilder().with_empty_output().build()
    tfprof.profile(resnet.graph, options=options, compat=True)
    ours = capfd.readouterr().err
    tf.compat.v1.profiler.profile(resnet.graph, options=options)
    assert ours == capfd.readouterr().err
    assert "ops no flops stats due to incomplete shapes." in ours


def test_default_reports_what_was_not_counted_on_request(
    resnet: Training, capfd: pytest.CaptureFixture[str]
) -> None:
    quiet = ProfileOptionBuilder.trainable_variables_parameter() | {"output": "none"}
    tfprof.profile(resnet.graph, options=quiet)
    assert capfd.readouterr().err == ""
    tfprof.profile(
        resnet.graph,
        options=ProfileOptionBuilder.float_operation() | quiet | {"select": ["float_ops"]},
    )
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert said == "float_ops: per example (B = 1); give the batch size with --bind B=32\n"


def test_without_a_graph_and_eager_it_is_empty(tf: Any) -> None:
    assert tf.executing_eagerly()
    answer = tfprof.profile(options={"output": "none"}, compat=True)
    assert_same(tf.compat.v1.profiler.profile(options={"output": "none"}), answer)


def test_files_and_messages_are_graphs_too(resnet: Training, tmp_path: Any) -> None:
    options = ProfileOptionBuilder().select(["params"]).with_empty_output().build()
    message = resnet.graph.as_graph_def(add_shapes=True)
    path = tmp_path / "graph.pb"
    path.write_bytes(message.SerializeToString())
    expected = tfprof.profile(resnet.graph, options=options)
    for graph in (message, path.read_bytes(), path, str(path)):
        assert tfprof.profile(graph, options=options) == expected


def test_source_text_is_in_code_view_by_default(resnet: Training) -> None:
    options = ProfileOptionBuilder().select(["params"]).with_empty_output().build()
    root = tfprof.profile(resnet.graph, cmd="code", options=options)
    names, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        names.append(node.name)
        waiting += node.children
    assert any(name.startswith("models.py:") and ":x = tf.nn.max_poo..." in name for name in names)


def test_a_profile_remembers_compat() -> None:
    original, repaired = (tfprof.load(**demo.paths(), compat=compat) for compat in (True, False))
    options = {"select": ["micros"], "account_type_regexes": [".*"], "max_depth": 3}
    options |= {name: [".*"] for name in ("start_name_regexes", "show_name_regexes")}
    expected = repaired.report("scope", options, compat=True)
    assert expected.text() != repaired.report("scope", options).text()
    assert original.report("scope", options).text() == expected.text()
    other = original.report("scope", options, compat=False)
    assert other.text() == repaired.report("scope", options).text()
    assert original.advise().text() == repaired.advise(compat=True).text()
    assert original.serialize() == repaired.serialize(compat=True)
    grown = original.add_step(5, demo.paths()["run_meta"][0])
    assert grown.compat
    profiler = tfprof.Profiler(demo.paths()["graph"], compat=True)
    assert profiler.profile.compat


@pytest.mark.parametrize("path", [demo.paths("keras")["profile"], JAX_TRACE])
def test_compat_of_a_trace(path: Path) -> None:
    """The original reads no such files, but whatever it has is answered for their nodes."""
    profile = tfprof.load(path, compat=True)
    for view in VIEWS:
        report = profile.report(view)
        assert report.text() or "No code trace information" in report.messages
    assert profile.advise().text()
    assert profile.summary().text()
    assert profile.memory() is not None
    saved = tfprof.load(profile=profile.serialize(), compat=True)
    assert saved.nodes.name.to_pylist() == profile.nodes.name.to_pylist()
    assert saved.report("code").text() == profile.report("code").text()
