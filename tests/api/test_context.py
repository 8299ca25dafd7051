"""`tfprof.ProfileContext`: what it collects, and that nothing in it harms the job."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tfprof
from tests.api.models import Training
from tfprof import ProfileContext, ProfileOptionBuilder
from tfprof.outputs import files
from tfprof.tf_compat.trace_schedule import Schedule

STEPS = 14


@pytest.fixture(scope="module")
def job(tf: Any) -> Iterator[Training]:
    with Training(tf, "transformer", resource=True) as made:
        yield made


def losses(job: Training, steps: int = STEPS) -> list[float]:
    """The losses of a new training; the initializer is its first run."""
    with job.tf.compat.v1.Session(graph=job.graph) as session:
        session.run(job.initialize)
        return [
            float(session.run([job.loss, job.train], job.feeds(step))[0]) for step in range(steps)
        ]


def test_collects_the_requested_steps(job: Training, tmp_path: Path) -> None:
    expected = losses(job)
    with ProfileContext(str(tmp_path), trace_steps=[3, 5], dump_steps=[4, 6]) as context:
        assert losses(job) == expected
    assert context.profiler.profile.steps == (3, 5)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["profile_4", "profile_6"]
    loaded = tfprof.load(profile=tmp_path / "profile_6")
    assert loaded.steps == (3, 5)
    assert loaded.report("op", select=["micros"]).rows[0].total["exec_micros"] > 0


def test_traces_new_fetches_by_itself(job: Training, tmp_path: Path) -> None:
    with ProfileContext(str(tmp_path), dump_steps=[]) as context:
        losses(job)
        job.session.run(job.loss, job.feeds(0))
        steps = context.profiler.profile.steps
    assert steps[0] == 11
    assert STEPS + 1 in steps  # the first run is the initializer's
    assert not list(tmp_path.iterdir())


def test_next_steps_on_demand(job: Training, tmp_path: Path) -> None:
    with ProfileContext(str(tmp_path), trace_steps=[], dump_steps=[]) as context:
        losses(job, 2)
        context.trace_next_step()
        context.dump_next_step()
        losses(job, 2)
    assert context.profiler.profile.steps == (3,)
    assert [path.name for path in tmp_path.iterdir()] == ["profile_3"]


def test_reports_by_itself_with_debug_messages(
    job: Training, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with ProfileContext(str(tmp_path), trace_steps=[], dump_steps=[3], debug=True) as context:
        for view in ("graph", "scope", "op", "code"):
            options = ProfileOptionBuilder(ProfileOptionBuilder.time_and_memory())
            built = options.with_file_output(str(tmp_path / view)).build()
            context.add_auto_profiling(view, built, [2])
        losses(job)
    said = capfd.readouterr().err
    for text in ("tracing step: 2", "trace fetches: ", "profiling scope step: 2"):
        assert f"debug: {text}" in said
    assert "debug: dumping file at step: 3" in said
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"graph", "scope", "op", "code", "run_meta_2", "profile_3"}


def test_caller_keeps_options_and_gets_metadata(tf: Any, job: Training, tmp_path: Path) -> None:
    v1 = tf.compat.v1
    options, metadata = v1.RunOptions(timeout_in_ms=60000), v1.RunMetadata()
    with ProfileContext(str(tmp_path), trace_steps=[0], dump_steps=[]):
        job.session.run(job.loss, job.feeds(0), options=options, run_metadata=metadata)
    assert options == v1.RunOptions(timeout_in_ms=60000)
    assert metadata.step_stats.dev_stats


def test_errors_of_the_model_are_the_jobs(tf: Any, job: Training, tmp_path: Path) -> None:
    with (
        ProfileContext(str(tmp_path), trace_steps=[0], dump_steps=[]),
        pytest.raises(tf.errors.InvalidArgumentError),
    ):
        job.session.run(job.loss)


def test_profiles_of_a_view_are_kept_by_step(job: Training, tmp_path: Path) -> None:
    options = {**ProfileOptionBuilder.time_and_memory(), "output": "none"}
    with ProfileContext(str(tmp_path), trace_steps=[], dump_steps=[]) as context:
        context.add_auto_profiling("op", options, [1, 3])
        context.add_auto_profiling("scope", options, [2])
        with pytest.raises(ValueError, match="No auto profiling of 'op' was run; run were none"):
            context.get_profiles("op")
        losses(job)
    found = context.get_profiles("op")
    assert list(found) == [1, 3]
    assert {type(result).__name__ for result in found.values()} == {"MultiGraphNodeProto"}
    assert found[3].total_exec_micros > 0
    assert [type(x).__name__ for x in context.get_profiles("scope").values()] == ["GraphNodeProto"]
    with pytest.raises(ValueError, match="No auto profiling of 'code' was run; run were op, scope"):
        context.get_profiles("code")


def full_disk(*_arguments: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_full_disk_does_not_stop_the_job(
    job: Training,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    expected = losses(job)
    monkeypatch.setattr("tfprof.api.profiler.write_file", full_disk)
    capfd.readouterr()
    with ProfileContext(str(tmp_path), trace_steps=[1, 3], dump_steps=[2, 3, 4]):
        assert losses(job) == expected
    said = capfd.readouterr().err.splitlines()
    assert len(said) == 1
    assert "No space left on device" in said[0]


def test_unwritable_folder_does_not_stop_the_job(
    job: Training, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("not a folder")
    expected = losses(job)
    capfd.readouterr()
    with ProfileContext(str(tmp_path / "file"), [1, 3], [2, 3, 4], debug=False):
        assert losses(job) == expected
    assert capfd.readouterr().err.count("tfprof: profiling step") == 1


class PanicException(BaseException):
    """What compiled readers raise."""


@pytest.mark.parametrize("fault", [ValueError("odd"), MemoryError(), PanicException()])
def test_faults_inside_do_not_stop_the_job(
    job: Training, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    def fail(*_arguments: Any) -> None:
        raise fault

    expected = losses(job)
    monkeypatch.setattr("tfprof.api.profiler.Profiler._update_live", fail)
    with ProfileContext(str(tmp_path), range(5), [2]):
        assert losses(job) == expected


def test_a_signal_inside_stops_the_job(
    job: Training, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminated(BaseException):
        pass

    def end(*_arguments: Any) -> None:
        raise Terminated

    monkeypatch.setattr("tfprof.api.profiler.Profiler._update_live", end)
    with pytest.raises(Terminated), tfprof.ProfileContext(tmp_path, trace_steps=range(2)):
        losses(job)


def test_run_without_metadata_does_not_stop_the_job(
    tf: Any, job: Training, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = losses(job)
    real = tf.compat.v1.Session.run

    def forgetful(session: Any, fetches: Any, feeds: Any = None, *_rest: Any) -> Any:
        return real(session, fetches, feeds)

    base = next(kind for kind in tf.compat.v1.Session.__mro__ if "run" in vars(kind))
    monkeypatch.setattr(base, "run", forgetful)
    with ProfileContext(str(tmp_path), [1, 2], [2]) as context:
        assert losses(job) == expected
    assert context.profiler.profile.steps == ()


def test_threads_train_at_once(job: Training, tmp_path: Path) -> None:
    faults: list[BaseException] = []

    def train() -> None:
        try:
            for step in range(20):
                job.session.run(job.loss, job.feeds(step))
        except BaseException as fault:
            faults.append(fault)

    with ProfileContext(str(tmp_path), dump_steps=[30]):
        threads = [threading.Thread(target=train) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not faults


def test_session_is_left_as_it_was(tf: Any, tmp_path: Path) -> None:
    before = tf.compat.v1.Session.run
    with ProfileContext(str(tmp_path)):
        assert tf.compat.v1.Session.run is not before
        with pytest.raises(RuntimeError, match="Already in context"), ProfileContext(str(tmp_path)):
            pass
    assert tf.compat.v1.Session.run is before


def test_disabled_does_nothing(tf: Any, job: Training, tmp_path: Path) -> None:
    before = tf.compat.v1.Session.run
    with ProfileContext("", enabled=False) as context:
        assert tf.compat.v1.Session.run is before
        context.trace_next_step()
        context.dump_next_step()
        context.add_auto_profiling("nonsense", {}, [1])
        losses(job, 1)
    assert context.profiler is None


def test_wrong_arguments_are_errors() -> None:
    with pytest.raises(ValueError, match=r"Must have a directory for profile\."):
        ProfileContext("")
    with pytest.raises(ValueError, match="Only support tracing up to 100 steps"):
        ProfileContext("/tmp/x", trace_steps=range(101))
    with pytest.raises(tfprof.OptionError, match="Unknown cmd: scop; known are graph, scope"):
        ProfileContext("/tmp/x").add_auto_profiling("scop", {}, [1])


def test_most_steps_are_idle() -> None:
    schedule = Schedule([500], [600])
    idle = sum(schedule.is_idle(step) for step in range(100_000))
    assert idle == 100_000 - 2


def test_samples_stop_at_enough_coverage() -> None:
    schedule = Schedule()
    traced = [
        step
        for step in range(300)
        if not schedule.is_idle(step) and schedule.should_trace(step, "loss", 0.1)
    ]
    assert traced[0] == 11
    assert 5 < len(traced) < 40
    assert max(traced) < 100
    schedule = Schedule()
    covered = [
        step
        for step in range(300)
        if not schedule.is_idle(step) and schedule.should_trace(step, "loss", 0.9)
    ]
    assert covered == [11]


def test_write_file_is_what_dumping_uses() -> None:
    from tfprof.api import profiler

    assert profiler.write_file is files.write_file
