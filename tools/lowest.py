"""Print what tfprof needs at the lowest versions it allows, as pip takes it.

`make test-lowest` installs them and runs the tests that need no TensorFlow.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
_LIST = re.compile(r"^dependencies = \[\n(.*?)^\]", re.DOTALL | re.MULTILINE)
_ITEM = re.compile(
    r"""^  "([\w.-]+)>=([\d.]+)(?:,<[\d.]+)?(?:; python_version < '3[.](\d+)')?",$"""
)


def lowest(text: str, minor: int = sys.version_info.minor) -> dict[str, str]:
    """The lower bound of each dependency that Python 3.`minor` needs, by a pyproject.toml.

    Python 3.10 cannot read the file as TOML.
    """
    match = _LIST.search(text)
    if match is None:
        raise ValueError("pyproject.toml has no dependencies")
    bounds = {}
    for line in match[1].splitlines():
        item = _ITEM.match(line)
        if item is None:
            raise ValueError(f"a dependency without a lower bound: {line}")
        if item[3] is None or minor < int(item[3]):
            bounds[item[1]] = item[2]
    return bounds


if __name__ == "__main__":
    pins = lowest(PROJECT.read_text()).items()
    sys.stdout.write("".join(f"{name}=={version}\n" for name, version in pins))
