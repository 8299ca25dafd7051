"""The public names: all there, and the same in every list that has them."""

from __future__ import annotations

import tfprof


def test_every_public_name_is_there() -> None:
    for name in tfprof.__all__:
        assert getattr(tfprof, name) is not None
    assert sorted(tfprof.__all__) == dir(tfprof)


def test_names_of_the_original_are_public() -> None:
    original = {"profile", "advise", "Profiler", "ProfileOptionBuilder", "write_op_log"}
    protos = {"GraphNodeProto", "MultiGraphNodeProto", "AdviceProto", "OpLogProto"}
    assert original | protos | {"ProfileContext"} <= set(tfprof.__all__)
