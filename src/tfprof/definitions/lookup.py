"""Dicts that know other names of their keys, and suggest a name for one that they do not have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from tfprof.definitions.options import did_you_mean

_Value = TypeVar("_Value")


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
