"""Ours against the original: the same jobs through both, and what differs.

A mode turns a case into jobs (see `original`). `Ours` answers the same calls as the original's
child, so that a comparison is call by call: files, messages, and what is printed.
"""

from __future__ import annotations

import contextlib
import difflib
import gzip
import io
import re
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from google._upb import _message as upb
from google.protobuf.message import DecodeError, Message

import tfprof
from tests.oracle.cases import CHECKERS, Action, Case, Reload, Request, generate
from tests.oracle.explain import explanation
from tests.oracle.original import Answer, Call, Original, destination
from tfprof.api.report import Report, write_report
from tfprof.api.request import parse_request, report_on
from tfprof.errors import TfprofError
from tfprof.protos import log_pb2, output_pb2, pprof_pb2
from tfprof.runtime.printable import printable

__all__ = ["MODES", "Difference", "Mode", "Outcome", "any_depth", "check"]

_lifted = 0  # how many uses of `any_depth` there are now

MESSAGES = {
    "scope": output_pb2.GraphNodeProto,
    "graph": output_pb2.GraphNodeProto,
    "op": output_pb2.MultiGraphNodeProto,
    "code": output_pb2.MultiGraphNodeProto,
    "advise": output_pb2.AdviceProto,
}
METHODS = {
    "scope": "profile_name_scope",
    "graph": "profile_graph",
    "op": "profile_operations",
    "code": "profile_python",
    "advise": "advise",
}
HEAD = 40  # lines of a difference that are kept
REFUSED = "refused: "  # how an error that ours raises on purpose begins
CRASHING = 50  # every so many seeds, a case may hold what kills the original
RE2_LOG = re.compile(rb"^external/com_googlesource_code_re2.*\n", re.MULTILINE)
SECTION = re.compile(f"\n(?=(?:{'|'.join(CHECKERS)}):\n)")


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
    # The function that gives advice takes no op log.
    op_log = b"" if request.cmd == "advise" else case.op_log
    return ("one_shot", case.graph, run_meta, op_log, request.cmd, request.options)


def session(case: Case) -> list[list[Call]]:
    """Steps and requests mixed, as by `Profiler`."""
    calls = [call_of(action) for action in case.script]
    return [[("new", case.graph, case.op_log), *calls, ("serialize",)]]


def reload(case: Case) -> list[list[Call]]:
    """A session that is saved and loaded in between."""
    calls = [call_of(action) for action in case.reloaded]
    return [[("new", case.graph, case.op_log), *calls, ("serialize",)]]


