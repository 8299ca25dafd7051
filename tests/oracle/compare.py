"""Ours against the original: the same jobs through both, and what differs.

A mode turns a case into jobs (see `original`). `Ours` answers the same calls as the original's
child, so that a comparison is call by call: files, standard output, and messages.
"""

from __future__ import annotations

import contextlib
import difflib
import gzip
import io
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from google._upb import _message as upb
from google.protobuf.message import DecodeError, Message

import tfprof
from tests.oracle.cases import Case, Request, Step, generate
from tests.oracle.explain import explanation
from tests.oracle.original import Answer, Call, Original, destination
from tfprof.errors import TfprofError
from tfprof.protos import log_pb2, output_pb2, pprof_pb2

__all__ = ["MODES", "Difference", "Mode", "Outcome", "any_depth", "check"]

_lifted = 0  # how many uses of `any_depth` there are now

MESSAGES = {
    "scope": output_pb2.GraphNodeProto,
    "graph": output_pb2.GraphNodeProto,
    "op": output_pb2.MultiGraphNodeProto,
    "code": output_pb2.MultiGraphNodeProto,
}
HEAD = 40  # lines of a difference that are kept
REFUSED = "refused: "  # how an error that ours raises on purpose begins
CRASHING = 50  # every so many seeds, a case may hold what kills the original


@dataclass(frozen=True, slots=True)
class Mode:
    """A way to drive both programs through a case."""

    jobs: Callable[[Case], list[list[Call]]]
    compat: bool = True  # or through the repaired program
    clean: bool = False  # cases that no defect of the original applies to
    explained: bool = False  # answers may differ if quirks explain it


@dataclass(frozen=True, slots=True)
class Difference:
    """One call that both answered differently, ready to print."""

    seed: int
    mode: str
    call: str
    detail: str

    def __str__(self) -> str:
        return f"--case {self.seed} --mode {self.mode}: {self.call}\n{self.detail}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What checking one case gave."""

    seed: int
    differences: tuple[Difference, ...]
    crashes: tuple[str, ...]  # how the original failed
    quirks: tuple[str, ...] = ()  # what explains that the repaired program differs


def one_shot(case: Case) -> list[list[Call]]:
    """Every request on its own, as by `profile()`."""
    return [[analysis(case, request)] for request in case.requests]


def outputs(case: Case) -> list[list[Call]]:
    """Every timeline, pprof file and printed report on its own."""
    return [[analysis(case, request)] for request in case.outputs]


def analysis(case: Case, request: Request) -> Call:
    """A request of the first step as a call."""
    run_meta = case.steps[0].run_meta if case.steps else b""
    return ("one_shot", case.graph, run_meta, case.op_log, request.cmd, request.options)


def session(case: Case) -> list[list[Call]]:
    """Steps and requests mixed, as by `Profiler`."""
    calls = [step_or_report(action) for action in case.script]
    return [[("new", case.graph, case.op_log), *calls, ("serialize",)]]


def reload(case: Case) -> list[list[Call]]:
    """All steps, then the requests of the session after saving and loading."""
    steps = [step_or_report(step) for step in case.steps]
    reports = [step_or_report(action) for action in case.script if isinstance(action, Request)]
    return [[("new", case.graph, case.op_log), *steps, ("reload",), *reports, ("serialize",)]]


def step_or_report(action: Step | Request) -> Call:
    """One action of a script as a call."""
    if isinstance(action, Request):
        return ("report", *action)
    return ("add_step", action.step, action.graph, action.run_meta, action.op_log)


MODES = {
    "one-shot": Mode(one_shot),
    "session": Mode(session),
    "reload": Mode(reload),
    "outputs": Mode(outputs),
    "default": Mode(one_shot, compat=False, clean=True),
    "explained": Mode(one_shot, compat=False, explained=True),
}


