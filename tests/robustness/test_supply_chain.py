"""What the package is made of and what it never does: no network, no pickle, no eval."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

import tfprof
from tools.lowest import lowest
from tools.sbom import bill_of_materials

PACKAGE = Path(tfprof.__file__).parent
REPOSITORY = PACKAGE.parents[1]
SOURCES = [path for path in PACKAGE.rglob("*.py") if not path.name.endswith("_pb2.py")]
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_MODULES = {
    *("pickle", "cPickle", "shelve", "marshal", "dill", "yaml", "joblib", "cloudpickle"),
    *("socket", "ssl", "http", "urllib", "urllib3", "requests", "ftplib", "smtplib", "telnetlib"),
}
RUNNER = PACKAGE / "recording" / "run_script.py"
"""`tfprof run` runs the script that the user names."""
SERVER = PACKAGE / "api" / "server.py"
"""The one module that may listen, and what it may import for that."""
ALLOWED = {"http", "urllib"}
BLOCKED = """
import sys
def refuse(event, args):
    if event.startswith(("socket.", "urllib.", "ftplib.", "http.", "pickle.")):
        # asyncio, which prompt_toolkit imports, may make a pair for itself.
        raise RuntimeError(f"{event} {args}")
sys.addaudithook(refuse)
"""


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_way_out_and_no_code_from_data(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in FORBIDDEN_CALLS - ({"exec"} if path == RUNNER else set())
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        forbidden = FORBIDDEN_MODULES - (ALLOWED if path == SERVER else set())
        # Escaping of names; it opens nothing.
        used = set(names) - {"urllib.parse"}
        assert not {name.partition(".")[0] for name in used} & forbidden


def test_only_the_ui_imports_the_server():
    importers = [
        str(path.relative_to(PACKAGE)) for path in SOURCES if "api.server" in path.read_text()
    ]
    assert importers == ["cli/commands/files.py"]
    program = """
import sys
from tfprof import cli
assert cli.main(["--quiet", "--demo", "op", "-output", "none"]) == 0
assert not {"http.server", "tfprof.api.server"} & set(sys.modules)
"""
    subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        env={"PYTHONPATH": str(PACKAGE.parent), "PATH": ""},
    )


def test_no_module_uses_the_network(tmp_path):
    program = f"""{BLOCKED}
import tfprof
from tfprof import cli, demo, outputs
profile = tfprof.load(**demo.paths())
for name, output in outputs.OUTPUTS.items():
    view = "op" if name == "stdout" else "graph" if name == "dot" else "code"
    step = 0 if name == "timeline" else -1
    if output.required:
        profile.report(view, step=step).write(f"{{name}}:outfile={tmp_path}/{{name}}")
assert cli.main(["--demo", "advise"]) == 0
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        env={"PYTHONPATH": str(PACKAGE.parent), "PATH": ""},
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    program = f"from hatchling.build import build_wheel; print(build_wheel({str(folder)!r}))"
    pytest.importorskip("hatchling")
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, check=True, text=True
    )
    with zipfile.ZipFile(folder / done.stdout.split()[-1]) as archive:
        yield archive


