"""`tfprof.compat.install`: TensorFlow's own names answered by ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tfprof
from tests.api.models import Training
from tfprof.protos import output_pb2


@pytest.fixture
def installed() -> Iterator[None]:
    tfprof.compat.install()
    yield
    tfprof.compat.uninstall()


def test_public_names_are_ours(tf: Any, resnet: Training, installed: None) -> None:
    profiler = tf.compat.v1.profiler
    options = profiler.ProfileOptionBuilder.trainable_variables_parameter() | {"output": "none"}
    answer = profiler.profile(resnet.graph, options=options)
    assert isinstance(answer, output_pb2.GraphNodeProto)
    expected = sum(variable.shape.num_elements() for variable in resnet.trainable)
    assert answer.total_parameters == expected
    ours = profiler.Profiler(resnet.graph)
    assert isinstance(ours, tfprof.Profiler)
    ours.add_step(0, resnet.runs[0])
    assert ours.profile_operations({**options, "select": ["micros"]}).total_parameters == expected
    assert issubclass(profiler.ProfileContext, tfprof.ProfileContext)


@pytest.mark.parametrize("compat", [False, True])
def test_compat_reaches_everything(tf: Any, tmp_path: Path, compat: bool) -> None:
    tfprof.compat.install(compat=compat)
    profiler = tf.compat.v1.profiler
    try:
        with profiler.ProfileContext(str(tmp_path)) as context:
            assert context.profiler.profile.compat is compat
        assert profiler.Profiler(tf.Graph()).profile.compat is compat
        assert profiler.profile.keywords == {"compat": compat}
    finally:
        tfprof.compat.uninstall()


def test_modules_behind_are_ours_too(resnet: Training, installed: None) -> None:
    from tensorflow.python.profiler import model_analyzer, tfprof_logger

    assert model_analyzer.profile.func is tfprof.profile
    assert issubclass(model_analyzer.Profiler, tfprof.Profiler)
    assert tfprof_logger.write_op_log.func is tfprof.write_op_log


def test_uninstall_gives_everything_back(tf: Any) -> None:
    profiler = tf.compat.v1.profiler
    before = {name: getattr(profiler, name) for name in ("profile", "advise", "Profiler")}
    tfprof.compat.install()
    tfprof.compat.install(compat=True)
    assert profiler.profile is not before["profile"]
    tfprof.compat.uninstall()
    assert {name: getattr(profiler, name) for name in before} == before
    assert not hasattr(profiler, "ProfileContext")
