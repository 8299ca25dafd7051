"""Dicts that know other names of their keys, and suggest a name for one that they do not have."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

_Value = TypeVar("_Value")
_LONGEST, _MANY, _ALIKE = 100, 2000, 2


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` when something known is close to a word, else nothing."""
    names = list(known)
    if len(names) > _MANY:
        # Comparing all would take seconds: only those that begin alike.
        names = [name for name in names if name[:_ALIKE] == word[:_ALIKE]][:_MANY]
    # A word far longer than all is close to none of them, and comparing it would take long.
    close = difflib.get_close_matches(word[:_LONGEST], names, n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


class Lookup(dict[str, _Value]):
    """A dict by name. `what` says what is looked up; `find` gives the key of another name."""

    def __init__(
        self,
        items: Mapping[str, _Value],
        what: str,
        find: Callable[[str], str | None] = lambda _: None,
        others: Iterable[str] = (),
    ) -> None:
        """`others` are names that are suggested beside the keys."""
        super().__init__(items)
        self._what, self._find, self._others = what, find, others

    def __missing__(self, name: str) -> _Value:
        key = self._find(name) if isinstance(name, str) else None
        if key is None or key not in self.keys():
            hint = did_you_mean(str(name), (*self, *self._others))
            raise KeyError(f"there is no {self._what} '{name}'{hint}")
        return self[key]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (
            isinstance(name, str) and self._find(name) in self.keys()
        )

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a name, or a default."""
        try:
            return self[name]
        except KeyError:
            return default

    def __reduce__(self) -> tuple[Any, ...]:
        """A plain dict, for a copy in another process."""
        return dict, (dict(self),)
