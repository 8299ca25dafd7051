"""What all tests share: the examples that Hypothesis draws, and how TensorFlow behaves.

The examples are the same in every run, so that a failure is one of the change at hand;
`HYPOTHESIS_PROFILE=explore` draws new ones. TensorFlow reads its settings when it is imported: it
says nothing, and runs its own kernels. With `TFPROF_LOWEST` or
`TFPROF_NEWEST`, which `make test-lowest` and `make test-newest` set, a test that needs a package
which is only there for tests is skipped.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

WITHOUT_TENSORFLOW = any(map(os.environ.get, ("TFPROF_LOWEST", "TFPROF_NEWEST")))
# These run TensorFlow in a process of its own.
ORIGINAL = ["advisor/test_original.py", "cli/test_compat.py", "functions/test_traces.py", "oracle"]
collect_ignore = ORIGINAL if WITHOUT_TENSORFLOW else []
ABSENT = {"coverage", "duckdb", "grpc_tools", "ibis", "jax", "keras", "pandas", "perfetto"}
ABSENT |= {"playwright", "pyspark"}
ABSENT |= {"tensorflow", "viztracer"}
if WITHOUT_TENSORFLOW:
    # Also where it is installed, as for `make mutants`.
    sys.modules |= dict.fromkeys(("keras", "tensorflow"))

_NOT_INSTALLED = re.compile(r"tfprof: (DuckDB|Ibis) is not installed; pip install")


def pytest_addoption(parser):
    parser.addoption(
        "--update-goldens", action="store_true", help="write tests/goldens as the original prints"
    )


def _absent(error):
    """The package that is missing, if that is why something failed."""
    while error is not None:
        if isinstance(error, subprocess.CalledProcessError):
            # A program that a test runs.
            missing = re.search(r"No module named '(\w+)", str(error.stderr).replace("\\'", "'"))
            return missing[1] if missing and missing[1] in ABSENT else ""
        if match := _NOT_INSTALLED.search(str(error)):
            # A command that a test runs.
            return match[1]
        if isinstance(error, ModuleNotFoundError) and error.name:
            name = error.name.partition(".")[0]
            return name if name in ABSENT else ""
        error = error.__cause__ or error.__context__
    return ""


def _skipped(report, call, where):
    name = _absent(call.excinfo.value) if WITHOUT_TENSORFLOW and call.excinfo is not None else ""
    if name and report.outcome == "failed":
        report.outcome, report.longrepr = "skipped", (str(where), 0, f"needs {name}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return _skipped((yield), call, item.path)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    return _skipped(report, report.call, collector.path) if hasattr(report, "call") else report
