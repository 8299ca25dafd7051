"""A `.keras` file, which Keras opens; if it cannot, why, in one line."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from tfprof.errors import LoadError, TfprofError
from tfprof.flops.live_models import read_keras_model
from tfprof.flops.model_graph import ModelGraph
from tfprof.loaders.files import read_head
from tfprof.loaders.message_kinds import HEAD_SIZE
from tfprof.loaders.model_messages import check_is_model
from tfprof.runtime.terminal import shorten_end

_EXPORT = "call model.export(DIR) and give DIR"
_INSTEAD = f"load it in Python and call tfprof.model(model), or {_EXPORT}"
_LONGEST_REASON = 160


def read_keras_file(path: Path) -> ModelGraph:
    """A `.keras` file, which Keras opens."""
    if not path.is_file():
        raise LoadError(f"{path}: no such file; check the path of the model")
    if not zipfile.is_zipfile(path):
        if not read_head(path, HEAD_SIZE).startswith(b"PK"):
            check_is_model(path)
        raise LoadError(f"{path}: not a Keras model; truncated, or a different format")
    try:
        import keras
    except ImportError:
        raise LoadError(f"{path}: needs Keras; install it, or {_EXPORT}") from None
    problem = "load"
    try:
        model = keras.models.load_model(path, compile=False)
        problem = "run"
        return read_keras_model(model)
    except TfprofError:
        raise
    except Exception as error:  # Keras raises what it likes about a broken archive
        reason = _describe_keras_error(str(error)) or type(error).__name__
        raise LoadError(f"{path}: Keras cannot {problem} it: {reason}; {_INSTEAD}") from None


def _describe_keras_error(text: str) -> str:
    """The innermost problem that Keras names, without the configuration that it prints."""
    text = " ".join(text.split())
    unknown = re.search(r"Could not locate (class|function) '([^']*)'", text)
    if unknown:
        return f"it has a {unknown[1]} '{unknown[2]}' of its own"
    innermost = text.rpartition("Exception encountered: ")[2]
    return shorten_end(re.split(r"(?<=\w\w)\. ", innermost)[0].rstrip("."), _LONGEST_REASON)
