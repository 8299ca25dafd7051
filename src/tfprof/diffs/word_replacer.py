"""Replace words inside of names: renamed components that something is joined to by `_` or the like.

The words are a trie of their parts, runs of letters and digits and single other characters, so that
a name is read once, and each part of it only as far as a word goes on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tfprof.definitions.limits import MAX_WORD_PARTS

__all__ = ["WordReplacer"]

_PART = re.compile(r"[A-Za-z0-9]+|[^A-Za-z0-9]")
_ALPHANUMERIC = re.compile(r"[A-Za-z0-9]+")


@dataclass(slots=True)
class _Node:
    """What follows some parts of words, and what replaces the word that ends here."""

    following: dict[str, _Node] = field(default_factory=dict)
    replacement: str | None = None


class WordReplacer:
    """Replaces words in names, where no letter or digit is beside them; the longest one first."""

    def __init__(self, renamed: Mapping[str, str]) -> None:
        self._words = _Node()
        for word, replacement in renamed.items():
            parts = _PART.findall(word)
            if 0 < len(parts) <= MAX_WORD_PARTS:
                self._add(parts, replacement)

    def _add(self, parts: Sequence[str], replacement: str) -> None:
        node = self._words
        for part in parts:
            node = node.following.setdefault(part, _Node())
        node.replacement = replacement

    def replace(self, name: str) -> str | None:
        """A name with all words replaced; None if that is the same name."""
        parts = _PART.findall(name)
        is_word = [bool(_ALPHANUMERIC.match(part)) for part in parts] + [False]
        replaced, i = [], 0
        while i < len(parts):
            end, text = i + 1, parts[i]
            if i == 0 or not is_word[i - 1]:
                end, text = self._longest(parts, is_word, i)
            replaced.append(text)
            i = end
        changed = "".join(replaced)
        return None if changed == name else changed

    def _longest(
        self, parts: Sequence[str], is_word: Sequence[bool], first: int
    ) -> tuple[int, str]:
        """The end of the longest word from a part on and what replaces it, or else the part."""
        node, found = self._words, (first + 1, parts[first])
        for end, part in enumerate(parts[first : first + MAX_WORD_PARTS], first + 1):
            following = node.following.get(part)
            if following is None:
                break
            node = following
            if node.replacement is not None and not is_word[end]:
                found = end, node.replacement
        return found
