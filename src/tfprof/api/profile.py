"""The profile as users have it: the columns, and the next stages as methods.

Stages that the views do not need are imported when they are used: the command should start without
them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tfprof.api.report import Report
from tfprof.api.request import parse_request, report_on
from tfprof.definitions.options import Options
from tfprof.definitions.quirks import quirks_for
from tfprof.loaders.messages import MessageLike
from tfprof.profiles import profile as columns
from tfprof.recording.build_profile import add_run
from tfprof.resolve import attributed_share

if TYPE_CHECKING:
    from tfprof.advisor import Advice, CheckerSelection


class Profile(columns.Profile):
    """Everything known of a model; it never changes."""

    @classmethod
    def of(cls, other: columns.Profile) -> Profile:
        """A profile with the columns of another."""
        if isinstance(other, cls):
            return other
        return cls(**{field.name: getattr(other, field.name) for field in fields(other)})

    @classmethod
    def from_tables(cls, folder: str | os.PathLike[str]) -> Profile:
        """Read the profile that `save_tables` wrote to a folder."""
        from tfprof.loaders.parquet.profile_tables import read_tables

        return cls.of(read_tables(folder))

    @property
    def attributed_share(self) -> float:
        """The share of recorded time that belongs to nodes of the graph or of its functions."""
        return attributed_share(self)

    def add_step(self, step: int, run_meta: MessageLike, *, compat: bool = False) -> Profile:
        """A profile with the records of a run added to a step."""
        return Profile.of(add_run(self, step, run_meta, quirks_for(compat)))

    def report(
        self,
        view: str = "scope",
        options: Mapping[str, Any] | Options | None = None,
        *,
        compat: bool = False,
        **more: Any,
    ) -> Report:
        """The report of a view; options as Options, a dict or keyword arguments."""
        return report_on(self, parse_request(view, options, compat=compat, **more))

    def advise(self, checkers: CheckerSelection = None, *, compat: bool = False) -> Advice:
        """What `tfprof advise` prints: the findings of all checkers, or of those named."""
        from tfprof.advisor import advise

        return advise(self, checkers, compat=compat)

    def save_tables(self, folder: str | os.PathLike[str]) -> None:
        """Write the tables to a folder, one Parquet file each."""
        from tfprof.outputs.profile_tables import save_tables

        save_tables(self, folder)

    def serialize(self, *, compat: bool = False) -> bytes:
        """The profile as the bytes of a ProfileProto."""
        from tfprof.outputs.protobuf.profile_proto import serialize_profile

        return serialize_profile(self, quirks_for(compat))
