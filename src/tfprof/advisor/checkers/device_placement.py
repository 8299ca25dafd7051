"""DevicePlacement: expensive operations on the CPU of a machine with an accelerator."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof.advisor.checker import Checker, Setting, Settings
from tfprof.advisor.device import is_accelerator, kind
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import IDLE, INPUT, TRANSFER, NodeQueries, count, share, time
from tfprof.advisor.requirement import ACCELERATOR
from tfprof.profiles.profile import Profile
from tfprof.profiles.user_code import describe_user_line

_NAME = "DevicePlacement"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Op types that take much of the time on a CPU, except for input and copies."""
    if not any(is_accelerator(device) for device in profile.devices):
        return
    queries = NodeQueries(profile, settings.quirks)
    whole = int(queries.micros.sum())
    on_cpu = queries.on_devices("cpu" in kind(device) for device in profile.devices)
    elsewhere = (
        queries.has_op_type(INPUT) | queries.has_op_type(TRANSFER) | queries.has_op_type(IDLE)
    )
    placed = on_cpu & ~elsewhere
    codes = queries.op_code[placed]
    micros = np.bincount(codes, queries.micros[placed].astype(float), len(queries.op_types))
    expensive = [i for i in np.flatnonzero(micros) if micros[i] >= settings["share"] * whole]
    if not expensive:
        return
    expensive.sort(key=lambda i: (-micros[i], queries.op_types[i]))
    total = sum(micros[i] for i in expensive)
    rows = []
    for i in expensive[: settings.top]:
        nodes = np.flatnonzero(placed & (queries.op_code == i))
        most_expensive = int(nodes[np.argmax(queries.micros[nodes])])
        rows.append(
            Evidence(
                queries.op_types[i],
                {
                    "nodes": count(len(nodes)),
                    "time": time(micros[i]),
                    "share": share(micros[i] / whole),
                },
                device=queries.device(most_expensive),
                source=describe_user_line(profile, most_expensive),
                note=f"e.g. {queries.name(most_expensive)}",
            )
        )
    message = (
        f"{len(expensive)} op types run on the CPU for {total / whole:.1%} of the time although "
        "the machine has an accelerator: check their device scopes, data types and kernels"
    )
    yield Finding(_NAME, "warning", message, tuple(rows), Impact(time(total), "per step on CPU"))


CHECKER = Checker(
    _NAME,
    "expensive operations on the CPU of a machine with an accelerator",
    check,
    requires=(ACCELERATOR,),
    settings={
        "share": Setting(0.01, "ignore op types with a smaller share of the time"),
        "top": Setting(5, "op types to show"),
    },
)
