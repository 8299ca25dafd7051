"""The files that a command line names, read into a profile."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfprof.api.screen import Screen
from tfprof.cli.parser import Flag
from tfprof.errors import OptionError
from tfprof.loaders import LOADERS, PARTS, assign_inputs, check_inputs

if TYPE_CHECKING:
    from tfprof.api.profile import Profile


def _input_flags() -> Iterator[Flag]:
    """A flag for each part of a profile, with the formats that it takes."""
    for part, (flag, about) in PARTS.items():
        names = [loader.name for loader in LOADERS.values() if loader.flag == flag]
        kind, value = ("paths", "PATH,…") if part == "run_meta" else ("path", "PATH")
        yield Flag(flag, kind, f"{about}: {', '.join(names)}", value)


INPUTS: dict[str, Flag] = {
    **{flag.name: flag for flag in _input_flags()},
    "demo": Flag("demo", "switch", "bundled sample profile: a 32-layer ResNet"),
}


def sources(values: Mapping[str, Any], paths: Sequence[str] = ()) -> dict[str, Any] | None:
    """What to load, as `tfprof.load` calls it, from flags and paths; nothing if there are none."""
    given = {name: values[name] for name in INPUTS if values.get(name)}
    if "demo" in given:
        others = [f"--{name}" for name in given if name != "demo"]
        for other in (*others, *paths):
            raise OptionError(f"--demo brings its own files; leave out {other}")
        from tfprof import demo

        return dict(demo.paths())
    found = assign_inputs([path_of(path) for path in paths])
    names = {part: str(value) for part, value in found.items()}
    for name, value in given.items():
        part, is_list = name.removesuffix("_path"), INPUTS[name].kind == "paths"
        if part in found and not is_list:
            raise OptionError(f"--{name} and {found[part]} are both a {part}; give only one")
        values_given = [path_of(path) for path in ([value] if isinstance(value, str) else value)]
        found[part] = values_given + found.get(part, []) if is_list else values_given[0]
        names[part] = f"--{name}"
    check_inputs(names)
    return found or None


def path_of(text: str) -> Path:
    """A path as it is typed, `~` expanded."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)


def load_profile(wanted: Mapping[str, Any], screen: Screen, *, compat: bool) -> Profile:
    """Read the files, saying on stderr how much of the graph the runs cover."""
    with _progress(screen):
        import tfprof

        profile = tfprof.load(**wanted, compat=compat)
    if profile.records:
        screen.info(_describe_runs(profile, compat=compat))
    return profile


def _describe_runs(profile: Profile, *, compat: bool) -> str:
    if compat:
        return f"run graph coverage: {profile.coverage:.2f}"
    # Never 100% of what is not all.
    share = profile.attributed_share
    percent = min(round(100 * share, 1), 99.9) if share < 1 else 100
    return (
        f"{profile.coverage:.0%} of graph nodes executed, "
        f"{percent:g}% of traced time attributed to graph nodes"
    )


@contextlib.contextmanager
def _progress(screen: Screen) -> Iterator[None]:
    """A sign of life on a terminal, gone when it is done."""
    if not screen.shows_progress:
        yield
        return
    from rich.console import Console
    from rich.status import Status

    with Status("Reading files…", console=Console(file=screen.err, stderr=True)):
        yield
