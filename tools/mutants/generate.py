"""The mutants of a source file: the file with one operator, number, condition or call changed.

The changes are the usual ones of mutation testing. Strings, annotations and decorators stay as they
are: the texts of reports are checked by goldens.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import copy
from typing import NamedTuple

__all__ = ["Mutant", "generate_mutants"]

_OPPOSITES: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
_SKIPPED_FIELDS = {"annotation", "returns", "decorator_list"}
_SKIPPED_NODES = (ast.JoinedStr, ast.Import, ast.ImportFrom)
"""Expressions within f-strings have no positions of their own before Python 3.12."""


class Mutant(NamedTuple):
    """A changed file: the lines of the change, the code before and after it, the whole source."""

    lines: range
    old: str
    new: str
    source: str


def generate_mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of a file, in the order of its lines."""
    data = source.encode()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in _walk(ast.parse(source)):
        for old, new in _changes(node):
            start = starts[old.lineno - 1] + old.col_offset
            end = starts[old.end_lineno - 1] + old.end_col_offset
            text = ast.unparse(ast.fix_missing_locations(new))
            code = f"({text})" if isinstance(new, ast.expr) else text
            yield Mutant(
                lines=range(old.lineno, old.end_lineno + 1),
                old=data[start:end].decode(),
                new=text,
                source=(data[:start] + code.encode() + data[end:]).decode(),
            )


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run, parents first."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    yield node
    for name, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        for child in children if name not in _SKIPPED_FIELDS else ():
            if isinstance(child, ast.AST) and not isinstance(child, _SKIPPED_NODES):
                yield from _walk(child)


def _changes(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Pairs of a node, which may be a child of this one, and what replaces it."""
    match node:
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                yield node, _with(node, ops=[*ops[:i], _opposite(op), *ops[i + 1 :]])
        case ast.BinOp(left=ast.Constant(value=str())) | ast.BinOp(left=ast.JoinedStr()):
            pass  # texts
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign():
            yield node, _with(node, op=_opposite(node.op))
        case ast.UnaryOp(operand=operand):
            yield node, operand
        case ast.Constant(value=bool(value)):
            yield node, ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield node, ast.Constant(value + 1)
        case ast.Expr(value=ast.Call()) | ast.Raise():
            yield node, ast.Pass()
        case ast.Break():
            yield node, ast.Continue()
        case ast.Continue():
            yield node, ast.Break()
        case ast.Call(keywords=keywords):
            for keyword in keywords:
                if keyword.arg:
                    rest = [other for other in keywords if other is not keyword]
                    yield node, _with(node, keywords=rest)
    for test in _conditions(node):
        if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant):
            yield test, ast.UnaryOp(ast.Not(), test)


def _conditions(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            return [test]
        case ast.comprehension(ifs=tests):
            return tests
        case ast.BoolOp(values=tests):
            return tests
    return []


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _opposite(op: ast.AST) -> ast.AST:
    return _OPPOSITES[type(op)]()
