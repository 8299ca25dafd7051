"""Build the pages that Python fills, from `web/`; `--check` compares with what is committed.

It needs npm, which `pip install` does not: the built page is part of the package. Where npm is
missing or cannot install packages, the check says so and passes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
OUTPUTS = ROOT / "src" / "tfprof" / "outputs"
PAGES = {
    "page": OUTPUTS / "html" / "page.html",
    "diff": OUTPUTS / "diff" / "page.html",
    "fleet": OUTPUTS.parent / "fleet" / "page" / "page.html",
}
"""The pages by the names of their scripts: those of a profile, a diff and a fleet."""
_POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; "
    "base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""What the page may do: run its own script, apply its own style, and nothing else."""


def _npm(*arguments: str) -> None:
    command = ["npm", "--silent", "--no-audit", "--no-fund", "--no-package-lock", *arguments]
    subprocess.run(command, cwd=WEB, check=True, stdout=subprocess.DEVNULL)


def _is_installed() -> bool:
    """Whether the packages of `package.json` are there, in its versions."""
    wanted = json.loads((WEB / "package.json").read_text(encoding="utf-8"))
    packages = wanted["dependencies"] | wanted["devDependencies"]
    for name, version in packages.items():
        manifest = WEB / "node_modules" / name / "package.json"
        if not manifest.exists() or json.loads(manifest.read_text())["version"] != version:
            return False
    return True


def build() -> dict[Path, str]:
    """All pages, from the sources."""
    _npm("run", "build")
    return {path: _page(name) for name, path in PAGES.items()}


def _page(name: str) -> str:
    script = (WEB / "dist" / f"{name}.js").read_text(encoding="utf-8").strip()
    style = (WEB / "dist" / f"{name}.css").read_text(encoding="utf-8").strip()
    for text in (script, style):
        if "</" in text:
            raise SystemExit("the built page has '</' in its script or style")
    policy = _POLICY.format(script=_hash(script), style=_hash(style))
    page = (WEB / "page.html").read_text(encoding="utf-8")
    return page.replace("@policy@", policy).replace("@style@", style).replace("@script@", script)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def main() -> int:
    """Build the page, or check that it is current."""
    is_check = "--check" in sys.argv
    try:
        if not _is_installed():
            _npm("install")
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"tools/web.py: npm cannot install what web/ needs ({error}); the page is not built")
        return 0 if is_check else 1
    for path, page in build().items():
        if not is_check:
            path.write_text(page, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != page:
            print(f"{path.relative_to(ROOT)} is not what web/ makes; run make web")
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
