"""DevicePlacement: expensive operations on the CPU while an accelerator is there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof.advisor.checker import Checker, Setting, Settings
from tfprof.advisor.device import is_accelerator, kind
from tfprof.advisor.finding import Evidence, Finding, Saving
from tfprof.advisor.node_queries import (
    IDLE,
    INPUT,
    TRANSFER,
    Facts,
    count,
    share,
    time,
)
from tfprof.advisor.requirement import ACCELERATOR
from tfprof.profiles.profile import Profile
from tfprof.profiles.user_code import describe_user_line

__all__ = ["CHECKER"]

_NAME = "DevicePlacement"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Op types that take a notable share of the time on a CPU; input and copies are left out."""
    if not any(is_accelerator(device) for device in profile.devices):
        return
    facts = Facts(profile, settings.quirks)
    whole = int(facts.micros.sum())
    on_cpu = facts.device_flags("cpu" in kind(device) for device in profile.devices)
    elsewhere = facts.of_type(INPUT) | facts.of_type(TRANSFER) | facts.of_type(IDLE)
    placed = on_cpu & ~elsewhere
    codes = facts.op_code[placed]
    micros = np.bincount(codes, facts.micros[placed].astype(float), len(facts.op_types))
    dear = [at for at in np.flatnonzero(micros) if micros[at] >= settings["share"] * whole]
    if not dear:
        return
    dear.sort(key=lambda at: (-micros[at], facts.op_types[at]))
    total = sum(micros[at] for at in dear)
    rows = []
    for at in dear[: settings.top]:
        nodes = np.flatnonzero(placed & (facts.op_code == at))
        dearest = int(nodes[np.argmax(facts.micros[nodes])])
        rows.append(
            Evidence(
                facts.op_types[at],
                {
                    "nodes": count(len(nodes)),
                    "time": time(micros[at]),
                    "share": share(micros[at] / whole),
                },
                device=facts.device(dearest),
                source=describe_user_line(profile, dearest),
                note=f"e.g. {facts.name(dearest)}",
            )
        )
    message = (
        f"{len(dear)} op types run on the CPU for {total / whole:.1%} of the time although there "
        "is an accelerator: check their device scopes, types and kernels"
    )
    yield Finding(_NAME, "warning", message, tuple(rows), Saving(time(total), "per step on CPU"))


CHECKER = Checker(
    _NAME,
    "expensive operations on the CPU while an accelerator is there",
    check,
    needs=(ACCELERATOR,),
    settings={
        "share": Setting(0.01, "op types with a smaller share of the time are left out"),
        "top": Setting(5, "op types to show"),
    },
)
