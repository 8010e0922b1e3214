"""Formulas as functions of plain Python numbers.

Input: a formula, and functions of numbers by the names that it calls. Output: a function of one
number for each operand. Results are those of Python's numbers, not yet rounded or wrapped.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

_OPERATORS: dict[str, Callable[..., Any]] = {
    "x + y": operator.add,
    "x - y": operator.sub,
    "x * y": operator.mul,
    "x == y": operator.eq,
    "x < y": operator.lt,
    "x & y": operator.and_,
    "x | y": operator.or_,
}
"""Functions that are faster than one that Python compiles."""


class _Plain(ast.NodeTransformer):
    """Replace what Python defines otherwise: division by 0, and ~ of a bool."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        return ast.Call(ast.Name("divide", ast.Load()), [node.left, node.right], [])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Invert):
            return node
        return ast.Call(ast.Name("invert", ast.Load()), [node.operand], [])

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return ast.Name(node.attr, ast.Load())


def function(formula: str, arity: int, functions: Mapping[str, Any]) -> Callable[..., Any]:
    """Return the function that a formula of so many operands describes."""
    if formula in _OPERATORS:
        return _OPERATORS[formula]
    tree = ast.parse(f"lambda {', '.join('xyzw'[:arity])}: {formula}", mode="eval")
    tree = ast.fix_missing_locations(_Plain().visit(tree))
    made: Callable[..., Any] = eval(compile(tree, formula, "eval"), dict(functions))
    return made
