"""The original, for the tests that compare with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.oracle.original import Original


@pytest.fixture(scope="session")
def original() -> Iterator[Original]:
    """One server for all tests of a worker."""
    server = Original()
    yield server
    server.close()