def test_wheel_has_the_package_and_nothing_else(wheel):
    names = wheel.namelist()
    outside = [n for n in names if not re.match(r"tfprof(/|-[\d.]+\.dist-info/)", n)]
    assert [n.partition("/")[2] for n in outside] == ["data/share/man/man1/tfprof.1"]
    assert "tfprof/demo/graph.pb" in names
    assert "tfprof/py.typed" in names
    assert "tfprof/outputs/html/page.html" in names
    assert not [n for n in names if "__pycache__" in n or n.endswith((".so", ".pyc", ".orig"))]
    packed = {n.removeprefix("tfprof/") for n in names if n.endswith(".py")}
    assert packed == {str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py")}


def test_wheel_is_small(wheel):
    assert sum(item.compress_size for item in wheel.infolist()) < 6e6


def test_every_import_is_a_declared_dependency(wheel):
    metadata = next(n for n in wheel.namelist() if n.endswith("METADATA"))
    lines = [
        line.removeprefix("Requires-Dist: ")
        for line in wheel.read(metadata).decode().splitlines()
        if line.startswith("Requires-Dist:") and "extra == 'test'" not in line
    ]
    assert all(">=" in line for line in lines)
    required = {re.split(r"[<>=;\[ ]", line)[0].lower().replace("-", "_") for line in lines}
    provided = {"google": "protobuf", "ibis": "ibis_framework", "py4j": "pyspark"}
    provided["tomllib"] = "tomli"  # of Python before 3.11
    optional = {"tensorflow", "keras", "pandas", "polars", "tfprof"}
    used = set()
    for path in SOURCES:
        for node in _nodes_that_run(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                used |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                used.add(node.module.partition(".")[0])
    foreign = {provided.get(n, n) for n in used - set(sys.stdlib_module_names) - optional}
    assert foreign <= required


def _nodes_that_run(tree):
    """The nodes of a module without what only type checkers read."""
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            pending += node.orelse
        else:
            pending += ast.iter_child_nodes(node)


PROJECT = (REPOSITORY / "pyproject.toml").read_text()
BOUNDS = lowest(PROJECT)


def test_lowest_versions_are_those_of_the_project():
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads(PROJECT)["project"]
    lower = [re.split("[,;]", item)[0] for item in project["dependencies"]]
    assert [f"{name}>={version}" for name, version in lowest(PROJECT, 10).items()] == lower
    assert set(lowest(PROJECT, 10)) - set(lowest(PROJECT, 11)) == {"tomli"}
    target = (REPOSITORY / "Makefile").read_text()
    oldest = project["requires-python"].removeprefix(">=")
    assert f"LOWEST_PYTHON ?= python{oldest}\n" in target
    assert "tools/lowest.py > $(LOWEST)/lowest.txt" in target
    assert "-r $(LOWEST)/lowest.txt" in target


def test_a_dependency_without_a_bound_is_noticed():
    with pytest.raises(ValueError, match="numpy"):
        lowest('dependencies = [\n  "numpy",\n]\n')


@pytest.mark.skipif(not os.environ.get("TFPROF_LOWEST"), reason="for make test-lowest")
@pytest.mark.parametrize("name", list(BOUNDS))
def test_lowest_version_is_installed(name):
    found, bound = (
        [int(part) for part in text.split(".")] for text in (version(name), BOUNDS[name])
    )
    assert found[: len(bound)] == bound
    assert not any(found[len(bound) :])


def test_bill_of_materials_lists_every_dependency_with_its_licence():
    document = bill_of_materials()
    listed = {item["name"].lower().replace("-", "_"): item for item in document["components"]}
    assert {"tfprof", *(name.lower().replace("-", "_") for name in BOUNDS)} <= set(listed)
    for item in listed.values():
        assert item["licenses"][0]["license"]["name"] != "unknown", item["name"]


READS_FILES = {
    "loaders/files.py": "all that users name",
    "outputs/files.py": "writes",
    "outputs/html/writer.py": "the page without data, which is part of the package",
    "outputs/diff/page.py": "the same",
    "fleet/page/writer.py": "the same",
    "fleet/store.py": "appends",
    "recording/capture_pair.py": "the trace that it has just written, and /proc/stat",
    "runtime/silence.py": "os.devnull",
    "cli/__init__.py": "os.devnull",
}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_one_module_opens_files(path):
    """Every file that a user names is opened where devices and directories are refused."""
    readers = {"read_bytes", "read_text", "open", "mmap", "memory_map", "OSFile", "fromfile"}
    used = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            of_browser = isinstance(called, ast.Attribute) and "browser" in ast.dump(called)
            used |= {name} & readers if not of_browser else set()
    assert not used or str(path.relative_to(PACKAGE)) in READS_FILES


def test_constraints_have_hashes_and_no_addresses():
    """Every dependency, at a version within its bounds, by what its files contain."""
    text = (REPOSITORY / "constraints.txt").read_text()
    assert "://" not in text
    assert "index" not in text
    entries = re.findall(
        r"^([\w.-]+)==([\w.]+)(?: ; .*?)?((?: \\\n    --hash=sha256:\w{64})+)$", text, re.MULTILINE
    )
    body = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(body) == sum(1 + hashes.count("--hash") for _, _, hashes in entries)
    pinned = {}
    for name, version_text, _ in entries:
        pinned.setdefault(name.replace("_", "-"), []).append(version_text)
    for name, bound in BOUNDS.items():
        for pin in pinned[name.replace("_", "-")]:
            assert _numbers(pin) >= _numbers(bound), name


def _numbers(text):
    return [int(part) for part in re.findall(r"\d+", text)]
