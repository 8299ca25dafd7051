"""What the numbers were measured on: cores, memory and versions."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version

__all__ = ["machine"]

_PACKAGES = ("tensorflow-cpu", "protobuf", "ptars", "pyarrow", "numpy")


def machine() -> dict[str, str]:
    """The machine and the versions that were measured."""
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    properties = {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{pages * size / 2**30:.0f} GB",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }
    return properties | {package: _version(package) for package in _PACKAGES}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:  # noqa: PTH123 - no file of the project's
            names = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or "unknown"
