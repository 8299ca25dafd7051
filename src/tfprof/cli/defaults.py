"""The values that options have until they are given: they suit what is loaded and selected.

With `--compat` they are the original's, whatever is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfprof.cli.parser import join_list
from tfprof.definitions.options import OPTIONS, Options

_ARCHITECTURE = ("params", "tensor_value")
_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
_HOUSEKEEPING = (r"IsVariableInitialized_[0-9]+", r"save\/.*", r"^zeros[0-9_]*")
_WITHOUT_RUNS = Options(select=("params",))
_WITH_RUNS = Options(select=("micros",))
_SHALLOW = 4

_ONLY = f"while only {' and '.join(_ARCHITECTURE)} are selected"
ADAPTED: dict[str, str] = {
    "select": f"{join_list(_WITH_RUNS.select)}; "
    f"{join_list(_WITHOUT_RUNS.select)} when no run metadata is loaded",
    "account_type_regexes": f".*; {join_list(_VARIABLES)} {_ONLY}",
    "max_depth": f"{OPTIONS['max_depth'].default}; {_SHALLOW} {_ONLY}",
    "hide_name_regexes": join_list(_HOUSEKEEPING),
}
"""How the defaults that are not the original's come about."""


def options_for(given: Mapping[str, Any], *, has_runs: bool, compat: bool) -> Options:
    """Given values, each checked, and suitable defaults for the rest."""
    if compat:
        return Options().changed(given)
    options = (_WITH_RUNS if has_runs else _WITHOUT_RUNS).changed(given)
    defaults: dict[str, Any] = {"hide_name_regexes": _HOUSEKEEPING}
    if options.select and set(options.select) <= set(_ARCHITECTURE):
        defaults |= {"account_type_regexes": _VARIABLES, "max_depth": _SHALLOW}
    return options.changed({**defaults, **given})


def default_text(name: str) -> str:
    """What help says of an option's default."""
    if name in ADAPTED:
        return ADAPTED[name]
    default = OPTIONS[name].default
    if isinstance(default, bool):
        return str(default).lower()
    return join_list(default) if isinstance(default, tuple) else str(default)
