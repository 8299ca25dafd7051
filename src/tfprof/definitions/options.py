"""The options of a report: one frozen record, from which flags, dict keys and docs derive."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from tfprof.definitions.integers import INT32_MAX, wrap_integer
from tfprof.definitions.lookup import did_you_mean
from tfprof.definitions.metrics import DELTA, METRICS, known_metrics, orders
from tfprof.definitions.quirks import REPAIRED, Quirks
from tfprof.definitions.units import parse_time
from tfprof.errors import OptionError

Kind = Literal["integer", "order", "regexes", "flag", "select", "output", "text", "time"]
EVERYTHING = (".*",)
VARIABLE_OP_TYPES = ("Variable", "VariableV2", "VarHandleOp")
"""The op types of variables, of which the parameters of a model are counted."""
TRAINABLE_TYPE = "_trainable_variables"
"""The type that trainable variables have beside their op type."""
ALL_LEVELS = INT32_MAX
"""A `max_depth` that shows everything."""
_ITEM = re.compile(r"(?:\\.|[^,\\]|\\$)+", re.DOTALL)
_PAIR = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Option:
    """One row of `OPTIONS`: what is known of an option beside its value."""

    name: str
    kind: Kind
    default: Any
    summary: str
    extension: bool = False
    """Whether the original has no such option, so that compat output does not list it."""
    metric: str = ""
    """The metric that it derives from."""
    listed: bool = True
    """Whether lists of options always have it; otherwise they have it only where it is set."""

    @property
    def choices(self) -> tuple[str, ...]:
        """The values it takes, if there is a list of them."""
        if self.kind == "select":
            return tuple(METRICS)
        return orders() if self.kind == "order" else ()

    @property
    def help(self) -> str:
        """What it does, and its choices."""
        return f"{self.summary} {', '.join(self.choices)}".rstrip()


class _OptionTable(MutableMapping[str, Option]):
    """Options by name: fields of `Options`, `min_…` of all metrics, and what packages add."""

    def __init__(self, options: Iterable[Option]) -> None:
        self._rows = {option.name: option for option in options}

    def __getitem__(self, name: str) -> Option:
        return self._rows[name] if name in self._rows else _minimum_option(name)

    def __setitem__(self, name: str, option: Option) -> None:
        self._rows[name] = option

    def __delitem__(self, name: str) -> None:
        del self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._rows, *_minimum_names()]))

    def __len__(self) -> int:
        return len(list(iter(self)))


MINIMUM_FORMS = {
    "min_": "",
    "min_self_": " (self value)",
    "min_total_": " (inclusive value)",
}
"""The beginnings of the options that every metric with a minimum has, and what help adds."""


def _minimum_names() -> list[str]:
    """The `min_…`, `min_self_…` and `min_total_…` options of every metric that has them."""
    metrics = [name for name, metric in METRICS.items() if metric.minimum]
    return [f"{form}{name}" for form in MINIMUM_FORMS for name in metrics]


def _minimum_option(name: str) -> Option:
    """One of these options; a KeyError if it is none."""
    for form, note in MINIMUM_FORMS.items():
        metric = METRICS.get(name.removeprefix(form)) if name.startswith(form) else None
        if metric is not None and metric.minimum:
            return Option(
                name,
                "integer",
                0,
                f"show nodes that {metric.minimum}{note}",
                extension=metric.extension or bool(note),
                metric=metric.name,
                listed=not note,
            )
    raise KeyError(name)


def _option(
    default: Any, kind: Kind, summary: str, *, extension: bool = False, metric: str = ""
) -> Any:
    metadata = {"kind": kind, "summary": summary, "extension": extension, "metric": metric}
    return field(default=default, metadata=metadata)


def _minimum(metric: str) -> Any:
    option = _minimum_option(f"min_{metric}")
    return _option(0, option.kind, option.summary, extension=option.extension, metric=metric)


@dataclass(frozen=True, slots=True)
class Options:
    """How a report is accounted, filtered, sorted and written.

    `options[name]` is the value of any option. Those that have no field, because another package
    added them or their metric, are in `extra`.
    """

    max_depth: int = _option(
        10, "integer", "show nodes at most this many levels below the start of the tree"
    )
    min_bytes: int = _minimum("bytes")
    min_peak_bytes: int = _minimum("peak_bytes")
    min_residual_bytes: int = _minimum("residual_bytes")
    min_output_bytes: int = _minimum("output_bytes")
    min_micros: int = _minimum("micros")
    min_accelerator_micros: int = _minimum("accelerator_micros")
    min_cpu_micros: int = _minimum("cpu_micros")
    min_wall_micros: int = _minimum("wall_micros")
    min_params: int = _minimum("params")
    min_float_ops: int = _minimum("float_ops")
    min_macs: int = _minimum("macs")
    min_executed_float_ops: int = _minimum("executed_float_ops")
    min_live_bytes: int = _minimum("live_bytes")
    min_occurrence: int = _minimum("occurrence")
    step: int = _option(-1, "integer", "show this step; -1 is the average of all steps")
    at: int = _option(
        -1,
        "time",
        "show live_bytes at this time after the start of the step, such as 641ms; -1 is the peak",
        extension=True,
        metric="live_bytes",
    )
    since: int = _option(
        -1,
        "time",
        "count only what runs after this time of the step, such as 641ms; -1 is its start",
        extension=True,
    )
    until: int = _option(
        -1,
        "time",
        "count only what runs before this time of the step; -1 is its end",
        extension=True,
    )
    order_by: str = _option("name", "order", "sort by one of")
    account_type_regexes: tuple[str, ...] = _option(
        EVERYTHING,
        "regexes",
        "count the nodes that have a matching type (op, device or custom op type)",
    )
    start_name_regexes: tuple[str, ...] = _option(
        EVERYTHING, "regexes", "show the matching nodes and their descendants"
    )
    trim_name_regexes: tuple[str, ...] = _option(
        (), "regexes", "leave out the descendants of matching nodes"
    )
    show_name_regexes: tuple[str, ...] = _option(EVERYTHING, "regexes", "show matching nodes")
    hide_name_regexes: tuple[str, ...] = _option((), "regexes", "hide matching nodes")
    account_displayed_op_only: bool = _option(
        False, "flag", "count only the nodes that are shown, not all accounted nodes"
    )
    select: tuple[str, ...] = _option(("micros",), "select", "show any of")
    output: str = _option("stdout", "output", "write to type:key=value,key=value…")
    max_values: int = _option(
        100, "integer", "show at most this many values of a checkpoint tensor", extension=True
    )
    tensor_statistics: bool = _option(
        False, "flag", "show the range, mean and zero count of tensors, not values", extension=True
    )
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __getitem__(self, name: str) -> Any:
        """The value of an option."""
        if name in _FIELDS:
            return getattr(self, name)
        return self.extra[name] if name in self.extra else OPTIONS[name].default

    @classmethod
    def build(
        cls,
        values: Mapping[str, Any] | Options | None = None,
        quirks: Quirks = REPAIRED,
        **more: Any,
    ) -> Options:
        """Options from a dict with the original's keys, from keywords, or options as they are."""
        if isinstance(values, Options):
            return values.with_values(more) if more else values
        if values is not None and not isinstance(values, Mapping):
            raise OptionError(
                f"options: a {type(values).__name__} was given; pass Options, a dict or keywords"
            )
        given = {**(values or {}), **more}
        dumped = given.pop("dump_to_file", "")
        if dumped:
            given["output"] = f"file:outfile={dumped}"
        if quirks.missing_lists_are_empty:
            lists = (o.name for o in OPTIONS.values() if o.kind in ("regexes", "select"))
            given = {**dict.fromkeys(lists, ()), **given}
        if quirks.names_unchecked:
            known = {name: value for name, value in given.items() if name in OPTIONS}
            options = cls()._with({name: _convert(OPTIONS[name], v) for name, v in known.items()})
        else:
            options = cls().with_values(given)
        if quirks.int32_max_depth:
            return replace(options, max_depth=wrap_integer(options.max_depth, 32))
        return options

    def with_values(self, values: Mapping[str, Any], quirks: Quirks = REPAIRED) -> Options:
        """A copy with some values replaced, each checked."""
        return self._with(
            {name: _check_value(name, value, quirks) for name, value in values.items()}
        )

    def _with(self, values: Mapping[str, Any]) -> Options:
        extra = {name: value for name, value in values.items() if name not in _FIELDS}
        own = {name: value for name, value in values.items() if name in _FIELDS}
        return replace(self, **own, extra={**self.extra, **extra})


