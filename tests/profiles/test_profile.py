"""A profile is a value: what it computes once does not keep it alive."""

from __future__ import annotations

import gc
import weakref

import pytest

from tests.outputs.samples import random_profile
from tfprof.views import VIEWS


@pytest.mark.parametrize("compat", [True, False])
def test_a_dropped_profile_is_gone_at_once(tmp_path, compat):
    """Nothing that a profile keeps of its answers holds it, so that no garbage has to wait."""
    profile = random_profile(7).replace()
    gone = weakref.ref(profile)
    gc.collect()
    gc.disable()
    try:
        for kind in VIEWS:
            report = profile.report(kind, compat=compat)
            report.write(f"file:outfile={tmp_path}/{kind}")
            report.proto()
        profile.serialize(compat=compat)
        del profile, report
        assert gone() is None
    finally:
        gc.enable()
