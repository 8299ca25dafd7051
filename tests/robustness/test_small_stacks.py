"""Small models with stacks that once took minutes: each keeps a budget of 2 s and 300 MB."""

from __future__ import annotations

from tests.robustness import hostile_stacks
from tests.robustness.budget import run_measured

_ALL = "code", "-account_type_regexes", ".*", "-select", "occurrence"


def test_gradients_of_scopes_with_a_long_stack(tmp_path):
    """The gradients of a scope have the frames that all stacks of the scope share."""
    nodes = [(f"s{i}/x{k}", k) for i in range(1500) for k in range(2)]
    gradients = [(f"gradient_tape/s{i}/y", 0) for i in range(1500)]
    hostile_stacks.write_model(tmp_path, nodes + gradients, [[1] * 2000, [1] * 1999 + [2]])
    done = run_measured(tmp_path, *_ALL, "-max_depth", "1").check()
    assert done.status == 0


def test_gradient_in_many_scopes(tmp_path):
    nodes = [("call/gradient_tape/" + "a/" * 100_000 + "b", 0), ("c", 0)]
    hostile_stacks.write_model(tmp_path, nodes, [[1]])
    assert run_measured(tmp_path, *_ALL, "-max_depth", "1").check().status == 0
