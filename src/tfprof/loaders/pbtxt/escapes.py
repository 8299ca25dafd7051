"""Escape sequences in strings of the text format, in time linear in their length.

protobuf's own function scans each run of backslashes again from every backslash in it: 200 kB of
them take minutes. What protobuf is given has each backslash in octal, so that there are no runs.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    rb"\\(?:([abfnrtv\\'\"?])|([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})"
    rb"|u([0-9a-fA-F]{4})|U(00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4})|)"
)
_SIMPLE_ESCAPES = dict(zip(b"abfnrtv\\'\"?", b"\a\b\f\n\r\t\v\\'\"?", strict=True))


def split_backslash_runs(text: bytes) -> bytes:
    """The same text with each escaped backslash in octal, which has the same meaning."""
    return text.replace(rb"\\", rb"\134")


def unescape(text: bytes) -> bytes:
    """The bytes that the text between quotes stands for; a ValueError if it is malformed."""
    text.decode("utf-8")
    return _ESCAPE.sub(_unescape_one, text)


def _unescape_one(match: re.Match[bytes]) -> bytes:
    letter, octal, hexadecimal, *code_points = match.groups()
    if letter:
        return bytes([_SIMPLE_ESCAPES[letter[0]]])
    if octal or hexadecimal:
        return bytes([int(octal, 8) if octal else int(hexadecimal, 16)])
    for digits in code_points:
        if digits:
            return chr(int(digits, 16)).encode("utf-8")
    raise ValueError("invalid escape sequence")
