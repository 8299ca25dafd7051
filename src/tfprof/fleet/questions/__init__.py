"""QUESTIONS about a store, each defined once as Ibis expressions that any engine runs.

    ops          durations of each node: quantiles across workers and steps
    stragglers   workers that the others wait for, always or once
    balance      parameter servers: traffic, work, and which is slow
    step         why a step was slow
    lines        lines of code by time
    trend        whether steps get slower, and jobs
    verdicts     rows that stand out

A new question is a file with a function `ask`, and a row here. Nothing here imports an
engine before a question is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tfprof.fleet.answer import Answer
    from tfprof.fleet.tables import FleetTables

ALWAYS = ("job", "limit", "workers", "steps")
"""The options that every question takes."""
_NODES = ("account_type_regexes", "show_name_regexes", "hide_name_regexes")


@dataclass(frozen=True, slots=True)
class Question:
    """A question: what it answers in one line, and the fields of a `Selection` that it takes."""

    name: str
    help: str
    takes: tuple[str, ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """Its own options and those that every question takes."""
        return (*ALWAYS, *self.takes)

    def ask(self, tables: FleetTables) -> Answer:
        """Run its expressions on the tables, and make the answer of their rows."""
        answer: Answer = import_module(f"{__name__}.{self.name}").ask(tables)
        return answer


QUESTIONS: dict[str, Question] = {
    question.name: question
    for question in (
        Question("ops", "durations of each node: quantiles across workers and steps", _NODES),
        Question("stragglers", "workers that the others wait for, always or once"),
        Question("balance", "parameter servers: traffic, work, and which is slow"),
        Question("step", "why a step was slow, by default the slowest", (*_NODES, "step")),
        Question("lines", "lines of code by time", _NODES),
        Question("trend", "whether steps get slower, and jobs"),
    )
}
