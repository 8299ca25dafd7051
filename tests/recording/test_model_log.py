"""A caller's op log merged with the model's."""

from __future__ import annotations

import pytest

from tfprof.definitions.quirks import ORIGINAL, REPAIRED
from tfprof.protos.log_pb2 import OpLogProto
from tfprof.recording.model_log import merge_op_logs


@pytest.mark.parametrize(
    ("quirks", "types", "float_ops"), [(REPAIRED, ["a", "b", "m"], 5), (ORIGINAL, ["b", "m"], 9)]
)
def test_entries_of_one_name(quirks, types, float_ops):
    """In the original the second replaces the first, and the model's fills what it lacks."""
    entries = [{"name": "x", "types": ["a"], "float_ops": 5}, {"name": "x", "types": ["b"]}]
    model = OpLogProto(log_entries=[{"name": "x", "types": ["m"], "float_ops": 9}])
    (merged,) = merge_op_logs(OpLogProto(log_entries=entries), model, quirks).log_entries
    assert (merged.name, list(merged.types), merged.float_ops) == ("x", types, float_ops)