class Ours:
    """Our answers to the original's calls."""

    def __init__(self, folder: Path, *, compat: bool, counts: bool = False) -> None:
        """Output files go to the folder; `counts` are float operations that no op log has."""
        self._folder = folder
        self._compat = compat
        self._counts = counts
        self._loaded: tuple[tuple[bytes, ...], Any] = (), None
        self._session: Any = None
        self._report: Callable[..., Any]
        self._serialize: Callable[..., bytes]

    def answer(self, call: Call) -> Answer:
        """One call; whatever it raises becomes an error."""
        try:
            return getattr(self, call[0])(*call[1:])
        except TfprofError as error:
            return Answer(error=f"{REFUSED}{type(error).__name__}: {error}")
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # a panic in compiled code is no Exception
            return Answer(error=traceback.format_exc(limit=-6))

    def one_shot(
        self, graph: bytes, run_meta: bytes, op_log: bytes, cmd: str, options: dict[str, Any]
    ) -> Answer:
        """A report of a profile that is loaded once; other outputs through `tfprof.profile`."""
        if options["output"] not in {"file", "none"}:
            return self._written(graph, run_meta, op_log, cmd, options)
        inputs = graph, run_meta, op_log
        if self._loaded[0] != inputs:
            runs = [run_meta] if run_meta else []
            profile = tfprof.load(
                graph=graph,
                run_meta=runs,
                op_log=op_log,
                compat=self._compat,
                count_float_ops=self._counts,
            )
            self._loaded = inputs, profile
        report = self._loaded[1].report(cmd, options, compat=self._compat, output="none")
        return described(report, options)

    def new(self, graph: bytes, op_log: bytes) -> Answer:
        """A session."""
        self._session = tfprof.Profiler(graph, op_log, compat=True)
        self._report = self._session.report
        self._serialize = self._session.serialize_to_string
        return Answer()

    def add_step(self, step: int, graph: bytes, run_meta: bytes, op_log: bytes) -> Answer:
        """A step added to the session."""
        self._session.add_step(step, run_meta, graph=graph or None, op_log=op_log or None)
        return Answer()

    def report(self, cmd: str, options: dict[str, Any]) -> Answer:
        """A report of the session."""
        return described(self._report(cmd, {**options, "output": "none"}), options)

    def serialize(self) -> Answer:
        """The session as a ProfileProto."""
        return Answer(result=self._serialize())

    def reload(self) -> Answer:
        """The session saved and loaded."""
        profile = tfprof.load(profile=self._serialize(), compat=True)
        self._report = partial(profile.report, compat=True)
        self._serialize = partial(profile.serialize, compat=True)
        return Answer()

    def _written(
        self, graph: bytes, run_meta: bytes, op_log: bytes, cmd: str, options: dict[str, Any]
    ) -> Answer:
        out = self._folder / "out"
        options = options | {"output": destination(options["output"], out)}
        stream = io.TextIOWrapper(io.BytesIO(), write_through=True)
        with contextlib.redirect_stdout(stream):
            proto = tfprof.profile(graph, run_meta, op_log, cmd, options, compat=self._compat)
        printed = stream.buffer.getvalue().replace(bytes(out), b"OUT")
        files = []
        for path in sorted(self._folder.glob("out*")):
            files.append((path.name.removeprefix("out"), path.read_bytes()))
            path.unlink()
        return Answer(proto.SerializeToString(), tuple(files), printed)


def described(report: Any, options: dict[str, Any]) -> Answer:
    """A report as an answer; an empty text stands for no file."""
    text = report.text() if options["output"] == "file" else ""
    files = (("", encoded(text)),) if text else ()
    return Answer(report.proto().SerializeToString(), files)


def encoded(text: str) -> bytes:
    """Text as the original writes it: it may cut a name within a character."""
    return text.encode("utf-8", "surrogateescape")


def check(seeds: Iterable[int], mode_name: str, original: Original) -> Iterator[Outcome]:
    """Compare the cases of these seeds."""
    mode = MODES[mode_name]
    cases = [
        generate(seed, crashing=not mode.clean and seed % CRASHING == 0, clean=mode.clean)
        for seed in seeds
    ]
    jobs = [mode.jobs(case) for case in cases]
    answers = iter(original.run([job for group in jobs for job in group]))
    with tempfile.TemporaryDirectory(prefix="tfprof-oracle-") as folder:
        for case, group in zip(cases, jobs, strict=True):
            ours = Ours(Path(folder), compat=mode.compat, counts=mode.explained)
            differences, crashes, quirks = [], [], []
            for job in group:
                theirs = next(answers)
                crashes += [answer.error for answer in theirs if answer.error]
                if mode.explained and not theirs[0].error:
                    reasons, detail = explained(job[0], theirs[0], ours)
                    quirks += reasons
                    if detail:
                        differences.append(Difference(case.seed, mode_name, named(job[0]), detail))
                    continue
                for call, detail in compared(job, theirs, ours, compat=mode.compat):
                    differences.append(Difference(case.seed, mode_name, named(call), detail))
            yield Outcome(case.seed, tuple(differences), tuple(crashes), tuple(quirks))


def named(call: Call) -> str:
    """A call without its inputs."""
    return " ".join(str(item) for item in call if not isinstance(item, bytes))


