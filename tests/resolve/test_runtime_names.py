"""Each rule that maps a runtime name to a node."""

from __future__ import annotations

import pytest

from tfprof.resolve.runtime_names import MatchKind, find_origin, strip_counters

NODES = {
    "x",
    "a/x",
    "a/add",
    "a/MatMul",
    "a/div",
    "call",
    "call/inner/y",
    "if",
    "if/then/mul",
    "case/branch1/Relu",
    "w",
    "w/body/MatMul",
    "w/body/v/cond/Less",
    "w/cond/Less",
}
CALLERS = {"call", "if", "w", "w/body/v"}


@pytest.mark.parametrize(
    ("name", "node", "kind"),
    [
        # Functions, loops and branches
        ("call/inner/y", "call/inner/y", MatchKind.SAME),
        ("w/body/_31/MatMul", "w/body/MatMul", MatchKind.SAME),
        ("w/cond/_30/Less", "w/cond/Less", MatchKind.SAME),
        ("w/body/_31/v/cond/_7/Less", "w/body/v/cond/Less", MatchKind.SAME),
        ("if/then/_4/mul", "if/then/mul", MatchKind.SAME),
        ("case/branch1/_5/Relu", "case/branch1/Relu", MatchKind.SAME),
        # What control flow is lowered to
        ("w/enter/_4", "w", MatchKind.HELPER),
        ("w/exit/_27", "w", MatchKind.HELPER),
        ("w/LoopCond/_18", "w", MatchKind.HELPER),
        ("w/x_switch/_22", "w", MatchKind.HELPER),
        ("w/body/_31/next_iteration/_3", "w", MatchKind.HELPER),
        ("if/pivot_t/_73", "if", MatchKind.HELPER),
        ("if/a/Identity/_76", "if", MatchKind.HELPER),
        ("Func/call/input/_2", "call", MatchKind.HELPER),
        ("Func/w/body/_31/input/_225", "w", MatchKind.HELPER),
        # Optimizers
        ("ArithmeticOptimizer/ReplaceMulWithSquare_x", "x", MatchKind.REWRITE),
        ("a/ArithmeticOptimizer/AddOpsRewrite_Leaf_0_add", "a/add", MatchKind.REWRITE),
        ("a/ArithmeticOptimizer/FoldTransposeIntoMatMul_MatMul", "a/MatMul", MatchKind.REWRITE),
        ("a/ConstantFolding/div_recip", "a/div", MatchKind.REWRITE),
        ("ConstantFolding/a/add-folded-0", "a/add", MatchKind.REWRITE),
        ("ConstantFolding/a/add-matshapes-1", "a/add", MatchKind.REWRITE),
        ("a/add/unary_ops_composition", "a/add", MatchKind.REWRITE),
        ("a/x-0-TransposeNHWCToNCHW-LayoutOptimizer", "a/x", MatchKind.REWRITE),
        ("w/body/_3/ArithmeticOptimizer/Fold_MatMul", "w/body/MatMul", MatchKind.REWRITE),
        ("a/x/_1__cf__1", "a/x", MatchKind.REWRITE),
        ("a/x__cf__12", "a/x", MatchKind.REWRITE),
        ("a/x/_9", "a/x", MatchKind.REWRITE),
        # Arguments and results
        ("_arg_x_0_3", "x", MatchKind.HELPER),
        ("_arg_a/x_0_0", "a/x", MatchKind.HELPER),
        ("_retval_a/add_1_0", "a/add", MatchKind.HELPER),
    ],
)
def test_rule(name, node, kind):
    assert find_origin(name, NODES.__contains__, CALLERS.__contains__) == (node, kind)


@pytest.mark.parametrize(
    "name", ["y", "a", "b/x", "x/y", "_arg_y_0_0", "edge_5_x", "Optimizer", ""]
)
def test_what_no_rule_finds_stays(name):
    assert find_origin(name, NODES.__contains__, CALLERS.__contains__) is None


def test_adjacent_counters():
    assert strip_counters("w/body/_1/then/_2/x") == "w/body/then/x"
