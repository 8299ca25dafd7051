"""All cases, by section of the page."""

from __future__ import annotations

from benchmarks.truth.applications import APPLICATIONS
from benchmarks.truth.case import Case
from benchmarks.truth.functions import CONTROL, EINSUMS, GRADIENTS
from benchmarks.truth.layers import ATTENTION, CONVOLUTIONS, DENSE, RECURRENT
from benchmarks.truth.steps import STEPS

__all__ = ["CASES", "SECTIONS"]

SECTIONS: dict[str, list[Case]] = {
    "Dense layers, mixed precision": DENSE,
    "Recurrent layers": RECURRENT,
    "Attention": ATTENTION,
    "Convolutions": CONVOLUTIONS,
    "Train steps": STEPS,
    "Functions, loops and branches": CONTROL,
    "Gradients": GRADIENTS,
    "Einsum": EINSUMS,
    "keras.applications": APPLICATIONS,
}
CASES = [case for cases in SECTIONS.values() for case in cases]
