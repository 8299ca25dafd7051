"""The options of a report: one frozen record that flags, shell words, dict keys and docs follow."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from tfprof.definitions.metrics import METRICS, ORDERS, known_metrics
from tfprof.definitions.quirks import REPAIRED, Quirks
from tfprof.errors import OptionError

__all__ = ["OPTIONS", "Option", "Options", "did_you_mean", "listed"]

Kind = Literal["integer", "order", "regexes", "flag", "select", "output"]
EVERYTHING = (".*",)
_INT64 = 2**63


@dataclass(frozen=True, slots=True)
class Option:
    """What is known of an option beside its value."""

    name: str
    kind: Kind
    default: Any
    help: str
    extension: bool = False
    """Whether the original has no such option, so that compat output does not list it."""


def _option(
    default: Any,
    kind: Kind,
    help: str,  # noqa: A002 - the user's word
    *,
    extension: bool = False,
) -> Any:
    metadata = {"kind": kind, "help": help, "extension": extension}
    return field(default=default, metadata=metadata)


def _minimum(what: str, *, extension: bool = False) -> Any:
    return _option(0, "integer", f"show nodes that {what}", extension=extension)


@dataclass(frozen=True, slots=True)
class Options:
    """How a report is accounted, filtered, sorted and written."""

    max_depth: int = _option(
        10, "integer", "show nodes at most this many hops from the start of the tree"
    )
    min_bytes: int = _minimum("request at least N bytes")
    min_peak_bytes: int = _minimum("hold at least N bytes at their peak")
    min_residual_bytes: int = _minimum("keep at least N bytes after they finish")
    min_output_bytes: int = _minimum("output at least N bytes")
    min_micros: int = _minimum("run for at least N microseconds")
    min_accelerator_micros: int = _minimum("run on accelerators for at least N microseconds")
    min_cpu_micros: int = _minimum("run on CPU for at least N microseconds")
    min_params: int = _minimum("hold at least N parameters")
    min_float_ops: int = _minimum("need at least N float operations")
    min_macs: int = _minimum("need at least N multiply-adds", extension=True)
    min_occurrence: int = _minimum("run at least N times (op view: types of N nodes)")
    step: int = _option(-1, "integer", "show this step; -1 is the average of all steps")
    order_by: str = _option("name", "order", f"sort by one of {', '.join(ORDERS)}")
    account_type_regexes: tuple[str, ...] = _option(
        EVERYTHING, "regexes", "count the nodes of which a type matches (op, device, own types)"
    )
    start_name_regexes: tuple[str, ...] = _option(
        EVERYTHING, "regexes", "show the nodes below the ones that match"
    )
    trim_name_regexes: tuple[str, ...] = _option(
        (), "regexes", "leave out everything below the nodes that match"
    )
    show_name_regexes: tuple[str, ...] = _option(EVERYTHING, "regexes", "show nodes that match")
    hide_name_regexes: tuple[str, ...] = _option((), "regexes", "hide nodes that match")
    account_displayed_op_only: bool = _option(
        False, "flag", "count only what is shown, instead of all that is accounted"
    )
    select: tuple[str, ...] = _option(
        ("micros",), "select", f"what to show, any of {', '.join(METRICS)}"
    )
    output: str = _option("stdout", "output", "where to: type:key=value,key=value…")
    max_values: int = _option(
        100, "integer", "show at most this many values of a checkpoint tensor", extension=True
    )
    tensor_statistics: bool = _option(
        False, "flag", "show the range, mean and zeros of tensors, not their values", extension=True
    )

    @classmethod
    def build(
        cls,
        values: Mapping[str, Any] | Options | None = None,
        quirks: Quirks = REPAIRED,
        **more: Any,
    ) -> Options:
        """Options from a dict with the original's keys, from keywords, or options as they are."""
        if isinstance(values, Options):
            return values.changed(more) if more else values
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
            options = cls(**{name: _unchecked(OPTIONS[name], v) for name, v in known.items()})
        else:
            options = cls().changed(given)
        if quirks.int32_max_depth:
            return replace(options, max_depth=(options.max_depth + 2**31) % 2**32 - 2**31)
        return options

    def changed(self, values: Mapping[str, Any], quirks: Quirks = REPAIRED) -> Options:
        """A copy with some values replaced, each checked."""
        checked = {name: _checked(name, value, quirks) for name, value in values.items()}
        return replace(self, **checked)


OPTIONS: dict[str, Option] = {
    item.name: Option(item.name, default=item.default, **item.metadata) for item in fields(Options)
}


_LONGEST = 100


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` when something known is close to a word, else nothing."""
    # Nothing is close to a word far longer than all, and to find out would take long.
    close = difflib.get_close_matches(word[:_LONGEST], list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def _checked(name: str, value: Any, quirks: Quirks) -> Any:
    known = _words_of(OPTIONS, quirks)
    if name not in known:
        raise OptionError(f"unknown option '{name}'{did_you_mean(name, known)}")
    option = OPTIONS[name]
    if option.kind == "integer":
        return _integer(name, value)
    if option.kind == "flag":
        if not isinstance(value, (bool, int)):
            raise OptionError(f"option '{name}': {value!r} is neither true nor false")
        return bool(value)
    if option.kind == "output":
        return _text(name, value)
    if option.kind == "order":
        return _known(name, _text(name, value), _words_of(ORDERS, quirks))
    words = (value,) if isinstance(value, str) else _words(name, value)
    if option.kind == "select":
        return tuple(_known(name, word, known_metrics(quirks)) for word in words)
    return words


def _integer(name: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise OptionError(f"option '{name}': {value!r} is not a whole number")
    number = value.__index__()
    if not -_INT64 <= number < _INT64:
        raise OptionError(f"option '{name}': {number} does not fit in 64 bits")
    return int(number)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise OptionError(f"option '{name}': {value!r} is not a string")
    return value


def _words(name: str, value: Any) -> tuple[str, ...]:
    try:
        return tuple(_text(name, word) for word in value)
    except TypeError:
        raise OptionError(f"option '{name}': {value!r} is not a list of strings") from None


def _words_of(words: Iterable[str], quirks: Quirks) -> list[str]:
    """Some words without those that are of unknown metrics: `x` and `min_x`."""
    unknown = METRICS.keys() - known_metrics(quirks).keys()
    return [word for word in words if word.removeprefix("min_") not in unknown]


def _known(name: str, word: str, known: Iterable[str]) -> str:
    if word in known:
        return word
    hint = did_you_mean(word, known) or f"; known are {', '.join(known)}"
    raise OptionError(f"option '{name}': unknown value '{word}'{hint}")


def _unchecked(option: Option, value: Any) -> Any:
    if option.kind == "integer":
        if isinstance(value, float):
            raise TypeError(f"option '{option.name}': {value!r} is not a whole number")
        return int(value)
    if option.kind == "flag":
        return bool(value)
    return tuple(value) if option.kind in ("regexes", "select") else value


def listed(options: Options, *, extensions: bool = True) -> list[tuple[str, str]]:
    """Names and values of all options as they are printed, or only of those the original has."""
    shown = [option for option in OPTIONS.values() if extensions or not option.extension]
    return [(f"-{option.name}", _printed(option, options)) for option in shown]


def _printed(option: Option, options: Options) -> str:
    value = getattr(options, option.name)
    if option.kind == "select":
        return ",".join(sorted(set(value)))
    if option.kind == "regexes":
        return ",".join(value)
    if option.kind == "flag":
        return "true" if value else "false"
    if option.kind == "output":
        return value if ":" in value else f"{value or 'stdout'}:"
    return str(value)
