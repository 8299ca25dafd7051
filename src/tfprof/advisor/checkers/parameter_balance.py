"""ParameterBalance: parameter servers, or devices of one kind, that hold unequal shares."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from tfprof.advisor.checker import Checker, Setting, Settings
from tfprof.advisor.device import family
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import NodeQueries, count, share
from tfprof.advisor.requirement import GRAPH, SEVERAL_DEVICES
from tfprof.profiles.profile import Profile

__all__ = ["CHECKER"]

_NAME = "ParameterBalance"
_VARIABLE = re.compile(r"Variable|VariableV2|VarHandleOp|AutoReloadVariable")
_SERVER = re.compile(r"/job:ps\b")


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """A finding for each group of devices of which one holds much more than an even share."""
    queries = NodeQueries(profile, settings.quirks)
    parameters = np.where(queries.has_op_type(_VARIABLE), queries.measure("parameters"), 0)
    for name, devices in sorted(_groups(queries).items()):
        held = [int(parameters[queries.executions.device == at].sum()) for at in devices]
        even = sum(held) / len(held)
        if len(held) < 2 or not even or max(held) <= settings["threshold"] * even:
            continue
        ranked = sorted(zip(held, devices, strict=True), reverse=True)
        rows = []
        for number, at in ranked[: settings.top]:
            there = queries.executions.device == at
            largest = queries.largest(parameters, there, 1)
            example = f"largest {queries.name(largest[0])}" if largest else ""
            numbers = {"params": count(number), "share": share(number / sum(held))}
            rows.append(Evidence(profile.devices[at], numbers, note=example))
        message = (
            f"{profile.devices[ranked[0][1]]} holds {max(held) / even:.2f} times its even share of "
            f"the parameters of {len(held)} devices ({name})"
        )
        impact = Impact(count(max(held) - even), "parameters above an even share")
        yield Finding(_NAME, "warning", message, tuple(rows), impact)


def _groups(queries: NodeQueries) -> dict[str, list[int]]:
    """The devices that nodes were placed on, by family; only parameter servers if there are any."""
    placed = sorted(set(queries.executions.placed_device.tolist()))
    devices = queries.profile.devices
    servers = [at for at in placed if _SERVER.search(devices[at])]
    groups = defaultdict(list)
    for at in servers or placed:
        groups[family(devices[at])].append(at)
    return groups


CHECKER = Checker(
    _NAME,
    "imbalance of parameters among parameter servers or devices",
    check,
    requires=(GRAPH, SEVERAL_DEVICES),
    settings={
        "threshold": Setting(
            1.25, "report nothing if no device has more than this times an even share"
        ),
        "top": Setting(5, "devices to show"),
    },
)
