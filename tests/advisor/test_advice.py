"""Which checkers run, with which options, and what becomes of what they find."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from typing import Any

import pytest

import tfprof
from tests.advisor.models import CPU, GPU, Model
from tests.robustness.models import loaded, log_of, run_of
from tfprof import advisor
from tfprof.advisor import CHECKERS, Amount, Evidence, Finding, Impact, Setting, Settings, advise
from tfprof.api.profile import Profile
from tfprof.demo import paths
from tfprof.errors import OptionError
from tfprof.protos import output_pb2

ORIGINAL = ["AcceleratorUtilizationChecker", "ExpensiveOperationChecker", "OperationChecker"]
ALL_ADVICE: dict[str, dict[str, str]] = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},
    "OperationChecker": {},
}


@pytest.fixture(scope="module")
def demo() -> Profile:
    """The demo profile."""
    files = paths()
    return tfprof.load(files["graph"], files["run_meta"], files["op_log"])


def small() -> Model:
    """A model with something for several checkers."""
    model = Model().node("BatchNorm/mul", "Mul").node("conv", "Conv2D", data_format=b"NHWC")
    return model.step().ran("BatchNorm/mul", 10, 2000).ran("conv", 2100, 3000, on=GPU)


def test_all_checkers_but_the_empty_one_by_default(demo: Profile) -> None:
    names = [result.checker for result in advise(demo).results]
    assert names == sorted(set(CHECKERS) - {"JobChecker"})


def test_printed_it_is_its_text(demo: Profile) -> None:
    advice = advise(demo)
    assert str(advice) == advice.text().strip("\n")
    assert (
        repr(advice) == f"<Advice: {len(advice.findings)} findings of {len(CHECKERS) - 1} checkers>"
    )
    with pytest.raises(
        KeyError, match="there is no checker 'MemoryPaek'; did you mean 'MemoryPeak'"
    ):
        advice["MemoryPaek"]


def test_compat_has_the_original_ones_in_order(demo: Profile) -> None:
    for wanted in (None, ALL_ADVICE, list(ALL_ADVICE)):
        advice = advise(demo, wanted, compat=True)
        assert [result.checker for result in advice.results] == ORIGINAL


def test_compat_ignores_unknown_checkers_and_options(demo: Profile) -> None:
    wanted = {"OperationChecker": {"x": "1"}, "Nonsense": {}, "InputStall": {}}
    assert [r.checker for r in advise(demo, wanted, compat=True).results] == ["OperationChecker"]


def test_every_finding_has_a_number(demo: Profile) -> None:
    for profile in (demo, small().load()):
        for finding in advise(profile).findings:
            assert finding.impact or any(row.numbers for row in finding.evidence)


def test_a_profile_without_data_lists_what_is_needed() -> None:
    for result in advise(tfprof.load()).results:
        assert result.missing
        assert result.lines()[0].startswith("not checked: needs ")


def test_checkers_without_findings_say_so() -> None:
    model = Model().node("a", "MatMul").step().ran("a", 1, 5)
    assert advise(model.load(), "InputStall").text() == "\nInputStall:\nno findings\n"
    text = advise(model.load(), "ExpensiveOperationChecker").text()
    assert text.endswith("partly checked: needs code traces (an op log)\n")


def test_the_message_has_an_entry_per_checker() -> None:
    advice = advise(small().load(), ALL_ADVICE)
    message = advice.proto()
    assert isinstance(message, output_pb2.AdviceProto)
    assert sorted(message.checkers) == sorted(ALL_ADVICE)
    assert list(message.checkers["JobChecker"].reports) == []
    first = advice["OperationChecker"].findings[0]
    assert message.checkers["OperationChecker"].reports[0] == first.text()


def test_json_has_numbers() -> None:
    message = json.loads(advise(small().load(), "DevicePlacement").json())
    (finding,) = message["checkers"]["DevicePlacement"]["findings"]
    assert finding["impact"] == {
        "value": 2000,
        "unit": "microseconds",
        "meaning": "per step on CPU",
    }
    assert finding["evidence"][0]["device"] == CPU.lower()


def test_settings_may_be_text() -> None:
    name = "ExpensiveOperationChecker"
    for wanted in ({name: {"top": "1"}}, [f"{name}:top=1,min_micros=5"], f"{name}:top=1"):
        types, nodes = advise(small().load(), wanted)[name].findings
        assert len(types.message.splitlines()) == len(nodes.message.splitlines()) == 1


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (["InputStal"], "did you mean 'InputStall'"),
        ({"InputStall": {"shar": 1}}, "did you mean 'share'"),
        ({"InputStall": {"share": "much"}}, "'much' is not a number"),
        ({"InputStall": {"share": -1}}, "-1 is negative or not a number"),
        ({"InputStall": 3}, "are not a dict"),
        (["InputStall:share"], "'share' is not key=value"),
        ({"JobChecker": {"x": 1}}, "it has none"),
    ],
)
def test_invalid_requests(wanted: object, words: str, demo: Profile) -> None:
    with pytest.raises(OptionError, match=words):
        advise(demo, wanted)


def test_no_checkers_are_no_advice(demo: Profile) -> None:
    assert advise(demo, {}).text() == ""


def test_compat_messages_about_missing_data() -> None:
    assert advise(Model().node("a", "Add").load(), compat=True).messages == (
        "Missing RunMetadata info. Skip ExpensiveOperationChecker",
        "Missing run_meta for ExpensiveOperationChecker",
        "Missing op_log (code traces) for ExpensiveOperationChecker",
    )


def count_nodes(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Nodes, of which there are some."""
    number = Amount(len(profile.nodes), "number")
    limit = settings.values.get("limit", 0)
    if number.value > limit:
        rows = (Evidence("nodes", {"count": number}),)
        yield Finding("Nodes", "info", "there are nodes", rows, Impact(number, "nodes"))
    yield Finding("Nodes", "warning", "a finding without a number is left out")


