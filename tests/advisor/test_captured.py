"""Advice on captured programs: each has the problem that its checker finds, and no other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tfprof
from tests.recording.captures import Captures
from tfprof.resolve import executed_share

pytest.importorskip("tensorflow")

SLOW = 250_000
"""Microseconds that input or Python take in a step, as the programs have it."""
CHECKERS = ("HostBound", "InputStall", "Retracing", "SmallOps")


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Captures:
    captures = Captures("tests.advisor.programs", tmp_path_factory.mktemp("programs"))
    captures.make()
    return captures


def found(folder: Path) -> dict[str, Any]:
    """The finding of each checker that has one."""
    advice = tfprof.load(folder).advise(CHECKERS)
    assert all(not advice[name].missing and not advice[name].failed for name in CHECKERS)
    return {finding.checker: finding for finding in advice.findings}


def check_slow_input(folder: Path) -> None:
    findings = found(folder)
    assert findings.keys() == {"InputStall"}
    trace, *sources = findings["InputStall"].evidence
    numbers = {key: amount.value for key, amount in trace.numbers.items()}
    assert numbers["elapsed"] > numbers["stalled"] > 0.3 * numbers["elapsed"]
    times = {source.name: source.numbers["time"].value for source in sources}
    assert times["tf_data/PyFunc"] > 0.8 * SLOW
    # All other sources wait for this one.
    assert times["tf_data/PyFunc"] > 0.5 * max(times.values())


def check_slow_python(folder: Path) -> None:
    findings = found(folder)
    assert findings.keys() == {"HostBound"}
    trace, gap, *_ = findings["HostBound"].evidence
    assert trace.numbers["idle"].value > 2.9 * SLOW
    assert gap.name.startswith("between step ")
    assert gap.numbers["gap"].value >= SLOW


def check_retracing(folder: Path) -> None:
    findings = found(folder)
    # Python traces meanwhile.
    assert findings.keys() == {"HostBound", "Retracing"}
    finding = findings["Retracing"]
    assert finding.message.startswith("_step ran in 8 versions")
    notes = [row.note for row in finding.evidence]
    assert len(set(notes)) == 5
    assert all(note.startswith("arguments of shape (20") for note in notes)
    assert "programs.py" in finding.evidence[0].source
    profile = tfprof.load(folder)
    assert profile.advise("Retracing:count=9").findings == ()
    # Of each version all but constants and the like ran, and each once.
    assert 0.7 < executed_share(profile) < 0.95


def check_tiny_ops(folder: Path) -> None:
    findings = found(folder)
    assert "SmallOps" in findings
    assert findings.keys() <= {"SmallOps", "HostBound"}
    assert {row.name for row in findings["SmallOps"].evidence} >= {"Sin", "Mul", "AddV2"}


def check_busy(folder: Path) -> None:
    assert found(folder) == {}


CHECKS = {
    "slow_input": check_slow_input,
    "slow_input_of_fit": check_slow_input,
    "slow_python": check_slow_python,
    "retraced": check_retracing,
    "tiny_ops": check_tiny_ops,
    "busy": check_busy,
}


@pytest.mark.parametrize(("name", "check"), CHECKS.items())
def test_captured(captures: Captures, name: str, check: Callable[[Path], None]) -> None:
    captures.check(name, check)


def test_without_a_trace() -> None:
    advice = tfprof.load(**_demo()).advise(["HostBound", "Retracing"])
    assert all(
        "consecutive steps" in advice[name].missing[0] for name in ("HostBound", "Retracing")
    )


def _demo() -> dict[str, Any]:
    from tfprof import demo

    return demo.paths()
