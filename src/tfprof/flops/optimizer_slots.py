"""Telling an optimizer's variables from a model's, by their names and shapes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from tfprof.flops.variables import Variable

# What optimizers of v1 append to a variable's name for a slot, and call their own variables.
_SLOT = re.compile(
    r"(Adam|Momentum|RMSProp|Adagrad|Adadelta|Ftrl|AdaMax|ExponentialMovingAverage"
    r"|m|v|vhat|momentum|velocity|rms|accumulator)(_\d+)?"
)
_OWN = re.compile(r"(beta[12]_power|global_step)(_\d+)?")


def with_slots(variables: Iterable[Variable]) -> list[Variable]:
    """The variables with the role `slot` where they belong to an optimizer.

    A slot has the shape of a trained variable `w` and is called `w/Adam`, or as Keras has it
    `adam/w_velocity`, where everything else below `adam/` is the optimizer's too.
    """
    listed = list(variables)
    owners: dict[tuple[int, ...] | None, list[str]] = {}
    for variable in listed:
        if variable.trainable:
            owners.setdefault(variable.shape, []).append(variable.name)
    trained = {variable.name.split("/")[0] for variable in listed if variable.trainable}
    slots = {v.name for v in listed if _is_slot(v, owners.get(v.shape, []))}
    homes = {name.split("/")[0] for name in slots if "/" in name} - trained
    return [
        replace(v, role="slot", trainable=False)
        if v.name in slots or v.name.split("/")[0] in homes
        else v
        for v in listed
    ]


def _is_slot(variable: Variable, owners: list[str]) -> bool:
    if _OWN.fullmatch(variable.name.rpartition("/")[2]):
        return True
    owner, _, word = variable.name.rpartition("/")
    if owner in owners and (not variable.trainable or _SLOT.fullmatch(word)):
        return True
    if variable.trainable:
        return False
    tail = variable.name.partition("/")[2]
    return any(tail.startswith(name.replace("/", "_") + "_") for name in owners)
