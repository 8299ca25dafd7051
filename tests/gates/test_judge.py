"""Verdicts on static numbers, memory and times, with the rows that are responsible."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import tfprof
from tests.gates.graphs import dense_graph, traced
from tfprof.errors import LoadError, OptionError
from tfprof.gates.budget import parse_budget
from tfprof.gates.judge import judge
from tfprof.gates.sides import Side, Sides
from tfprof.gates.verdict import Outcome

BEFORE = {"a": (8, 16), "b": (16, 4)}
AFTER = {"a": (8, 20), "b": (20, 4)}


def profile(layers: Any, batch: int = 4) -> tfprof.Profile:
    return tfprof.load(graph=dense_graph(layers, batch))


def verdict(limits: dict[str, Any], base: Any = BEFORE, head: Any = AFTER) -> tfprof.Verdict:
    return tfprof.gate(profile(base), profile(head), budget={"budget": limits})


def test_static_numbers_are_exact() -> None:
    found = verdict({"params": "+0%", "float_ops": 2 * 4 * (8 * 20 + 20 * 4), "macs": 0})
    params, float_ops, macs = found.checks
    assert (params.base, params.head, params.allowed) == (8 * 16 + 16 * 4, 8 * 20 + 20 * 4, 192)
    assert params.outcome == Outcome.OVER
    assert [(row.name, row.delta) for row in params.rows] == [("a/kernel", 32), ("b/kernel", 16)]
    assert float_ops.outcome == Outcome.PASS
    assert (macs.head, macs.outcome) == (4 * 240, Outcome.OVER)
    assert found.status == 1


def test_the_limit_itself_passes() -> None:
    assert verdict({"params": 240}).status == 0
    assert verdict({"params": 239}).status == 1
    assert verdict({"params": "+25%"}).status == 0
    assert verdict({"params": "+24.99%"}).status == 1
    assert verdict({"params": "+48"}).status == 0
    assert verdict({"params": "-1"}, head=BEFORE).status == 1


def test_static_memory_has_variables_and_the_peak() -> None:
    check = verdict({"static_memory": "+0%"}).checks[0]
    assert check.outcome == Outcome.OVER
    assert check.head is not None
    assert check.head >= 4 * 240
    assert sum(row.delta for row in check.rows) > 0


def test_scopes() -> None:
    found = verdict({"scope": {"b": {"params": "+0%"}, "a": {"params": 128}}})
    assert [check.head for check in found] == [80, 160]
    assert [check.base for check in found] == [64, 128]
    assert [row.name for row in found.checks[0].rows] == ["b/kernel"]


def test_a_renamed_scope_is_the_same_scope() -> None:
    found = verdict({"scope": {"stage": {"params": "+0%"}}}, head={"stage": (8, 16), "b": (16, 4)})
    assert (found.checks[0].base, found.checks[0].head, found.status) == (128, 128, 0)


def test_an_added_scope_has_a_base_of_none() -> None:
    head = {**BEFORE, "c": (4, 4)}
    found = verdict({"params": "+0%", "scope": {"c": {"params": "+0%"}}}, head=head)
    assert [row.match for row in found.checks[0].rows] == ["added"]
    assert (found.checks[1].base, found.checks[1].head) == (0, 16)


def test_layers(tmp_path: Path) -> None:
    for name, layers in (("base", BEFORE), ("head", AFTER)):
        (tmp_path / f"{name}.pb").write_bytes(dense_graph(layers).SerializeToString())
    found = tfprof.gate(
        tmp_path / "base.pb",
        tmp_path / "head.pb",
        budget={"budget": {"layer": {"a": {"params": "+0%"}, "b": {"params": 80}}}},
    )
    assert [(c.base, c.head, int(c.outcome)) for c in found] == [(128, 160, 1), (64, 80, 0)]
    with pytest.raises(OptionError, match="no layer has this name"):
        tfprof.gate(
            tmp_path / "base.pb",
            tmp_path / "head.pb",
            budget={"budget": {"layer": {"none": {"params": 1}}}},
        )


def test_layers_of_a_profile_are_not_known() -> None:
    with pytest.raises(OptionError, match="limit a scope instead"):
        verdict({"layer": {"a": {"params": 1}}})


def test_one_side_is_enough_for_numbers() -> None:
    found = tfprof.gate(profile(AFTER), budget={"budget": {"params": 200}})
    assert found.status == 1
    assert [(row.name, row.head) for row in found.checks[0].rows] == [
        ("a/kernel", 160),
        ("b/kernel", 80),
    ]
    with pytest.raises(OptionError, match="relative to a base; give BASE too"):
        tfprof.gate(profile(AFTER), budget={"budget": {"params": "+1%"}})


def test_an_unknown_scope_is_named_with_the_nearest() -> None:
    for name in ("block", "a/b/c"):
        with pytest.raises(OptionError, match=r"\[budget.scope."):
            verdict({"scope": {name: {"params": 1}}})
    head = {"encoder": (8, 16), "decoder": (16, 4)}
    with pytest.raises(OptionError, match="did you mean 'encoder'"):
        verdict({"scope": {"encodr": {"params": 1}}}, head, head)


def test_nothing_in_common_and_nothing_at_all() -> None:
    other = tfprof.load(graph=dense_graph({"q": (2, 3)}, 7))
    lonely = tfprof.load(graph=b"\n\x0b\n\x01z\x12\x06MyType")
    found = tfprof.gate(lonely, other, budget={"budget": {"params": "+0%"}})
    assert "no node in common" in found.text()
    with pytest.raises(LoadError, match="without nodes"):
        tfprof.gate(tfprof.Profile(), other, budget={"budget": {"params": 1}})


def steps(seed: int, slower: float = 1.0, count: int = 10) -> list[dict[str, int]]:
    generator = np.random.default_rng(seed)
    return [
        {
            name: int(slower * micros * (1 + generator.exponential(0.01)))
            for name, micros in (("a/MatMul", 30_000), ("b/MatMul", 20_000))
        }
        for _ in range(count)
    ]


def pair(base: list[dict[str, int]], head: list[dict[str, int]], busy: float = 0.0) -> Sides:
    graph = dense_graph(BEFORE)
    both = [Side(name, (traced(graph, s),)) for name, s in (("base", base), ("head", head))]
    return Sides(both[0], both[1], {"steps": len(base), "busy": busy})


def judge_time(sides: Sides, limit: str = "+2%", **more: Any) -> Any:
    return judge(sides, parse_budget({"budget": {"time": limit, **more}})).checks[0]


def test_a_slower_pair_is_over_budget() -> None:
    check = judge_time(pair(steps(1), steps(2, 1.1)))
    assert check.outcome == Outcome.OVER
    assert [row.name for row in check.rows] == ["a/MatMul", "b/MatMul"]
    assert check.evidence["sum_of_medians"]["change"] == pytest.approx(0.1, abs=0.02)
    assert judge_time(pair(steps(1), steps(2, 1.1)), "+20%").outcome == Outcome.PASS
    assert judge_time(pair(steps(1), steps(2))).outcome == Outcome.PASS


def test_one_op_is_named() -> None:
    slower = [{**step, "b/MatMul": 2 * step["b/MatMul"]} for step in steps(2)]
    assert judge_time(pair(steps(1), slower)).rows[0].name == "b/MatMul"


def test_time_of_a_scope() -> None:
    slower = [{**step, "b/MatMul": 2 * step["b/MatMul"]} for step in steps(2)]
    limits = {"scope": {"a": {"time": "+5%"}, "b": {"time": "+5%"}}}
    found = judge(pair(steps(1), slower), parse_budget({"budget": limits}))
    assert [check.outcome for check in found] == [Outcome.PASS, Outcome.OVER]


def test_an_absolute_time() -> None:
    assert judge_time(pair(steps(1), steps(2)), "100ms").outcome == Outcome.PASS
    assert judge_time(pair(steps(1), steps(2, 3.0)), "100ms").outcome == Outcome.OVER
    assert judge_time(pair(steps(1, 3.0), steps(2, 3.0)), "100ms").outcome == Outcome.OVER


def test_some_slow_steps_are_not_passed_over() -> None:
    head = steps(2, count=4) + steps(3, 1.4, count=6)
    check = judge_time(pair(steps(1), head))
    assert check.outcome == Outcome.INCONCLUSIVE
    assert "medians" in check.reason


def test_some_fast_steps_are_no_evidence() -> None:
    """A base that is faster in a few steps has lower least times, but not lower medians."""
    base = steps(1, 0.96, count=3) + steps(3, count=7)
    check = judge_time(pair(base, steps(2)))
    assert check.outcome == Outcome.INCONCLUSIVE
    assert "the medians are not" in check.reason


def test_noise_is_inconclusive() -> None:
    generator = np.random.default_rng(0)
    noisy = [
        {name: int(micros * (1 + 5 * generator.random())) for name, micros in step.items()}
        for step in steps(1, count=20)
    ]
    check = judge_time(pair(noisy[:10], noisy[10:]))
    assert check.outcome == Outcome.INCONCLUSIVE
    assert "quieter machine" in check.reason


def test_a_busy_machine_is_no_evidence() -> None:
    """What is over the limit on a quiet machine is inconclusive on a busy one."""
    sides = steps(1), steps(2, 1.1)
    assert judge_time(pair(*sides)).outcome == Outcome.OVER
    check = judge_time(pair(*sides, busy=0.5))
    assert check.outcome == Outcome.INCONCLUSIVE
    assert "50% of the machine" in check.reason
    assert judge_time(pair(steps(1), steps(2), busy=0.5)).outcome == Outcome.PASS


@pytest.mark.parametrize("count", [1, 2, 7])
def test_too_few_processes(count: int) -> None:
    graph = dense_graph(BEFORE)
    sides = [
        Side(name, tuple(traced(graph, steps(seed, slower, 3)) for seed in range(count)))
        for name, slower in (("base", 1.0), ("head", 2.0))
    ]
    check = judge_time(Sides(*sides))
    assert check.outcome == Outcome.INCONCLUSIVE
    assert "tfprof.capture_pair, or 8 processes a side" in check.reason


def test_eight_processes() -> None:
    graph = dense_graph(BEFORE)

    def side(first: int, slower: float) -> Side:
        seeds = range(first, first + 8)
        return Side("side", tuple(traced(graph, steps(seed, slower, 3)) for seed in seeds))

    assert judge_time(Sides(side(0, 1.0), side(8, 1.05))).outcome == Outcome.OVER
    assert judge_time(Sides(side(0, 1.0), side(8, 1.0))).outcome == Outcome.PASS
    found = judge(
        Sides(side(0, 1.0), side(8, 1.05)),
        parse_budget({"budget": {"scope": {"a": {"time": "+2%"}}}}),
    )
    assert found.status == 1


def peaks(base: list[int], head: list[int]) -> Sides:
    graph = dense_graph(BEFORE)
    names = {"a/MatMul": 100}
    both = [
        Side(name, (traced(graph, [names] * len(sizes), sizes),))
        for name, sizes in (("base", base), ("head", head))
    ]
    return Sides(both[0], both[1])


@pytest.mark.parametrize(
    ("base", "head", "limit", "outcome"),
    [
        ([1000, 1000], [1040, 1050], "+5%", Outcome.PASS),
        ([1000, 1000], [1060, 1100], "+5%", Outcome.OVER),
        ([1000, 1000], [1000, 1100], "+5%", Outcome.INCONCLUSIVE),
        ([1000, 1000], [1000, 1100], "1050B", Outcome.OVER),
        ([1000, 1000], [1000, 1100], "2KB", Outcome.PASS),
        ([], [1000], "+5%", Outcome.INCONCLUSIVE),
    ],
)
def test_memory(base: list[int], head: list[int], limit: str, outcome: Outcome) -> None:
    found = judge(peaks(base, head), parse_budget({"budget": {"memory": limit}}))
    assert found.checks[0].outcome == outcome
    if outcome == Outcome.OVER:
        assert found.checks[0].rows[0].name == "a/MatMul"


def test_outputs_agree() -> None:
    found = verdict({"params": "+0%", "time": "+5%", "macs": 10**9})
    assert found.status == 1
    data = json.loads(found.json())
    assert [check["outcome"] for check in data["checks"]] == [
        "over budget",
        "inconclusive",
        "pass",
    ]
    assert data["status"] == 1
    assert data["checks"][0]["rows"][0]["name"] == "a/kernel"
    suite = ElementTree.fromstring(found.junit()).find("testsuite")
    assert suite is not None
    assert dict(suite.attrib) == {
        "name": "tfprof gate",
        "tests": "3",
        "failures": "1",
        "errors": "0",
        "skipped": "1",
    }
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert failure.text is not None
    for text in (found.text(), found.markdown(), failure.text):
        assert "a/kernel" in text
        assert "128 ▸ 160" in text


def test_inconclusive_alone_is_3() -> None:
    assert verdict({"params": "+50%", "time": "+5%"}).status == 3


def test_names_cannot_break_an_output() -> None:
    name = 'a|b<script>"&\x01_*'
    found = verdict({"params": "+0%"}, {name: (8, 16)}, {name: (8, 20)})
    ElementTree.fromstring(found.junit())
    assert "<script>" not in found.markdown()
    assert all(line.count("|") < 3 or line.startswith("|") for line in found.markdown().split("\n"))


def test_a_written_budget_holds(tmp_path: Path) -> None:
    from tfprof.api.gate import budget_from

    file = tmp_path / "tfprof.toml"
    file.write_text(budget_from(profile(BEFORE)))
    assert tfprof.gate(profile(BEFORE), budget=file).status == 0
    over = tfprof.gate(profile(BEFORE), profile(AFTER), budget=file)
    assert over.status == 1
    assert {"params", "params of scope a", "params of scope b"} <= {c.title for c in over}
