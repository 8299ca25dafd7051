"""The files that a command line names, read into a profile."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfprof.cli.parser import Flag
from tfprof.cli.screen import Screen
from tfprof.errors import OptionError

if TYPE_CHECKING:
    from tfprof.profiles.profile import Profile

__all__ = ["INPUTS", "load_profile", "path_of", "sources"]

INPUTS: dict[str, Flag] = {
    flag.name: flag
    for flag in (
        Flag("graph_path", "path", "the model: a GraphDef or a SavedModel folder", "PATH"),
        Flag("run_meta_path", "paths", "RunMetadata of traced steps 0, 1, 2…", "FILE,…"),
        Flag("op_log_path", "path", "own types, float operations, code traces", "FILE"),
        Flag("checkpoint_path", "path", "values and shapes of variables", "PREFIX"),
        Flag("profile_path", "path", "all of the above in one ProfileProto", "FILE"),
        Flag("demo", "switch", "the profile that comes along: a 32-layer ResNet"),
    )
}


def sources(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """What to load, as `tfprof.load` calls it; nothing if no input was named."""
    given = {name: values[name] for name in INPUTS if values.get(name)}
    if not given:
        return None
    if "demo" in given:
        if len(given) > 1:
            other = next(name for name in given if name != "demo")
            raise OptionError(f"--demo brings its own files; leave out --{other}")
        from tfprof import demo

        return dict(demo.paths())
    if "profile_path" in given:
        for other in ("graph_path", "run_meta_path"):
            if other in given:
                raise OptionError(f"--profile_path holds it all; leave out --{other}")
    found = {}
    for name, value in given.items():
        paths = [path_of(path) for path in ([value] if isinstance(value, str) else value)]
        found[name.removesuffix("_path")] = paths if INPUTS[name].kind == "paths" else paths[0]
    return found


def path_of(text: str) -> Path:
    """A path as it is typed; what stands for a home that nobody has stands for itself."""
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
        joined = "" if compat else f", {_joined(profile.attributed_share)}"
        screen.note(f"run graph coverage: {profile.coverage:.2f}{joined}")
    return profile


def _joined(share: float) -> str:
    # Never 100.0% of what is not all.
    percent = min(round(100 * share, 1), 99.9) if share < 1 else 100
    return f"{percent:g}% of the time joins a node of the graph"


@contextlib.contextmanager
def _progress(screen: Screen) -> Iterator[None]:
    """A sign of life on a terminal, gone when it is done."""
    if not screen.lively:
        yield
        return
    from rich.console import Console
    from rich.status import Status

    with Status("Reading files…", console=Console(file=screen.err, stderr=True)):
        yield
