"""The names of unknown sizes and trip counts."""

from __future__ import annotations

import pytest

from tests.flops.test_model import negate
from tfprof.errors import OptionError
from tfprof.flops.model_cost import Cost, compute_cost, cost
from tfprof.flops.model_graph import ModelGraph
from tfprof.flops.polynomial import symbol
from tfprof.flops.recorded_trip_counts import LoopId
from tfprof.flops.symbols import Symbols
from tfprof.protos.graph_pb2 import DataType, GraphDef

B, T = symbol("B"), symbol("T")


def cost_of(inputs: dict[str, tuple[int, ...]], *, added: bool = False) -> Cost:
    """The cost of negating each input, or the first plus each other one."""
    graph = GraphDef()
    for name, sizes in inputs.items():
        node = graph.node.add(name=name, op="Placeholder")
        node.attr["dtype"].type = DataType.DT_FLOAT
        for size in sizes:
            node.attr["shape"].shape.dim.add(size=size)
    for name in inputs if not added else list(inputs)[1:]:
        node = graph.node.add(name=f"{name}_used", input=[name])
        negate(node)
        if added:
            node.op = "AddV2"
            node.input.append(next(iter(inputs)))
    return cost(graph)


def test_a_sequence_axis_is_called_t() -> None:
    result = cost_of({"keras_tensor_8": (-1, -1, 32)})
    assert result.float_ops == 32 * B * T
    assert result.symbols == {
        "B": "batch size",
        "T": "size of input 'keras_tensor_8' along axis 1",
    }
    assert result.bind(B=2, T=5).float_ops == 320
    assert result.bind(**{"B": 2, "keras_tensor_8.1": 5}).float_ops == 320
    with pytest.raises(OptionError, match=r"the symbols of this model are B, T$"):
        result.bind(C=1)


def test_inputs_of_one_length_share_it() -> None:
    result = cost_of({"input_ids": (-1, -1), "attention_mask": (-1, -1)}, added=True)
    assert result.float_ops == B * T
    (note,) = result.ledger.notes
    assert note.startswith("sizes ")
    assert note.endswith(".1 and T are taken to be equal")
    assert result.bind(**{"input_ids.1": 3, "attention_mask.1": 3, "B": 1}).float_ops == 3
    with pytest.raises(OptionError, match="is taken to be equal to 'T'"):
        result.bind(**{"T": 3, "attention_mask.1": 4})


def test_different_lengths_keep_the_names_of_their_inputs() -> None:
    result = cost_of({"source": (-1, -1), "target": (-1, -1)})
    assert result.symbols.keys() == {"B", "source.1", "target.1"}


def test_different_lengths_of_inputs_without_names_are_numbered() -> None:
    result = cost_of({"keras_tensor_10": (-1, -1, 3), "keras_tensor_9": (-1, -1)})
    assert result.symbols == {
        "B": "batch size",
        "T1": "size of input 'keras_tensor_9' along axis 1",
        "T2": "size of input 'keras_tensor_10' along axis 1",
    }
    assert result.float_ops == B * symbol("T1") + 3 * B * symbol("T2")
    by_axis = {"B": 1, "keras_tensor_9.1": 5, "keras_tensor_10.1": 7}
    assert result.bind(**by_axis).float_ops == result.bind(B=1, T1=5, T2=7).float_ops == 26
    with pytest.raises(OptionError, match=r"the symbols of this model are B, T1, T2$"):
        result.bind(T=1)
    mixed = cost_of({"keras_tensor": (-1, -1), "target": (-1, -1)})
    assert mixed.symbols.keys() == {"B", "keras_tensor.1", "target.1"}


