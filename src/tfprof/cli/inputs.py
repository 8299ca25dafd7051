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
    "bind": Flag("bind", "text", "sizes of symbols in float operations, such as B=32", "NAME=N,…"),
}
_MAX_DIGITS = 18


def load_arguments(values: Mapping[str, Any], paths: Sequence[str] = ()) -> dict[str, Any] | None:
    """The arguments of `tfprof.load` from flags and paths; nothing if there is nothing to load."""
    bind = {"bind": parse_bind(values["bind"])} if values.get("bind") else {}
    flags = [name for name in INPUTS if values.get(name) and name != "bind"]
    if not flags and not paths:
        return None
    if "demo" in flags:
        others = [*(f"--{name}" for name in flags if name != "demo"), *paths]
        if others:
            raise OptionError(f"--demo brings its own files; leave out {others[0]}")
        from tfprof import demo

        return {**demo.paths(), **bind}
    inputs = assign_inputs([path_of(path) for path in paths])
    names = {part: str(value) for part, value in inputs.items()}
    for name in flags:
        part, value = name.removesuffix("_path"), values[name]
        if INPUTS[name].kind == "paths":
            inputs[part] = [path_of(path) for path in value] + inputs.get(part, [])
        elif part in inputs:
            raise OptionError(f"--{name} and {inputs[part]} are both a {part}; give only one")
        else:
            inputs[part] = path_of(value)
        names[part] = f"--{name}"
    check_inputs(names)
    return {**inputs, **bind}


def parse_bind(text: str) -> dict[str, int]:
    """Sizes of symbols, such as `B=8,T=20`."""
    sizes = {}
    for item in filter(None, text.split(",")):
        name, _, number = item.partition("=")
        if not name or not number.isascii() or not number.isdigit() or len(number) > _MAX_DIGITS:
            raise OptionError(f"option 'bind': '{item}' is not a size such as B=8")
        sizes[name] = int(number)
    return sizes


def path_of(text: str) -> Path:
    """A path as it is typed, `~` expanded."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)


def load_profile(arguments: Mapping[str, Any], screen: Screen, *, compat: bool) -> Profile:
    """Read the files, saying on stderr how much of the graph the runs cover."""
    with _progress(screen):
        import tfprof

        profile = tfprof.load(**arguments, compat=compat)
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
    """A spinner on a terminal."""
    if not screen.shows_progress:
        yield
        return
    from rich.console import Console
    from rich.status import Status

    with Status("Reading files…", console=Console(file=screen.err, stderr=True)):
        yield
