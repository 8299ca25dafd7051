"""Which row of one report is which of another, and how they were matched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfprof.diffs.moved_lines import match_lines
from tfprof.diffs.scope_matches import match_scopes
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.schema import Array
from tfprof.reports.report import Report

MATCHES = ("name", "scope rename", "line moved", "line edited", "added", "removed")
"""How a row was matched, by number."""
NAME, RENAMED, MOVED, EDITED, ADDED, REMOVED = range(len(MATCHES))
GUESSES = (RENAMED, MOVED, EDITED)
"""What was not matched by name."""


@dataclass(frozen=True, slots=True)
class RowMatches:
    """The row after of each row before, -1 for none, and how they were matched.

    `renames` are pairs of names, before and after.
    """

    partner: Array
    kind: Array
    renames: tuple[tuple[str, str], ...] = ()


def match_rows(before: Report, after: Report, *, strict: bool = False) -> RowMatches:
    """Match the rows of two reports of one view; `strict` by name only."""
    if before.kind == "op":
        partner = index_in(before.name, after.name)
        return RowMatches(partner, np.full(len(before), NAME))
    if before.kind == "code":
        partner, kind = match_lines(before, after, strict=strict)
        return RowMatches(partner, np.array((NAME, MOVED, EDITED))[kind])
    return _match_nodes(before, after, strict=strict)


def _match_nodes(before: Report, after: Report, *, strict: bool) -> RowMatches:
    """Rows of scope and graph view; a row that is not shown in the other report has no partner."""
    matches = match_scopes(before.profile, after.profile, after.quirks, strict=strict)
    if before.kind == "scope":
        partner, guessed = matches.partner, matches.guessed
        rows, others = before.view_positions, after.view_positions
    else:
        partner, guessed = matches.partner_nodes()
        rows, others = before.node, after.node
        partner, guessed = np.append(partner, -1), np.append(guessed, False)
    row_of = np.full(int(max(partner.max(initial=0), others.max(initial=0))) + 2, -1, np.int64)
    row_of[others[1:]] = np.arange(1, len(after))
    row_of[-1] = -1
    row_partner = row_of[partner[rows]]
    row_partner[0] = 0
    return RowMatches(row_partner, np.where(guessed[rows], RENAMED, NAME), matches.renames)
