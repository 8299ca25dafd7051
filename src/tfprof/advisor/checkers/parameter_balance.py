"""ParameterBalance: parameter servers, or devices of one kind, that hold unequal shares."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from tfprof.advisor.checker import GRAPH, SEVERAL_DEVICES, Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import NodeQueries, count, share
from tfprof.profiles.profile import Profile

_NAME = "ParameterBalance"
_VARIABLE = re.compile(r"Variable|VariableV2|VarHandleOp|AutoReloadVariable")
_SERVER = re.compile(r"/job:ps\b")
_NUMBER = re.compile(r"(?<=:)\d+")


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """A finding for each group of devices of which one holds much more than an even share."""
    queries = NodeQueries(profile, settings.quirks)
    parameters = np.where(queries.has_op_type(_VARIABLE), queries.measure("parameters"), 0)
    for name, devices in sorted(_groups(queries).items()):
        params = [int(parameters[queries.executions.device == device].sum()) for device in devices]
        even_share = sum(params) / len(params)
        if len(params) < 2 or not even_share or max(params) <= settings["threshold"] * even_share:
            continue
        ranked = sorted(zip(params, devices, strict=True), reverse=True)
        rows = []
        for number, device in ranked[: settings.top]:
            mask = queries.executions.device == device
            largest = queries.largest(parameters, mask, 1)
            example = f"largest {queries.name(largest[0])}" if largest else ""
            numbers = {"params": count(number), "share": share(number / sum(params))}
            rows.append(Evidence(profile.devices[device], numbers, note=example))
        message = (
            f"{profile.devices[ranked[0][1]]} holds {max(params) / even_share:.2f} times its even "
            f"share of the parameters of {len(params)} devices ({name})"
        )
        impact = Impact(count(max(params) - even_share), "parameters above an even share")
        yield Finding(_NAME, "warning", message, tuple(rows), impact)


def _groups(queries: NodeQueries) -> dict[str, list[int]]:
    """The devices that nodes were placed on, by job and kind: names without numbers.

    If there are parameter servers, only these.
    """
    placed = sorted(set(queries.executions.placement_device.tolist()))
    devices = queries.profile.devices
    servers = [i for i in placed if _SERVER.search(devices[i])]
    groups = defaultdict(list)
    for i in servers or placed:
        groups[_NUMBER.sub("*", devices[i])].append(i)
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
