"""Each checker fires with the right number, and stays silent where there is nothing to say."""

from __future__ import annotations

import pytest

from tests.advisor.models import CPU, GPU, STREAM, Model
from tfprof.advisor import Finding, advise

FLOAT = 1
INT64 = 9


def findings(model: Model, checker: str, **options: float) -> tuple[Finding, ...]:
    """What one checker finds; it must have had its data."""
    result = advise(model.load(), {checker: options})[checker]
    assert result.missing == ()
    assert all(finding.checker == checker for finding in result.findings)
    return result.findings


def only(model: Model, checker: str, **options: float) -> Finding:
    """The one finding of a checker."""
    (finding,) = findings(model, checker, **options)
    return finding


def impact(finding: Finding) -> tuple[float, str]:
    """The number of the potential impact and its unit."""
    assert finding.impact is not None
    return finding.impact.amount.value, finding.impact.amount.unit


def numbers(finding: Finding, name: str) -> dict[str, float]:
    """The numbers of a row of evidence."""
    (row,) = (row for row in finding.evidence if row.name == name)
    return {key: amount.value for key, amount in row.numbers.items()}


def golden() -> Model:
    """The model of reference G4: 0.31 of the GPU's time is used."""
    model = Model().node("v", "VariableV2", shape=[8]).node("c", "Const")
    model.node("mm", "MatMul", "v", "c").node("r", "Relu", "mm").node("out", "Identity", "r").step()
    model.ran("c", 1000, 20).ran("out", 9000, 30)
    model.ran("v", 1000, 5, on=GPU).ran("mm", 2000, 50, on=GPU).ran("mm", 3000, 7, on=GPU)
    model.ran("r", 2020, 40, on=GPU).ran("mm:MatMul", 2500, 600, on=STREAM)
    return model.ran("mm:MatMul", 3500, 100, on=STREAM).ran("r:Relu", 3200, 100, on=STREAM)


def test_utilization_is_low() -> None:
    finding = only(golden(), "AcceleratorUtilizationChecker")
    assert finding.message == f"device: {GPU.lower()} low utilization: 0.31"
    assert finding.severity == "warning"
    assert impact(finding) == (1800, "time")


def test_utilization_threshold_is_an_option() -> None:
    finding = only(golden(), "AcceleratorUtilizationChecker", threshold=0.3)
    assert finding.message == f"device: {GPU.lower()} utilization: 0.31"
    assert finding.severity == "info"
    assert finding.impact is None


def batch_norm(op: str) -> Model:
    """Batch normalization by an op, with 30us in nodes that are named so."""
    model = Model().node("x", "Placeholder").node("BatchNorm/mul", "Mul", "x")
    return model.node("bn/y", op, "x").step().ran("BatchNorm/mul", 1, 30).ran("bn/y", 40, 5)


def test_batch_norm_of_single_ops_is_slow() -> None:
    finding = only(batch_norm("Mul"), "OperationChecker")
    assert finding.message == "Maybe use faster FusedBatchNorm instead of BatchNorm"
    assert impact(finding) == (30, "time")


