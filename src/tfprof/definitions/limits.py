"""Limits that no real input or output reaches, so that a hostile one cannot use up all memory.

`docs/robustness.md` lists them.
"""

from __future__ import annotations

from collections.abc import Iterable

from tfprof.errors import LoadError, OutputError

MAX_OUTPUT_BYTES = 1 << 29
"""The largest output, however many rows it has."""

MAX_STREAM_BYTES = 1 << 31
"""The most bytes that are read from a pipe; protobuf has no larger messages."""

MAX_SHAPE_GAPS = 1_000_000
"""The most outputs without a shape that may come before an output with one."""

MAX_PROFILE_PARTS = 100_000
"""The most op logs and saved profiles that a folder of tables may contain."""

MAX_TRACED_DEVICES = 500
"""The most devices in the trace of a host."""

MAX_DEVICE_NAME = 1000
"""The most characters of a device in a store of many steps, which has it in each record."""

MAX_COMPARED_ALLOCATORS = 20
"""The most allocators of a device of which each is compared with all others."""

MAX_EXACT_RANKS = 1_000_000
"""The largest product of the processes of both sides and the fewer of them for an exact test."""

MAX_REGEXES = 10_000
"""The most regexes of an option."""

MAX_PATTERN = 1000
"""The most characters of a pattern for the files of a fleet."""

MAX_KEY_PARTS = 100
"""The most dots outside of quotes on a line of a budget, which are between the parts of keys."""

MAX_WORD_PARTS = 100
"""The most runs of letters and digits, and other characters, of a renamed word in names."""

MAX_NAME_CANDIDATES = 1000
"""The most names that are looked up to find what another name was made from."""

FEW_LINKS = 4
"""The most inputs, results and branches of a node that count as one node; more do as several."""

BYTES_OF_NODE = 64
"""The bytes of a node in budgets: fewer count as less than a node, many more as several."""

MAX_DEGREE = 64
"""The largest sum of powers in a term of a size or count with symbols."""

MAX_ATOM_WEIGHT = 200
"""The most terms and symbols inside of a quotient or maximum with symbols."""

MAX_SIZE_WEIGHT = 500
"""The most terms and symbols of a size with symbols."""

MAX_PRODUCT_WEIGHT = 1000
"""The most terms and symbols that a product of two sums with symbols may have."""

MAX_COUNT_WEIGHT = 20_000
"""The most terms and symbols of a total with symbols."""

MAX_DIVISION_STEPS = 4096
"""The most terms that are compared to divide sizes with symbols."""

MAX_COUNT = 10**150
"""The largest number of float operations, bytes or runs of a node; products are still floats."""

MAX_ELEMENT_DEPTH = 16
"""The most lists of tensors inside of each other whose elements are followed."""

MAX_RANK = 254
"""The most dimensions of a tensor, as in TensorFlow."""

_MIN_OUTPUT_BYTES, _OUTPUT_PER_ROW, _OUTPUT_PER_BYTE = 1 << 25, 1 << 10, 4
_MIN_INLINED_NODES, _MAX_INLINED_NODES, _INLINED_PER_NODE = 20_000, 2_000_000, 12
_MIN_INLINED_BYTES, _INLINED_PER_BYTE = 1 << 24, 20
_MIN_DERIVED_BYTES, _DERIVED_PER_BYTE, _MAX_DERIVED_BYTES = 2 << 20, 20, 1 << 30
_MIN_VISITS, _VISITS_PER_NODE = 20_000, 12
_MIN_SCOPE_BYTES, _SCOPES_PER_BYTE = 24 << 20, 8
_MIN_LINE_BYTES, _BYTES_PER_LINE = 1 << 23, 512
_QUOTED = 40
_MIN_TABLE_BYTES, _TABLE_PER_BYTE = 1 << 26, 1000
_MIN_TABLE_ROWS, _TABLE_ROWS_PER_BYTE = 300_000, 4
_MIN_STACK_LENGTH, _MAX_STACK_LENGTH, _MAX_STACK_FRAMES = 100, 1000, 500_000
_MIN_LAYERS, _LAYERS_PER_OBJECT = 1000, 20
_MIN_FUSED, _FUSED_PER_INSTRUCTION = 20_000, 10
_MIN_BLOCKS, _BLOCKS_PER_EXECUTION = 300_000, 10
_MIN_STEP_TIMES, _STEP_TIMES_PER_EXECUTION = 20_000, 10
_STEPS_OF_ALL = 4
_NODES_PER_TIMELINE, _MIN_TIMELINE_NODES, _TIMELINE_NODES_PER_EXECUTION = 2000, 500_000, 10
_NODES_PER_PAGE_STEP, _MIN_PAGE_NODES, _PAGE_NODES_PER_EXECUTION = 2000, 40_000, 16
_MIN_PRODUCER_VISITS, _PRODUCER_VISITS_PER_OPERAND = 50_000, 20


def max_output_bytes(rows: int, names: int) -> int:
    """The most bytes of an output with some rows, whose names have some bytes."""
    size = _MIN_OUTPUT_BYTES + _OUTPUT_PER_ROW * rows + _OUTPUT_PER_BYTE * names
    return min(size, MAX_OUTPUT_BYTES)


