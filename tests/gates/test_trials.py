"""A sample of recorded trials: the verdicts are those of docs/gate_accuracy.md, every time."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.gate.page import SAMPLE, SLOWER, judge_trial, read_trials
from tfprof.gates.judge_time import BUSY
from tfprof.gates.verdict import Outcome

TRIALS = list(read_trials(SAMPLE))
IS_BUSY = np.array([trial.busy > BUSY for trial in TRIALS])
OUTCOMES = {slower: np.array([judge_trial(trial, slower) for trial in TRIALS]) for slower in SLOWER}


def test_there_are_both_kinds() -> None:
    assert IS_BUSY.sum() >= 10
    assert (~IS_BUSY).sum() >= 10


@pytest.mark.parametrize("slower", SLOWER)
def test_verdicts_are_those_recorded(slower: float) -> None:
    recorded = np.load(SAMPLE)["outcomes"][SLOWER.index(slower)]
    assert OUTCOMES[slower].tolist() == recorded.tolist()


def test_identical_steps_are_no_false_alarm() -> None:
    assert (OUTCOMES[1.0] == Outcome.OVER).sum() <= 0.05 * len(TRIALS)


def test_five_percent_are_found_on_a_quiet_machine() -> None:
    assert (OUTCOMES[1.05][~IS_BUSY] == Outcome.OVER).sum() >= 0.8 * (~IS_BUSY).sum()


@pytest.mark.parametrize("slower", SLOWER)
def test_a_busy_machine_never_says_1(slower: float) -> None:
    assert Outcome.OVER not in OUTCOMES[slower][IS_BUSY]


def test_ten_percent_never_pass() -> None:
    assert Outcome.PASS not in OUTCOMES[1.1]
    assert (OUTCOMES[1.1][~IS_BUSY] == Outcome.OVER).sum() >= 0.9 * (~IS_BUSY).sum()