_FIELDS = {item.name: item for item in fields(Options) if item.metadata}

OPTIONS: MutableMapping[str, Option] = _OptionTable(
    Option(name, default=item.default, **item.metadata) for name, item in _FIELDS.items()
)
"""All options. `OPTIONS["name"] = Option(…)` adds one, which writers read as `options["name"]`."""


def _check_value(name: str, value: Any, quirks: Quirks) -> Any:
    option = OPTIONS.get(name)
    if option is None or option.metric in _unknown_metrics(quirks):
        raise OptionError(f"unknown option '{name}'{did_you_mean(name, _known_options(quirks))}")
    if option.kind == "integer":
        return _integer(name, value)
    if option.kind == "time":
        return check_time(name, value)
    if option.kind == "flag":
        if not isinstance(value, (bool, int)):
            raise OptionError(f"option '{name}': {value!r} is neither true nor false")
        return bool(value)
    if option.kind in ("output", "text"):
        return _string(name, value)
    if option.kind == "order":
        return _check_choice(name, _string(name, value), _known_orders(option, quirks))
    values = (value,) if isinstance(value, str) else _strings(name, value)
    if option.kind == "select":
        return tuple(_check_choice(name, value, known_metrics(quirks)) for value in values)
    return values


def _integer(name: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise OptionError(f"option '{name}': {value!r} is not a whole number")
    number = value.__index__()
    if wrap_integer(number, 64) != number:
        raise OptionError(f"option '{name}': {number} does not fit in 64 bits")
    return int(number)


def check_time(name: str, value: Any) -> int:
    """A time in microseconds from a number of them or a text with a unit."""
    given = value
    if isinstance(value, str):
        micros = parse_time(value)
        if micros is None:
            example = "a time such as 641ms, 1.5s or 300us"
            raise OptionError(f"option '{name}': '{value}' is not {example}")
        value = micros
    number = _integer(name, value)
    if number < -1:
        raise OptionError(f"option '{name}': {given} is before the start of the step")
    return number


def _string(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise OptionError(f"option '{name}': {value!r} is not a string")
    return value


def _strings(name: str, value: Any) -> tuple[str, ...]:
    try:
        return tuple(_string(name, item) for item in value)
    except TypeError:
        raise OptionError(f"option '{name}': {value!r} is not a list of strings") from None


def _unknown_metrics(quirks: Quirks) -> set[str]:
    return METRICS.keys() - known_metrics(quirks).keys()


def _known_options(quirks: Quirks) -> list[str]:
    """The names of all options but those of unknown metrics."""
    unknown = _unknown_metrics(quirks)
    return [option.name for option in OPTIONS.values() if option.metric not in unknown]


def _known_orders(option: Option, quirks: Quirks) -> list[str]:
    """The choices of an option without unknown metrics."""
    unknown = _unknown_metrics(quirks)
    if quirks.original_options_only:
        unknown.add(DELTA)
    return [name for name in option.choices if name not in unknown]


def _check_choice(name: str, value: str, choices: Iterable[str]) -> str:
    if value in choices:
        return value
    hint = did_you_mean(value, choices) or f"; known are {', '.join(choices)}"
    raise OptionError(f"option '{name}': unknown value '{value}'{hint}")


def _convert(option: Option, value: Any) -> Any:
    if option.kind in ("integer", "time"):
        if isinstance(value, float):
            raise TypeError(f"option '{option.name}': {value!r} is not a whole number")
        return int(value)
    if option.kind == "flag":
        return bool(value)
    return tuple(value) if option.kind in ("regexes", "select") else value


def split_list(text: str) -> tuple[str, ...]:
    r"""The items of a comma-separated list; `\,` is a comma inside an item."""
    items = _ITEM.findall(text)
    return tuple(_PAIR.sub(lambda pair: "," if pair[1] == "," else pair[0], item) for item in items)


def join_list(values: Iterable[str]) -> str:
    """The inverse of `split_list`."""
    return ",".join(value.replace(",", "\\,") for value in values)


def format_value(value: Any) -> str:
    """An option's value as it is typed."""
    if isinstance(value, bool):
        return str(value).lower()
    return join_list(value) if isinstance(value, tuple) else str(value)


def listed_options(options: Options | None = None) -> list[Option]:
    """The options that lists have: those that are always listed, and others that are set."""
    return [
        option
        for name, option in OPTIONS.items()
        if option.listed or (options is not None and options[name] != option.default)
    ]


def format_options(options: Options, *, extensions: bool = True) -> list[tuple[str, str]]:
    """Names and values of all options as they are printed, or only of those the original has."""
    shown = [option for option in listed_options(options) if extensions or not option.extension]
    return [(f"-{option.name}", _format_original(option, options)) for option in shown]


def _format_original(option: Option, options: Options) -> str:
    """An option's value as the original prints it."""
    value = options[option.name]
    if option.kind == "select":
        return ",".join(sorted(set(value)))
    if option.kind == "regexes":
        return ",".join(value)
    if option.kind == "flag":
        return "true" if value else "false"
    if option.kind == "output":
        return value if ":" in value else f"{value or 'stdout'}:"
    return str(value)
