"""Values that are computed when they are first read, without a lock.

Before Python 3.12 `functools.cached_property` holds a lock of the whole class while it computes: a
process that is forked meanwhile never gets it. Two threads may compute a value here; all values in
tfprof are immutable, so that it does not matter which one stays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

_T = TypeVar("_T")


class cached_property(Generic[_T]):  # noqa: N801 - as that of functools
    """A property that is computed once, and then is an attribute of the instance."""

    def __init__(self, function: Callable[[Any], _T]) -> None:
        self._function = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> cached_property[_T]: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> _T: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> Any:
        if instance is None:
            return self
        # The attribute hides this descriptor, which has no __set__, from then on.
        return vars(instance).setdefault(self._name, self._function(instance))
