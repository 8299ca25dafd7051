"""Options step by step, and ready-made ones, under the original's names."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from tfprof.definitions.options import OPTIONS, TRAINABLE_TYPE

__all__ = ["ProfileOptionBuilder"]

_OMITTED = ("min_peak_", "min_residual_", "min_output_", "min_accelerator_", "min_cpu_")
"""Options that the original's builder leaves out until they are set begin with these."""

_DEFAULTS = {
    option.name: list(option.default) if isinstance(option.default, tuple) else option.default
    for option in OPTIONS.values()
    if not option.extension and not option.name.startswith(_OMITTED)
} | {"max_depth": 100}


def _preset(**changes: Any) -> dict[str, Any]:
    """The defaults with a depth that nothing reaches, counting only what is shown."""
    deep = {"max_depth": 10000, "account_displayed_op_only": True}
    return copy.deepcopy({**_DEFAULTS, **deep, **changes})


class ProfileOptionBuilder:
    """Collects options; every method but `build` returns the builder.

    opts = ProfileOptionBuilder(ProfileOptionBuilder.time_and_memory()).with_step(3).build()
    """

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        given = _DEFAULTS if options is None else options
        self._options: dict[str, Any] = copy.deepcopy(dict(given))

    @staticmethod
    def trainable_variables_parameter() -> dict[str, Any]:
        """The parameters of trainable variables."""
        return _preset(account_type_regexes=[TRAINABLE_TYPE], select=["params"])

    @staticmethod
    def float_operation() -> dict[str, Any]:
        """The float operations of nodes that have some, most first."""
        return _preset(min_float_ops=1, order_by="float_ops", select=["float_ops"])

    @staticmethod
    def time_and_memory(
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> dict[str, Any]:
        """The run time and requested memory of nodes that have both, longest first."""
        builder = ProfileOptionBuilder(_preset(order_by="micros", select=["micros", "bytes"]))
        builder.with_min_execution_time(min_micros, min_accelerator_micros, min_cpu_micros)
        builder.with_min_memory(min_bytes, min_peak_bytes, min_residual_bytes, min_output_bytes)
        return builder.build()

    def build(self) -> dict[str, Any]:
        """The options so far, as a dict of its own."""
        return copy.deepcopy(self._options)

    def with_max_depth(self, max_depth: int) -> ProfileOptionBuilder:
        """Show nodes at most this many levels below the start."""
        return self._set(max_depth=max_depth)

    def with_min_memory(
        self,
        min_bytes: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> ProfileOptionBuilder:
        """Show nodes with at least this much memory."""
        return self._set(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_execution_time(
        self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0
    ) -> ProfileOptionBuilder:
        """Show nodes that run at least this long."""
        return self._set(
            min_micros=min_micros,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
        )

    def with_min_parameters(self, min_params: int) -> ProfileOptionBuilder:
        """Show nodes with at least this many parameters."""
        return self._set(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> ProfileOptionBuilder:
        """Show nodes, or op types, that occur at least this often."""
        return self._set(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> ProfileOptionBuilder:
        """Show nodes with at least this many float operations."""
        return self._set(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: Sequence[str]) -> ProfileOptionBuilder:
        """Count only nodes of which a type matches."""
        return self._set(account_type_regexes=copy.copy(account_type_regexes))

    def with_node_names(
        self,
        start_name_regexes: Sequence[str] | None = None,
        show_name_regexes: Sequence[str] | None = None,
        hide_name_regexes: Sequence[str] | None = None,
        trim_name_regexes: Sequence[str] | None = None,
    ) -> ProfileOptionBuilder:
        """Start at, show, hide or cut below nodes whose names match; None leaves one as it is."""
        given = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._set(**{key: copy.copy(v) for key, v in given.items() if v is not None})

    def account_displayed_op_only(self, is_true: bool) -> ProfileOptionBuilder:
        """Whether only what is shown counts."""
        return self._set(account_displayed_op_only=is_true)

    def with_empty_output(self) -> ProfileOptionBuilder:
        """Write nothing; only the result is returned."""
        return self._set(output="none")

    def with_stdout_output(self) -> ProfileOptionBuilder:
        """Print the report."""
        return self._set(output="stdout")

    def with_file_output(self, outfile: str) -> ProfileOptionBuilder:
        """Write the report to a file."""
        return self._set(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file: str) -> ProfileOptionBuilder:
        """Write a timeline for a browser."""
        return self._set(output=f"timeline:outfile={timeline_file}")

    def with_pprof_output(self, pprof_file: str) -> ProfileOptionBuilder:
        """Write a pprof profile; code view only."""
        return self._set(output=f"pprof:outfile={pprof_file}")

    def order_by(self, attribute: str) -> ProfileOptionBuilder:
        """Sort by a metric, or by name."""
        return self._set(order_by=attribute)

    def select(self, attributes: Sequence[str]) -> ProfileOptionBuilder:
        """Show these metrics."""
        return self._set(select=copy.copy(attributes))

    def with_step(self, step: int) -> ProfileOptionBuilder:
        """Show one step; -1 is the average."""
        return self._set(step=step)

    def _set(self, **options: Any) -> ProfileOptionBuilder:
        self._options.update(options)
        return self
