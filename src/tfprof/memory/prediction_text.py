"""A prediction of memory as text: the numbers, the answer, what holds the memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tfprof.definitions.units import FORMATS
from tfprof.memory.prediction import OUTSIDE_ALLOCATOR, MemoryPrediction
from tfprof.runtime.printable import one_line

_size = FORMATS["memory"]


def prediction_text(
    prediction: MemoryPrediction, limit: int | None = None, *, largest: str = ""
) -> str:
    """What is needed, with the answer if there is a limit."""
    return "\n".join(_lines(prediction, limit, largest)) + "\n"


def _lines(prediction: MemoryPrediction, limit: int | None, largest: str) -> Iterator[str]:
    if largest:
        size = f"{largest}={prediction.sizes[largest]}"
        yield f"Largest     {size} is the largest that fits, margin included"
    sizes = f" with {_sizes(prediction.sizes)}" if prediction.sizes else ""
    yield f"Memory      {_size(prediction.bytes)}{sizes}, {_method(prediction)}"
    above = "" if prediction.highest is None else f", and {_size(OUTSIDE_ALLOCATOR)} above"
    yield f"Range       {_range(prediction)} (margin {prediction.margin:.0%}{above})"
    if limit is not None:
        yield f"Fits        {prediction.fits(limit)}: {_reason(prediction, limit)}"
    temporary = prediction.temporary_bytes
    scratch = f", {_size(temporary)} of it temporary" if temporary else ""
    yield f"Step        {_size(prediction.step_bytes)}{scratch}"
    yield f"Variables   {_size(prediction.variable_bytes)}, optimizer included"
    if prediction.input_bytes:
        yield f"Inputs      {_size(prediction.input_bytes)}, fed to the step"
    if prediction.holders:
        yield ""
        yield "Held at the peak of the step"
    for holder in prediction.holders:
        share = holder.bytes / prediction.step_bytes
        source = f" ({holder.source})" if holder.source else ""
        yield one_line(
            f"{_size(holder.bytes):>12}{share:>8.1%}  {holder.node} = {holder.op}{source}"
        )
    yield ""
    yield "Not counted"
    for text in prediction.not_counted:
        yield f"  {text}"


def _method(prediction: MemoryPrediction) -> str:
    if prediction.method == "graph":
        return "from the graph alone"
    is_scaled = prediction.sizes != prediction.traced_sizes
    return "from the traced step, scaled by shapes" if is_scaled else "from the traced step"


def _sizes(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name}={size}" for name, size in sizes.items())


def _range(prediction: MemoryPrediction) -> str:
    if prediction.highest is None:
        return f"at least {_size(prediction.lowest)}"
    return f"{_size(prediction.lowest)} to {_size(prediction.highest)}"


def _reason(prediction: MemoryPrediction, limit: int) -> str:
    needed = {
        "yes": f"needs at most {_size(prediction.highest or 0)}",
        "no": f"needs at least {_size(prediction.lowest)}",
        "too close": f"needs {_range(prediction)}",
    }
    return f"{needed[prediction.fits(limit)]} of {_size(limit)}"
