"""pprof files, read with the classes that TensorFlow has for them."""

from __future__ import annotations

import gzip
import importlib.util
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfprof
from tests.outputs.samples import largest, random_profile, report_of
from tfprof.definitions.metrics import METRICS

NUMBERS = [name for name, metric in METRICS.items() if metric.measure]


@pytest.fixture(scope="session")
def profile_class():
    """TensorFlow's Profile message, without the seconds that importing TensorFlow takes."""
    found = importlib.util.find_spec("tensorflow")
    if found is None:
        raise ModuleNotFoundError("tensorflow", name="tensorflow")
    path = Path(found.origin).parent / "tsl/profiler/protobuf/profile_pb2.py"
    spec = importlib.util.spec_from_file_location("their_profile_pb2", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Profile


def _read(path, profile_class):
    profile = profile_class.FromString(gzip.decompress(path.read_bytes()))
    functions = {f.id: profile.string_table[f.name] for f in profile.function}
    locations = {place.id: functions[place.line[0].function_id] for place in profile.location}
    assert profile.string_table[0] == ""
    assert len(functions) == len(profile.function)
    assert len(locations) == len(profile.location)
    for sample in profile.sample:
        assert len(sample.value) == len(profile.sample_type)
    return profile, locations


@pytest.mark.parametrize("kind", ["scope", "code"])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), depth=st.sampled_from([2, 4, 10**6]))
def test_samples_add_up_to_the_rows(kind, seed, depth, tmp_path_factory, profile_class):
    """All samples together make the root's total, for every metric at once."""
    file = tmp_path_factory.getbasetemp() / "x.pprof"
    report = report_of(random_profile(seed), kind, select=NUMBERS, max_depth=depth)
    if report is None:
        return
    if largest(report) >= 2**63:
        return  # no pprof file can hold it
    report.write(str(file))
    profile, _ = _read(file, profile_class)
    names = [profile.string_table[kind.type] for kind in profile.sample_type]
    assert names == ["count", *NUMBERS]
    at = [METRICS[name].measure for name in NUMBERS]
    sums = [0] * len(NUMBERS)
    for sample in profile.sample:
        sums = [a + b for a, b in zip(sums, sample.value[1:], strict=True)]
    # Sums of huge float operations wrap around in the report.
    assert [s % 2**64 for s in sums] == [int(report.total[0, m]) % 2**64 for m in at]


def test_every_frame_is_sampled(tmp_path, profile_class):
    """By default also nodes of frames that call others (N10)."""
    lost = []
    for seed in range(40):
        report = report_of(random_profile(seed), "code")
        if report is None or not report.total[0, "exec_micros"]:
            continue
        report.write(f"pprof:outfile={tmp_path / 'ours'}")
        ours, _ = _read(tmp_path / "ours", profile_class)
        options = {"select": ["micros"], "order_by": "name", "max_depth": 10000}
        regexes = ("account_type_regexes", "start_name_regexes", "show_name_regexes")
        options |= {name: [".*"] for name in regexes}
        compat = random_profile(seed).report("code", options, compat=True)
        compat.write(f"pprof:outfile={tmp_path / 'theirs'}")
        theirs, _ = _read(tmp_path / "theirs", profile_class)
        assert len(theirs.sample) <= len(ours.sample)
        lost.append(len(ours.sample) - len(theirs.sample))
    assert any(lost)


def test_refusals(tmp_path, capsys):
    profile = random_profile(0)
    file = tmp_path / "x.pprof"
    with pytest.raises(tfprof.OptionError, match="not op view"):
        profile.report("op").write(str(file))
    with pytest.raises(tfprof.OptionError, match="select=device"):
        profile.report("scope", select=["device"]).write(str(file))
    two = {"select": ["micros", "bytes"], "account_type_regexes": [".*"]}
    report = profile.report("code", two, compat=True)
    report.write(f"pprof:outfile={file}")
    assert capsys.readouterr().err == "Can only select 1 attribute for pprof output.\n"
    assert not list(tmp_path.iterdir())
