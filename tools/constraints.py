"""Write constraints.txt: a version of each package that tfprof needs, with hashes of its files.

`make constraints` asks pip which packages it would install for each Python and platform. Installed
with `pip install --require-hashes -r constraints.txt`, a package is the same file everywhere.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    sys.exit("tools/constraints.py needs Python 3.11 or newer")

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "constraints.txt"
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
PLATFORMS = {
    "Linux, x86-64": ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    "Linux, ARM": ("manylinux_2_28_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64"),
    "macOS, ARM": (
        *("macosx_14_0_arm64", "macosx_12_0_arm64", "macosx_11_0_arm64"),
        *("macosx_14_0_universal2", "macosx_11_0_universal2", "macosx_10_9_universal2"),
    ),
    "Windows": ("win_amd64",),
}
_HEADER = """\
# The packages that tfprof needs at run time, with the hashes of their files; `make constraints`.
# For the same installation everywhere:
#     pip install --require-hashes --only-binary :all: -r constraints.txt
#     pip install --no-deps .
"""

Pin = tuple[str, str]
"""A package and its version."""


def main() -> int:
    """Write the file; what a platform lacks is printed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pythons: dict[Pin, set[str]] = defaultdict(set)
    hashes: dict[Pin, set[str]] = defaultdict(set)
    for python in PYTHONS:
        versions: list[str] = []
        for platform, tags in PLATFORMS.items():
            needed = [*_needed(project["dependencies"], python), *versions]
            found = _resolve(needed, python, tags)
            if found is None:
                print(f"no installation for {platform} and Python {python}")
            for pin, digest in (found or {}).items():
                pythons[pin].add(python)
                hashes[pin].add(digest)
            # The first platform decides, so that all have the same versions.
            versions = versions or [f"{name}=={version}" for name, version in found or {}]
    FILE.write_text(
        _HEADER + "".join(_entry(pin, pythons[pin], hashes[pin]) for pin in sorted(hashes))
    )
    return 0


def _needed(dependencies: list[str], python: str) -> list[str]:
    """What a Python needs, without markers: pip compares these with the Python that it runs in."""
    needed = []
    for item in dependencies:
        package, _, marker = item.partition(";")
        if not marker:
            needed.append(package)
        elif minor := re.fullmatch(r" python_version < '3[.](\d+)'", marker):
            needed += [package] if int(python.partition(".")[2]) < int(minor[1]) else []
        else:
            raise ValueError(f"a marker that is not known: {item}")
    return needed


def _resolve(needed: list[str], python: str, tags: tuple[str, ...]) -> dict[Pin, str] | None:
    """What pip would install, and the hash of each file; nothing if it cannot."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        pip += ["--dry-run", "--ignore-installed", "--only-binary", ":all:", "--target", folder]
        pip += ["--report", str(report), "--python-version", python]
        pip += [word for tag in tags for word in ("--platform", tag)]
        done = subprocess.run([*pip, *needed], check=False, capture_output=True)
        if done.returncode:
            return None
        found = json.loads(report.read_text())["install"]
    return {
        (item["metadata"]["name"].lower().replace("_", "-"), item["metadata"]["version"]): item[
            "download_info"
        ]["archive_info"]["hashes"]["sha256"]
        for item in found
    }


def _entry(pin: Pin, pythons: set[str], hashes: set[str]) -> str:
    """The lines of a package; a marker says for which versions of Python it is, if not for all."""
    name, version = pin
    ordered = [python for python in PYTHONS if python in pythons]
    marker = ""
    if len(ordered) < len(PYTHONS):
        equal = (f'python_version == "{python}"' for python in ordered[:-1])
        # The newest is also for those that come after it.
        last = "==" if ordered[-1] != PYTHONS[-1] else ">="
        marker = " ; " + " or ".join([*equal, f'python_version {last} "{ordered[-1]}"'])
    lines = [f"{name}=={version}{marker}", *(f"    --hash=sha256:{h}" for h in sorted(hashes))]
    return " \\\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
