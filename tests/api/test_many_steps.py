"""Steps that are added to a profiler: in linear time, and as one after the other."""

from __future__ import annotations

import pytest

import tfprof
from tests.test_goldens import CPU, graph_of, run_of
from tfprof.profiles import profile as profile_module
from tfprof.profiles.add_rows import match_nodes


def new_names(step, count=20):
    """A run with names that no other step has."""
    return run_of(CPU, *((f"step{step}/n{i}", i + 1, 5) for i in range(count)))


@pytest.mark.parametrize("compat", [False, True])
def test_steps_are_added_in_linear_time(compat, monkeypatch):
    """500 steps cost at most 1.5 times as much as 50 times 10: names that are compared."""
    compared = []

    def count_names(names, known):
        compared.append(len(names) + len(known))
        return match_nodes(names, known)

    monkeypatch.setattr(profile_module, "match_nodes", count_names)

    def cost(steps):
        compared.clear()
        profiler = tfprof.Profiler(graph_of(("a", "A")), compat=compat)
        for step in range(steps):
            profiler.add_step(step, new_names(step))
        assert len(profiler.profile.steps) == steps
        return sum(compared)

    assert cost(500) < 1.5 * 50 * cost(10)


@pytest.mark.parametrize("compat", [False, True])
def test_steps_added_together_are_as_one_by_one(compat):
    together, one_by_one = (tfprof.Profiler(graph_of(("a", "A")), compat=compat) for _ in range(2))
    for step in (3, 1, 3, 2):
        for profiler in (together, one_by_one):
            profiler.add_step(step, new_names(step % 2, 5))
        assert len(one_by_one.profile.records) > 0
    assert together.serialize_to_string() == one_by_one.serialize_to_string()


def test_runs_are_loaded_in_linear_time(monkeypatch):
    """The names of all runs are compared with those of the graph at once."""
    compared = []

    def count_names(names, known):
        compared.append(len(names) + len(known))
        return match_nodes(names, known)

    monkeypatch.setattr(profile_module, "match_nodes", count_names)
    graph = graph_of(*((f"n{i}", "A") for i in range(1000)))
    profile = tfprof.load(graph=graph, run_meta=[new_names(step, 2) for step in range(100)])
    assert len(profile.steps) == 100
    assert sum(compared) < 2 * (1000 + 100 * 2)
