"""What device names say: the kind of a device, and which devices belong together."""

from __future__ import annotations

import re

_KIND = re.compile(r"(?:device:|host:|/|^)([a-z][a-z0-9_]*):\d+(?:/stream.*|/memcpy.*)?$", re.ASCII)
_NO_KINDS = frozenset({"job", "replica", "task", "stream", "memcpy"})
_NUMBER = re.compile(r"(?<=:)\d+")


def kind(device: str) -> str:
    """`cpu`, `gpu`, `tpu` and so on; empty if the name does not say."""
    match = _KIND.search(device)
    return match[1] if match and match[1] not in _NO_KINDS else ""


def is_accelerator(device: str) -> bool:
    """Whether a device is something other than a CPU."""
    name = kind(device)
    return bool(name) and "cpu" not in name


def family(device: str) -> str:
    """The name without numbers, which devices of the same job and kind share."""
    return _NUMBER.sub("*", device)
