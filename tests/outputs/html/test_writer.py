"""A page has the numbers of reports, the same bytes each time, and nothing that a name can end."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode

import numpy as np
import pytest

import tfprof
from benchmarks.generate import generate
from tests.cli.conftest import call
from tests.outputs.html.decoder import Page
from tfprof import demo
from tfprof.api.report import page_settings
from tfprof.cli.flags import FLAGS
from tfprof.cli.parser import parse_command
from tfprof.definitions.options import ALL_LEVELS
from tfprof.errors import OutputError
from tfprof.flops.polynomial import plain
from tfprof.outputs.html import writer
from tfprof.outputs.html.report_blocks import is_safe
from tfprof.outputs.row_table import row_table
from tfprof.protos import graph_pb2


@pytest.fixture(scope="module")
def profile():
    return tfprof.load(**demo.paths())


@pytest.fixture(scope="module")
def page_file(profile, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "demo.html"
    profile.save_page(path, command="tfprof --demo")
    return path


@pytest.fixture(scope="module")
def page(page_file):
    return Page(page_file.read_bytes())


def options_of(entry):
    return dict(part.removeprefix("-").split("=", 1) for part in entry["arguments"])


def test_every_number_is_that_of_the_report(profile, page):
    reports = page.description["reports"]
    assert {(r["view"], r["step"]) for r in reports} == {
        (view, step) for view in ("scope", "graph", "op", "code") for step in (-1, 0, 1)
    }
    for entry in reports:
        given = {
            name: tuple(filter(None, re.split(r"(?<!\\),", text)))
            for name, text in options_of(entry).items()
        }
        report = profile.report(
            entry["view"],
            **given,
            step=entry["step"],
            max_depth=ALL_LEVELS,
            order_by="depth",
        )
        table = row_table(report).to_pydict()
        assert page.names(entry) == table["name"]
        for metric in entry["numbers"]:
            own, total = page.numbers(entry, metric)
            assert own == table[f"own_{metric}"]
            if entry["view"] != "op":
                assert total == table[f"total_{metric}"]


def test_total_of_op_view_is_restored_too(profile, page):
    entry = next(r for r in page.description["reports"] if r["view"] == "op")
    report = profile.report("op", step=entry["step"], order_by="depth", max_depth=ALL_LEVELS)
    metric = next(iter(entry["numbers"]))
    assert page.numbers(entry, metric)[1] == row_table(report)[f"total_{metric}"].to_pylist()


def test_same_input_same_bytes(profile, page_file, tmp_path):
    again = tmp_path / "again.html"
    tfprof.load(**demo.paths()).save_page(again, command="tfprof --demo")
    assert again.read_bytes() == page_file.read_bytes()


def test_demo_page_is_small(page_file):
    assert page_file.stat().st_size <= 400_000


def test_script_is_small_and_the_policy_names_it():
    template = writer.read_template()
    (script,) = re.findall(r'<script type="module">(.*?)</script>', template, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", template, re.DOTALL)
    assert len(script) <= 150_000
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', template)[1]
    for part in (script, style):
        digest = b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "trusted-types 'none'" in policy


def test_data_is_only_added_to_the_template(page_file):
    page = page_file.read_text()
    element = r'<script type="application/octet-stream" id="\w+">[A-Za-z0-9+/=]*</script>\n'
    assert re.sub(element, "", page) == writer.read_template().replace("<!--data-->", "")


def test_too_large_a_page_names_the_command_that_can(profile, monkeypatch):
    monkeypatch.setattr(writer, "MAX_BYTES", 10_000)
    settings = page_settings("tfprof --demo", "big.html")
    with pytest.raises(OutputError, match=r"big\.html: .*tfprof ui"):
        writer.page_bytes(profile.report("scope"), settings, given=False)


def test_nothing_is_written_if_the_page_is_too_large(profile, monkeypatch, tmp_path):
    monkeypatch.setattr(writer, "MAX_BYTES", 10_000)
    with pytest.raises(OutputError):
        profile.save_page(tmp_path / "x.html")
    assert not list(tmp_path.iterdir())


def test_output_of_a_view_is_the_first_report(tmp_path):
    path = tmp_path / "x.html"
    done = call("--demo", "op", "-select", "bytes", "-min_bytes", "1000000", "-output", str(path))
    assert done.status == 0, done.err
    page = Page(path.read_bytes())
    assert page.description["first"] == {"view": "op", "step": -1, "order": ""}
    assert page.description["presets"][0]["metrics"][0] == "bytes"
    entry = page.description["reports"][0]
    shown = next(r for r in page.description["reports"] if r["view"] == "op" and r["step"] == -1)
    assert entry["preset"] == shown["preset"] == "as given"
    report = tfprof.load(**demo.paths()).report(
        "op",
        select="bytes",
        min_bytes=1000000,
        hide_name_regexes=options_of(shown)["hide_name_regexes"].split(","),
    )
    assert page.names(shown) == report.names
    assert shown["order"] == "bytes"


def test_counts_with_symbols_are_texts(tmp_path):
    model = graph_pb2.GraphDef()
    image = model.node.add(name="x", op="Placeholder")
    image.attr["dtype"].type = 1
    for size in (-1, 4):
        image.attr["shape"].shape.dim.add(size=size)
    weights = model.node.add(name="w", op="Placeholder")
    weights.attr["dtype"].type = 1
    for size in (4, 8):
        weights.attr["shape"].shape.dim.add(size=size)
    product = model.node.add(name="y", op="MatMul", input=["x", "w"])
    product.attr["T"].type = 1
    loop = model.node.add(name="z", op="MatMul", input=["y", "y"])
    loop.attr["T"].type = 1
    loop.attr["transpose_b"].b = True
    profile = tfprof.load(graph=model)
    profile.save_page(tmp_path / "x.html")
    page = Page((tmp_path / "x.html").read_bytes())
    entry = next(r for r in page.description["reports"] if "float_ops" in r["numbers"])
    report = profile.report(entry["view"], select="float_ops", order_by="depth", max_depth=100)
    own, total = page.numbers(entry, "float_ops")
    expected = [str(plain(value)) for value in report.total[:, "float_ops"].tolist()]
    assert "B" in "".join(expected)
    assert [str(value) for value in total] == expected
    assert [str(value) for value in own] == [
        str(plain(value)) for value in report.own[:, "float_ops"].tolist()
    ]


def test_numbers_beyond_53_bits_are_texts():
    assert is_safe(np.array([2**40, 5]))
    assert not is_safe(np.array([2**52, 2**52]))
    assert not is_safe(np.array([2**70, 5], object))


def test_report_command(tmp_path):
    path = tmp_path / "r.html"
    done = call("--demo", "report", "--out", str(path))
    assert done.status == 0, done.err
    assert Page(path.read_bytes()).description["command"] == "tfprof --demo"
    missing = call("--demo", "report")
    assert missing.status == 2
    assert "--out" in missing.err


def test_arguments_are_those_of_the_command(page):
    """What the command makes of a preset's arguments are the options of its report."""
    for entry in page.description["reports"]:
        words = ["scope", *entry["arguments"]]
        assert parse_command(words, FLAGS).options["hide_name_regexes"] == ()


def test_compat_has_no_output_that_the_original_lacks(tmp_path):
    path = tmp_path / "c.html"
    done = call("--demo", "--compat", "scope", "-output", f"html:outfile={path}")
    assert done.status == 2
    assert "unknown type 'html' in compat" in done.err
    assert not path.exists()


def test_a_large_model_fits_two_megabytes(tmp_path):
    folder = generate(20_000, 2, tmp_path)
    runs = [folder / f"run_meta_{step}" for step in range(2)]
    profile = tfprof.load(graph=folder / "graph.pb", run_meta=runs, op_log=folder / "tfprof_log")
    profile.save_page(tmp_path / "x.html")
    assert (tmp_path / "x.html").stat().st_size <= 2_000_000
