"""`python -m tests.advisor.compare [cases] [first seed]`: our advice against the original's.

Every random case is asked once in one shot, and once in a session that is asked after each step.
"""

from __future__ import annotations

import contextlib
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

from google.protobuf.message import DecodeError

import tfprof
from tests.advisor.original import ask
from tests.oracle.cases import Case, Step, generate
from tests.oracle.original import Answer, Call
from tfprof.advisor import Advice, advise
from tfprof.api.profiler import Profiler
from tfprof.errors import TfprofError
from tfprof.protos import graph_pb2, output_pb2
from tfprof.views import VIEWS

NAMES = [
    "AcceleratorUtilizationChecker",
    "ExpensiveOperationChecker",
    "JobChecker",
    "OperationChecker",
]
CHUNK = 200
_SECTION = re.compile(rf"^\n({'|'.join(NAMES)}):\n", re.MULTILINE)


def dressed(case: Case) -> Case:
    """The case with what OperationChecker looks for: data formats and batch normalization."""
    dice = random.Random(case.seed)
    graph = graph_pb2.GraphDef.FromString(case.graph)
    for node in graph.node:
        if dice.random() < 0.1:
            node.attr["data_format"].s = dice.choice((b"NHWC", b"NCHW", b"NDHWC", b"NHWC "))
        if dice.random() < 0.01:
            node.attr["data_format"].CopyFrom(graph_pb2.AttrValue(i=3))
        if dice.random() < 0.02:
            node.op = dice.choice(("FusedBatchNorm", "FusedBatchNormV3", "BatchNorm"))
    if dice.random() < 0.5:
        graph.node.add(name=dice.choice(("bn/BatchNorm/mul", "BatchNormal", "batchnorm")), op="Mul")
    return replace(case, graph=graph.SerializeToString())


def jobs_of(case: Case, names: list[str]) -> list[list[Call]]:
    """A case in one shot and as a session."""
    run = case.steps[0].run_meta if case.steps else b""
    session: list[Call] = [("new", case.graph, case.op_log)]
    for step in case.steps:
        session.append(("add_step", step.step, step.graph, step.run_meta, step.op_log))
        session.append(("advise_session", names))
    return [[("advise", case.graph, run, case.op_log, names)], session]


def sections(text: str) -> dict[str, str]:
    """What is printed for each checker; the original's order is random."""
    parts = _SECTION.split(text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def differences(theirs: Answer, ours: Advice, before: str) -> str:
    """How the two differ, or an empty text; `before` is the stderr of the original so far."""
    old, new = sections(theirs.stdout.decode(errors="replace")), sections(ours.text())
    if old != new:
        return f"stdout\n{old}\n{new}"
    with contextlib.suppress(DecodeError):  # a name cut within a character: Python cannot read it
        if output_pb2.AdviceProto.FromString(theirs.result) != ours.proto():
            return f"message\n{theirs.result!r}\n{ours.proto()}"
    stderr = theirs.stderr.decode(errors="replace")
    if _about_data(stderr.splitlines()) != _about_data(ours.messages):
        return f"stderr\n{stderr!r}\n{ours.messages}"
    unheard = [line for line in ours.messages if line not in before + stderr]
    return f"stderr\n{before + stderr!r}\n{unheard}" if unheard else ""


def _about_data(lines: Iterable[str]) -> list[str]:
    return [line for line in lines if line.startswith("Missing ")]


def check(seeds: range) -> Iterator[tuple[str, str, str]]:
    """Per call: where it is from, how it differs, and how the original failed."""
    cases = [dressed(generate(seed)) for seed in seeds]
    wanted = [NAMES if case.seed % 3 else NAMES[case.seed // 3 % 4 :] for case in cases]
    pairs = list(zip(cases, wanted, strict=True))
    answers = iter(ask([job for case, names in pairs for job in jobs_of(case, names)]))
    for case, names in pairs:
        for kind, job, calls in zip(
            ("one-shot", "session"), jobs_of(case, names), (1, 2), strict=True
        ):
            answer, stderr = next(answers), ""
            for call, theirs, ours in zip(job, answer, _ours(case, names, calls), strict=False):
                before, stderr = stderr, stderr + theirs.stderr.decode(errors="replace")
                if ours is None:
                    continue
                where = f"{case.seed} {kind} {call[0]}"
                if theirs.error:
                    yield where, "", theirs.error
                elif isinstance(ours, str):
                    yield where, ours, ""
                else:
                    yield where, differences(theirs, ours, before), ""


def _ours(case: Case, names: list[str], kind: int) -> Iterator[Advice | str | None]:
    """Our answers to the calls of a job; None where nothing is to be compared."""
    try:
        if kind == 1:
            runs = [case.steps[0].run_meta] if case.steps and case.steps[0].run_meta else []
            loaded = tfprof.load(graph=case.graph, run_meta=runs, op_log=case.op_log, compat=True)
            yield advise(loaded, names, compat=True)
            return
        session = Profiler(case.graph, case.op_log, compat=True)
        yield None
        for step in case.steps:
            _add(session, step)
            yield None
            # The original builds all views for advice, and keeps them.
            for kind in VIEWS:
                session.report(kind, {"output": "none"})
            yield advise(session.profile, names, compat=True, views=session._views)
    except TfprofError as error:
        yield f"refused: {error}"


def _add(session: Profiler, step: Step) -> None:
    graph, log = step.graph or None, step.op_log or None
    session.add_step(step.step, step.run_meta, graph=graph, op_log=log)


def _chunk(seeds: range) -> list[tuple[str, str, str]]:
    return list(check(seeds))


def main(argv: list[str]) -> int:
    """Compare many cases on all processors; 0 if all are the same."""
    count, first = (int(text) for text in (argv + ["1000", "0"][len(argv) :]))
    chunks = [range(i, min(i + CHUNK, first + count)) for i in range(first, first + count, CHUNK)]
    same, failed, shown = 0, Counter[str](), []
    with ProcessPoolExecutor(4) as pool:
        for chunk in pool.map(_chunk, chunks):
            for where, difference, error in chunk:
                failed[error] += bool(error)
                same += not difference and not error
                shown += [f"{where}: {difference}"] if difference else []
    for text in shown[:5]:
        print(text, end="\n\n")
    failures = {error: number for error, number in failed.items() if error}
    print(f"same {same}, different {len(shown)}, failures of the original {failures}")
    return bool(shown)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
