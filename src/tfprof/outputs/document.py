"""What a renderer yields: documents to write, and messages about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Chunks: TypeAlias = Iterable[bytes | memoryview]
"""The bytes of a document, a part at a time."""


@dataclass(frozen=True, slots=True)
class Document:
    """Bytes for a file, or for standard output if there is no path.

    `chunks` may be made while they are written, so that a large document is never in memory as a
    whole. They can be read once.
    """

    chunks: Chunks
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A line for the user beside the documents, which belongs on stderr."""

    text: str


Rendering: TypeAlias = Iterator[Document | Message]
"""Documents and messages in order. Read a document to its end before asking for the next item: a
message may tell how large it was."""


@dataclass(frozen=True, slots=True)
class RenderSettings:
    r"""How to render a report.

    `keys` are those of the `-output` value. The others are for text: `legend` explains the view and
    its columns, by default where the original does. `banners` frames what is for standard output
    as the original's Python functions do. `one_line` writes line breaks and tabs in names as `\n`
    and `\t`, for terminals.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    legend: bool | None = None
    banners: bool = False
    one_line: bool = False
