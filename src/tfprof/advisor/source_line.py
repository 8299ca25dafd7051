"""The line of Python that made a node."""

from __future__ import annotations

import re
from functools import partial

from tfprof.profiles.add_rows import index_in
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Stacks
from tfprof.profiles.string_columns import strings

__all__ = ["source_line"]

_LIBRARIES = re.compile(r"(^|/)(tensorflow|keras|tf_keras|tensorflow_core|absl)/|<frozen ")
_GRADIENT = re.compile(r"(?:^|/)gradients(?:_\d+)?/(.+?)_grad/")
_NONE = "none"
_LONGEST = 60


def source_line(profile: Profile, node: int) -> str:
    """`file:line function: text` of the innermost frame outside TensorFlow, or nothing.

    A gradient's frames are those of the call for all gradients; its forward node's say more.
    """
    forward = _GRADIENT.search(profile.nodes.name[node].as_py())
    if forward:
        found = int(index_in(strings([forward[1]]), profile.nodes.name)[0])
        line = _line(profile, found) if found >= 0 else ""
        if line:
            return f"gradient of {line}"
    return _line(profile, node)


def _line(profile: Profile, node: int) -> str:
    stack = int(profile.nodes.stack[node])
    if stack < 0:
        return ""
    for stacks in profile.stacks:
        if stack < len(stacks):
            return _innermost(stacks, stack)
        stack -= len(stacks)
    return ""


def _innermost(stacks: Stacks, stack: int) -> str:
    frames = range(int(stacks.start[stack]), int(stacks.start[stack + 1]))
    if not frames:
        return ""
    word = partial(_word, stacks)
    frame = next((f for f in reversed(frames) if not _LIBRARIES.search(word(f, 0))), frames[-1])
    file, function, text = (word(frame, column) for column in range(3))
    line = f"{file.rpartition('/')[2]}:{int(stacks.line[frame])} {function}"
    text = " ".join(text.split())
    if not text or text == _NONE:
        return line
    return f"{line}: {text if len(text) <= _LONGEST else text[: _LONGEST - 3] + '...'}"


def _word(stacks: Stacks, frame: int, column: int) -> str:
    if stacks.texts:
        own: str | None = stacks.texts[column][frame].as_py()
        if own:
            return own
    ids = (stacks.file_id, stacks.function_id, stacks.text_id)[column]
    return stacks.strings.get(int(ids[frame]), _NONE)
