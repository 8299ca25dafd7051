"""Which names are matched: by name, by renamed scopes, wherever they are; or not at all."""

from __future__ import annotations

import random

from tests.diffs.graphs import network, profile_of, renamed_names
from tests.diffs.test_law import PAIRS
from tfprof.definitions.quirks import REPAIRED
from tfprof.diffs.scope_matches import match_scopes
from tfprof.resolve import resolve


def _matches(before, after, **options):
    """Name before -> name after of everything that was matched; and the renames."""
    sides = [resolve(profile, REPAIRED) for profile in (before, after)]
    matches = match_scopes(*sides, REPAIRED, **options)
    names = [side.name.to_pylist() for side in (matches.before, matches.after)]
    pairs = zip(names[0], matches.partner.tolist(), strict=True)
    return {name: names[1][i] for name, i in pairs if i >= 0}, dict(matches.renames)


def test_a_renamed_scope_is_found_wherever_its_name_is():
    before = profile_of(network("block1", "block2", "block3"))
    after = profile_of(network("block1", "block2", "stage3"))
    matches, renames = _matches(before, after)
    assert renames["block3"] == "stage3"
    assert renames["gradients/block3"] == "gradients/stage3"
    assert matches["block3/Conv2D"] == "stage3/Conv2D"
    assert matches["gradients/block3/Relu_grad/Mul"] == "gradients/stage3/Relu_grad/Mul"
    assert matches["train/update_block3_kernel/Apply"] == "train/update_stage3_kernel/Apply"
    assert set(before.nodes.name.to_pylist()) <= set(matches)


def test_what_looks_like_others_is_found_by_the_renamed_component():
    """Three nodes of a type are left before and two after: which is which, the names tell."""
    slots = {f"train/{name}/kernel/slot": "VarHandleOp" for name in ("block3", "old1", "old2")}
    before = profile_of(network("block3", extra=slots))
    slots = {f"train/{name}/kernel/slot": "VarHandleOp" for name in ("stage3", "new1")}
    after = profile_of(network("stage3", extra=slots))
    matches, _ = _matches(before, after)
    assert matches["train/block3/kernel/slot"] == "train/stage3/kernel/slot"


def test_names_come_first():
    before = profile_of(network("a", "b"))
    after = profile_of(network("b", "c"))
    matches, renames = _matches(before, after)
    assert matches["b/Conv2D"] == "b/Conv2D"
    assert renames["a"] == "c"


def test_strict_matches_names_only():
    before = profile_of(network("block1", "block3"))
    after = profile_of(network("block1", "stage3"))
    matches, renames = _matches(before, after, strict=True)
    assert not renames
    assert all(old == new for old, new in matches.items())
    assert "block3" not in matches


def test_a_scope_that_was_also_changed_is_similar_enough():
    before = profile_of(network("block3"))
    after = profile_of(network("stage3", extra={"stage3/Dropout": "Mul", "stage3/rate": "Const"}))
    matches, renames = _matches(before, after)
    assert renames["block3"] == "stage3"
    assert "stage3/Dropout" not in matches.values()


def test_another_kind_of_scope_is_no_rename():
    before = profile_of({"x": "Placeholder", "rnn/cell/MatMul": "MatMul", "rnn/cell/Tanh": "Tanh"})
    after = profile_of({"x": "Placeholder", "attention/query/Einsum": "Einsum"})
    matches, renames = _matches(before, after)
    assert not renames
    assert set(matches) == {"_TFProfRoot", "x"}


def test_nested_renames():
    before = profile_of(network("net/block1", "net/block2"))
    after = profile_of(network("model/stage1", "model/stage2"))
    matches, _ = _matches(before, after)
    assert matches["net/block1/Conv2D"] == "model/stage1/Conv2D"
    assert matches["net/block2/Conv2D"] == "model/stage2/Conv2D"


def test_like_layers_are_matched_in_the_order_of_the_graph():
    before = profile_of(network("b10", "b9", "b8"))
    after = profile_of(network("c1", "c2", "c3"))
    matches, _ = _matches(before, after)
    assert [matches[f"{name}/Conv2D"] for name in ("b10", "b9", "b8")] == [
        "c1/Conv2D",
        "c2/Conv2D",
        "c3/Conv2D",
    ]


LAYERS = (
    ("MatMul", "BiasAdd", "Relu"),
    ("Conv2D", "BiasAdd", "Relu", "MaxPool"),
    ("Mean", "Sub", "Square", "Rsqrt", "Mul", "AddV2"),
    ("Softmax", "BatchMatMulV2", "Transpose"),
    ("Identity", "Mul", "Const"),
)


def _random_model(rng):
    """The nodes of a random model with scopes in scopes, gradients and an optimizer."""
    nodes = {"x": "Placeholder"}
    for block in range(rng.randint(1, 5)):
        for layer in range(rng.randint(1, 4)):
            scope = f"net/block{block}/{rng.choice('abcd')}{layer}"
            for op in rng.choice(LAYERS):
                nodes[f"{scope}/{op}"] = op
                nodes[f"gradients/{scope}/{op}_grad/{op}"] = f"{op}Grad"
            nodes[f"{scope}/kernel"] = "VarHandleOp"
            nodes[f"train/{scope}/kernel/slot"] = "VarHandleOp"
    return nodes


def _random_renames(nodes, rng):
    """New names for some of the scopes, none of which is a name already."""
    scopes = sorted({part for name in nodes for part in name.split("/")[:-1]} - {"kernel"})
    chosen = rng.sample(scopes, min(len(scopes), rng.randint(1, 4)))
    return {scope: f"renamed{i}" for i, scope in enumerate(chosen)}


def _count_matches(seed, **options):
    """How many nodes with new names are matched rightly, wrongly, and how many there are."""
    rng = random.Random(seed)
    nodes = _random_model(rng)
    components = _random_renames(nodes, rng)
    renamed = dict(zip(nodes, renamed_names(nodes, components), strict=True))
    before = profile_of(nodes)
    after = profile_of({renamed[name]: op for name, op in nodes.items()})
    matches, _ = _matches(before, after, **options)
    changed = [name for name in nodes if renamed[name] != name]
    right = sum(matches.get(name) == renamed[name] for name in changed)
    wrong = sum(matches.get(name, renamed[name]) != renamed[name] for name in nodes)
    return right, wrong, len(changed)


def test_random_renames_are_found():
    """Recall is at least 95 %, over all random models."""
    counts = [_count_matches(seed) for seed in range(PAIRS)]
    right, wrong, count = map(sum, zip(*counts, strict=True))
    assert count > 10 * PAIRS
    assert right >= 0.95 * count
    assert wrong <= 0.05 * count


def test_no_wrong_match_in_strict_mode():
    for seed in range(PAIRS // 2):
        right, wrong, _ = _count_matches(seed, strict=True)
        assert (right, wrong) == (0, 0)
