"""The table of outputs: a row is all that a new output takes, and renderers only yield."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tfprof
from tests.outputs.samples import gpu_profile
from tfprof.outputs import (
    OUTPUTS,
    Document,
    Message,
    Output,
    RenderSettings,
    parse_output,
    render,
    write_documents,
)

VIEWS = {"dot": "graph", "pprof": "scope"}


def _render(report, value, **settings):
    output, keys = parse_output(value)
    return render(report, output, RenderSettings(keys, **settings))


def render_upper(report, settings):
    yield Document([report.text().upper().encode()], settings.keys.get("outfile"))


def test_an_output_from_outside_the_package(tmp_path, monkeypatch):
    """The recipe of CONTRIBUTING: a function, a row, and it works through the API."""
    upper = Output("upper", render_upper, ("outfile",), "text in capitals")
    monkeypatch.setitem(OUTPUTS, "upper", upper)
    report = gpu_profile().report("op", select=["params"])
    report.write(f"upper:outfile={tmp_path / 'out'}")
    assert (tmp_path / "out").read_text() == report.text().upper()


def test_an_output_without_a_file_goes_to_standard_output(capsysbinary, monkeypatch):
    monkeypatch.setitem(OUTPUTS, "upper", Output("upper", render_upper, (), "text in capitals"))
    report = gpu_profile().report("op", select=["params"])
    report.write("upper")
    assert capsysbinary.readouterr().out == report.text().upper().encode()


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("compat", [False, True])
def test_renderers_neither_print_nor_open_files(name, compat, tmp_path, capfd):
    kind = "scope" if compat else VIEWS.get(name, "scope")
    if compat and name == "dot":
        kind = "graph"
    options = {"select": ["micros"], "step": 0}
    report = gpu_profile().report(kind, options, compat=compat)
    value = f"{name}:outfile={tmp_path / 'out'}" if OUTPUTS[name].required else name
    for item in _render(report, value):
        if isinstance(item, Document):
            assert all(isinstance(chunk, (bytes, memoryview)) for chunk in item.chunks)
        else:
            assert item.text
            assert not item.text.endswith("\n")
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr() == ("", "")


def test_standard_output_and_files_have_the_same_text():
    report = gpu_profile().report("scope")
    for settings in ({}, {"legend": True}):
        (shown,), (saved,) = (
            list(_render(report, value, **settings)) for value in ("stdout", "file:outfile=x")
        )
        assert (shown.path, saved.path) == (None, "x")
        assert b"".join(shown.chunks) == b"".join(saved.chunks)


def test_banners_and_one_line_are_for_standard_output():
    report = gpu_profile().report("scope")
    (shown,) = _render(report, "stdout", banners=True)
    assert b"".join(shown.chunks).endswith(b"End of Report==========================\n")
    (saved,) = _render(report, "file:outfile=x", banners=True, one_line=True)
    assert b"".join(saved.chunks) == report.text().encode()


def test_messages_come_after_what_they_are_about(tmp_path):
    """A message tells the size of a document, which is known once it is written."""
    report = gpu_profile().report("graph", step=0)
    messages, printed = [], []
    write_documents(
        _render(report, f"timeline:outfile={tmp_path / 't'}"),
        stdout=printed.append,
        message=messages.append,
    )
    (line,) = messages
    size = (tmp_path / "t").stat().st_size
    assert f"{size / 1e6:.1f} MB" in line
    assert not printed


def test_in_compat_the_originals_lines_are_for_standard_output(tmp_path):
    report = gpu_profile().report("graph", {"step": 0}, compat=True)
    messages, printed = [], []
    write_documents(
        _render(report, f"timeline:outfile={tmp_path / 't'}"),
        stdout=printed.append,
        message=messages.append,
    )
    text = b"".join(printed).decode()
    assert text.startswith("generating trace file.\n")
    assert f"Timeline file is written to {tmp_path / 't'}_0.\n" in text
    assert not messages


def test_what_is_unsupported_is_an_error_or_a_note():
    profile = gpu_profile()
    with pytest.raises(tfprof.OptionError, match="not op view"):
        _render(profile.report("op"), "timeline:outfile=x")
    (note,) = _render(profile.report("op", compat=True), "timeline:outfile=x")
    assert note == Message("op view doesn't support timeline yet. Consider graph/scope/code view.")


def test_a_report_with_nothing_to_show_has_no_file():
    report = gpu_profile().report("scope", {"step": 7}, compat=True)
    assert not report.shown
    assert not list(_render(report, "file:outfile=x"))
    (shown,) = _render(report, "stdout")
    assert b"".join(shown.chunks) == b""


def test_the_table_does_without_numpy():
    """Help and completion need the names of outputs, not what renders them."""
    program = "import sys, tfprof.outputs; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
