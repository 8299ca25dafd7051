"""The Python programs of the original's documents, with nothing but the import changed.

Each is run with ours and with the original, where that still has the name; what they print and
return is the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tfprof
from tests.api.compared import assert_same
from tests.api.models import Training
from tests.api.test_profiler import only_original


def ours() -> Any:
    """`tf.profiler` and the names of 2017, as ours, answering like the original."""
    tfprof.compat.install(compat=True)
    import tensorflow

    profiler = tensorflow.compat.v1.profiler
    names = SimpleNamespace(**{name: getattr(profiler, name) for name in NAMES})
    tfprof.compat.uninstall()

    def print_model_analysis(*arguments: Any, **more: Any) -> Any:
        return tfprof.model_analyzer.print_model_analysis(*arguments, **more, compat=True)

    names.print_model_analysis = print_model_analysis
    names.OpLog = tfprof.tfprof_log_pb2.OpLog
    return names


NAMES = ("profile", "advise", "Profiler", "ProfileOptionBuilder", "write_op_log")


def original(tf: Any) -> Any:
    """The same names; those of 2017 by the functions that took their place."""
    profiler = tf.compat.v1.profiler
    names = SimpleNamespace(**{name: getattr(profiler, name) for name in NAMES})

    def print_model_analysis(
        graph: Any, run_meta: Any = None, op_log: Any = None, **more: Any
    ) -> Any:
        cmd = more.get("tfprof_cmd", more.get("cmd", "scope"))
        return profiler.profile(
            graph, run_meta, op_log, cmd, more.get("tfprof_options", more.get("options"))
        )

    names.print_model_analysis = print_model_analysis
    names.OpLog = profiler.OpLogProto
    return names


def examine_variables(names: Any, job: Training, folder: Path) -> list[Any]:
    analyzer = tfprof.model_analyzer
    param_stats = names.print_model_analysis(
        job.graph, tfprof_options=analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS
    )
    opts = analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS.copy()
    opts["show_name_regexes"] = [".*models.py.*", ".*my_code2.py.*"]
    by_code = names.print_model_analysis(job.graph, tfprof_cmd="code", tfprof_options=opts)
    sys.stdout.write("total_params: %d\n" % param_stats.total_parameters)  # noqa: UP031 - as documented
    sys.stdout.flush()
    return [param_stats, by_code]


def examine_float_operations(names: Any, job: Training, folder: Path) -> list[Any]:
    return [
        names.print_model_analysis(
            job.graph, tfprof_options=tfprof.model_analyzer.FLOAT_OPS_OPTIONS
        )
    ]


def examine_time_and_memory(names: Any, job: Training, folder: Path) -> list[Any]:
    opts = tfprof.model_analyzer.PRINT_ALL_TIMING_MEMORY.copy()
    opts["show_name_regexes"] = [".*models.py.*"]
    return [
        names.print_model_analysis(
            job.graph, run_meta=job.runs[0], tfprof_cmd="code", tfprof_options=opts
        ),
        names.print_model_analysis(
            job.graph,
            run_meta=job.runs[0],
            tfprof_options=tfprof.model_analyzer.PRINT_ALL_TIMING_MEMORY,
        ),
    ]


def both_spellings(names: Any, job: Training, folder: Path) -> list[Any]:
    opts = tfprof.model_analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS.copy()
    opts["account_type_regexes"] = [".*"]
    opts["show_name_regexes"] = [".*models.py.*"]
    opts["account_displayed_op_only"] = False
    opts["select"] = ["micros"]
    return [names.print_model_analysis(job.graph, job.runs[1], cmd="code", options=opts)]


def own_types(names: Any, job: Training, folder: Path) -> list[Any]:
    op_log = names.OpLog()
    entry = op_log.log_entries.add()
    entry.name = "logit/DW"
    entry.types.append("pool_logit")
    entry = op_log.log_entries.add()
    entry.name = job.trainable[0].op.name
    entry.types.append("pool_logit")
    logs = []
    for arguments in ((op_log,), (op_log, job.runs[0])):
        names.write_op_log(job.graph, str(folder), *arguments)
        logs.append(tfprof.OpLogProto.FromString((folder / "tfprof_log").read_bytes()))
        # The original adds its own types to the caller's log, again with every call.
        for entry in op_log.log_entries:
            del entry.types[1:]
    return logs


def model_architecture(names: Any, job: Training, folder: Path) -> list[Any]:
    with job.graph.as_default():
        param_stats = names.profile(
            job.graph, options=names.ProfileOptionBuilder.trainable_variables_parameter()
        )
        sys.stdout.write("total_params: %d\n" % param_stats.total_parameters)  # noqa: UP031 - as documented
        sys.stdout.flush()
        flops = names.profile(options=names.ProfileOptionBuilder.float_operation())
    return [param_stats, flops]


def multi_step(names: Any, job: Training, folder: Path) -> list[Any]:
    builder = names.ProfileOptionBuilder
    profiler = names.Profiler(job.graph)
    answers = []
    for i, run_meta in enumerate(job.runs):
        profiler.add_step(i, run_meta)
        answers.append(profiler.profile_name_scope(options=builder.trainable_variables_parameter()))
        answers.append(profiler.profile_operations(options=builder.time_and_memory()))
        opts = (
            builder(builder.time_and_memory())
            .with_step(i)
            .with_timeline_output(str(folder / "timeline"))
            .build()
        )
        answers.append(profiler.profile_graph(options=opts))
    answers.append(profiler.advise(tfprof.model_analyzer.ALL_ADVICE))
    return answers


PROGRAMS = (
    examine_variables,
    examine_float_operations,
    examine_time_and_memory,
    both_spellings,
    own_types,
    model_architecture,
    multi_step,
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_program_does_what_it_did(
    tf: Any,
    resnet: Training,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    program: Callable[[Any, Training, Path], list[Any]],
) -> None:
    with only_original(tf, tf.Graph()):
        pass  # nothing of an earlier test is left
    answers = program(ours(), resnet, tmp_path)
    printed = capfd.readouterr().out
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    expected = program(original(tf), resnet, tmp_path)
    theirs = capfd.readouterr().out
    for their, our in zip(expected, answers, strict=True):
        assert_same(their, our)
    # The original prints checkers in an order of chance.
    assert sorted(printed.splitlines()) == sorted(theirs.splitlines())
    if program is not multi_step:
        assert printed == theirs
    if program is not own_types:  # of logs the order of map entries may differ
        assert files == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


def test_advice_needs_no_options(resnet: Training, capfd: pytest.CaptureFixture[str]) -> None:
    profiler = tfprof.Profiler(resnet.graph)
    profiler.add_step(0, resnet.runs[0])
    assert profiler.advise().checkers
    assert "ExpensiveOperationChecker:" in capfd.readouterr().out
