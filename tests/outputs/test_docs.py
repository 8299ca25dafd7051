"""Every output, ending, column and table is documented, and nothing that does not exist."""

from __future__ import annotations

import re
from pathlib import Path

import tfprof
from tests.outputs.samples import gpu_profile, random_profile
from tfprof.outputs import OUTPUTS
from tfprof.outputs.profile_tables import profile_tables
from tfprof.outputs.row_table import column_names

DOCS = Path(__file__).parents[2] / "docs"


def _words(line):
    return re.findall(r"`([^`]+)`", line)


def _rows(text):
    return [_words(line) for line in text.split("\n") if line.startswith("| `")]


def test_outputs_are_documented():
    text = (DOCS / "outputs.md").read_text().partition("## timeline")[0]
    documented = {name: set(suffixes) for name, *suffixes in _rows(text)}
    documented["folded"].discard("flamegraph.pl")
    assert documented == {output.name: set(output.suffixes) for output in OUTPUTS.values()}


def test_columns_are_documented():
    text = (DOCS / "outputs.md").read_text().partition("| column | meaning |")[2]
    found = [word for row in _rows(text) for word in row]
    assert [word for word in found if word in column_names()] == list(column_names())


def test_tables_are_documented():
    sections = re.split(r"^## ", (DOCS / "schema.md").read_text(), flags=re.MULTILINE)[1:]
    documented = {
        name: set(_words(section))
        for section in sections
        for name in section.partition("\n")[0].split(", ")
    }
    log = next(p for p in map(random_profile, range(50)) if p.stacks and p.records)
    saved = tfprof.load(profile=gpu_profile().serialize())
    tables = profile_tables(log) | profile_tables(saved)
    assert tables.keys() == documented.keys()
    for name, table in tables.items():
        assert set(table.column_names) <= documented[name], name
