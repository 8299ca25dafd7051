"""The profile as users have it: the columns, and the next stages as methods.

Stages that the views do not need are imported when they are used: the command should start without
them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tfprof.api.arguments import check_count, check_path, check_text
from tfprof.api.report import UNKNOWN_COMMAND, Report, page_settings
from tfprof.api.request import parse_request, refuse_output, report_on
from tfprof.definitions.options import ALL_LEVELS, Options, check_time
from tfprof.definitions.quirks import REPAIRED, quirks_for
from tfprof.loaders.messages import MessageLike
from tfprof.profiles import profile as columns
from tfprof.recording.build_profile import add_run
from tfprof.resolve import attributed_share, resolve
from tfprof.resolve.time_totals import TimeTotals, time_totals
from tfprof.runtime.fork import free_import_locks_in_children

if TYPE_CHECKING:
    from tfprof.advisor import Advice, CheckerSelection
    from tfprof.api.summary import Summary
    from tfprof.memory.live_tensors import LiveTensor
    from tfprof.memory.prediction import MemoryPrediction
    from tfprof.sql.sql_result import SqlResult

free_import_locks_in_children()


class Profile(columns.Profile):
    """Everything known of a model; it never changes."""

    @classmethod
    def from_columns(cls, other: columns.Profile) -> Profile:
        """A profile with the columns of another."""
        if isinstance(other, cls):
            return other
        return cls(**{field.name: getattr(other, field.name) for field in fields(other)})

    @classmethod
    def from_tables(cls, folder: str | os.PathLike[str]) -> Profile:
        """Read the profile that `save_tables` wrote to a folder."""
        from tfprof.loaders.parquet.profile_tables import read_tables

        return cls.from_columns(read_tables(folder))

    @property
    def attributed_share(self) -> float:
        """The share of recorded time that belongs to nodes of the graph or of its functions."""
        return attributed_share(self)

    @property
    def totals(self) -> TimeTotals:
        """Time of the steps: elapsed, busy on each device, summed over ops, and attributed."""
        return time_totals(self)

    def add_step(self, step: int, run_meta: MessageLike, *, compat: bool | None = None) -> Profile:
        """A profile with the records of a run added to a step."""
        quirks = quirks_for(self._is_compat(compat))
        return Profile.from_columns(add_run(self, step, run_meta, quirks))

    def _is_compat(self, compat: bool | None) -> bool:
        """What the caller says, or else what the profile was loaded with."""
        return self.compat if compat is None else compat

    def report(
        self,
        view: str = "scope",
        options: Mapping[str, Any] | Options | None = None,
        *,
        compat: bool | None = None,
        **more: Any,
    ) -> Report:
        """The report of a view; options as Options, a dict or keyword arguments.

        Nothing is written: `output` is for `Report.write`.
        """
        request = parse_request(view, options, compat=self._is_compat(compat), **more)
        refuse_output(request.options)
        return report_on(self, request)

    def advise(self, checkers: CheckerSelection = None, *, compat: bool | None = None) -> Advice:
        """What `tfprof advise` prints: the findings of all checkers, or of those named."""
        from tfprof.advisor import advise

        return advise(self, checkers, compat=self._is_compat(compat))

    def summary(self) -> Summary:
        """What `tfprof summary` prints: what was loaded, and what costs most."""
        from tfprof.api.summarize import summarize

        return summarize(self)

    def memory(self, bind: Mapping[str, int] | None = None) -> MemoryPrediction:
        """The memory of a step at given sizes, such as `{"B": 64}`: `tfprof fit` prints it.

        From the traced steps, scaled by the shapes of the graph; without any from the graph alone.
        """
        from tfprof.memory.prediction import predict_memory

        return predict_memory(self, bind)

    def live_tensors(
        self, *, step: int = -1, at: int | str = -1, top: int | None = None
    ) -> list[LiveTensor]:
        """The tensors that are live at the recorded peak, or at a time, the largest first.

        Of several memory pools it is the one that holds the most then. `top` limits their number.
        """
        from tfprof.memory.live_tensors import find_live_tensors

        check_count("step", step, -1)
        if top is not None:
            check_count("top", top, 0)
        return find_live_tensors(self, step=step, at=check_time("at", at), top=top)

    def sql(self, query: str) -> SqlResult:
        """The rows of a SELECT on the tables of the profile, which docs/sql.md lists.

        It needs DuckDB: `pip install 'tfprof[sql]'`. A query reads no file and no network.
        """
        from tfprof.outputs.row_table import row_table
        from tfprof.sql.query import run_query
        from tfprof.sql.tables import table_makers
        from tfprof.views import VIEWS

        reports = {
            f"{view}_report": lambda view=view: row_table(
                self.report(view, compat=False, max_depth=ALL_LEVELS)
            )
            for view in VIEWS
        }
        return run_query({**table_makers(resolve(self, REPAIRED)), **reports}, query)

    def save_tables(self, folder: str | os.PathLike[str]) -> None:
        """Write the tables to a folder, one Parquet file each."""
        from tfprof.outputs.profile_tables import save_tables

        save_tables(self, check_path("folder", folder))

    def save_page(self, path: str | os.PathLike[str], *, command: str = UNKNOWN_COMMAND) -> None:
        """Write a page with all views that opens in any browser, offline.

        `command` is how the profile is opened on the command line, for the commands it shows.
        """
        from tfprof.outputs.files import write_file
        from tfprof.outputs.html.writer import page_bytes

        file = check_path("path", path)
        settings = page_settings(check_text("command", command), file)
        page = page_bytes(self.report("scope", compat=False), settings, given=False)
        write_file(file, page)

    def serialize(self, *, compat: bool | None = None) -> bytes:
        """The profile as the bytes of a ProfileProto."""
        from tfprof.outputs.protobuf.profile_proto import serialize_profile

        return serialize_profile(self, quirks_for(self._is_compat(compat)))
