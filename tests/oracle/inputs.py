"""Random graphs, run metadata and op logs, as odd as the real ones can be and odder."""

from __future__ import annotations

from tests.oracle import extremes, functions
from tests.oracle.dice import Dice
from tfprof.protos import graph_pb2, log_pb2, run_metadata_pb2

__all__ = ["ROOT", "clear_unexecuted", "graph", "node_names", "op_log", "run_metadata"]

ROOT = "_TFProfRoot"

PARTS = ("a", "b", "ab", "a-b", "a.b", "w", "conv_1", "Conv2D", "A", "0", "layer", "_x")
ODD_PARTS = ("é", "日本語", "x y", "", "gradients", "b_grad", "a:b", "l\nm", "(p)", "MEMCPY", "😀")
OPS = ("MatMul", "Conv2D", "Add", "Relu", "VariableV2", "VarHandleOp", "Placeholder", "Const")
ODD_OPS = ("", "Ünïcode", "日本", "_kTFScopeParent", "an operation type of 35 characters..", "add")
TYPES = ("_trainable_variables", "big", "日本", "zz/y", "MatMul", "_checkpoint_variables", "")
HOME = ("/job:x/replica:0/task:0/device:CPU:0", "/job:x/replica:0/task:0/device:GPU:0", "/gpu:1")
ODD_DEVICES = (
    "/job:x/task:1/device:CPU:0",
    "/job:x/task:1/device:gpu:12",
    "/CPU:0",
    "/device:GPU:0/stream:13",
    "/device:GPU:0/memcpy",
    "/device:GPU:1/Stream:ALL",
    "/stream:all",
    "/device:TPU:0",
    "/device:XLA_CPU:0",
    "/host:CPU:0",
    "cpu:0",
    "",
    "/a/device:gpu:1/device:gpu:2",
    "/a/Gpu:3/b/É:GPU:4/device:CPU:0",
)
ODD_RECORDS = ("edge_1_x:MEMCPYHtoD", "MEMCPYDtoH", "a/b/new", "_SOURCE:x", "RecvTensor", ":", "")
ALLOCATORS = ("GPU_0_bfc", "cpu", "gpu_host_bfc", "mklcpu", "GPU_1_bfc")
FILES = ("/p/main.py", "/p/lib.py", "/q/lib.py", "model.py", "/r/no_extension", "/s/ü.tar.py")
ODD_FILES = ("", "/dir/", "/p/none")
FUNCTIONS = ("<module>", "f", "build", "nineteen_characters", "exactly_20_characters", "a" * 40)
ODD_FUNCTIONS = ("", "ü" * 12, "abc" + "日本" * 5, "g (gradient)", "none")
INT64 = 2**63


def node_names(dice: Dice, count: int) -> list[str]:
    """Names that share scopes, extend one another, and include gradients of earlier ones."""
    names: list[str] = []
    for _ in range(count):
        part = dice.choice(ODD_PARTS if dice.odd(0.08) else PARTS)
        roll = dice.random()
        if dice.fatal(0.005):
            name = dice.choice((ROOT, f"{ROOT}/{part}"))
        elif names and roll < 0.45:
            joint = "//" if dice.odd(0.05) else dice.choice(("/", "/", "/", "_", "-", ""))
            name = dice.choice(names) + joint + part
        elif names and roll < 0.6 and not dice.clean:
            name = gradient_name(dice, dice.choice(names), part)
        else:
            scopes = dice.choices(PARTS, k=dice.choice((0, 0, 1, 1, 2, 3, 6)))
            name = "/".join([*scopes, part])
        if dice.odd(0.02):
            odd = ("/", "", name + "/", "/" + name, name + "//", "//", "a/" * 120 + part)
            name = dice.choice(odd)
        names.append(name)
    return names


