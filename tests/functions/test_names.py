"""Each rule by which a name of the runtime is traced back."""

from __future__ import annotations

import pytest

from tfprof.seen.names import Bond, traced, written_name

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
    ("name", "node", "bond"),
    [
        # Functions, loops and branches
        ("call/inner/y", "call/inner/y", Bond.SAME),
        ("w/body/_31/MatMul", "w/body/MatMul", Bond.SAME),
        ("w/cond/_30/Less", "w/cond/Less", Bond.SAME),
        ("w/body/_31/v/cond/_7/Less", "w/body/v/cond/Less", Bond.SAME),
        ("if/then/_4/mul", "if/then/mul", Bond.SAME),
        ("case/branch1/_5/Relu", "case/branch1/Relu", Bond.SAME),
        # What control flow is lowered to
        ("w/enter/_4", "w", Bond.HELPER),
        ("w/exit/_27", "w", Bond.HELPER),
        ("w/LoopCond/_18", "w", Bond.HELPER),
        ("w/x_switch/_22", "w", Bond.HELPER),
        ("w/body/_31/next_iteration/_3", "w", Bond.HELPER),
        ("if/pivot_t/_73", "if", Bond.HELPER),
        ("if/a/Identity/_76", "if", Bond.HELPER),
        ("Func/call/input/_2", "call", Bond.HELPER),
        ("Func/w/body/_31/input/_225", "w", Bond.HELPER),
        # Optimizers
        ("ArithmeticOptimizer/ReplaceMulWithSquare_x", "x", Bond.REWRITE),
        ("a/ArithmeticOptimizer/AddOpsRewrite_Leaf_0_add", "a/add", Bond.REWRITE),
        ("a/ArithmeticOptimizer/FoldTransposeIntoMatMul_MatMul", "a/MatMul", Bond.REWRITE),
        ("a/ConstantFolding/div_recip", "a/div", Bond.REWRITE),
        ("ConstantFolding/a/add-folded-0", "a/add", Bond.REWRITE),
        ("ConstantFolding/a/add-matshapes-1", "a/add", Bond.REWRITE),
        ("a/add/unary_ops_composition", "a/add", Bond.REWRITE),
        ("a/x-0-TransposeNHWCToNCHW-LayoutOptimizer", "a/x", Bond.REWRITE),
        ("w/body/_3/ArithmeticOptimizer/Fold_MatMul", "w/body/MatMul", Bond.REWRITE),
        ("a/x/_1__cf__1", "a/x", Bond.REWRITE),
        ("a/x__cf__12", "a/x", Bond.REWRITE),
        ("a/x/_9", "a/x", Bond.REWRITE),
        # Arguments and results
        ("_arg_x_0_3", "x", Bond.HELPER),
        ("_arg_a/x_0_0", "a/x", Bond.HELPER),
        ("_retval_a/add_1_0", "a/add", Bond.HELPER),
    ],
)
def test_rule(name, node, bond):
    assert traced(name, NODES.__contains__, CALLERS.__contains__) == (node, bond)


@pytest.mark.parametrize(
    "name", ["y", "a", "b/x", "x/y", "_arg_y_0_0", "edge_5_x", "Optimizer", ""]
)
def test_what_no_rule_finds_stays(name):
    assert traced(name, NODES.__contains__, CALLERS.__contains__) is None


def test_adjacent_counters():
    assert written_name("w/body/_1/then/_2/x") == "w/body/then/x"