def call_of(action: Action) -> Call:
    """One action of a script as a call."""
    if isinstance(action, Request):
        return ("report", *action)
    if isinstance(action, Reload):
        return ("reload",)
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

    def answer(self, call: Call) -> Answer:
        """One call; whatever it raises becomes an error."""
        result, error = None, ""
        stdout, stderr = (
            io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape", write_through=True)
            for _ in range(2)
        )
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
            try:
                result = getattr(self, call[0])(*call[1:])
            except TfprofError as refusal:
                error = f"{REFUSED}{type(refusal).__name__}: {refusal}"
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException:  # a panic in compiled code is no Exception
                error = traceback.format_exc(limit=-6)
        printed = (stream.buffer.getvalue() for stream in (stdout, stderr))
        return Answer(result, self._files(), *map(self._without_path, printed), error)

    def one_shot(
        self, graph: bytes, run_meta: bytes, op_log: bytes, cmd: str, options: Any
    ) -> bytes:
        """A whole analysis in one call."""
        if not self._compat:
            return self._repaired((graph, run_meta, op_log), cmd, options)
        if cmd == "advise":
            message = tfprof.advise(graph, run_meta, self._options(cmd, options), compat=True)
        else:
            options = self._options(cmd, options)
            message = tfprof.profile(graph, run_meta, op_log, cmd, options, compat=True)
        return message.SerializeToString()

    def _repaired(
        self, inputs: tuple[bytes, bytes, bytes], cmd: str, options: dict[str, Any]
    ) -> bytes:
        """A report of a profile that is loaded once."""
        graph, run_meta, op_log = inputs
        if self._loaded[0] != inputs:
            runs = [run_meta] if run_meta else []
            profile = tfprof.load(graph, runs, op_log, count_float_ops=self._counts)
            self._loaded = inputs, profile
        request = parse_request(cmd, self._options(cmd, options))
        report = report_on(self._loaded[1], request)
        write_report(report, legend=True)
        return report.proto().SerializeToString()

    def new(self, graph: bytes, op_log: bytes) -> None:
        """A session."""
        self._session = tfprof.Profiler(graph, op_log, compat=True)

    def add_step(self, step: int, graph: bytes, run_meta: bytes, op_log: bytes) -> None:
        """A step added to the session."""
        self._session.add_step(step, run_meta, graph=graph or None, op_log=op_log or None)

    def report(self, cmd: str, options: Any) -> bytes:
        """A report of the session, or advice on it."""
        message = getattr(self._session, METHODS[cmd])(self._options(cmd, options))
        return message.SerializeToString()

    def serialize(self) -> bytes:
        """The session as a ProfileProto."""
        return self._session.serialize_to_string()

    def reload(self) -> None:
        """The session saved and loaded."""
        self._session = tfprof.Profiler.load(self._session.serialize_to_string(), compat=True)

    @property
    def _out(self) -> Path:
        return self._folder / "out"

    def _options(self, cmd: str, options: Any) -> dict[str, Any]:
        if cmd == "advise":
            return {checker: {} for checker in options}
        return options | {"output": destination(options["output"], self._out)}

    def _files(self) -> tuple[tuple[str, bytes], ...]:
        files = []
        for path in sorted(self._folder.glob("out*")):
            files.append((path.name.removeprefix("out"), path.read_bytes()))
            path.unlink()
        return tuple(files)

    def _without_path(self, printed: bytes) -> bytes:
        return printed.replace(bytes(self._out), b"OUT")


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
        details = [difference(call, their, our, compat=compat)]
        if compat and not their.error and not our.error:
            details.append(diff("stderr", heard(their.stderr), heard(our.stderr)))
        if any(details):
            yield call, "\n".join(filter(None, details))


def explained(call: Call, their: Answer, ours: Ours) -> tuple[tuple[str, ...], str]:
    """The quirks that explain how the repaired program differs, or what remains unexplained."""
    our = ours.answer(call)
    if our.error and not our.error.startswith(REFUSED):
        return (), our.error
    detail = difference(call, their, our, compat=True)
    if not detail:
        return (), ""
    _, graph, run_meta, op_log, cmd, options = call
    profile = tfprof.load(graph, [run_meta] if run_meta else [], op_log, compat=True)

    def same(report: Report) -> bool:
        # The message takes longest, so it comes last.
        answer = replace(their, files=text_file(report, options))
        if difference(call, their, answer, compat=True):
            return False
        answer = replace(answer, result=report.proto().SerializeToString())
        return not difference(call, their, answer, compat=True)

    reasons = explanation(profile, cmd, options, same)
    return (reasons, "") if reasons is not None else ((), detail)


def text_file(report: Report, options: dict[str, Any]) -> tuple[tuple[str, bytes], ...]:
    """The file that a report is written to; an empty text has none."""
    if options["output"] != "file":
        return ()
    text = report.text(legend=True).encode("utf-8", "surrogateescape")
    return (("", text),) if text else ()


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
    kind = log_pb2.ProfileProto if call[0] == "serialize" else MESSAGES[call[-2]]
    printed = (content(answer.stdout, True) for answer in (their, our))
    if kind is output_pb2.AdviceProto:
        printed = (sections(answer.stdout) for answer in (their, our))
    differences.append(diff("stdout", *printed))
    with contextlib.suppress(DecodeError):  # a name cut within a character: Python cannot read it
        old, new = (parsed(kind, answer.result, compat=compat) for answer in (their, our))
        if canonical(old) != canonical(new):
            differences.append(diff("message", lines(old), lines(new)))
    return "\n".join(filter(None, differences))


def heard(stderr: bytes) -> list[str]:
    """Lines on stderr, but for those that the regex library of the original logs."""
    return printable(RE2_LOG.sub(b"", stderr).decode("utf-8", "backslashreplace")).split("\n")


def sections(stdout: bytes) -> list[str]:
    """The lines that are printed for each checker; the original's order is random."""
    text = stdout.decode("utf-8", "backslashreplace")
    return "\n".join(sorted(SECTION.split(text))).split("\n")


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
            if not inner:
                lines.append(f"{path[-160:]}: {{}}")
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
