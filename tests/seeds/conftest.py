"""The demo, as the tests of the command have it."""

from tests.cli.conftest import demo_profile

__all__ = ["demo_profile"]
