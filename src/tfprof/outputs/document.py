"""What renderers are, and what they yield: documents to write, and messages about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeAlias

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
    and `\t`, for terminals. Pages show `command`, what was typed to load the profile, and the
    `panels` of a report: what is known of it beside rows, such as advice.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    legend: bool | None = None
    banners: bool = False
    one_line: bool = False
    command: str = "tfprof …"
    panels: Callable[[Any], Mapping[str, Any]] | None = None


Render: TypeAlias = Callable[[Any, RenderSettings], Rendering]
"""A renderer of reports or of diffs."""

STDOUT = "-"
"""The file name that stands for standard output."""


def lazy_renderer(package: str, module: str, function: str = "render") -> Render:
    """A renderer of a module, which is imported when it runs.

    Help and completion list the outputs, and need not wait for NumPy and Arrow.
    """

    def render(rows: Any, settings: RenderSettings) -> Rendering:
        renderer: Render = getattr(import_module(f"{package}.{module}"), function)
        return renderer(rows, settings)

    return render


def redirect_dash(rendering: Rendering) -> Rendering:
    """A rendering whose documents for the file `-` are for standard output."""
    for item in rendering:
        if isinstance(item, Document) and item.path == STDOUT:
            yield Document(item.chunks)
        else:
            yield item
