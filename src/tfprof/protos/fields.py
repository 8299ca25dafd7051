"""What the versions of protobuf say differently about the fields of messages."""

from __future__ import annotations

from typing import Any


def is_repeated(field: Any) -> bool:
    """Whether a field has any number of values."""
    # protobuf 5 has only the label, of which later ones warn.
    if hasattr(field, "is_repeated"):
        return bool(field.is_repeated)
    return bool(field.label == field.LABEL_REPEATED)
