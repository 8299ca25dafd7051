"""The generator makes cases that show each fault which was once found by hand.

A fault is put back, and one of a few cases has to differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.oracle.compare import check
from tests.oracle.original import Original
from tfprof.api import profiler
from tfprof.api.advice import print_advice
from tfprof.definitions import quirks
from tfprof.profiles import devices, record_columns

Patch = pytest.MonkeyPatch


def _advice_leaves_views(patch: Patch) -> None:
    def advise(self: profiler.Profiler, options: Any = 0) -> Any:
        return print_advice(self._profile, options, compat=True, views=dict(self._views))

    patch.setattr(profiler.Profiler, "advise", advise)


def _no_empty_traces(patch: Patch) -> None:
    patch.setattr(profiler, "with_empty_traces", lambda profile, _: profile)


def _sizes_stop_at_64_bits(patch: Patch) -> None:
    made = record_columns.RecordRows.__init__

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        made(self, *args, **kwargs)
        self._wraps = False

    patch.setattr(record_columns.RecordRows, "__init__", init)


def _any_line_breaks(patch: Patch) -> None:
    pattern = devices._STRICT_DEVICE
    patch.setattr(devices, "_STRICT_DEVICE", re.compile(pattern.pattern, re.ASCII | re.DOTALL))


def _without(quirk: str) -> Callable[[Patch], None]:
    def apply(patch: Patch) -> None:
        patch.setattr(quirks, "ORIGINAL", replace(quirks.ORIGINAL, **{quirk: False}))

    return apply


FAULTS: dict[str, tuple[Callable[[Patch], None], str, int]] = {
    "advice leaves views as they are": (_advice_leaves_views, "session", 20_180_103),
    "no empty traces after a reload": (_no_empty_traces, "reload", 20_180_101),
    "odd records are reported again": (_without("records_reported_once"), "session", 20_180_101),
    "allocators are not reported": (_without("several_allocators_reported"), "session", 20_180_101),
    "missing values come once": (
        _without("no_values_said_per_row"),
        "one-shot",
        20_180_108,
    ),
    "sizes stop at 64 bits": (_sizes_stop_at_64_bits, "one-shot", 20_180_179),
    "devices begin with line breaks": (_any_line_breaks, "one-shot", 20_180_167),
}
"""How to put a fault back, and the mode and seed of a case of `test_oracle` that shows it.

After a change of the generator other seeds may show it: put the fault back and run
`python -m tests.oracle --mode MODE --seed 20180101 --cases 500`.
"""


@pytest.mark.parametrize("fault", FAULTS)
def test_the_generator_finds_it(
    fault: str, original: Original, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_back, mode, seed = FAULTS[fault]
    cases = range(seed, seed + 1)
    assert not any(outcome.differences for outcome in check(cases, mode, original))
    put_back(monkeypatch)
    assert any(outcome.differences for outcome in check(cases, mode, original))
