"""Which line of code of one report is which of another: by file, function and text.

Lines of a function are compared as sequences of their texts, so that a line keeps its partner when
others are added before it. A line whose text changed between two that did not is an edited one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import PurePosixPath

import numpy as np

from tfprof.diffs.child_lookup import ChildLookup, by_depth
from tfprof.profiles.schema import Array
from tfprof.reports.report import Report
from tfprof.views.view import Frame

SAME, MOVED, EDITED = range(3)
"""How lines were matched."""
_SIMILAR = 0.6
_MAX_LINE_PAIRS = 20_000_000
"""How many pairs of lines are compared; names decide in functions that are too long."""
_MAX_CHARACTER_PAIRS = 50_000_000
"""How many pairs of characters of edited lines are compared."""


def match_lines(before: Report, after: Report, *, strict: bool) -> tuple[Array, Array]:
    """The row after of each row before, -1 for none, and how: same, moved or edited.

    A row has the partner that its line has below the partner of its caller.
    """
    (lines, line), (others, other) = _lines(before), _lines(after)
    ids = {frame.name: i for i, frame in enumerate(others)}
    partner_line = np.array([ids.get(frame.name, -1) for frame in lines], np.int64)
    how = np.full(len(lines), SAME)
    if not strict:
        for first, second in _match_functions(lines, others):
            partner_line[first] = second
            same_text = lines[first].text == others[second].text
            same = lines[first].name == others[second].name
            how[first] = SAME if same else MOVED if same_text else EDITED
    lookup = ChildLookup(after.tree.parent, other)
    partner = np.full(len(before), -1, np.int64)
    partner[0] = 0
    for _, rows in by_depth(before.tree.depth, np.arange(1, len(before))):
        below = partner[before.tree.parent[rows]]
        child = lookup.find(np.maximum(below, 0), partner_line[line[rows]])
        partner[rows] = np.where(below >= 0, child, -1)
    return partner, how[line]


def _lines(report: Report) -> tuple[list[Frame], Array]:
    """The lines of a report, each name once, and the line of each row."""
    frames = report.view.frames
    assert frames is not None
    ids: dict[bytes, int] = {}
    used, index = np.unique(frames.index[report.view_positions], return_inverse=True)
    lines: list[Frame] = []
    line_of = []
    for frame in (frames.distinct[i] for i in used.tolist()):
        if frame.name not in ids:
            ids[frame.name] = len(lines)
            lines.append(frame)
        line_of.append(ids[frame.name])
    return lines, np.array(line_of, np.int64)[index]


def _match_functions(lines: Sequence[Frame], others: Sequence[Frame]) -> Iterator[tuple[int, int]]:
    """Pairs of lines of the same function."""
    files = _match_files({line.file for line in lines}, {line.file for line in others})
    functions: dict[tuple[str, str], list[int]] = {}
    for i, line in enumerate(others):
        functions.setdefault((line.file, line.function), []).append(i)
    groups: dict[tuple[str, str], list[int]] = {}
    for i, line in enumerate(lines):
        groups.setdefault((files.get(line.file, ""), line.function), []).append(i)
    matcher = _SequenceMatcher(lines, others)
    for key, members in groups.items():
        if key in functions:
            yield from matcher.match(
                sorted(members, key=lambda i: lines[i].line),
                sorted(functions[key], key=lambda i: others[i].line),
            )


def _match_files(files: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """The file after of each file before: of the same path, or of the same name and folders."""
    known = set(others)
    matched = {file: file for file in files if file in known}
    by_name: dict[str, list[str]] = {}
    for file in sorted(known - matched.keys()):
        by_name.setdefault(PurePosixPath(file).name, []).append(file)
    ends = {name: _EndLookup(candidates) for name, candidates in by_name.items()}
    for file in sorted(set(files) - matched.keys()):
        name = PurePosixPath(file).name
        if name in ends:
            matched[file] = ends[name].find(file)
    return matched


class _EndLookup:
    """Finds the first of some sorted paths that shares most of its last components with another."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = files
        self._root = _PathEnd(0)
        for index, file in enumerate(files):
            end = self._root
            for part in reversed(file.split("/")):
                end = end.longer.setdefault(part, _PathEnd(index))

    def find(self, file: str) -> str:
        """The path for a file."""
        end = self._root
        for part in reversed(file.split("/")):
            if part not in end.longer:
                break
            end = end.longer[part]
        return self._files[end.first]


@dataclass(slots=True)
class _PathEnd:
    """The last components of paths: the first path that has them, and the ends that are longer."""

    first: int
    longer: dict[str, _PathEnd] = field(default_factory=dict)


class _SequenceMatcher:
    """Matches the lines of functions, as far as there is time."""

    def __init__(self, lines: Sequence[Frame], others: Sequence[Frame]) -> None:
        self._lines = lines, others
        self._line_pairs, self._character_pairs = _MAX_LINE_PAIRS, _MAX_CHARACTER_PAIRS

    def match(self, first: Sequence[int], second: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Pairs of lines of one function, in its order."""
        texts = [
            [_text(side[i]) for i in indices]
            for side, indices in zip(self._lines, (first, second), strict=True)
        ]
        if not (all(texts[0]) and all(texts[1])):
            return  # without texts only names can be compared
        if not self._has_time(*texts):
            return
        matcher = SequenceMatcher(None, texts[0], texts[1], autojunk=False)
        for change, i, i_end, j, j_end in matcher.get_opcodes():
            if change == "equal":
                yield from zip(first[i:i_end], second[j:j_end], strict=True)
            elif change == "replace" and i_end - i == j_end - j:
                for a, b in zip(range(i, i_end), range(j, j_end), strict=True):
                    if self._is_similar(texts[0][a], texts[1][b]):
                        yield first[a], second[b]

    def _has_time(self, first: Sequence[str], second: Sequence[str]) -> bool:
        """Whether two functions can be compared: each equal pair is seen up to once per match."""
        counts, others = Counter(first), Counter(second)
        equal = sum(count * others[text] for text, count in counts.items())
        shorter, longer = sorted((len(first), len(second)))
        pairs = shorter * (longer + equal)
        if pairs > self._line_pairs:
            return False
        self._line_pairs -= pairs
        return True

    def _is_similar(self, text: str, other: str) -> bool:
        pairs = len(text) * len(other)
        if pairs > self._character_pairs:
            return False
        self._character_pairs -= pairs
        return SequenceMatcher(None, text, other).ratio() >= _SIMILAR


def _text(line: Frame) -> str:
    """What a line is compared by: its text, or else its distance from the head of its function."""
    if line.text:
        return line.text
    return f"+{line.line - line.function_line}" if line.function_line > 0 else ""
