"""Models of the documents beside the demo, written from what the documents print of them.

Each is a graph, a run and an op log of as many nodes as the listings need.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.seeds.documents import typed
from tfprof import demo
from tfprof.protos import graph_pb2, log_pb2, run_metadata_pb2

__all__ = ["MODELS", "Model"]

WORKER = "/job:worker/replica:0/task:0"


@dataclass
class Model:
    """Messages of a model to which nodes are added."""

    graph: graph_pb2.GraphDef = field(default_factory=graph_pb2.GraphDef)
    run: run_metadata_pb2.RunMetadata = field(default_factory=run_metadata_pb2.RunMetadata)
    log: log_pb2.OpLogProto = field(default_factory=log_pb2.OpLogProto)

    def add(self, name: str, op: str, micros: int = 0, device: str = f"{WORKER}/cpu:0") -> None:
        """A node that runs for some time on a device; nowhere if that is empty."""
        self.graph.node.add(name=name, op=op)
        if not device:
            return
        devices = self.run.step_stats.dev_stats
        stats = next((d for d in devices if d.device == device), None) or devices.add(device=device)
        stats.node_stats.add(
            node_name=name,
            all_start_micros=1_000_000 + len(self.graph.node),
            op_end_rel_micros=micros,
            all_end_rel_micros=micros,
        )

    def add_variable(self, name: str, sizes: tuple[int, ...], device: str) -> None:
        """A variable of a shape."""
        self.add(name, "VariableV2", 1, device)
        for size in sizes:
            self.graph.node[-1].attr["shape"].shape.dim.add(size=size)

    def trace(self, frames: list[str]) -> None:
        """Where the last node was created: frames as code view prints them."""
        entry = self.log.log_entries.add(name=self.graph.node[-1].name)
        for frame in frames:
            file, line, function, text = frame.split(":", 3)
            entry.code_def.traces.add(
                lineno=int(line),
                file_id=self._string(f"/src/{file}"),
                function_id=self._string(_uncut(function)),
                line_id=self._string(_uncut(text)),
            )

    def save(self, folder: Path) -> dict[str, str]:
        """Write the messages to files; the flags that load them."""
        folder.mkdir(parents=True, exist_ok=True)
        flags = {}
        for name, message in (("graph", self.graph), ("run_meta", self.run), ("op_log", self.log)):
            if message.ByteSize():
                (folder / name).write_bytes(message.SerializeToString())
                flags[f"{name}_path"] = str(folder / name)
        return flags

    def _string(self, text: str) -> int:
        table = self.log.id_to_string
        for key, known in table.items():
            if known == text:
                return key
        table[len(table) + 1] = text
        return len(table)


def _uncut(text: str) -> str:
    """A text that is printed cut off as it is here."""
    return text.removesuffix("...") + "~" * 10 if text.endswith("...") else text


def _leaves(tree: str) -> Iterator[tuple[list[str], int]]:
    """The stacks of an indented listing that have a time."""
    stack: list[str] = []
    for line in tree.strip("\n").splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        frame, _, micros = line.strip().rpartition(" = ")
        timed = micros.isdigit()
        stack[depth:] = [frame if timed else line.strip()]
        if timed:
            yield list(stack), int(micros)


def _traced(tree: str) -> Model:
    """A model of one node per timed frame, each made in a library below that frame."""
    model = Model()
    for number, (stack, micros) in enumerate(_leaves(tree)):
        model.add(f"node_{number}", "MatMul", micros, f"{WORKER}/cpu:0" if micros else "")
        model.trace([*stack, "ops.py:1:create_op:return op"])
    return model


def model_analyzer() -> Model:
    """The test of tfprof's own Python interface."""
    return _traced("""
model_analyzer_test.py:149:run_filename_as_m...:none
  model_analyzer_test.py:33:_run_code_in_main:none
    model_analyzer_test.py:208:<module>:test.main()
      model_analyzer_test.py:132:testComplexCodeView:x = lib.BuildFull...
        model_analyzer_testlib.py:63:BuildFullModel:return sgd_op.min... = 21826
        model_analyzer_testlib.py:58:BuildFullModel:cell, array_ops.c... = 333
        model_analyzer_testlib.py:54:BuildFullModel:seq.append(array_...
          model_analyzer_testlib.py:42:BuildSmallModel:x = nn_ops.conv2d... = 134
          model_analyzer_testlib.py:46:BuildSmallModel:initializer=init_... = 40
          model_analyzer_testlib.py:40:BuildSmallModel:image = array_ops... = 35
          model_analyzer_testlib.py:44:BuildSmallModel:x = nn_ops.relu(x) = 34
          model_analyzer_testlib.py:48:BuildSmallModel:return x = 11
        model_analyzer_testlib.py:61:BuildFullModel:loss = nn_ops.l2_... = 28
        model_analyzer_testlib.py:60:BuildFullModel:target = array_op... = 0
      model_analyzer_test.py:134:testComplexCodeView:sess.run(variable... = 0
""")