def gradient_name(dice: Dice, forward: str, part: str) -> str:
    """A name like those `tf.gradients` gives, or one that only looks like it."""
    forms = (
        f"gradients/{forward}_grad/{part}",
        f"gradients/{forward}_grad/{part}",
        f"train/gradients/{forward}_grad/{part}/x",
        f"gradients/{forward}_grad",
        f"{part}_grad/gradients/{forward}",
        f"gradients/_grad/{part}",
        f"gradients/nowhere_grad/{part}",
        f"gradients/gradients/{forward}_grad/y_grad/{part}",
    )
    return dice.choice(forms)


def graph(dice: Dice, names: list[str], *, missing: bool) -> graph_pb2.GraphDef:
    """One node per name; with `missing`, some inputs lead nowhere; large ones are chains."""
    message = graph_pb2.GraphDef()
    chain = len(names) > 100
    loops = dice.odd(0.3)
    for index, name in enumerate(names):
        op = dice.choice(ODD_OPS if dice.odd(0.05) else OPS)
        if dice.fatal(0.005):
            op = ROOT
        node = message.node.add(name=name, op=f"{op}{index}" if chain else op)
        if chain and index:
            node.input.append(names[index - 1])
        for _ in range(dice.choice((0, 1, 1, 2, 2, 3, 6))):
            source = input_name(dice, names, index, loops=loops, missing=missing)
            if source is not None:
                node.input.append(source)
        if node.input and dice.chance(0.1):
            node.input.append(node.input[0])
        attributes(dice, node)
    if dice.source("functions").odd(0.3):
        functions.add_library(dice.source("functions"), message)
    if dice.source("batch norm").odd(0.2):
        extremes.add_batch_norms(dice.source("batch norm"), message)
    return message


def input_name(
    dice: Dice, names: list[str], index: int, *, loops: bool, missing: bool
) -> str | None:
    """An input of node number `index`, or None if nothing comes before it."""
    if missing and dice.chance(0.15):
        return dice.choice(("", "^", ":0", "no/such", "^no/such:1", names[index] + "?"))
    bound = len(names) if loops and dice.chance(0.1) else index
    if bound == 0:
        return None
    nearest = max(0, bound - 5) if dice.chance(0.6) else 0
    source = names[dice.randrange(nearest, bound)]
    if not missing and ":" in source:
        return None
    if dice.clean and source in names[index:]:
        return None
    if dice.chance(0.1):
        source = "^" + source
    if dice.chance(0.2):
        source += ":0" if dice.clean else dice.choice((":0", ":1", ":2", ":0:1", ":x", ":", ":-1"))
    return source


def attributes(dice: Dice, node: graph_pb2.NodeDef) -> None:
    """The attributes that are read, and some that are not."""
    if dice.chance(0.35):
        shape(dice, node.attr["shape"].shape)
    elif dice.odd(0.03):
        node.attr["shape"].i = 7
    if dice.chance(0.5):
        outputs = node.attr["_output_shapes"].list
        outputs.SetInParent()
        for _ in range(dice.choice((0, 1, 1, 1, 2, 3))):
            shape(dice, outputs.shape.add())
    elif dice.odd(0.03):
        shape(dice, node.attr["_output_shapes"].shape)
    if dice.chance(0.1):
        node.attr["data_format"].s = dice.choice((b"NHWC", b"NCHW", b"\xff"))
    if dice.chance(0.1):
        node.attr["T"].type = dice.choice((1, 3, 9))


def shape(dice: Dice, message: graph_pb2.TensorShapeProto) -> None:
    """Scalars, unknown ranks and dimensions, empty and huge ones."""
    message.SetInParent()
    if dice.chance(0.1):
        message.unknown_rank = True
        if dice.clean or dice.chance(0.7):
            return
    for _ in range(dice.choice((0, 1, 1, 2, 2, 3, 4)) or dice.clean):
        size = dice.choice((0, 1, 2, 3, 5, 10, 64, 1000, -1 if dice.chance(0.3) else 7))
        if dice.odd(0.03):
            size = dice.choice((2**31, 2**33, -5, 12345678901))
        message.dim.add(size=size)


