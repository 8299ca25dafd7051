"""The documentation as a whole: links and paths exist, and every package and term is described."""

from __future__ import annotations

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


def test_paths_of_contributing_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    for path in re.findall(r"((?:src|tests|docs)/[\w/]+(?:\.\w+)?)", text):
        assert (ROOT / path).exists(), path


def test_the_demo_of_the_readme_is_the_one_that_is_printed() -> None:
    """The other pages are checked in tests/cli/test_help.py."""
    text = (ROOT / "README.md").read_text()
    block = text.partition("    $ tfprof --demo ")[2].partition("      …\n")[0]
    command, *rows = block.splitlines()
    printed = call("--demo", *command.split()).lines
    assert [row[4:] for row in rows] == printed[: len(rows)]


@pytest.mark.parametrize("name", ["README.md", "docs/python_api.md", "docs/advise.md"])
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