def seq2seq() -> Model:
    """The text summarizer, by its lines of code."""
    return _traced("""
seq2seq_attention.py'>:168:run_filename_from...:none
  seq2seq_attention.py'>:33:_run_code_in_main:none
    seq2seq_attention.py:316:<module>:app.run()
      seq2seq_attention.py:270:main:_Train(model, bat...
        seq2seq_attention.py:128:_Train:model.build_graph()
          seq2seq_attention_model.py:360:build_graph:self._add_seq2seq()
            seq2seq_attention_model.py:293:_add_seq2seq:decoder_outputs, ...
              seq2seq_lib.py:181:sampled_sequence_...:average_across_ti...
                seq2seq_lib.py:147:sequence_loss_by_...:crossent = loss_f...
                  seq2seq_attention_model.py:289:sampled_loss_func:num_classes=vsize) = 2460000
                  seq2seq_attention_model.py:282:sampled_loss_func:labels = tf.resha... = 164
            seq2seq_attention_model.py:192:_add_seq2seq:sequence_length=a...
              seq2seq_lib.py:104:bidirectional_rnn:sequence_length, ...
                core_rnn.py:195:static_rnn:state_size=cell.s... = 127200
                core_rnn.py:180:static_rnn:time=0 = 70
              seq2seq_lib.py:110:bidirectional_rnn:initial_state_bw,...
                core_rnn.py:195:static_rnn:state_size=cell.s... = 125860
                core_rnn.py:180:static_rnn:time=0 = 100
              seq2seq_lib.py:115:bidirectional_rnn:outputs = concat = 12080
            seq2seq_attention_model.py:253:_add_seq2seq:initial_state_att... = 50350
            seq2seq_attention_model.py:173:_add_seq2seq:for x in encoder_... = 8720
            seq2seq_attention_model.py:218:_add_seq2seq:w_t = tf.transpos... = 2390
            seq2seq_attention_model.py:170:_add_seq2seq:hidden = 20 = 90
          seq2seq_attention_model.py:363:build_graph:self._add_train_o...
            seq2seq_attention_model.py:307:_add_train_op:tf.gradients(self... = 641440
            seq2seq_attention_model.py:322:_add_train_op:zip(grads, tvars)... = 307560
            seq2seq_attention_model.py:310:_add_train_op:tf.summary.scalar = 100
          seq2seq_attention_model.py:364:build_graph:self._summaries =... = 13
          seq2seq_attention_model.py:361:build_graph:self.global_step ... = 12
          seq2seq_attention_model.py:358:build_graph:self._add_place = 5
        seq2seq_attention.py:129:_Train:saver = tf.train.... = 0
        seq2seq_attention.py:140:_Train:global_step=model... = 0
""")


def textsum() -> Model:
    """The text summarizer on workers and parameter servers, by its operation types."""
    model = Model()
    gpus = [f"{WORKER}/device:GPU:{number}" for number in range(4)]
    for i, device in enumerate(["", f"{WORKER}/cpu:0", *gpus]):
        model.add(f"MatMul_{i}", "MatMul", 123_794, device)
    for op, micros in {
        "SoftmaxCrossEntropyWithLogits": 1_366_400,
        "Add": 273_760,
        "Sub": 215_410,
        "ConcatV2": 203_880,
        "Mul": 134_320,
        "ApplyAdam": 92_660,
        "Switch": 72_430,
        "LogUniformCandidateSampler": 69_010,
        "Unique": 53_500,
        "AddN": 50_100,
    }.items():
        model.add(op.lower(), op, micros)
    for i in range(15):
        model.add(f"rest_{i}", f"Rest{i}", 39_979)
    servers = "/job:ps/replica:0/task:{}/cpu:0"
    model.add_variable("ps_0/embedding", (50_000, 512), servers.format(0))
    model.add_variable("ps_0/cell/weights", (410, 512), servers.format(0))
    model.add_variable("ps_1/softmax", (114_900, 512), servers.format(1))
    model.add_variable("ps_1/biases", (11_200,), servers.format(1))
    return model


def towers() -> Model:
    """An image model on four devices, with many operations that take little time."""
    model = Model()
    last = "Conv2d_1a_3x3/convolution_grad/Conv2DBackpropFilter"
    for number, micros in enumerate((124_450, 125_440, 124_850, 126_340)):
        name = f"tower_{number}/gradients/tower_{number}/{last}"
        model.add(name, "Conv2DBackpropFilter", micros)
    for number in range(80):
        model.add(f"tower_{number % 4}/layer_{number}/Conv2D", "Conv2D", 95_236)
    return model


def resnet() -> Model:
    """The residual network of the demo, with the times that the documents print of its nodes."""
    model = Model()
    times = dict(_printed_times())
    graph = graph_pb2.GraphDef.FromString(demo.paths()["graph"].read_bytes())
    for node in graph.node:
        model.add(node.name, node.op, times.pop(node.name, 1))
        model.graph.node[-1].CopyFrom(node)
    assert not times
    return model


def _printed_times() -> Iterator[tuple[str, int]]:
    """The self times of the nodes of a residual network, by name."""
    scale = {"ms": 1_000, "sec": 1_000_000}
    for shown in typed():
        if shown.command.startswith(("graph -start", "scope -start")):
            for line in shown.answer[1:]:
                row = re.fullmatch(r" +(\S+) \(([\d.]+)(ms|sec)/.*\)", line)
                if row:
                    yield row[1], round(float(row[2]) * scale[row[3]])


MODELS = {
    "model_analyzer": model_analyzer,
    "resnet": resnet,
    "seq2seq": seq2seq,
    "textsum": textsum,
    "towers": towers,
}
"""A maker of each model."""
