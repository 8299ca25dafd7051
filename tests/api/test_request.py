"""The one request path: what it checks, and that every front end gives the same answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tfprof
from tfprof.api.request import parse_request
from tfprof.cli import main
from tfprof.errors import OptionError


@pytest.fixture(scope="module")
def demo() -> tfprof.Profile:
    from tfprof.demo import paths

    return tfprof.load(**paths())


@pytest.mark.parametrize(
    ("view", "options", "says"),
    [
        ("scpoe", {}, "unknown view 'scpoe'; .*did you mean 'scope'"),
        ("op", {"show_name_regexes": ["("]}, "option 'show_name_regexes': invalid regex"),
        ("op", {"output": "fil:outfile=x"}, "option 'output': unknown type 'fil'"),
        ("op", {"output": "htm:outfile=x.html"}, "option 'output': unknown type 'htm'"),
        ("op", {"output": "file"}, "option 'output': file needs outfile"),
        ("op", {"select": ["micro"]}, "did you mean 'micros'"),
    ],
)
def test_a_request_is_checked_before_anything_is_read(
    view: str, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(OptionError, match=says):
        parse_request(view, options)


def test_advise_returns_what_the_command_prints(
    demo: tfprof.Profile, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["--demo", "advise", "--quiet"]) == 0
    assert demo.advise().text().encode() == capfdbinary.readouterr().out


def test_writers_return_messages_and_front_ends_print_them(
    demo: tfprof.Profile, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    output = f"pprof:outfile={tmp_path / 'a.pprof'}"
    demo.report("code").write(output)
    assert main(["--demo", "--quiet", "code", "-output", output]) == 0
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err.count("Open it with: pprof") == 1  # --quiet hides the other one


def test_loaded_profiles_keep_their_type(demo: tfprof.Profile) -> None:
    run = tfprof.demo.paths()["run_meta"][0]  # type: ignore[attr-defined]
    reloaded = tfprof.load(profile=demo.serialize())
    for profile in (demo, demo.add_step(7, run), demo.replace(), reloaded):
        assert type(profile) is tfprof.Profile
        assert type(profile.report("op")) is tfprof.Report


@pytest.mark.parametrize("output", ["json", "csv:outfile={}/rows.csv", "{}/rows.csv"])
def test_a_report_is_returned_and_not_written(
    demo: tfprof.Profile, tmp_path: Path, output: str
) -> None:
    output = output.format(tmp_path)
    with pytest.raises(tfprof.OptionError, match=r"writes nothing; use report\.write\('"):
        demo.report("op", output=output)
    with pytest.raises(tfprof.OptionError, match=r"writes nothing; use report\.write\('"):
        tfprof.Profiler.of_profile(demo).report("op", {"output": output})
    assert not list(tmp_path.iterdir())
    assert demo.report("op", output="none").names
