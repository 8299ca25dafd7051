"""Print the packages of an installed tfprof, with versions and licences, as CycloneDX JSON."""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

_NAME = re.compile(r"[\w.-]+")
_LONGEST_LICENCE = 100


def components(name: str = "tfprof") -> list[Distribution]:
    """A package and all that it needs at run time, each once."""
    known: dict[str, Distribution] = {}
    pending = [name]
    while pending:
        package = pending.pop()
        if package.lower() in known:
            continue
        try:
            found = known[package.lower()] = distribution(package)
        except PackageNotFoundError:
            continue  # for another platform or Python
        for requirement in found.requires or ():
            match = _NAME.match(requirement)
            if match is not None and "extra ==" not in requirement:
                pending.append(match[0])
    return [known[key] for key in sorted(known)]


def licence_of(package: Distribution) -> str:
    """The licence that a package states."""
    metadata = package.metadata
    stated = metadata.get("License-Expression") or metadata.get("License") or ""
    if stated and "\n" not in stated and len(stated) <= _LONGEST_LICENCE:
        return str(stated)
    classifiers = metadata.get_all("Classifier") or []
    names = [item.rpartition(" :: ")[2] for item in classifiers if item.startswith("License ::")]
    return ", ".join(names) or "unknown"


def bill_of_materials() -> dict[str, Any]:
    """The CycloneDX document."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "components": [
            {
                "type": "application" if package.name == "tfprof" else "library",
                "name": package.name,
                "version": package.version,
                "purl": f"pkg:pypi/{package.name.lower()}@{package.version}",
                "licenses": [{"license": {"name": licence_of(package)}}],
            }
            for package in components()
        ],
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(bill_of_materials(), indent=2) + "\n")
