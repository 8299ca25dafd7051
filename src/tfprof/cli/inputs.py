"""The files that a command line names, read into a profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfprof import demo
from tfprof.api.screen import Screen
from tfprof.cli.parser import Flag
from tfprof.definitions.quirks import quirks_for
from tfprof.definitions.units import format_share
from tfprof.errors import LoadError, OptionError
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
    "demo": Flag(
        "demo",
        "switch",
        "bundled sample: a ResNet; --demo keras: model.fit",
        "NAME",
        choices=demo.NAMES,
    ),
    "bind": Flag("bind", "sizes", "sizes of symbols in float operations, such as B=32", "NAME=N,…"),
}
_MAX_DIGITS = 18
_UNTRACED = "has no records; trace the step with RunOptions(trace_level=FULL_TRACE)"


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
        name = values["demo"]
        return {**demo.paths(demo.DEFAULT if name is True else name), **bind}
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
    sizes: dict[str, int] = {}
    for item in filter(None, text.split(",")):
        name, _, number = item.partition("=")
        if not name or not number.isascii() or not number.isdigit() or len(number) > _MAX_DIGITS:
            raise OptionError(f"option 'bind': '{item}' is not a size such as B=8")
        size = int(number)
        if sizes.setdefault(name, size) != size:
            raise OptionError(
                f"option 'bind': {name} is given as {sizes[name]} and as {size}; give one of them"
            )
    return sizes


def path_of(text: str) -> Path:
    """A path as it is typed, `~` expanded."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)


def load_profile(arguments: Mapping[str, Any], screen: Screen, *, compat: bool) -> Profile:
    """Read the files, saying on stderr how much of the graph the runs cover."""
    with screen.working("reading files"):
        import tfprof

        profile = tfprof.load(**arguments, compat=compat)
    with screen.working("counting float operations"):
        from tfprof.flops.node_flops import check_bind

        check_bind(profile, quirks_for(compat))
    if not (compat or len(profile.nodes)):
        raise LoadError(_describe_nothing(arguments))
    screen.info(*_describe_runs(profile, arguments, compat=compat))
    return profile


def _describe_nothing(arguments: Mapping[str, Any]) -> str:
    """Why nothing can be shown of what was loaded."""
    if "run_meta" in arguments:
        return f"{arguments['run_meta'][0]}: {_UNTRACED}"
    if "op_log" in arguments:
        return f"{arguments['op_log']}: an op log has no nodes; give the graph too (--graph_path)"
    path = next(iter(arguments.values()))
    return f"{path}: a profile without nodes; add a graph or a step before it is saved"


def _describe_runs(
    profile: Profile, arguments: Mapping[str, Any], *, compat: bool
) -> Iterator[str]:
    """What to say of the runs that were loaded."""
    if compat:
        if profile.records:
            from tfprof.profiles.executions import record_warnings

            yield from record_warnings(profile, quirks_for(compat))
            yield f"run graph coverage: {profile.coverage:.2f}"
        return
    if not any(map(len, profile.records)):
        if "run_meta" in arguments:
            yield f"{arguments['run_meta'][0]}: {_UNTRACED}"
        return
    if profile.trace:
        yield profile.trace.describe()
    if not profile.nodes.in_graph.any():
        yield "no graph loaded: give --graph_path to see params, float_ops and what did not run"
        return
    from tfprof.resolve import executed_share

    yield (
        f"{executed_share(profile):.0%} of graph nodes executed, "
        f"{format_share(profile.attributed_share)} of traced time attributed to graph nodes"
    )
