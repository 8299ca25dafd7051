"""The symbols of a model: names for sizes and trip counts that its graph does not show."""

from __future__ import annotations

import re
from itertools import count

from tfprof.flops.polynomial import BATCH, Count, Polynomial, bind, symbol, symbol_name
from tfprof.flops.recorded_trip_counts import LoopId
from tfprof.flops.tensors import Dim, Dims

SEQUENCE = "T"
"""The second size of an input, if it is the only one of the others that is unknown.

If inputs have different ones, each has the name of its input and axis instead, or is `T1`, `T2` and
so on if the inputs have only names that Keras made. Trip counts are `T`, `T2` and so on as well.
"""
IMAGE = {1: "H", 2: "W"}
"""Axis -> the size of the only input of unknown height and width, if it has no name."""
_MADE_NAME = re.compile(r"(?:keras_tensor|inputs|args_0)(?:_([0-9]{1,9}))?\.[0-9]+")
"""A size of an input that the user gave no name."""


class Symbols:
    """The symbols that a model has, what they stand for, and which of them are equal."""

    def __init__(self) -> None:
        self.meanings: dict[str, str] = {}
        """Symbol -> what it stands for."""
        self.loops: dict[str, LoopId] = {}
        """The loops among what symbols stand for."""
        self.equal: dict[str, str] = {}
        """Symbol -> the one it must be equal to for the graph to be valid."""
        self._sizes: dict[str, int] = {}
        self._trip_counts: dict[tuple[LoopId, Count | None], Polynomial] = {}
        self._sequences: list[str] = []
        self._images: list[str] = []
        self._aliases: dict[str, str] = {}
        self._loop_names = (f"{SEQUENCE}{number}" for number in count(2))

    def name_sizes(self, source: str, shape: Dims | None) -> Dims | None:
        """The shape of an input with a symbol for each unknown size."""
        if shape is None:
            return None
        if shape and shape[0] is None:
            self.meanings[BATCH] = "batch size"
            shape = (symbol(BATCH), *shape[1:])
        return self._name_axes(source, shape, f"input {source!r}")

    def name_row_lengths(self, node: str, body: str, shape: Dims | None) -> Dims | None:
        """The shape of rows that a node pads, with symbols for their unknown lengths."""
        if shape is None:
            return None
        where = f" in {body}" if body else ""
        return (*shape[:1], *self._name_axes(node, (1, *shape[1:]), f"{node!r}{where}")[1:])

    def _name_axes(self, source: str, shape: Dims, described: str) -> Dims:
        """A shape with symbols for the unknown sizes after the first."""
        unknown = [axis for axis, size in enumerate(shape) if size is None]
        named: list[Dim] = list(shape)
        for axis in unknown:
            name, meaning = f"{source}.{axis}", f"size of {described} along axis {axis}"
            if self.meanings.setdefault(name, meaning) != meaning:
                return shape
            named[axis] = symbol(name)
        if unknown == [1]:
            self._sequences.append(f"{source}.1")
        if unknown == list(IMAGE) and len(shape) == 4:
            self._images.append(source)
        return tuple(named)

    def name_trip_count(self, loop: LoopId, upper_bound: Count | None) -> Polynomial:
        """The symbol of a loop's trip count."""
        key = loop, upper_bound
        if key not in self._trip_counts:
            name = self._next_loop_name()
            self.meanings[name], self.loops[name] = _describe(loop, upper_bound), loop
            self._trip_counts[key] = symbol(name)
        return self._trip_counts[key]

    def _next_loop_name(self) -> str:
        if not self._sequences and SEQUENCE not in self.meanings:
            return SEQUENCE
        return next(name for name in self._loop_names if name not in self.meanings)

    def equate(self, one: str, other: str) -> None:
        """Two symbols that must be equal."""
        kept, dropped = self.representative(one), self.representative(other)
        if dropped == BATCH:
            kept, dropped = dropped, kept
        if kept != dropped:
            self.equal[dropped] = kept

    def representative(self, name: str) -> str:
        """The symbol that replaces all symbols equal to this one."""
        while name in self.equal:
            name = self.equal[name]
        return self._aliases.get(name, name)

    def record(self, size: Dim, recorded: Dim) -> None:
        """Learn the value of a symbol: what the size of a run's tensor is."""
        name = symbol_name(size)
        if name is not None and isinstance(recorded, int):
            self._sizes.setdefault(self.representative(name), recorded)

    def name_inputs(self) -> None:
        """Give the sizes of inputs short names: `T` for the length of all sequences.

        Where inputs have no names, several lengths are numbered, and `H` and `W` are the sizes of
        an image.
        """
        self._name_image()
        lengths = {self.representative(name) for name in self._sequences} - {BATCH}
        if len(lengths) == 1 and SEQUENCE not in self.meanings:
            self._rename(lengths.pop(), SEQUENCE)
        elif all(_MADE_NAME.fullmatch(name) for name in lengths):
            numbered = (f"{SEQUENCE}{number}" for number in count(1))
            names = (name for name in numbered if name not in self.meanings)
            for length in sorted(lengths, key=_number):
                self._rename(length, next(names))
        for (name, loop), (_, bound) in zip(self.loops.items(), self._trip_counts, strict=True):
            if bound is not None:
                self.meanings[name] = _describe(loop, bind(bound, self.values()))

    def _name_image(self) -> None:
        sizes = {self.representative(f"{source}.1") for source in self._images}
        if len(sizes) != 1 or self.meanings.keys() & set(IMAGE.values()):
            return
        for axis, short in IMAGE.items():
            name = self.representative(f"{self._images[0]}.{axis}")
            if _MADE_NAME.fullmatch(name) and name in self.meanings:
                self._rename(name, short)

    def _rename(self, name: str, short: str) -> None:
        self._aliases[name] = short
        self.meanings[short] = self.meanings.pop(name)
        if name in self._sizes:
            self._sizes[short] = self._sizes.pop(name)

    def equalities(self) -> list[tuple[str, str]]:
        """Each symbol that another replaces, and that other one."""
        return [(name, self.representative(name)) for name in self.equal]

    def names(self) -> list[str]:
        """The symbols that stand for themselves."""
        return [name for name in self.meanings if name not in self.equal]

    def is_known(self, name: str) -> bool:
        """Whether a size or trip count can be called so, also as the input's axis."""
        return name in self.meanings or name in self._aliases

    def values(self) -> dict[str, Count]:
        """What replaces each symbol: the size in a run, or the symbol it is equal to."""
        values: dict[str, Count] = dict(self._sizes)
        for name in (*self.equal, *self._aliases):
            kept = self.representative(name)
            values[name] = self._sizes.get(kept, symbol(kept))
        return values


def _number(name: str) -> int:
    """The number of an input without a name; the first has none."""
    match = _MADE_NAME.fullmatch(name)
    return int(match[1] or 0) if match else 0


def _describe(loop: LoopId, upper_bound: Count | None) -> str:
    where = f" in {loop.body}" if loop.body else ""
    limit = f" (max {upper_bound})" if upper_bound is not None else ""
    return f"trip count of loop {loop.name}{where}{limit}"
