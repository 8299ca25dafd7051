"""Random cases for the oracle, each made from one seed: inputs, requests, and a session of both."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.oracle import inputs
from tests.oracle.dice import Dice

__all__ = ["Case", "Request", "Step", "generate"]

Options = dict[str, Any]

CHECKERS = (
    "AcceleratorUtilizationChecker",
    "ExpensiveOperationChecker",
    "JobChecker",
    "OperationChecker",
    "NoSuchChecker",
)
CMDS = ("scope", "graph", "op", "code")
MEMORY = ("bytes", "peak_bytes", "residual_bytes", "output_bytes")
TIMES = ("micros", "accelerator_micros", "cpu_micros")
SELECTS = (*MEMORY, *TIMES, "params", "float_ops", "occurrence", "tensor_value", "device")
SELECTS = (*SELECTS, "op_types", "input_shapes")
ORDERS = ("name", *MEMORY, *TIMES, "params", "float_ops", "occurrence")
ODD_ORDERS = ("", "depth", "unknown", "Name")
MINIMA = {
    **dict.fromkeys((f"min_{name}" for name in MEMORY), (0, 1, 1, 2000, 2_000_000)),
    **dict.fromkeys((f"min_{name}" for name in TIMES), (0, 1, 1, 10, 1000, 1_000_000)),
    "min_params": (0, 1, 10, 1000),
    "min_float_ops": (0, 1, 1000, 10**7),
    "min_occurrence": (0, 1, 2, 3),
}
INCLUSIVE = {f"min_{name}" for name in (*MEMORY, *TIMES)}
REPAIRED = {
    "scope": {"micros", "occurrence", *INCLUSIVE},
    "graph": {"micros", "occurrence", *INCLUSIVE},
    "op": {"micros"},
    "code": {"micros", "min_occurrence"},
}
"""The metrics that a repaired report shows otherwise, and the minima that it tests otherwise."""
DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 20, 50, 50, 100, 100, 10000)
ODD_DEPTHS = (0, 0, 2**31 - 1, -3, 2**31, 2**40)
TYPE_REGEXES = ("MatMul", "V.*", ".*gpu.*", ".*cpu:0", "_trainable_variables", ".*o.*", "C.*|A.*")
NAME_REGEXES = ("a.*", ".*b.*", ".*/.*", "^a.*$", "a", "[a-c]+", ".+", ".*grad.*", ".*lib.*", "M.*")
ODD_REGEXES = ("", "(", "*", "(?i)A.*", r"\w+", ".*日.*", "(?=a)", r".*\(.*", inputs.ROOT, "a\n.*")


class Step(NamedTuple):
    """A traced step; graph and op log are what a session adds along with it."""

    step: int
    run_meta: bytes
    graph: bytes = b""
    op_log: bytes = b""


class Request(NamedTuple):
    """A report; `options["output"]` is the bare kind, the runner chooses the file.

    Those of the command `advise` are the names of checkers.
    """

    cmd: str
    options: Options | list[str]


class Reload(NamedTuple):
    """What was collected so far, saved and loaded."""


Action = Step | Request | Reload


@dataclass(frozen=True, slots=True)
class Case:
    """Everything one comparison needs.

    One-shot runs use the first step and every request on its own; a session follows `script`.
    `outputs` are requests for timelines, pprof files, standard output and advice. `reloaded` is
    the script with a reload in it.
    """

    seed: int
    graph: bytes
    op_log: bytes
    steps: tuple[Step, ...]
    requests: tuple[Request, ...]
    outputs: tuple[Request, ...]
    script: tuple[Step | Request, ...]
    reloaded: tuple[Action, ...]


def generate(seed: int, *, crashing: bool = False, clean: bool = False) -> Case:
    """The case of a seed.

    With `crashing` it may hold what is known to kill the original; with `clean` nothing on which
    the repaired answer is meant to differ from the original's.
    """
    dice = Dice(seed, crashing=crashing, clean=clean)
    count = 250 if dice.chance(0.01) else dice.choice((0, 1, 3, 8, 12, 20, 20, 30, 30, 45))
    names = inputs.node_names(dice, count)
    later = inputs.node_names(dice, 3) if names else []
    missing = dice.chance(0.25)
    graph = inputs.graph(dice, names, missing=missing)
    traces = dice.chance(0.85)
    op_log = inputs.op_log(dice, names, traces=traces) if dice.chance(0.95) else None
    requests = tuple(request(dice, names, steps=[0]) for _ in range(dice.randint(2, 6)))
    outputs = [redirected(dice, request(dice, names, steps=[0])) for _ in range(2)]
    if dice.source("advice").odd(0.3):
        outputs.append(advice(dice.source("advice")))
    steps, script = session(dice, names, later, missing=missing, op_log=op_log)
    if clean and op_log and steps:
        inputs.clear_unexecuted(op_log, steps[0].run_meta)
    return Case(
        seed=seed,
        graph=graph.SerializeToString(),
        op_log=op_log.SerializeToString() if op_log else b"",
        steps=steps,
        requests=requests,
        outputs=tuple(outputs),
        script=script,
        reloaded=reloaded(dice.source("reload"), script),
    )


def session(
    dice: Dice, names: list[str], later: list[str], *, missing: bool, op_log: Any
) -> tuple[tuple[Step, ...], tuple[Step | Request, ...]]:
    """Steps, and their mixture with requests.

    Traces that arrive after the code view was built without any kill the original, so they are
    added only where there were some before, or no code view yet. Advice builds all views.
    """
    steps: list[Step] = []
    script: list[Step | Request] = []
    traced = op_log is not None and any(entry.HasField("code_def") for entry in op_log.log_entries)
    code_built = False
    registered: list[int] = []
    more = dice.source("session")
    for _ in range(dice.choice((0, 1, 1, 1, 2, 2, 3, 3))):
        known = names if dice.chance(0.7) else [*names, *later]
        new_graph = b""
        if dice.chance(0.5):
            new_graph = inputs.graph(dice, known, missing=missing).SerializeToString()
        log = b""
        if dice.chance(0.3):
            safe = traced or not code_built or dice.fatal(0.5)
            log_message = inputs.op_log(dice, names, traces=safe and dice.chance(0.6))
            traced = traced or any(e.HasField("code_def") for e in log_message.log_entries)
            log = log_message.SerializeToString()
        number = dice.choice((0, 0, 1, 2, 3, 7, 2**40, -4 if dice.odd(0.1) else 0))
        run = inputs.run_metadata(dice, known).SerializeToString()
        if run or not dice.fatal(0.1):
            steps.append(Step(number, b"" if dice.fatal(0.02) else run, new_graph, log))
            script.append(steps[-1])
            registered.append(number)
        for _ in range(dice.choice((0, 1, 2))):
            asked = request(dice, names, steps=registered)
            script.append(redirected(more, asked) if more.odd(0.15) else asked)
            code_built = code_built or script[-1].cmd == "code"
        if more.odd(0.4):
            script.append(advice(more))
            code_built = True
    return tuple(steps), (*script, request(dice, names, steps=registered))


def reloaded(dice: Dice, script: tuple[Step | Request, ...]) -> tuple[Action, ...]:
    """A script with a reload: anywhere, or between all steps and all requests."""
    position = dice.randint(0, len(script))
    if dice.chance(0.5):
        script = tuple(sorted(script, key=lambda action: isinstance(action, Request)))
        position = sum(isinstance(action, Step) for action in script)
    return (*script[:position], Reload(), *script[position:])


def advice(dice: Dice) -> Request:
    """Advice of all checkers, or of some."""
    return Request("advise", list(CHECKERS) if dice.chance(0.5) else dice.several(CHECKERS, 3))


def request(dice: Dice, names: list[str], *, steps: list[int]) -> Request:
    """A random view with random options; `steps` are the ids worth asking for."""
    cmd = dice.choice(CMDS)
    select = dice.sample(SELECTS, dice.choice((0, 1, 2, 3, 5, len(SELECTS))))
    if dice.clean:
        select = [name for name in select if name not in REPAIRED[cmd]]
    options: Options = {
        "max_depth": dice.choice(ODD_DEPTHS if dice.odd(0.05) else DEPTHS),
        "order_by": dice.choice(ODD_ORDERS if dice.odd(0.1) else ORDERS),
        "step": 5 if dice.chance(0.04) else dice.choice((-1, -1, *steps)),
        "account_displayed_op_only": dice.chance(0.4),
        "account_type_regexes": account_regexes(dice, cmd),
        "start_name_regexes": name_regexes(dice, names, everything=0.9),
        "show_name_regexes": name_regexes(dice, names, everything=0.9),
        "hide_name_regexes": name_regexes(dice, names, everything=0) if dice.chance(0.2) else [],
        "trim_name_regexes": name_regexes(dice, names, everything=0) if dice.chance(0.15) else [],
        "select": select,
        "output": "none" if dice.chance(0.03) else "file",
    }
    if dice.odd(0.02):
        options["select"] = [*select, "nonsense", *select]
    if dice.chance(0.2) and not (dice.clean and cmd == "op"):
        for name in dice.sample(list(MINIMA), dice.choice((1, 1, 1, 2, 2, len(MINIMA)))):
            options[name] = -1 if dice.odd(0.02) else dice.choice(MINIMA[name])
    if dice.clean:
        options = {name: value for name, value in options.items() if name not in REPAIRED[cmd]}
    return survivable(dice, Request(cmd, options))


def redirected(dice: Dice, request: Request) -> Request:
    """The same request with another output; most for pprof ask for one metric of code."""
    cmd, options = request
    if dice.chance(0.7):
        return Request(cmd, options | {"output": dice.choice(("timeline", "timeline", "stdout"))})
    if dice.chance(0.95):
        cmd = "code"
    select = dice.choices(SELECTS, k=1 if dice.chance(0.95) else 2)
    return survivable(dice, Request(cmd, options | {"output": "pprof", "select": select}))


def survivable(dice: Dice, request: Request) -> Request:
    """The request without what kills the original's code view, unless the case may crash.

    A clean case cannot trim the root in any view.
    """
    cmd, options = request
    if (cmd != "code" or dice.crashing) and not dice.clean:
        return request
    trims = [regex for regex in options["trim_name_regexes"] if not matches_root(regex)]
    depth = max(1, min(options["max_depth"], 10000))
    return Request(cmd, options | {"trim_name_regexes": trims, "max_depth": depth})


def account_regexes(dice: Dice, cmd: str) -> list[str]:
    """Regexes for types; a clean case has one that is free of known defects in this view."""
    if dice.chance(0.65) or (dice.clean and cmd == "scope"):
        return [".*"]
    if dice.clean:
        return [dice.choice(TYPE_REGEXES)]
    pool = (*TYPE_REGEXES, *inputs.OPS, "_kTFScopeParent", ".*", *ODD_REGEXES)
    regexes = dice.several(pool, 4)
    if dice.chance(0.3):
        regexes.append(dice.choice((".*", ".+", ".*o.*", "[A-Z].*")))
    return regexes


def name_regexes(dice: Dice, names: list[str], *, everything: float) -> list[str]:
    """Regexes for names, many of them made from the names at hand."""
    if dice.chance(everything):
        return [".*"]
    regexes: list[str] = []
    for _ in range(dice.choice((0, 1, 1, 2, 3)) or dice.clean):
        name = dice.choice(names) if names else "a"
        exact = re.escape(name)
        own = (exact, exact + "/.*", re.escape(name.split("/")[0]) + ".*", f".*{exact}", name[:2])
        pool = own if dice.chance(0.6) and not (dice.clean and "(" in name) else NAME_REGEXES
        regexes.append(dice.choice(ODD_REGEXES if dice.odd(0.1) else pool))
    return regexes


def matches_root(regex: str) -> bool:
    """Whether the regex matches the root's name."""
    try:
        return re.fullmatch(regex, inputs.ROOT) is not None
    except re.error:
        return False