def run_metadata(dice: Dice, names: list[str]) -> run_metadata_pb2.RunMetadata:
    """One traced step over these nodes and some others."""
    message = run_metadata_pb2.RunMetadata()
    if dice.odd(0.03):
        message.partition_graphs.add()
        return message
    message.step_stats.SetInParent()
    homes = dice.sample(HOME, dice.choice((1, 1, 2, 3)))
    devices = [*homes]
    devices += [f"{home}/stream:all" for home in homes if "cpu" not in home.lower()]
    if not dice.clean:
        devices += dice.several(ODD_DEVICES, 3)
    if dice.odd(0.1):
        devices.append(dice.choice(devices))
    base = dice.choice((1, 1000, 1_600_000_000_000_000))
    for device in devices:
        if dice.odd(0.15):
            continue
        stats = message.step_stats.dev_stats.add(device=device)
        for name in record_names(dice, names, homes, device):
            record(dice, stats.node_stats.add(node_name=name), base)
    if dice.source("run-time names").odd(0.3):
        extra_records(dice.source("run-time names"), message, names, base)
    if dice.source("line breaks").odd(0.1):
        extremes.add_line_breaks(dice.source("line breaks"), message)
    if dice.source("limits").odd(0.05):
        extremes.add_limits(dice.source("limits"), message)
    return message


def extra_records(
    dice: Dice, message: run_metadata_pb2.RunMetadata, names: list[str], base: int
) -> None:
    """Records of names that the runtime made, and what the labels of all of them say."""
    if message.step_stats.dev_stats and dice.chance(0.7):
        stats = dice.choice(message.step_stats.dev_stats)
        for name in functions.run_time_names(dice, names):
            for _ in range(dice.choice((1, 1, 3))):
                record(dice, stats.node_stats.add(node_name=name), base)
    functions.add_labels(dice, message)


def record_names(dice: Dice, names: list[str], homes: list[str], device: str) -> list[str]:
    """What runs on a device: most nodes keep to one of the homes."""
    chosen = []
    for index, name in enumerate(names):
        home = homes[len(name) % len(homes)]  # by name: duplicates and steps agree
        stays = device.startswith(home) and not (device != home and index % 3 == 0)
        if dice.chance(0.75) if stays else dice.odd(0.06):
            chosen += [name] * dice.choice((1, 1, 1, 1, 2, 4))
    if dice.chance(0.3) and (device == homes[0] or not dice.clean):
        chosen += ["RecvTensor", "_SOURCE", "unknown/node"][: dice.randint(0, 3)]
    if dice.odd(0.3):
        chosen += dice.several(ODD_RECORDS, 4)
    if not dice.clean:
        chosen = [f"{name}:Op" if dice.chance(0.1) else name for name in chosen]
        dice.shuffle(chosen)
    return chosen


def record(dice: Dice, stats: run_metadata_pb2.NodeExecStats, base: int) -> None:
    """Times, and in half of the records memory."""
    stats.all_start_micros = base + dice.randrange(dice.choice((20, 5000)))
    stats.op_end_rel_micros = dice.randrange(1, dice.choice((2, 30, 3000, 2_000_000)))
    if dice.odd(0.03):
        stats.all_start_micros = dice.choice((0, 0, -5))
    if dice.odd(0.03):
        stats.op_end_rel_micros = 0
    if dice.odd(0.002):
        stats.op_end_rel_micros = dice.choice((-1, -5000))
    stats.all_end_rel_micros = stats.op_end_rel_micros + 3
    if dice.chance(0.5):
        return
    for _ in range(dice.choice((0, 1, 1, 2))):
        memory = stats.memory.add(allocator_name=dice.choice(ALLOCATORS))
        size = dice.randrange(dice.choice((2, 5000, 3_000_000, 5_000_000_000)))
        memory.total_bytes, memory.peak_bytes, memory.live_bytes = size, size * 2 // 3, size // 2
        memory.allocator_bytes_in_use = dice.randrange(10_000_000)
        for _ in range(dice.choice((0, 0, 1, 3))):
            when = stats.all_start_micros + dice.randrange(50)
            memory.allocation_records.add(
                alloc_micros=when, alloc_bytes=dice.randrange(-1000, 1_000_000)
            )
    for slot in range(dice.choice((0, 0, 1, 2))):
        output = stats.output.add(slot=dice.choice((slot, slot, 0)))
        if dice.chance(0.8):
            tensor = output.tensor_description
            tensor.dtype = 1
            if dice.chance(0.8):
                described = tensor.allocation_description
                described.SetInParent()
                described.requested_bytes = dice.randrange(5000)
                described.allocated_bytes = dice.randrange(5000)
                described.ptr = dice.choice((0, 1, 2**64 - 1))
    if dice.chance(0.4):
        stats.memory_stats.temp_memory_size = dice.randrange(5000)
        stats.memory_stats.persistent_memory_size = dice.choice((0, 32, 70000))