def fail(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """An error."""
    raise KeyError("x")


NODES = advisor.Checker("Nodes", "", count_nodes, settings={"limit": Setting(1, "how many")})


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another package with checkers, one a mere function, and some that are wrong."""
    values = {
        "Nodes": f"{__name__}:NODES",
        "Function": f"{__name__}:count_nodes",
        "Broken": f"{__name__}:no_such_thing",
        "Failing": f"{__name__}:fail",
        "JobChecker": f"{__name__}:NODES",
    }
    points = [EntryPoint(name, value, advisor.ENTRY_POINTS) for name, value in values.items()]
    monkeypatch.setattr(
        advisor, "entry_points", lambda group: points if group == advisor.ENTRY_POINTS else []
    )


@pytest.mark.usefixtures("plugins")
def test_other_packages_add_checkers() -> None:
    profile = Model().node("a", "Add").node("b", "Add").load()
    advice = advise(profile)
    assert len(advice["Nodes"].findings) == len(advice["Function"].findings) == 1
    assert advise(profile, {"Nodes": {"limit": 2}})["Nodes"].findings == ()
    assert advice["Failing"].lines() == ["failed: KeyError: 'x'"]
    broken, duplicate = sorted(advice.messages)
    assert broken.startswith("checker Broken of ")
    assert duplicate.endswith("a built-in checker has this name")
    assert "Nodes" not in advise(profile, compat=True).text()


def test_a_name_cut_inside_a_character_keeps_its_bytes_in_compat() -> None:
    """As the original prints it; a message can hold only whole characters."""
    function = "abc" + "日本" * 5
    log = log_of({"a": [("f.py", function, 1)], "b": [("f.py", "g", 2)]})
    run = run_of(CPU, ("a", 1, 5000), ("b", 1, 5000))
    profile = loaded(("a", "A"), ("b", "B"), run=run, log=log)
    advice = advise(profile, "ExpensiveOperationChecker", compat=True)
    cut = f"f.py:1:{function}".encode()[: len("f.py:1:") + 17]
    assert cut + b"..., cpu: 5.00ms" in advice.text().encode(errors="surrogateescape")
    reports = advice.proto().checkers["ExpensiveOperationChecker"].reports
    assert "f.py:1:abc日本日本\ufffd..., cpu: 5.00ms" in "\n".join(reports)
    default = advise(profile, "ExpensiveOperationChecker").text()
    assert f"f.py:1:{function}, cpu: 5.00ms" in default


@pytest.mark.parametrize("checkers", [5, [5], b"InputStall", {5: {}}, True, [["InputStall"]]])
def test_what_names_no_checkers_is_refused(checkers: Any) -> None:
    """In one line that says what is accepted."""
    profile = tfprof.load(**paths())
    with pytest.raises(OptionError, match="accepted are names of checkers") as refused:
        profile.advise(checkers)
    assert str(refused.value).startswith(f"checkers: {checkers!r} ")
