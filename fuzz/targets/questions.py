"""Questions to profiles that nothing is wrong with: every output, with any options.

An input says which profile and which question; the rest of its bytes is chance for the options.
Seeds ask every question of every profile, so that all outputs are tried however short the run is.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

import tfprof
from fuzz import samples, seeds
from fuzz.ask import QUESTIONS, ask_named, dice_of
from fuzz.mutate import mutate_tokens
from fuzz.targets import Target
from fuzz.targets.files import Files, write_all
from tfprof.api.profile import Profile

__all__ = ["TARGETS"]

_CASES = 2
"""How many generated models are asked."""


class _Loaded(NamedTuple):
    """A profile, and how many bytes its files have."""

    profile: Profile
    size: int


@cache
def _profiles() -> list[_Loaded]:
    """Generated models with a run and stacks, traces, and captures."""
    cases = sorted(filter(all, seeds.whole_cases()), key=lambda case: -len(case[2]))[:_CASES]
    models = [
        _Loaded(tfprof.load(graph=graph, op_log=log, run_meta=run), len(graph + log + run))
        for graph, log, run in cases
    ]
    traces = [{"host.xplane.pb": trace} for trace in samples.traces()]
    return models + [_load_files(files) for files in traces + samples.captures()]


def _load_files(files: Files) -> _Loaded:
    with tempfile.TemporaryDirectory() as folder:
        write_all(files, Path(folder))
        return _Loaded(tfprof.load(folder), sum(map(len, files.values())))


def _question(data: bytes) -> None:
    name = data.partition(b"\n")[0].partition(b" ")[2]
    ask_named(name.decode(errors="replace"), _profile_of(data).profile, dice_of(data))


def _profile_of(data: bytes) -> _Loaded:
    number, profiles = data.partition(b" ")[0][:9], _profiles()
    return profiles[int(number) % len(profiles) if number.isdigit() else 0]


def _seeds() -> list[bytes]:
    return [f"{number} {name}".encode() for number in range(len(_profiles())) for name in QUESTIONS]


TARGETS = [
    Target(
        "questions",
        _question,
        _seeds,
        mutate_tokens,
        is_part=True,
        size=lambda data: len(data) + _profile_of(data).size,
    )
]
