"""A store that is open for questions."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tfprof.definitions.units import parse_memory
from tfprof.errors import OptionError
from tfprof.fleet.answer import Answer
from tfprof.fleet.engines.engine import DUCKDB, open_engine
from tfprof.fleet.selection import Selection, make_selection

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from tfprof.fleet.tables import FleetTables


class Fleet:
    """A store and an engine that answers questions about it; also a context manager."""

    def __init__(self, store: str, engine: str = DUCKDB, *, memory: int | None = None) -> None:
        """Start the engine."""
        self._store = store
        self._engine = open_engine(store, engine, memory=memory)

    def ask(self, question: str, **options: Any) -> Answer:
        """Answer a question by name."""
        from tfprof.fleet.questions import QUESTIONS

        row = QUESTIONS[question]
        tables = self.tables(make_selection(options, row.options, question))
        return replace(row.ask(tables), explain=tables.statements)

    def tables(self, selection: Selection) -> FleetTables:
        """The tables of the store as it is now, limited to what is selected."""
        from tfprof.fleet.tables import FleetTables

        return FleetTables(self._engine, self._store, selection)

    def save_page(self, path: str | os.PathLike[str], *, command: str = "", **options: Any) -> None:
        """Write a page with charts and all answers that opens in any browser, offline.

        It takes the options that all questions take. `command` is how the store is named on the
        command line, for the commands that the page shows; by default its path.
        """
        from tfprof.fleet.page.writer import page_bytes
        from tfprof.outputs.files import check_target, write_file

        check_target(path)
        write_file(path, page_bytes(self, options, command=command or shlex.quote(self._store)))

    def ops(self, **options: Any) -> Answer:
        """Durations of each node across workers and steps."""
        return self.ask("ops", **options)

    def stragglers(self, **options: Any) -> Answer:
        """Workers that the others wait for, always or once."""
        return self.ask("stragglers", **options)

    def balance(self, **options: Any) -> Answer:
        """Parameter servers: traffic, work, and which is slow."""
        return self.ask("balance", **options)

    def step(self, step: int | None = None, **options: Any) -> Answer:
        """Why a step was slow; the slowest, if none is given."""
        return self.ask("step", step=step, **options)

    def lines(self, **options: Any) -> Answer:
        """Lines of code by time on all workers."""
        return self.ask("lines", **options)

    def trend(self, **options: Any) -> Answer:
        """Whether steps get slower, and jobs."""
        return self.ask("trend", **options)

    def close(self) -> None:
        """End the engine."""
        self._engine.close()

    def __enter__(self) -> Self:
        """The store itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the engine."""
        self.close()


def open_fleet(
    store: str | os.PathLike[str], engine: str = DUCKDB, *, memory: int | str | None = None
) -> Fleet:
    """Open a store for questions.

    `engine` is `duckdb`, `spark`, or the master of a Spark cluster such as `spark://host:7077`.
    `memory` is how much DuckDB may take, such as `2GB`.
    """
    limit = parse_memory(memory) if isinstance(memory, str) else memory
    if memory is not None and not limit:
        raise OptionError(f"option 'memory': {memory!r} is not a size such as 2GB")
    return Fleet(os.fspath(store), engine, memory=limit)