def check_output_size(size: int, what: str, *, rows: int, names: int) -> None:
    """Raise an error for an output that would be too large, before it is made."""
    if size > max_output_bytes(rows, names):
        raise OutputError(
            f"{what}: would take {size / 1e9:,.1f} GB; lower max_depth or show fewer nodes"
        )


def max_inlined_nodes(nodes: int) -> int:
    """The most nodes that a graph of some nodes, functions included, may have once inlined."""
    return min(_MIN_INLINED_NODES + _INLINED_PER_NODE * nodes, _MAX_INLINED_NODES)


def max_inlined_bytes(names: int) -> int:
    """The most bytes that names of inlined nodes may have, from names of some bytes."""
    return _MIN_INLINED_BYTES + _INLINED_PER_BYTE * names


def max_derived_bytes(size: int) -> int:
    """The most bytes that names may have which are made of those of a trace of some bytes."""
    return min(_MIN_DERIVED_BYTES + _DERIVED_PER_BYTE * size, _MAX_DERIVED_BYTES)


def max_visits(nodes: int) -> int:
    """How often the nodes of a graph of some nodes, functions included, may be interpreted.

    And how many outputs those may have together that have several.
    """
    return _MIN_VISITS + _VISITS_PER_NODE * nodes


def max_scope_bytes(names: int) -> int:
    """The most bytes that the scopes of node names of some bytes may have."""
    return min(_MIN_SCOPE_BYTES + _SCOPES_PER_BYTE * names, 1 << 30)


def check_line_names(size: int, *, lines: int, files: Iterable[str]) -> None:
    """Raise an error if the names of some lines of code, which have those of files, are too long.

    An input has the name of a file once, but each of its lines has it.
    """
    if size > _MIN_LINE_BYTES + _BYTES_PER_LINE * lines:
        longest = max(files, key=len)
        raise LoadError(
            f"code traces: file '{longest[:_QUOTED]}...' of {len(longest):,} characters: the name "
            f"is too long for {lines:,} lines of code; shorten it"
        )


def max_table_bytes(size: int) -> int:
    """The most bytes that a compressed table of some bytes may decompress to."""
    return _MIN_TABLE_BYTES + _TABLE_PER_BYTE * size


def max_table_rows(size: int) -> int:
    """The most rows that all tables of a profile, of some bytes together, may have.

    They take more time and memory than the bytes of names, which are often the same in each step.
    """
    return _MIN_TABLE_ROWS + _TABLE_ROWS_PER_BYTE * size


def max_stack_length(stacks: int) -> int:
    """The most frames of each of some stacks of a compiled program."""
    return min(max(_MAX_STACK_FRAMES // max(stacks, 1), _MIN_STACK_LENGTH), _MAX_STACK_LENGTH)


def max_fused(instructions: int) -> int:
    """How many instructions all fusions of a program of some instructions may have together."""
    return _MIN_FUSED + _FUSED_PER_INSTRUCTION * instructions


def max_producer_visits(operands: int) -> int:
    """How many instructions may be visited to find what those of a program with operands read."""
    return _MIN_PRODUCER_VISITS + _PRODUCER_VISITS_PER_OPERAND * operands


def max_planned_blocks(executions: int) -> int:
    """The most blocks of memory that all runs of the compiled programs of a trace may have."""
    return _MIN_BLOCKS + _BLOCKS_PER_EXECUTION * executions


def max_step_times(executions: int) -> int:
    """The most times, one of each op in each step, that a gate compares after some executions."""
    return _MIN_STEP_TIMES + _STEP_TIMES_PER_EXECUTION * executions


def max_layers(objects: int) -> int:
    """How many layers, or objects in them, may be visited in a model of some objects."""
    return _MIN_LAYERS + _LAYERS_PER_OBJECT * objects


def check_timelines(path: str, *, steps: int, nodes: int, executions: int) -> None:
    """Raise an error if timelines of all steps would look at too many nodes for what ran.

    A timeline of no nodes takes as long as 2,000 more of them.
    """
    visits = (steps - _STEPS_OF_ALL) * (nodes + _NODES_PER_TIMELINE)
    if visits > _MIN_TIMELINE_NODES + _TIMELINE_NODES_PER_EXECUTION * executions:
        raise OutputError(
            f"{path}: timelines of {steps:,} steps take too long, as little runs in each; choose "
            "one with -step N"
        )


def check_page_steps(path: str, *, steps: int, nodes: int, executions: int) -> None:
    """Raise an error if a page of all steps would look at too many nodes for what ran.

    A step of no nodes takes as long as 2,000 more of them.
    """
    visits = (steps - _STEPS_OF_ALL) * (nodes + _NODES_PER_PAGE_STEP)
    if visits > _MIN_PAGE_NODES + _PAGE_NODES_PER_EXECUTION * executions:
        raise OutputError(
            f"{path}: a page of {steps:,} steps takes too long, as little runs in each; use "
            "tfprof ui, which sends what is looked at"
        )
