"""The documentation as a whole: links and paths exist, and every package and term is described."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.cli.conftest import call
from tfprof import demo

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
PROSE = re.compile(r"```.*?```", re.DOTALL)
USES_NO_TERMS = {"performance.md", "glossary.md", "robustness.md"}


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", PROSE.sub("", page.read_text())):
        if link.startswith("http"):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_terms_are_linked(page: Path) -> None:
    if page.parent == ROOT / "docs" and page.name not in USES_NO_TERMS:
        assert "(glossary.md" in page.read_text()


def test_every_page_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    for page in PAGES:
        assert page.name == "README.md" or f"({page.relative_to(ROOT)})" in readme, page.name


def test_architecture_names_every_package_and_only_modules_that_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    source = ROOT / "src" / "tfprof"
    packages = {path.parent.name for path in source.glob("*/__init__.py")}
    assert set(re.findall(r"^\| `(\w+)/`", text, re.MULTILINE)) == packages
    for path in re.findall(r"`([\w/]+\.py)`", text):
        assert (source / path).exists(), path


PACKAGES = sorted(path.parent for path in (ROOT / "src" / "tfprof").rglob("*/__init__.py"))


def _docstring(package: Path) -> str:
    module = ast.parse((package / "__init__.py").read_text())
    return ast.get_docstring(module, clean=False) or ""


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_packages_list_their_modules(package: Path) -> None:
    """Each module is in the docstring, and what begins an indented line is a module."""
    if package.name == "checkers":
        return
    modules = {path.stem for path in package.glob("*.py") if not path.stem.endswith("_pb2")}
    modules |= {path.parent.name for path in package.glob("*/__init__.py")}
    docstring = _docstring(package)
    assert modules - {"__init__"} <= set(re.findall(r"\w+", docstring))
    listed = re.findall(r"^ +(\w+/?(?:, \w+/?)*)(?:  |$)", docstring, re.MULTILINE)
    assert set(re.findall(r"\w+", " ".join(listed))) <= modules


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_packages_say_what_may_import_them(package: Path) -> None:
    """By the layers of the import contract."""
    if package.parent.name != "tfprof":
        return
    settings = (ROOT / "pyproject.toml").read_text().partition("\nlayers = ")[2]
    layers = [set(row.split(" | ")) for row in ast.literal_eval(settings.partition("\n]")[0] + "]")]
    index = next(i for i, layer in enumerate(layers) if package.name in layer)
    phrase = {0: "Nothing may import it", len(layers) - 1: "Every package may import it"}.get(
        index, f"`{min(layers[index - 1])}` and everything above may import "
    )
    assert phrase in " ".join(_docstring(package).split())


def test_paths_of_contributing_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    for path in re.findall(r"\b((?:web/src|src|tests|docs)/[\w/]+(?:\.\w+)?)", text):
        assert (ROOT / path).exists(), path
    table = text.partition("## Find the file")[2].partition("\n## ")[0]
    for path in re.findall(r"`(\w+/[\w/.]+)`", table):
        folder = ROOT if path.startswith(("src/", "web/")) else ROOT / "src" / "tfprof"
        assert (folder / path).exists(), path


def test_the_listings_of_the_readme_are_what_is_printed() -> None:
    """The other pages are checked in tests/cli/test_help.py."""
    text = (ROOT / "README.md").read_text()
    listings = re.findall(
        r"^    \$ tfprof (.*--demo.*)\n((?:    .*\n|\n)+?) +…\n", text, re.MULTILINE
    )
    assert len(listings) == 4
    for command, listing in listings:
        rows = [row[4:] for row in listing.splitlines()]
        assert len(rows) > 5
        assert rows == call(*command.split()).lines[: len(rows)]


@pytest.mark.parametrize(
    "name", ["README.md", "docs/python_api.md", "docs/advise.md", "docs/diff.md"]
)
def test_python_examples_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first examples of a page, those without a live TensorFlow program, on the demo."""
    for path in demo.paths()["run_meta"][0].parent.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks[:3]:
        if "my_saved_model" not in block and "tf." not in block:
            exec(block, names)
    assert capsys.readouterr().out