def compared(
    job: list[Call], theirs: list[Answer], ours: Ours, *, compat: bool
) -> Iterator[tuple[Call, str]]:
    """The calls of a job that were answered differently.

    After the original failed, nothing is left to compare with, but ours has to go on.
    """
    alive = True
    for index, call in enumerate(job):
        their = theirs[index] if alive else Answer(error="failed before")
        alive = alive and not their.error and index + 1 < len(theirs)
        our = ours.answer(call)
        detail = difference(call, their, our, compat=compat)
        if detail:
            yield call, detail


def explained(call: Call, their: Answer, ours: Ours) -> tuple[tuple[str, ...], str]:
    """The quirks that explain how the repaired program differs, or what remains unexplained."""
    our = ours.answer(call)
    if our.error and not our.error.startswith(REFUSED):
        return (), our.error
    detail = difference(call, their, our, compat=True)
    if not detail:
        return (), ""
    _, graph, run_meta, op_log, cmd, options = call
    runs = [run_meta] if run_meta else []
    reasons = explanation(
        tfprof.load(graph, runs, op_log, compat=True),
        cmd,
        options,
        lambda answer: not answer.error and not difference(call, their, answer, compat=True),
    )
    return (reasons, "") if reasons is not None else ((), detail)


def difference(call: Call, their: Answer, our: Answer, *, compat: bool) -> str:
    """How the two answers to a call differ, or an empty text."""
    if our.error:
        nothing_to_say = not their.result and not their.files
        accepted = our.error.startswith(REFUSED) and (their.error or nothing_to_say)
        return "" if accepted else f"original: {their.error or 'answered'}\nours: {our.error}"
    if their.error or call[0] in {"new", "add_step", "reload"}:
        return ""
    differences = []
    names = dict(their.files).keys() | dict(our.files).keys()
    for name in sorted(names):
        old, new = (dict(answer.files).get(name, b"") for answer in (their, our))
        differences.append(diff(f"file out{name}", *(content(file, compat) for file in (old, new))))
    differences.append(diff("stdout", content(their.stdout, True), content(our.stdout, True)))
    kind = log_pb2.ProfileProto if call[0] == "serialize" else MESSAGES[call[-2]]
    with contextlib.suppress(DecodeError):  # a name cut within a character: Python cannot read it
        old, new = (parsed(kind, answer.result, compat=compat) for answer in (their, our))
        if canonical(old) != canonical(new):
            differences.append(diff("message", lines(old), lines(new)))
    return "\n".join(filter(None, differences))


def content(data: bytes, compat: bool) -> list[str]:
    """A file as lines; repaired reports have no legend."""
    if data.startswith(b"\x1f\x8b"):
        return lines(parsed(pprof_pb2.Profile, gzip.decompress(data), compat=True))
    if not compat:
        data = data.rpartition(b"\nProfile:\n")[2]
    return data.decode("utf-8", "backslashreplace").replace("},{", "},\n{").split("\n")


@contextlib.contextmanager
def any_depth() -> Iterator[None]:
    """Lift protobuf's limit of 100 nested messages."""
    global _lifted
    upb.SetAllowOversizeProtos(True)
    _lifted += 1
    try:
        yield
    finally:
        _lifted -= 1
        upb.SetAllowOversizeProtos(_lifted > 0)


def parsed(kind: type[Message], data: bytes, *, compat: bool) -> Message:
    """A message; repaired definition counts are left out, as the original counts scopes."""
    with any_depth():
        message = kind.FromString(data)
    if compat or kind is not output_pb2.GraphNodeProto:
        return message
    waiting = [message]
    while waiting:
        node = waiting.pop()
        node.ClearField("total_definition_count")
        waiting += node.children
    return message


def canonical(message: Message) -> bytes:
    """Bytes that are equal for equal messages."""
    return message.SerializeToString(deterministic=True)


def lines(message: Message) -> list[str]:
    """A message as one line per value, however deep."""
    lines: list[str] = []
    waiting: list[tuple[str, Any]] = [("", message)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, Message):
            inner = [(f"{path}.{field.name}", item) for field, item in value.ListFields()]
        elif hasattr(value, "items"):
            inner = [(f"{path}[{key!r}]", value[key]) for key in sorted(value)]
        elif hasattr(value, "append"):
            inner = [(f"{path}[{index}]", item) for index, item in enumerate(value)]
        else:
            lines.append(f"{path[-160:]}: {value!r}")
            continue
        waiting += reversed(inner)
    return lines


def diff(title: str, theirs: list[str], ours: list[str]) -> str:
    """The beginning of a unified diff, empty if there is none."""
    if theirs == ours:
        return ""
    changes = difflib.unified_diff(
        theirs, ours, f"original {title}", f"ours {title}", lineterm="", n=2
    )
    kept = [line for _, line in zip(range(HEAD), changes, strict=False)]
    return "\n".join(line[:300] for line in kept)
