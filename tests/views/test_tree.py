"""Trees in pre-order, against walks from node to parent."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tfprof.views.tree import Tree


@st.composite
def trees(draw):
    """A random tree, and a mask over its nodes."""
    parents = [draw(st.integers(-1, i - 1)) for i in range(draw(st.integers(1, 12)))]
    tree, _ = Tree.from_parents(np.array(parents, np.int64))
    mask = np.array(draw(st.lists(st.booleans(), min_size=len(tree), max_size=len(tree))), bool)
    return tree, mask


def ancestors(tree, node):
    """The nodes above one, itself left out."""
    while node:
        node = int(tree.parent[node])
        yield node


def assert_consistent(tree):
    """Depths and ends are what follows from the parents."""
    count = len(tree)
    assert tree.parent.tolist()[0] == -1
    assert (tree.parent[1:] < np.arange(1, count)).all()
    assert tree.depth.tolist() == [1 + len(list(ancestors(tree, node))) for node in range(count)]
    assert tree.end.tolist() == [
        1 + max(n for n in range(count) if n == node or node in ancestors(tree, n))
        for node in range(count)
    ]


@given(trees())
def test_all_ways_to_make_a_tree_agree(case):
    tree, _ = case
    assert_consistent(tree)
    for same in (Tree.from_depths(tree.depth), Tree.from_preorder(tree.parent)):
        assert same.parent.tolist() == tree.parent.tolist()
        assert_consistent(same)


@given(st.lists(st.integers(0, 20), max_size=20))
def test_nodes_are_under_their_parents(numbers):
    parents = [number % (i + 1) - 1 for i, number in enumerate(numbers)]
    tree, node = Tree.from_parents(np.array(parents, np.int64))
    assert_consistent(tree)
    assert sorted(node.tolist()) == list(range(len(parents)))
    above = [-1, *node.tolist()]  # the root is no node
    assert [above[tree.parent[1 + i]] for i in range(len(node))] == [parents[n] for n in node]


@given(trees(), st.data())
def test_siblings_are_sorted_by_key(case, data):
    tree, _ = case
    key = np.array([data.draw(st.integers(0, 2)) for _ in range(len(tree))])
    result, old = tree.sort_by(key)
    assert_consistent(result)
    assert sorted(old.tolist()) == list(range(len(tree)))
    assert [old[up] for up in result.parent[1:]] == tree.parent[old[1:]].tolist()
    for parent in range(len(tree)):
        siblings = old[result.parent == parent].tolist()
        assert siblings == sorted(siblings, key=lambda node: (key[node], node))


def test_flat():
    tree = Tree.flat(4)
    assert (tree.parent.tolist(), tree.depth.tolist()) == ([-1, 0, 0, 0], [1, 2, 2, 2])
    assert tree.end.tolist() == [4, 2, 3, 4]


def test_siblings_keep_their_order():
    """Also where there are so many that NumPy sorts them in another way."""
    parents = np.concatenate([[-1, -1], np.arange(200) % 2])
    tree, node = Tree.from_parents(parents)
    assert node.tolist() == [0, *range(2, 202, 2), 1, *range(3, 202, 2)]
    assert tree.parent[:3].tolist() == [-1, 0, 1]
    same, old = tree.sort_by(np.zeros(len(tree), np.int64))
    assert old.tolist() == list(range(len(tree)))
    assert same.parent.tolist() == tree.parent.tolist()


@given(trees())
def test_descendants_do_not_include_the_node_itself(case):
    tree, mask = case
    expected = [any(mask[up] for up in ancestors(tree, node)) for node in range(len(tree))]
    assert tree.descendants_of(mask).tolist() == expected


@given(trees())
def test_sums_and_depths(case):
    tree, mask = case
    values = np.arange(len(tree)) + mask
    above = [list(ancestors(tree, node)) for node in range(len(tree))]
    assert tree.depth.tolist() == [len(nodes) + tree.depth[0] for nodes in above]
    expected = [sum(int(values[n]) for n in (node, *above[node])) for node in range(len(tree))]
    assert tree.path_sums(values).tolist() == expected
    below = [
        sum(int(values[n]) for n in range(len(tree)) if n == node or node in above[n])
        for node in range(len(tree))
    ]
    assert tree.subtree_sums(values).tolist() == below


@given(trees())
def test_filtered_nodes_go_under_their_nearest_ancestor(case):
    tree, mask = case
    mask[0] = True
    filtered, old = tree.filter(mask)
    assert_consistent(filtered)
    assert old.tolist() == np.flatnonzero(mask).tolist()
    for node in range(1, len(filtered)):
        nearest = next(up for up in ancestors(tree, int(old[node])) if mask[up])
        assert old[filtered.parent[node]] == nearest
