"""Small inputs that once took minutes or gigabytes: each keeps a budget of 2 s and 300 MB."""

from __future__ import annotations

import pytest

import tfprof
from tests.robustness import hostile_graphs, hostile_models
from tests.robustness.budget import run_measured


@pytest.fixture
def graph_file(tmp_path):
    """Writes a graph to a file."""

    def write(graph):
        path = tmp_path / "graph.pb"
        path.write_bytes(graph.SerializeToString())
        return path

    return write


def test_model_with_parameters_but_no_float_operations(graph_file):
    done = run_measured("model", graph_file(hostile_graphs.embedding())).check()
    assert done.status == 0
    assert "800" in done.out


@pytest.mark.parametrize("escape", [b"\\\\", b"\\n", b"\\x4"], ids=["backslash", "n", "hex"])
def test_text_graph_with_a_name_of_escapes(escape, tmp_path):
    path = tmp_path / "graph.pbtxt"
    path.write_bytes(b'node { name: "' + escape * 100_000 + b'" op: "A" }\n')
    done = run_measured(f"--graph_path={path}", "op", "-output", "csv").check()
    assert done.status == 0


@pytest.mark.parametrize(
    "state",
    [
        b"\n" * 200_000,
        b"\\" * 200_000,
        b'model_checkpoint_path: "' + b"\\" * 200_000 + b'"\n',
        b'model_checkpoint_path: "' + b"\n" * 200_000,
        b"model_checkpoint_path" + b" " * 200_000,
        b" model_checkpoint_path:\n" * 8000,
    ],
    ids=["lines", "backslashes", "name", "cut", "spaces", "keys"],
)
def test_checkpoint_state_of_200_kb(state, tmp_path):
    (tmp_path / "checkpoint").write_bytes(state)
    done = run_measured(tmp_path).check()
    assert done.status == 1
    assert done.err.count("\n") == 1


def test_integers_wrap_as_in_tensorflow(graph_file):
    """3 squared 26 times, and what is made of it, in 64 bits."""
    done = run_measured("cost", graph_file(hostile_graphs.square_constant())).check()
    assert done.status == 0


@pytest.mark.parametrize("graph", [hostile_graphs.square_batch, hostile_graphs.square_sum])
def test_sizes_with_too_many_terms_are_symbols(graph, graph_file):
    done = run_measured("cost", graph_file(graph())).check()
    assert done.status == 0
    assert "sizes with too many terms or too high powers are symbols: large_" in done.out


def test_quotients_of_quotients(graph_file):
    done = run_measured("cost", graph_file(hostile_graphs.nested_quotients())).check()
    assert done.status == 0


@pytest.mark.parametrize(("nodes", "outputs"), [(2, 2**31 - 1), (2, 2**62), (3000, 1024)])
def test_attributes_that_say_how_many_outputs_there_are(nodes, outputs, graph_file):
    path = graph_file(hostile_graphs.many_outputs(nodes, outputs))
    for argv in (("cost", path), ("model", path), (path, "op", "-select", "float_ops")):
        assert run_measured(*argv).check().status == 0


def test_splits_of_a_few_parts_are_counted(graph_file):
    path = graph_file(hostile_graphs.many_outputs(2, 1024))
    assert "16 " in run_measured("cost", path).check().out


@pytest.mark.parametrize("depth", [500, 1000])
def test_nested_frames(depth, graph_file):
    done = run_measured("cost", graph_file(hostile_graphs.nested_frames(depth))).check()
    assert "Relu" in done.out


@pytest.mark.parametrize("view", ["scope", "graph", "op"])
def test_functions_that_call_each_other_twice(view, graph_file):
    done = run_measured(graph_file(hostile_graphs.call_twice()), view).check()
    assert "calls that need more than 24812 nodes are not expanded" in done.err


def test_functions_that_each_call_the_next(graph_file):
    path = graph_file(hostile_graphs.call_chain())
    for argv in ((path, "op", "-select", "float_ops"), ("cost", path)):
        assert "16" in run_measured(*argv).check().out
    for command in ("model", "fit"):
        done = run_measured(command, path).check()
        assert (done.status, done.err.count("\n")) == (1, 1)


def test_closed_functions_have_the_work_of_all_that_they_call(graph_file):
    path = graph_file(hostile_graphs.call_twice(30))
    done = run_measured(path, "op", "-select", "float_ops", "-output", "json").check()
    assert str(4 * 2**29) in done.out
    assert str(4 * 2**29) in run_measured("cost", "--json", path).check().out


def test_tensor_with_more_elements_than_floats_count(graph_file):
    path = graph_file(hostile_graphs.huge_tensor())
    assert "1.89e+373" in run_measured("cost", path).check().out
    run_measured("model", path).check()


def test_chain_of_20_000_nodes_in_full(graph_file):
    path = graph_file(hostile_graphs.node_chain(20_000))
    done = run_measured(path, "graph", "-max_depth", "100000", "-account_type_regexes", ".*")
    done.check()
    assert done.status == 1
    assert "would take 0.4 GB; lower max_depth" in done.err


@pytest.mark.parametrize("name", ["saved_model.pb", "host.xplane.pb", "checkpoint"])
def test_links_to_devices_are_not_read(name, tmp_path):
    (tmp_path / name).symlink_to("/dev/zero")
    for argv in (("cost", tmp_path), (tmp_path / name, "op")):
        done = run_measured(*argv).check()
        assert done.status == 1
        assert done.err.count("\n") == 1


@pytest.mark.parametrize("name", ["saved_model.pb", "saved_model.pbtxt"])
def test_folder_whose_model_is_a_device(name, tmp_path):
    (tmp_path / name).symlink_to("/dev/zero")
    says = f"tfprof: {tmp_path / name}: is a device; give a file for the graph\n"
    for argv in (("cost", tmp_path), ("model", tmp_path), (tmp_path, "op")):
        done = run_measured(*argv).check()
        assert (done.status, done.err) == (1, says)


def test_graph_that_is_cut_between_nodes_is_reported():
    graph = hostile_graphs.node_chain(10)
    del graph.node[3:6]
    report = tfprof.load(graph=graph).report("op")
    assert any("1 input is not in the graph, such as 'n5' of 'n6'" in m for m in report.messages)
    assert not tfprof.load(graph=hostile_graphs.node_chain(10)).report("op").messages


@pytest.mark.parametrize("command", ["cost", "model"])
def test_graph_that_is_cut_between_nodes_is_reported_with_its_cost(command, graph_file):
    graph = hostile_graphs.node_chain(10)
    whole = run_measured(command, graph_file(graph)).check()
    del graph.node[3:6]
    cut = run_measured(command, graph_file(graph)).check()
    note = "1 input is not in the graph, such as 'n5' of 'n6'; the file may be truncated"
    assert note in cut.out
    assert "not in the graph" not in whole.out + whole.err


@pytest.mark.parametrize(
    "graph", [hostile_models.deep_scope, hostile_models.copied_handle, hostile_models.many_layers]
)
def test_layers_by_scopes(graph, graph_file):
    assert run_measured("model", graph_file(graph())).check().status == 0


@pytest.mark.parametrize(
    "model",
    [
        hostile_models.model_of_itself,
        hostile_models.nested_models,
        hostile_models.shared_object,
        hostile_models.named_layers,
    ],
)
def test_layers_of_a_saved_model(model, tmp_path):
    (tmp_path / "saved_model.pb").write_bytes(model().SerializeToString())
    assert run_measured("model", tmp_path).check().status == 0
