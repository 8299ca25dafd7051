"""GraphDefs as text that people or programs have spoilt."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["texts"]

_GOOD = 'node {\n  name: "a"\n  op: "A"\n}\n'


def _named(name: str) -> bytes:
    """A graph as protobuf writes it, with a name between its quotes."""
    return f'node {{\n  name: "{name}"\n  op: "A"\n}}\n'.encode()


def _attribute(value: str) -> bytes:
    lines = f'  attr {{\n    key: "x"\n    value {{\n      {value}\n    }}\n  }}\n'
    return f'node {{\n  name: "a"\n  op: "A"\n{lines}}}\n'.encode()


_TEXTS = {
    "escape_unknown": _named(r"a\qb"),
    "escape_unknown_among_others": b"# a comment\nnode { name: \"a\\zb\\d\" op: 'A' }\n",
    "escape_octal_too_large": _named(r"a\777"),
    "escape_octal_that_warns": _named(r"\400b"),
    "escape_of_no_utf8": _named(r"a\xff\xc3("),
    "escape_of_no_utf8_in_octal": _named(r"a\377"),
    "escape_of_a_surrogate": _named(r"a\ud800"),
    "escape_beyond_unicode": _named(r"a\U00110000"),
    "escape_cut": b'node { name: "a\\',
    "escape_without_digits": _named(r"a\x"),
    "no_utf8": b'node { name: "a\xff\xc3(" op: "A" }\n',
    "no_utf8_in_a_comment": _GOOD.encode() + b"# \xff\xfe\n",
    "no_utf8_in_an_attribute": _attribute('s: "@"').replace(b"@", b"\xff"),
    "utf8_mark": b"\xef\xbb\xbf" + _GOOD.encode(),
    "utf16": _GOOD.encode("utf-16"),
    "nul_inside": _named("a\0b"),
    "controls_inside": _named("\x1b[2J\x7f\x9b"),
    "line_break_in_a_string": b'node { name: "a\nb" op: "A" }\n',
    "carriage_returns": _GOOD.replace("\n", "\r\n").encode(),
    "string_without_end": b'node { name: "a op: A }\n',
    "brace_without_end": b'node { name: "a" op: "A"\n',
    "brace_too_many": _GOOD.encode() + b"}\n",
    "cut_in_half": (_GOOD * 3).encode()[: len(_GOOD) * 3 // 2],
    "field_unknown": b'node { name: "a" nonsense: 1 }\n',
    "field_twice": b'node { name: "a" name: "b" op: "A" }\n',
    "field_of_another_type": b'node { name: 3 op: "A" }\n',
    "number_beyond_64_bits": _attribute("i: 99999999999999999999"),
    "number_of_many_digits": _attribute("i: " + "9" * 5000),
    "number_beyond_floats": _attribute("f: 1e999999"),
    "number_that_is_none": _attribute("f: nan"),
    "enum_unknown": _attribute("type: DT_NONSENSE"),
    "enum_beyond_32_bits": _attribute("type: 4294967296"),
    "shape_beyond_64_bits": _attribute("shape { dim { size: 9223372036854775808 } }"),
    "values_of_two_kinds": _attribute('i: 1 s: "x"'),
    "too_deep": b"node { attr { value { func { " * 2000,
    "too_deep_in_lists": _attribute("list { func { attr { value { " * 300 + "} } } }" * 300),
    "extension": b'node { [type.of.nobody/x] { } name: "a" }\n',
    "of_a_run": b'step_stats { dev_stats { device: "a" } }\n',
    "of_a_profile": b'nodes { key: 1 value { name: "a" op: "A" } }\n',
    "blank": b" \n\t\n",
    "comment_alone": b"# nothing here\n",
    "prose": b"Dear colleague, the graph is attached.\n",
}


def texts() -> Iterator[tuple[str, str, bytes]]:
    """The target, the name and the bytes of each."""
    for name, data in _TEXTS.items():
        yield "graph_text", name, data
