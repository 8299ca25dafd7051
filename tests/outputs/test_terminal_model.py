"""The tables of `tfprof model` and `tfprof cost` on a terminal: they fit, with all rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import tfprof
from tfprof.flops.layer_table import ModelTable
from tfprof.outputs.terminal_model import cost_lines, model_lines
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.runtime.terminal import Line, Terminal, line_width, plain_text

DATA = Path(__file__).resolve().parents[1] / "data" / "keras_2"
WIDTHS = [50, 60, 80, 100, 160]


@pytest.fixture(scope="module")
def table() -> ModelTable:
    return tfprof.model(DATA / "frozen_backbone")


def model_at(table: ModelTable, terminal: Terminal) -> list[Line]:
    return list(model_lines(table, terminal, None))


def cost_at(table: ModelTable, terminal: Terminal) -> list[Line]:
    return list(cost_lines(table.cost, terminal))


def shown(lines: Iterable[Line]) -> list[str]:
    return plain_text(lines).splitlines()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("lines_at", [model_at, cost_at])
def test_every_line_fits(
    table: ModelTable, lines_at: Callable[[ModelTable, Terminal], list[Line]], width: int
) -> None:
    lines = lines_at(table, Terminal(width))
    assert len(lines) > 10
    assert max(map(line_width, lines)) <= width


def test_a_wide_terminal_shows_what_the_text_shows(table: ModelTable) -> None:
    terminal = Terminal(200, bars=False)
    for lines, text in (
        (model_at(table, terminal), table.text(None)),
        (cost_at(table, terminal), table.cost.text()),
    ):
        # The text has a rule below its titles.
        assert [line.split() for line in shown(lines)] == [
            line.split() for line in text.splitlines() if not line.startswith("---")
        ]


@pytest.mark.parametrize("width", [60, 80])
def test_parameters_and_float_operations_are_never_cut(table: ModelTable, width: int) -> None:
    lines = shown(model_at(table, Terminal(width)))
    for layer in table:
        if layer.params and layer.float_ops:
            row = next(line for line in lines if f"{layer.params:,}" in line.split())
            assert f"{layer.share:.1%}" in row.split()


def test_the_type_gives_way_on_a_narrow_terminal(table: ModelTable) -> None:
    wide, narrow = (shown(model_at(table, Terminal(width))) for width in (160, 50))
    assert "type" in wide[0].split()
    assert "BatchNormalization" in " ".join(wide)
    assert "type" not in " ".join(narrow[:4]).split()


def test_heat_and_bars_follow_the_share(table: ModelTable) -> None:
    costly = max(table.layers_to_depth(1), key=lambda layer: layer.share)
    assert costly.share > 0.5
    rows = list(model_lines(table, Terminal(160, colour=True), 1))
    row = next(row for row in rows if row and row[0].text == costly.name)
    styles = {span.text: span.style for span in row}
    assert styles[f"{costly.share:.1%}"] == "hot"
    assert any(style == "bar" and "█" in text for text, style in styles.items())


def test_columns_without_a_number_are_left_out(tmp_path: Path) -> None:
    graph = GraphDef()
    node = graph.node.add(name="block/x", op="Placeholder")
    node.attr["dtype"].type = 1
    for size in (4, 4):
        node.attr["shape"].shape.dim.add(size=size)
    graph.node.add(name="block/relu", op="Relu", input=["block/x"]).attr["T"].type = 1
    path = tmp_path / "graph.pb"
    path.write_bytes(graph.SerializeToString())
    model = tfprof.model(path)
    assert "params" in model.text().splitlines()[0].split()
    assert shown(model_lines(model, Terminal(160), 1))[0].split() == [
        "layer", "type", "output", "shape", "FLOPs", "share",
    ]  # fmt: skip


def test_what_is_not_shown_is_said(table: ModelTable) -> None:
    more = len(table) - len(table.layers_to_depth(1))
    note = f"{more} rows of nested models not shown; to see all: --depth 2"
    assert note in shown(model_lines(table, Terminal(100), 1))
    assert note in table.text().splitlines()
    assert note not in shown(model_at(table, Terminal(100)))