def test_an_image_without_a_name_has_height_and_width() -> None:
    result = cost_of({"keras_tensor": (-1, -1, -1, 3)})
    assert result.float_ops == 3 * B * symbol("H") * symbol("W")
    assert result.symbols["W"] == "size of input 'keras_tensor' along axis 2"
    assert result.bind(**{"B": 1, "keras_tensor.1": 5, "W": 7}).float_ops == 105
    two = cost_of({"keras_tensor": (-1, -1, -1, 3), "keras_tensor_1": (-1, -1, -1, 3)})
    assert two.symbols.keys() == {
        "B",
        *(f"keras_tensor{i}.{a}" for i in ("", "_1") for a in (1, 2)),
    }


def test_a_cost_says_how_to_get_numbers() -> None:
    text = cost_of({"keras_tensor": (-1, -1, -1, 3)}).text()
    assert "\n  give sizes with --bind B=32,H=224,W=224\n" in text
    assert "--bind" not in cost_of({"x": (-1, 3)}).text()


@pytest.mark.parametrize(
    ("sizes", "names"),
    [
        ((-1, -1, -1, 3), {"B", "image.1", "image.2"}),
        ((-1, 3, -1), {"B", "image.2"}),
        ((4, -1), {"T"}),
        ((-1, 4), {"B"}),
        ((-1, -1, 80, 1), {"B", "T"}),
    ],
)
def test_axes(sizes: tuple[int, ...], names: set[str]) -> None:
    assert cost_of({"image": sizes}).symbols.keys() == names


def test_inputs_that_are_not_needed_have_no_symbols() -> None:
    graph = GraphDef()
    for name in ("serving_default_x", "serve_x"):
        node = graph.node.add(name=name, op="Placeholder")
        node.attr["dtype"].type = DataType.DT_FLOAT
        negate(graph.node.add(name=f"{name}_out", input=[name]))
    shape = (None, None, None)
    inputs = {"serving_default_x": ("x", shape), "serve_x": ("serve_x", shape)}
    result = compute_cost(ModelGraph(graph, ["serving_default_x_out"], inputs), {})
    assert result.symbols.keys() == {"B", "x.1", "x.2"}
    with pytest.raises(OptionError, match=r"the symbols of this model are B, x\.1, x\.2$"):
        result.bind(C=1)


def test_recorded_sizes_reach_the_new_name() -> None:
    names = Symbols()
    shape = names.name_sizes("x", (None, None))
    assert shape is not None
    names.record(shape[1], 20)
    names.name_inputs()
    assert names.values() == {"x.1": 20, "T": 20}


def test_trip_counts_are_named_by_loop_and_bound() -> None:
    names = Symbols()
    outer, inner = LoopId("", "outer"), LoopId("body", "inner")
    assert names.name_trip_count(outer, None) == T
    assert names.name_trip_count(inner, None) == symbol("T2")
    assert names.name_trip_count(inner, 5) == symbol("T3")
    assert names.name_trip_count(inner, None) == symbol("T2")
    assert names.loops == {"T": outer, "T2": inner, "T3": inner}
    assert names.meanings["T3"] == "trip count of loop inner in body (max 5)"


def test_a_sequence_comes_before_loops() -> None:
    names = Symbols()
    shape = names.name_sizes("x", (None, None))
    assert shape is not None
    assert names.name_trip_count(LoopId("", "while"), shape[1]) == symbol("T2")
    names.name_inputs()
    assert names.meanings == {
        "B": "batch size",
        "T": "size of input 'x' along axis 1",
        "T2": "trip count of loop while (max T)",
    }


def test_lengths_of_padded_rows() -> None:
    names = Symbols()
    assert names.name_row_lengths("pad", "", (B, None)) == (B, symbol("pad.1"))
    assert names.name_row_lengths("pad", "", (None, None, 3)) == (None, symbol("pad.1"), 3)
    assert names.name_row_lengths("pad", "f", (B, None)) == (B, None)  # another node of that name
    assert names.name_row_lengths("pad", "", None) is None
    names.name_inputs()
    assert names.meanings == {"T": "size of 'pad' along axis 1"}
