"""Generate the pages of docs/ that derive from tables in the code; `--check` only compares."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path

from tfprof.definitions.metrics import METRICS, orders
from tfprof.definitions.options import listed_options
from tfprof.definitions.quirks import Quirks
from tfprof.outputs import OUTPUTS

DOCS = Path(__file__).resolve().parent.parent / "docs"

KEPT = {
    "N19": "in op view the `min_…` options test the row and all rows after it, not the row alone; "
    "`min_self_…` options test the row alone",
    "N22": "the average of a node is over the steps in which it ran, rounded down",
    "N24": "with `-account_type_regexes .*` every op with a `shape` attribute counts as "
    "parameters, placeholders too; account `_trainable_variables` instead",
    "N34": "in code view, frames with the same file name, line and function in two folders are one "
    "row",
    "I7": "`-min_occurrence` uses the number of nodes in op view, and of executions in scope and "
    "graph view; `-order_by occurrence` sorts by name there",
    "I12": "several steps of a timeline are written to several files",
}


def table(*columns: str, rows: list[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    for row in rows:
        cells = (cell.replace("|", r"\|").replace("\n", " ") for cell in row)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def compatibility() -> str:
    """What differs between the default and `compat`."""
    rows = [
        (
            f"`{item.name}`",
            item.metadata["defect"],
            item.metadata["original"],
            item.metadata["repaired"],
        )
        for item in fields(Quirks)
    ]
    return f"""# Compatibility with the original

With `compat` (`--compat` on the command line, `compat=True` in Python) tfprof answers like the
original, the tfprof inside TensorFlow 2.21, byte for byte, defects included. By default the defects
are repaired.

Each difference is a [quirk](glossary.md#quirk): a field of `tfprof.definitions.quirks.Quirks`.
`make oracle` compares tfprof with the original on random models, in both modes. In the default
mode, quirks must explain every difference.

{table("quirk", "defect", "the original, and `compat`", "by default", rows=rows)}
If the original aborts the process, both modes give a result or a one-line error.

## Not repaired

{table("defect", "behaviour", rows=list(KEPT.items()))}"""


def options() -> str:
    """Every option, metric and output."""
    option_rows = [
        (f"`-{option.name}`", option.kind, _default(option.default), option.help)
        for option in listed_options()
    ]
    metric_rows = [
        (f"`{metric.name}`", metric.title or "(below the row)", metric.legend, metric.needs)
        for metric in METRICS.values()
    ]
    output_rows = [
        (f"`{output.name}`", ", ".join(f"`{key}`" for key in output.keys), output.help)
        for output in OUTPUTS.values()
    ]
    order_words = ", ".join(f"`{order}`" for order in orders())
    return f"""# Options, metrics and outputs

An option has the same name as a flag (`--max_depth=3`), at the prompt (`-max_depth 3`), as a dict
key and as a keyword argument (`max_depth=3`). In the command, [some defaults](cli.md#options)
depend on what is loaded and selected. The [glossary](glossary.md) defines terms.

{table("option", "kind", "default", "meaning", rows=option_rows)}
`-min_…` options test [self values](glossary.md#self-and-inclusive-value) in scope and graph view,
inclusive values in op and code view. Each has two more forms, which say it in any view:
`-min_self_micros`, `-min_total_micros` and so on.

By default `-order_by` is `name` in scope and graph view, and the first selected metric in op and
code view.

Regexes have RE2 syntax and must match the whole name or type.
[The command line](cli.md#options) explains in which order the options apply.

## Metrics

The values of `-select`. `needs` is the input that a metric is computed from:

{table("metric", "column", "meaning", "needs", rows=metric_rows)}
The values of `-order_by`: {order_words}.

## Outputs

The types of `-output type:key=value,key=value`. [Outputs](outputs.md) describes each:

{table("type", "keys", "content", rows=output_rows)}"""


def _default(value: object) -> str:
    if isinstance(value, tuple):
        return f"`{','.join(value)}`" if value else "(none)"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def manual() -> str:
    """The manual page."""
    sys.path.insert(0, str(Path(__file__).parent))  # this file may be loaded from elsewhere
    from man_page import man_page

    return man_page()


PAGES = {"compatibility.md": compatibility, "options.md": options, "tfprof.1": manual}


def main() -> int:
    stale = []
    for name, page in PAGES.items():
        path = DOCS / name
        if "--check" not in sys.argv[1:]:
            path.write_text(page())
        elif not path.exists() or path.read_text() != page():
            stale.append(name)
    if stale:
        print(f"not current, run `make docs`: {', '.join(stale)}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
