"""DevicePlacement: expensive operations on the CPU of a machine with an accelerator."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof.advisor.checker import ACCELERATOR, Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import IDLE, INPUT, TRANSFER, NodeQueries, count, share, time
from tfprof.profiles.devices import device_kind
from tfprof.profiles.profile import Profile
from tfprof.profiles.user_code import describe_user_line

_NAME = "DevicePlacement"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Op types that take much of the time on a CPU, except for input and copies."""
    queries = NodeQueries(profile, settings.quirks)
    total_micros = int(queries.micros.sum())
    on_cpu = queries.on_devices("cpu" in device_kind(device) for device in profile.devices)
    placed = on_cpu.copy()
    for pattern in (INPUT, TRANSFER, IDLE):
        placed &= ~queries.has_op_type(pattern)
    nodes = np.bincount(queries.op_code[placed], minlength=len(queries.op_types))
    micros = queries.micros_by_op_type(placed)
    is_expensive = (micros > 0) & (micros >= settings["share"] * total_micros)
    if not is_expensive.any():
        return
    expensive = np.flatnonzero(is_expensive).tolist()
    expensive.sort(key=lambda i: (-micros[i], queries.op_types[i]))
    total = micros[is_expensive].sum()
    rows = []
    for i in expensive[: settings.top]:
        most_expensive = queries.most_expensive(i, placed)
        numbers = {
            "nodes": count(int(nodes[i])),
            "time": time(micros[i]),
            "share": share(micros[i] / total_micros),
        }
        rows.append(
            Evidence(
                queries.op_types[i],
                numbers,
                device=queries.device(most_expensive),
                source=describe_user_line(profile, most_expensive),
                note=f"e.g. {queries.name(most_expensive)}",
            )
        )
    message = (
        f"{len(expensive)} op types run on the CPU for {total / total_micros:.1%} of the time "
        "although the machine has an accelerator: check their device scopes, data types and kernels"
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