@pytest.mark.parametrize("op", ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"])
def test_every_fused_batch_norm_is_known(op: str) -> None:
    assert findings(batch_norm(op), "OperationChecker") == ()


def images(data_format: bytes, device: str) -> Model:
    """A convolution."""
    model = Model().node("conv", "Conv2D", data_format=data_format, text="tf.nn.conv2d(x, w)")
    return model.step().ran("conv", 10, 200, on=device)


def test_channels_last_on_a_gpu() -> None:
    finding = only(images(b"NHWC", GPU), "OperationChecker")
    assert finding.message.startswith("Found operation using NHWC data_format on GPU.")
    assert numbers(finding, "conv") == {"time": 200}
    assert finding.evidence[-1].source == "model.py:1 build: tf.nn.conv2d(x, w)"


@pytest.mark.parametrize(("data_format", "device"), [(b"NCHW", GPU), (b"NHWC", CPU)])
def test_channels_last_elsewhere_is_fine(data_format: bytes, device: str) -> None:
    assert findings(images(data_format, device), "OperationChecker") == ()


def test_expensive_nodes_are_real_ones() -> None:
    model = Model().node("s/deep/a", "MatMul").node("s/b", "Relu").node("c", "Relu").step()
    model.ran("s/deep/a", 1, 700).ran("s/b", 800, 200).ran("c", 1100, 100)
    types, nodes = findings(model, "ExpensiveOperationChecker", top=2)
    assert types.message.splitlines() == [
        "top 1 operation type: MatMul, cpu: 700us, accelerator: 0us, total: 700us (70.00%)",
        "top 2 operation type: Relu, cpu: 300us, accelerator: 0us, total: 300us (30.00%)",
    ]
    assert nodes.message.splitlines() == [
        "top 1 graph node: s/deep/a, cpu: 700us, accelerator: 0us, total: 700us (70.00%)",
        "top 2 graph node: s/b, cpu: 200us, accelerator: 0us, total: 200us (20.00%)",
    ]
    assert impact(nodes) == (700, "time")


def test_nothing_expensive_in_an_empty_step() -> None:
    model = Model().node("a", "MatMul").step()
    model.steps[0].step_stats.SetInParent()
    assert findings(model, "ExpensiveOperationChecker") == ()


def flops() -> Model:
    """A matrix product that is counted, an erf that is not, and what does no arithmetic."""
    model = Model().node("w", "VariableV2", shape=[2, 2], dtype=FLOAT)
    model.node("mm", "MatMul", "w", "w", T=FLOAT).counted("mm", 16)
    model.node("step", "Add", T=INT64).node("x", "Placeholder", dtype=FLOAT)
    model.node("erf", "Erf", "x", T=FLOAT, text="y = tf.erf(x)")
    model.node("odd", "MyOwnOp", "mm", T=FLOAT).step()
    return model.ran("w", 1, 5).ran("mm", 10, 60).ran("erf", 80, 30).ran("step", 120, 5)


def test_unknown_flops() -> None:
    finding = only(flops().ran("odd", 130, 100), "UnknownFlops")
    assert finding.message.startswith("FLOPs unavailable for 2 of 3 nodes that do arithmetic")
    assert "65.0% of the time" in finding.message
    assert impact(finding) == (130, "time")
    assert [row.name for row in finding.evidence] == ["MyOwnOp", "Erf"]
    assert [row.note for row in finding.evidence] == ["no formula", "unknown shape"]
    assert finding.evidence[1].source == "model.py:5 build: y = tf.erf(x)"
    assert numbers(finding, "Erf") == {"nodes": 1, "time": 30, "share": 0.15}


def test_unknown_flops_without_a_run_are_nodes() -> None:
    model = flops()
    model.steps.clear()
    assert impact(only(model, "UnknownFlops")) == (2, "number")


def test_all_flops_known() -> None:
    assert findings(flops().counted("erf", 4), "UnknownFlops") == ()


def placed(device: str) -> Model:
    """The softmax of seed 004 somewhere, beside products on a GPU; input is on the CPU as ever."""
    model = Model().node("x", "IteratorGetNext").node("mm", "MatMul", "x")
    model.node("xent", "SoftmaxCrossEntropyWithLogits", "mm", text="loss = tf.nn.softmax(...)")
    model.step().ran("x", 1, 500).ran("mm", 510, 30, on=GPU).ran("mm:MatMul", 520, 100, on=STREAM)
    return model.ran("xent", 700, 370, on=device)


def test_softmax_on_the_cpu() -> None:
    finding = only(placed(CPU), "DevicePlacement")
    assert "37.0% of the time" in finding.message
    assert impact(finding) == (370, "time")
    (row,) = finding.evidence
    assert (row.name, row.device) == ("SoftmaxCrossEntropyWithLogits", CPU.lower())
    assert row.source == "model.py:3 build: loss = tf.nn.softmax(...)"


def test_softmax_on_the_gpu() -> None:
    assert findings(placed(GPU), "DevicePlacement") == ()


def servers(first: int, second: int) -> Model:
    """Two parameter servers, and a worker that holds a variable of its own."""
    model = Model().step()
    for task, size in enumerate((first, second)):
        model.node(f"w{task}", "VariableV2", shape=[size])
        model.ran(f"w{task}", 1, 1, on=f"/job:ps/replica:0/task:{task}/cpu:0")
    model.node("local", "VariableV2", shape=[10**9])
    return model.ran("local", 1, 1, on="/job:worker/replica:0/task:0/cpu:0")


def test_unbalanced_parameter_servers() -> None:
    finding = only(servers(25_810_000, 58_840_000), "ParameterBalance")
    assert finding.message.startswith("/job:ps/replica:0/task:1/cpu:0 holds 1.39 times")
    assert impact(finding) == (16_515_000, "number")
    row = numbers(finding, "/job:ps/replica:0/task:0/cpu:0")
    assert row["params"] == 25_810_000


def test_balanced_parameter_servers() -> None:
    assert findings(servers(40_000_000, 42_000_000), "ParameterBalance") == ()


def fed(start_of_compute: int) -> Model:
    """A queue that is read for 3090us, and a convolution that starts some time after."""
    model = Model().node("queue", "QueueDequeueManyV2", text="images = cifar.build_input()")
    model.node("w", "VariableV2").node("conv", "Conv2D", "queue").node("other", "Conv2D").step()
    model.ran("queue", 1000, 3090).ran("w", 1000, 5).ran("conv", 4100, 400)
    return model.ran("other", start_of_compute, 500)


def test_a_step_that_waits_for_input() -> None:
    finding = only(fed(4500), "InputStall")
    # The step takes from 1000 to 5000, and the queue alone runs until 4090.
    assert f"{3090 / 4000:.1%}" in finding.message
    assert impact(finding) == (3090, "time")
    assert finding.evidence[0].source == "model.py:1 build: images = cifar.build_input()"


def test_input_behind_computation_is_no_stall() -> None:
    model = fed(4500).ran("other", 990, 3000)
    assert findings(model, "InputStall", share=0.05) == ()


def test_memory_peak_of_allocations() -> None:
    model = Model().node("a", "MatMul", text="a = x @ w").node("b", "Relu", "a").step()
    gpu = {"on": GPU, "allocator": "GPU_0_bfc"}
    model.ran(
        "a", 100, 50, allocations=((110, 3_000_000), (115, 2_000_000), (120, -2_000_000)), **gpu
    )
    model.ran("b", 200, 50, allocations=((210, 4_000_000), (240, -4_000_000)), **gpu)
    model.node("v", "VariableV2").ran("v", 90, 1, on=GPU, persistent=1_000_000)
    finding = only(model, "MemoryPeak")
    assert impact(finding) == (7_000_000, "memory")
    assert [row.name for row in finding.evidence] == ["b", "a"]
    assert numbers(finding, "a") == {"memory": 3_000_000, "share": 3 / 7}
    assert finding.evidence[1].source == "model.py:1 build: a = x @ w"
    assert "120us into step 0" in finding.message
    assert "4.00MB of it temporary" in finding.message
    assert "1.00MB more kept between steps" in finding.message


def chain(last_use: str) -> Model:
    """Four ops; the first one's output is used again by one of them."""
    model = Model().node("a", "MatMul").node("b", "Relu", "a", *(["a"] if last_use == "b" else []))
    model.node("c", "Relu", "b").node("d", "Add", "c", *(["a"] if last_use == "d" else [])).step()
    size = {"peak": 4_000_000, "live": 4_000_000, "output": 4_000_000}
    model.ran("a", 100, 10, **size).ran("b", 120, 10, **size)
    return model.ran("c", 140, 10, **size).ran("d", 160, 10, **size)


def test_memory_peak_by_last_use() -> None:
    short, long = (only(chain(use), "MemoryPeak") for use in "bd")
    assert impact(short) == (8_000_000, "memory")
    assert impact(long) == (12_000_000, "memory")
    assert {row.name for row in long.evidence} == {"a", "b", "c"}
    assert "estimated" in long.message


def test_little_memory_is_no_finding() -> None:
    model = Model().node("a", "MatMul").step().ran("a", 1, 1, peak=900_000, live=900_000)
    assert findings(model, "MemoryPeak") == ()
    assert impact(only(model, "MemoryPeak", min_bytes=1)) == (900_000, "memory")


def tiny(micros: int, pause: int) -> Model:
    """A thousand additions in a row, and a product after them."""
    model = Model().node("add", "AddV2", text="total = total + x").node("mm", "MatMul").step()
    for i in range(1000):
        model.ran("add", 1000 + i * (micros + pause), micros)
    return model.ran("mm", 1000 + 1000 * (micros + pause), 2000)


def test_many_small_ops() -> None:
    finding = only(tiny(2, 3), "SmallOps")
    assert "1000 of 1001 op executions" in finding.message
    assert f"{5000 / 7000:.1%}" in finding.message
    assert impact(finding) == (5000, "time")
    assert numbers(finding, "AddV2") == {"runs": 1000, "time": 2000, "share of runs": 1}
    assert finding.evidence[0].source == "model.py:1 build: total = total + x"


def test_larger_ops_are_fine() -> None:
    assert findings(tiny(40, 3), "SmallOps") == ()


def copied(size: int) -> Model:
    """A product on a GPU with two consumers on the CPU, and the copy of its output."""
    model = Model().node("mm", "MatMul", text="y = x @ w").node("a", "Relu", "mm")
    model.node("b", "Relu", "mm").node("c", "Relu", "mm").node("done", "NoOp", "^c").step()
    model.ran("mm", 100, 50, on=GPU, output=size).ran("c", 160, 5, on=GPU, output=size)
    return model.ran("a", 400, 50).ran("b", 460, 40).ran("done", 500, 1)


def test_copies_between_devices() -> None:
    model = copied(8_000_000)
    for lane in ("stream:3", "stream:all", "memcpy"):
        model.ran("edge_7_mm:MEMCPYDtoH", 200, 80, on=f"{GPU}/{lane}")
    finding = only(model, "DataTransfer")
    assert finding.message.startswith("1 tensors are copied between devices")
    assert impact(finding) == (80, "time")
    assert numbers(finding, "mm:0") == {"size": 8_000_000, "copy time": 80}
    assert finding.evidence[1].device == f"{GPU.lower()} -> {CPU.lower()}"
    assert finding.evidence[1].source == "model.py:1 build: y = x @ w"


def test_copies_without_records_have_a_size() -> None:
    assert impact(only(copied(8_000_000), "DataTransfer")) == (8_000_000, "memory")


def test_small_copies_are_fine() -> None:
    assert findings(copied(400), "DataTransfer") == ()


def steps(*lengths: int) -> Model:
    """Steps of a product that always takes 500us, and of something that takes the rest."""
    model = Model().node("mm", "MatMul").node("read", "ReadFile", text="data = read()")
    for number, length in enumerate(lengths):
        start = 1000 + 100_000 * number
        model.step().ran("mm", start, 500).ran("read", start + 500, length - 500)
    return model


def test_a_slow_step() -> None:
    finding = only(steps(1000, 1010, 2000, 990), "StepVariance")
    assert finding.message.startswith("step 2 takes 99.0% longer than usual")
    assert impact(finding) == (995, "time")
    assert numbers(finding, "read") == {"extra": 1010, "total": 1500}
    assert [row.name for row in finding.evidence] == ["steps", "read"]
    assert finding.evidence[1].source == "model.py:2 build: data = read()"


def test_two_steps_are_compared_with_each_other() -> None:
    assert impact(only(steps(1000, 1200), "StepVariance")) == (200, "time")


def test_even_steps() -> None:
    assert findings(steps(1000, 1010, 1050), "StepVariance") == ()
