"""The files that a command line names, read into a profile."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfprof.api.screen import Screen
from tfprof.cli.parser import Flag
from tfprof.errors import OptionError
from tfprof.loaders import assign_inputs, check_inputs

if TYPE_CHECKING:
    from tfprof.api.profile import Profile

__all__ = ["INPUTS", "load_profile", "path_of", "sources"]

INPUTS: dict[str, Flag] = {
    flag.name: flag
    for flag in (
        Flag("graph_path", "path", "the model: a GraphDef or a SavedModel folder", "PATH"),
        Flag("run_meta_path", "paths", "RunMetadata of traced steps 0, 1, 2…", "FILE,…"),
        Flag("op_log_path", "path", "custom op types, float operations, code traces", "FILE"),
        Flag("checkpoint_path", "path", "values and shapes of variables", "PREFIX"),
        Flag("profile_path", "path", "all of the above in one ProfileProto", "FILE"),
        Flag("demo", "switch", "the bundled sample profile: a 32-layer ResNet"),
    )
}


def sources(values: Mapping[str, Any], paths: Sequence[str] = ()) -> dict[str, Any] | None:
    """What to load, as `tfprof.load` calls it; nothing if no input was named."""
    given = {name: values[name] for name in INPUTS if values.get(name)}
    if not given and not paths:
        return None
    if "demo" in given:
        others = [f"--{name}" for name in given if name != "demo"] + list(paths)
        if others:
            raise OptionError(f"--demo brings its own files; leave out {others[0]}")
        from tfprof import demo

        return dict(demo.paths())
    inputs: dict[str, Any] = {}
    for name, value in given.items():
        files = [path_of(path) for path in ([value] if isinstance(value, str) else value)]
        inputs[name.removesuffix("_path")] = files if INPUTS[name].kind == "paths" else files[0]
    check_inputs({name.removesuffix("_path"): f"--{name}" for name in given})
    return assign_inputs([path_of(path) for path in paths], inputs) if paths else inputs


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
