"""A report as text: legend, header line and rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof.outputs.document import Document, Rendering, RenderSettings
from tfprof.outputs.op_rows import encode_op_rows
from tfprof.outputs.text_header import header, legend_text, options_block
from tfprof.outputs.tree_rows import encode_tree_rows
from tfprof.reports.report import Report


def render(report: Report, settings: RenderSettings) -> Rendering:
    """Render the text, for standard output if no file is named."""
    path = settings.keys.get("outfile")
    if path is not None:
        yield Document(text_chunks(report, legend=settings.legend), path)
    elif settings.banners:
        yield Document(with_banners(report, one_line=settings.one_line))
    else:
        yield Document(text_chunks(report, legend=settings.legend, one_line=settings.one_line))


def text_bytes(report: Report, *, legend: bool | None = None, one_line: bool = False) -> bytes:
    """The text of a report in UTF-8."""
    return b"".join(text_chunks(report, legend=legend, one_line=one_line))


def text_chunks(
    report: Report, *, legend: bool | None = None, one_line: bool = False
) -> Iterator[bytes | memoryview]:
    """The same bytes, some rows at a time."""
    if not report.shown:
        return
    if report.quirks.legend_always if legend is None else legend:
        yield legend_text(report).encode()
    if report.kind == "op" and len(report.view.tree) == 1:
        yield encode_op_rows(report, np.zeros(1, np.int64), with_shapes=False, one_line=one_line)
        return
    yield header(report).encode()
    if report.kind == "op":
        yield encode_op_rows(report, np.arange(1, len(report)), one_line=one_line)
    else:
        yield from encode_tree_rows(report, one_line=one_line)


def with_banners(report: Report, *, one_line: bool) -> Iterator[bytes | memoryview]:
    """The text as the original's Python functions print it: options, report, end."""
    yield b"\n=========================Options=============================\n"
    yield options_block(report.options, extensions=not report.quirks.original_options_only).encode()
    yield b"\n==================Model Analysis Report======================\n"
    yield from text_chunks(report, legend=True, one_line=one_line)
    yield b"\n======================End of Report==========================\n"
