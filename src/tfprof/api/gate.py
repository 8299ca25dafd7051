"""The function `gate`: two sides from files or profiles, and the verdict on a budget."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tfprof.api.functions import load
from tfprof.api.profile import Profile
from tfprof.definitions.quirks import REPAIRED
from tfprof.errors import LoadError
from tfprof.flops.layer_table import model
from tfprof.flops.node_flops import check_bind
from tfprof.gates.budget import Budget, parse_budget, read_budget
from tfprof.gates.judge import judge
from tfprof.gates.sides import Side, Sides
from tfprof.gates.verdict import Verdict
from tfprof.gates.write_budget import write_budget
from tfprof.loaders import LOADERS, find_loader
from tfprof.loaders.files import is_directory, is_file, read_file, read_head
from tfprof.loaders.message_kinds import HEAD_SIZE
from tfprof.loaders.xplane.folders import ABOUT, PAIR, SIDES

Source = str | os.PathLike[str] | Profile | Sequence[str | os.PathLike[str]]
"""What a side is: a file or a folder, several files of one profile, or a profile."""

_PATH = (str, os.PathLike)
_MODELS = ("SavedModel", "GraphDef")
"""The formats whose layers are known."""


def gate(
    base: Source,
    head: Source | None = None,
    *,
    budget: str | os.PathLike[str] | Mapping[str, Any],
    bind: Mapping[str, int] | None = None,
) -> Verdict:
    """Compare a base and a head with a budget: a TOML file, or a dict like it.

    A folder that `tfprof.capture_pair` wrote is both. One other input is the head, if no limit
    is relative. A folder with a capture of each of several processes is one side.
    """
    limits = parse_budget(budget) if isinstance(budget, Mapping) else read_budget(budget)
    sizes = {**limits.bind, **(bind or {})}
    return judge(load_sides(base, head, sizes), Budget(limits.entries, sizes, limits.path))


def budget_from(source: Source, bind: Mapping[str, int] | None = None) -> str:
    """The text of a budget file that has the numbers of a profile as limits."""
    sides = load_sides(source, None, bind or {})
    return write_budget(sides.head, bind or {})


def load_sides(base: Source, head: Source | None, bind: Mapping[str, int]) -> Sides:
    """Read base and head, or both of a pair."""
    folder = _pair_folder(base, head)
    if folder is not None:
        about = _read_pair(folder)
        both = [_load_side(folder / side, bind) for side in SIDES]
        return Sides(both[0], both[1], about)
    if head is None:
        return Sides(None, _load_side(base, bind))
    return Sides(_load_side(base, bind), _load_side(head, bind))


def _pair_folder(base: Source, head: Source | None) -> Path | None:
    """The folder of a pair, given as one or by both of its sides."""
    if not isinstance(base, _PATH):
        return None
    if head is None:
        return Path(base) if is_file(Path(base) / PAIR) else None
    if not isinstance(head, _PATH):
        return None
    paths = [Path(side).absolute() for side in (base, head)]
    is_pair = paths[0].parent == paths[1].parent and tuple(p.name for p in paths) == SIDES
    return paths[0].parent if is_pair and is_file(paths[0].parent / PAIR) else None


def _read_pair(folder: Path) -> dict[str, float | None]:
    try:
        about = json.loads(read_file(folder / PAIR, "a pair of captures"))
        steps, busy = about["steps"], about["busy"]
    except (LookupError, RecursionError, TypeError, ValueError):
        steps, busy = None, None
    is_share = busy is None or (isinstance(busy, (int, float)) and 0 <= busy <= 1)
    if type(steps) is not int or not is_share:
        raise LoadError(f"{folder / PAIR}: not written by tfprof.capture_pair; capture it again")
    return {"steps": steps, "busy": busy}


def _load_side(source: Source, bind: Mapping[str, int]) -> Side:
    if isinstance(source, Profile):
        return Side(repr(source), (_checked(source, repr(source)),))
    if not isinstance(source, _PATH):
        label = ",".join(os.fspath(path) for path in source)
        return Side(label, (_checked(load(*source, bind=bind), label),))
    path = Path(source)
    label = os.fspath(source)
    processes = _find_processes(path)
    if processes:
        profiles = [_checked(load(one, bind=bind), str(one)) for one in processes]
        return Side(label, tuple(profiles))
    profile = _checked(load(path, bind=bind), label)
    loader = find_loader(path, read_head(path, HEAD_SIZE))
    if loader is None or loader.name not in _MODELS:
        return Side(label, (profile,))
    return Side(label, (profile,), lambda: model(path, bind=bind).layers)


def _checked(profile: Profile, label: str) -> Profile:
    check_bind(profile, REPAIRED)
    if not len(profile.nodes):
        raise LoadError(f"{label}: a profile without nodes; there is nothing to compare")
    return profile


def _find_processes(path: Path) -> list[Path]:
    """The captures, tables and saved profiles in a folder that is none itself, one per process."""
    if not is_directory(path) or is_file(path / ABOUT) or is_directory(path / "plugins"):
        return []
    wholes = [loader for loader in LOADERS.values() if loader.provides in ("profile", "tables")]
    processes = []
    for item in sorted(path.iterdir()):
        head = read_head(item, HEAD_SIZE)
        if any(loader.recognize(item, head) for loader in wholes):
            processes.append(item)
    is_trace = all(item.name.endswith(".xplane.pb") for item in processes)
    return [] if len(processes) < 2 or is_trace else processes
