"""The traces of the models, made once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.resolve import models

Files = dict[str, bytes]


@pytest.fixture(scope="session")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Files]:
    """The files of each model: graph, run and tfprof_log."""
    folder = tmp_path_factory.mktemp("traces")
    subprocess.run(
        [sys.executable, "-W", "ignore", models.__file__, str(folder)],
        check=True,
        capture_output=True,
    )
    return {model.name: _files(model) for model in folder.iterdir()}


def _files(folder: Path) -> Files:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
