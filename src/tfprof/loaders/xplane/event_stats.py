"""Stats of events, which profilers write at the event or, once for all, at its name."""

from __future__ import annotations

import numpy as np

from tfprof.loaders.xplane.events import TraceEvents
from tfprof.loaders.xplane.planes import Plane
from tfprof.profiles.schema import Array, BoolArray


def stat_id(plane: Plane, name: str) -> int | None:
    """The id of a stat's name, if the plane has it."""
    return next((number for number, text in plane.stat_names.items() if text == name), None)


def text_stats(events: TraceEvents, plane: Plane, name: str) -> tuple[Array, list[str]]:
    """The text of a stat of each event, as the number of a text, -1 for none; and the texts."""
    codes = np.full(len(events), -1, np.int64)
    values: dict[str, int] = {}
    for event, of_event in plane.event_texts.items():
        if name in of_event:
            codes[events.name == event] = values.setdefault(of_event[name], len(values))
    rows, index, texts = events.texts(stat_id(plane, name))
    numbers = [values.setdefault(text, len(values)) for text in texts]
    codes[rows] = np.array(numbers, np.int64)[index]
    return codes, list(values)


def number_stats(events: TraceEvents, plane: Plane, name: str) -> tuple[BoolArray, Array]:
    """Which events have a stat, and its number."""
    stat = stat_id(plane, name)
    known, values = events.has(stat), events.number(stat)
    for number, numbers in plane.event_numbers.items():
        if name in numbers:
            rows = (events.name == number) & ~known
            values[rows] = numbers[name]
            known |= rows
    return known, values
