"""Errors, and what ends a program."""

from __future__ import annotations

import pytest

from tfprof.runtime.exceptions import is_error


class _Terminated(BaseException):
    pass


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), SystemExit(1), _Terminated()])
def test_requests_to_end_are_no_errors(raised: BaseException) -> None:
    assert not is_error(raised)


@pytest.mark.parametrize("raised", [ValueError(), MemoryError()])
def test_errors(raised: BaseException) -> None:
    assert is_error(raised)