def op_log(dice: Dice, names: list[str], *, traces: bool) -> log_pb2.OpLogProto:
    """Types, float operations and, if asked for, stacks of these nodes.

    Unless the case may crash, the first entry gives a node that is no gradient a stack: traces
    of which none can be shown kill the original.
    """
    message = log_pb2.OpLogProto()
    plain = [name for name in names if "gradients/" not in name]
    traces = traces and bool(plain or dice.crashing)
    strings = dict.fromkeys(("none", *FILES, *FUNCTIONS, *ODD_FILES, *ODD_FUNCTIONS))
    ids = {text: index for index, text in enumerate(strings)}
    if traces:
        for text, index in ids.items():
            message.id_to_string[index] = text
    stacks: list[list[tuple[str, str, int]]] = [[]]
    if traces and not dice.crashing:
        frames(dice, message.log_entries.add(name=dice.choice(plain)).code_def, stacks, ids)
    for name in dice.sample(names, len(names)) if dice.chance(0.5) else names:
        if dice.chance(0.15):
            continue
        entry = message.log_entries.add(name="unknown/name" if dice.chance(0.03) else name)
        entry.types.extend(dice.several(TYPES, 2))
        if dice.chance(0.5):
            entry.float_ops = dice.randrange(dice.choice((2, 1000, 10**7, 10**13)))
        if dice.odd(0.01):
            entry.float_ops = dice.choice((-7, INT64 - 1))
        if traces and dice.chance(0.85):
            entry.code_def.SetInParent()
            if not dice.odd(0.03):
                frames(dice, entry.code_def, stacks, ids)
    for entry in dice.several(message.log_entries, 3) if dice.chance(0.3) else ():
        message.log_entries.add(name=entry.name, float_ops=dice.randrange(3), types=["again"])
    return message


def clear_unexecuted(log: log_pb2.OpLogProto, run_meta: bytes) -> None:
    """Leave float operations only to nodes that ran, if any did: by default others have none."""
    run = run_metadata_pb2.RunMetadata.FromString(run_meta)
    ran = {r.node_name for device in run.step_stats.dev_stats for r in device.node_stats}
    for entry in log.log_entries:
        if ran and entry.name not in ran:
            entry.float_ops = 0


def frames(
    dice: Dice, code: log_pb2.CodeDef, stacks: list[list[tuple[str, str, int]]], ids: dict[str, int]
) -> None:
    """A stack that shares its beginning with an earlier one."""
    earlier = dice.choice(stacks)
    stack = earlier[: dice.randint(0, len(earlier))]
    for _ in range(dice.choice((0, 1, 1, 2, 3, 6)) or not stack):
        file = dice.choice(ODD_FILES if dice.odd(0.05) else FILES)
        function = dice.choice(ODD_FUNCTIONS if dice.odd(0.02) else FUNCTIONS)
        stack.append((file, function, dice.choice((1, 2, 3, 10, 11, 200))))
    stacks.append(stack)
    for file, function, line in stack:
        trace = code.traces.add(file_id=ids[file], function_id=ids[function], lineno=line)
        trace.func_start_line = dice.choice((-1, -1, 5))
        if dice.odd(0.02):
            trace.file_id, trace.function_id, trace.lineno = 0, 0, -1
        if dice.fatal(0.01):
            trace.file_id = 99
