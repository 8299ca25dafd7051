"""Complete the names in a profile from a prefix, by bisection."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from tfprof.definitions.quirks import REPAIRED

if TYPE_CHECKING:
    from tfprof.profiles.profile import Profile

LIMIT = 200


def names_to_complete(profile: Profile, view: str, option: str) -> tuple[str, ...]:
    """What the regexes of an option are matched with in a view, sorted."""
    from tfprof.resolve import resolve

    profile = resolve(profile, REPAIRED)
    if option == "account_type_regexes":
        return profile.memoize("names of types", lambda: _types(profile))
    if view == "code":
        return profile.memoize("names of files", lambda: _files(profile))
    if view == "op":
        return profile.memoize("names of ops", lambda: _distinct(profile.nodes.op.unique()))
    return profile.memoize("names of nodes", lambda: _distinct(profile.nodes.name))


def _distinct(column: object) -> tuple[str, ...]:
    return tuple(sorted(filter(None, column.to_pylist())))  # type: ignore[attr-defined]


def _types(profile: Profile) -> tuple[str, ...]:
    extra = profile.type_name.unique().to_pylist()
    return tuple(sorted({*profile.nodes.op.unique().to_pylist(), *extra, *profile.devices} - {""}))


def _files(profile: Profile) -> tuple[str, ...]:
    from tfprof.views import view_of

    frames = view_of(profile, "code", REPAIRED).name[1:].unique().to_pylist()
    return tuple(sorted({name.partition(":")[0] for name in frames} - {""}))


def complete_name(names: tuple[str, ...], prefix: str) -> list[str]:
    """Names that start with a prefix, one scope at a time; else names that contain it."""
    matches = list(islice(_steps(names, prefix), LIMIT))
    if matches or not prefix:
        return matches
    return list(islice((name for name in names if prefix in name), LIMIT))


def _steps(names: tuple[str, ...], prefix: str) -> Iterator[str]:
    """The next scope or whole name after a prefix."""
    i = bisect_left(names, prefix)
    while i < len(names) and names[i].startswith(prefix):
        name = names[i]
        slash = name.find("/", len(prefix))
        # A device begins with a slash and is no scope.
        if slash <= 0 or name.startswith("/"):
            yield name
            i += 1
            continue
        scope = name[: slash + 1]
        yield scope
        i = bisect_left(names, scope[:-1] + "0", i)  # what follows a slash in order
