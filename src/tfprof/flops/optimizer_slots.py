"""Telling an optimizer's variables from a model's, by their names and shapes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from tfprof.definitions.limits import MAX_NAME_CANDIDATES
from tfprof.flops.variables import Variable

# What optimizers of v1 append to a variable's name for a slot, and call their own variables.
_SLOT = re.compile(
    r"(Adam|Momentum|RMSProp|Adagrad|Adadelta|Ftrl|AdaMax|ExponentialMovingAverage"
    r"|m|v|vhat|momentum|velocity|rms|accumulator)(_\d+)?"
)
_OWN = re.compile(r"(beta[12]_power|global_step)(_\d+)?")
_OPTIMIZER = r"(SGD|RMSprop|Adagrad|Adadelta|Adam|Adamax|Nadam|Ftrl|TFOptimizer)(_\d+)?"
# Keras on TensorFlow 1: all below `training/Adam/`, and the settings below `Adam/`.
_KERAS = re.compile(
    rf"training(_\d+)?/{_OPTIMIZER}/.*"
    rf"|{_OPTIMIZER}/(iter|iterations|lr|learning_rate|decay|momentum|rho|beta_[12])(_\d+)?"
)


def with_slots(variables: Iterable[Variable]) -> list[Variable]:
    """The variables with the role `slot` where they belong to an optimizer.

    A slot has the shape of a trained variable `w` and is called `w/Adam`, or as Keras has it
    `adam/w_velocity`, where everything else below `adam/` is the optimizer's too.
    """
    listed = list(variables)
    owners: set[tuple[tuple[int, ...] | None, str]] = set()
    flat_owners: set[tuple[tuple[int, ...] | None, str]] = set()
    for variable in listed:
        if variable.trainable:
            owners.add((variable.shape, variable.name))
            flat_owners.add((variable.shape, variable.name.replace("/", "_")))
    slots = {v.name for v in listed if _is_slot(v, owners, flat_owners)}
    trained = {v.name.split("/")[0] for v in listed if v.trainable and v.name not in slots}
    optimizer_scopes = {name.split("/")[0] for name in slots if "/" in name} - trained
    return [
        replace(v, role="slot", trainable=False)
        if v.name in slots or v.name.split("/")[0] in optimizer_scopes
        else v
        for v in listed
    ]


def _is_slot(
    variable: Variable,
    owners: set[tuple[tuple[int, ...] | None, str]],
    flat_owners: set[tuple[tuple[int, ...] | None, str]],
) -> bool:
    if _OWN.fullmatch(variable.name.rpartition("/")[2]) or _KERAS.fullmatch(variable.name):
        return True
    owner, _, slot = variable.name.rpartition("/")
    if (variable.shape, owner) in owners and (not variable.trainable or _SLOT.fullmatch(slot)):
        return True
    if variable.trainable:
        return False
    prefixes = islice(_prefixes(variable.name.partition("/")[2]), MAX_NAME_CANDIDATES)
    return any((variable.shape, prefix) in flat_owners for prefix in prefixes)


def _prefixes(name: str) -> Iterator[str]:
    """What comes before each underscore of a name, the longest first."""
    while "_" in name:
        name = name.rpartition("_")[0]
        yield name
