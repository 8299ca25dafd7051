"""What all tests share: the examples that Hypothesis draws, and how TensorFlow behaves.

The examples are the same in every run, so that a failure is one of the change at hand;
`HYPOTHESIS_PROFILE=explore` draws new ones. TensorFlow reads its settings when it is imported: it
says nothing, and runs its own kernels. With `TFPROF_LOWEST`, which `make test-lowest` sets, a test
that needs a package which is only there for tests is skipped.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

LOWEST = bool(os.environ.get("TFPROF_LOWEST"))
# These run TensorFlow in a process of its own.
ORIGINAL = ["advisor/test_original.py", "cli/test_compat.py", "functions/test_traces.py", "oracle"]
collect_ignore = ORIGINAL if LOWEST else []
ABSENT = {"duckdb", "grpc_tools", "keras", "pandas", "perfetto", "tensorflow", "viztracer"}


def pytest_addoption(parser):
    parser.addoption(
        "--update-goldens", action="store_true", help="write tests/goldens as the original prints"
    )


def _absent(error):
    """The package that is missing, if that is why something failed."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError) and error.name:
            name = error.name.partition(".")[0]
            return name if name in ABSENT else ""
        error = error.__cause__ or error.__context__
    return ""


def _skipped(report, call, where):
    name = _absent(call.excinfo.value) if LOWEST and call.excinfo is not None else ""
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
