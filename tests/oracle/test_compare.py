"""What the comparison sees as a difference."""

from __future__ import annotations

from pathlib import Path

from tests.oracle.compare import Ours, compared, difference, heard, sections
from tests.oracle.original import Answer, Call
from tfprof.protos.log_pb2 import ProfileProto

NEW: Call = ("new", b"", b"")


def test_an_empty_message_is_a_difference() -> None:
    old, new = ProfileProto(), ProfileProto()
    old.nodes[1].trace.SetInParent()
    new.nodes[1].name = ""
    answers = [Answer(message.SerializeToString()) for message in (old, new)]
    assert ".trace: {}" in difference(("serialize",), *answers, compat=True)


def test_what_is_printed_on_stderr_is_compared_for_every_call(tmp_path: Path) -> None:
    theirs = [Answer(stderr=b"said\n")]
    found = list(compared([NEW], theirs, Ours(tmp_path, compat=True), compat=True))
    assert [(call, "-said" in detail) for call, detail in found] == [(NEW, True)]
    assert not list(compared([NEW], [Answer()], Ours(tmp_path, compat=True), compat=True))


def test_lines_of_the_regex_library_are_not_heard() -> None:
    logged = b"external/com_googlesource_code_re2/re2/re2.cc:205: Error parsing '(': missing )\n"
    assert heard(logged + b"a\n" + logged + b"b\n") == ["a", "b", ""]


def test_the_order_of_checkers_is_not_compared() -> None:
    first, second = b"\nJobChecker:\na\n", b"\nOperationChecker:\nb\nc\n"
    assert sections(first + second) == sections(second + first)
    assert sections(first) != sections(second)
