"""The values that options have until they are given: they suit what is loaded and selected.

With `--compat` they are the original's, whatever is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfprof.definitions.metrics import LIST_VIEWS, METRICS, default_order
from tfprof.definitions.options import OPTIONS, VARIABLE_OP_TYPES, Options, join_list

_ARCHITECTURE = ("params", "tensor_value")
_HOUSEKEEPING = (r"IsVariableInitialized_[0-9]+", r"save\/.*", r"^zeros[0-9_]*")
_SHALLOW = 4

_ONLY = f"while only {' and '.join(_ARCHITECTURE)} are selected"
ADAPTED: dict[str, str] = {
    "select": "the metrics of -min_… and -order_by; without them micros, or when no run metadata "
    "is loaded float_ops, in scope view params",
    "account_type_regexes": f".*; {join_list(VARIABLE_OP_TYPES)} {_ONLY}",
    "max_depth": f"{OPTIONS['max_depth'].default}; {_SHALLOW} {_ONLY}",
    "hide_name_regexes": join_list(_HOUSEKEEPING),
    "order_by": f"{OPTIONS['order_by'].default}; "
    f"in {' and '.join(LIST_VIEWS)} view the first selected metric, the largest first",
}
"""How the defaults that are not the original's come about."""


OVERVIEW_METRICS = {
    "scope": ("micros", "params", "float_ops"),
    "graph": ("micros", "float_ops", "params"),
    "op": ("micros", "float_ops", "params", "occurrence"),
    "code": ("micros", "float_ops", "params"),
}
"""What a view without options shows: the first of these that is not zero."""


def _default_select(given: Mapping[str, Any], *, has_runs: bool, view: str) -> tuple[str, ...]:
    """The metrics that other options ask for, or the one that suits what is loaded."""
    minima = [OPTIONS[name].metric for name in given if name in OPTIONS and given[name]]
    asked = [given.get("order_by"), *minima]
    metrics = tuple(dict.fromkeys(name for name in asked if name in METRICS))
    if metrics:
        return metrics
    if has_runs:
        return ("micros",)
    return ("params",) if view in ("", "scope") else ("float_ops",)


def options_for(
    given: Mapping[str, Any], *, has_runs: bool, compat: bool, view: str = ""
) -> Options:
    """Given values, each checked, and defaults for the rest that suit the view, if there is one."""
    if compat:
        return Options().with_values(given)
    select = _default_select(given, has_runs=has_runs, view=view)
    options = Options(select=select).with_values(given)
    defaults: dict[str, Any] = {
        "hide_name_regexes": _HOUSEKEEPING,
        "order_by": default_order(view, options.select),
    }
    if options.select and set(options.select) <= set(_ARCHITECTURE):
        defaults |= {"account_type_regexes": VARIABLE_OP_TYPES, "max_depth": _SHALLOW}
    return options.with_values({**defaults, **given})


def default_text(name: str) -> str:
    """What help says of an option's default."""
    if name in ADAPTED:
        return ADAPTED[name]
    default = OPTIONS[name].default
    if isinstance(default, bool):
        return str(default).lower()
    return join_list(default) if isinstance(default, tuple) else str(default)
