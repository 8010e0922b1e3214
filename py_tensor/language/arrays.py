"""Functions of formulas as functions of NumPy arrays, in float64.

Input: the name of a function of `functions` that takes and returns floats. Output: a function of
the namespace and of arrays, which computes a part of the elements at a time.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from functools import cache
from typing import Any

from .printer import texts_of

PART = 1 << 13
"""Elements whose intermediate values fit into a processor's cache."""


class _Arrays(ast.NodeTransformer):
    """Replace what Python defines for single values only."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        # The types in annotations are those of one element.
        node.returns = None
        for parameter in node.args.args:
            parameter.annotation = None
        return self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return ast.Call(ast.Name("where", ast.Load()), [node.test, node.body, node.orelse], [])

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        op = ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr()
        value = node.values[0]
        for other in node.values[1:]:
            value = ast.BinOp(value, op, other)
        return value


@cache
def _functions(xp: Any) -> dict[str, Any]:
    """Return the built-in functions by name; `_function` adds the functions of the language."""
    names = {"log", "log1p", "sin", "tan", "copysign", "abs", "where"}
    return {name: getattr(xp, name) for name in names} | {
        "round": xp.rint,
        "is_nan": xp.isnan,
        "is_inf": xp.isinf,
        "bits": lambda x: x.astype(xp.float32).view(xp.uint32),
        "from_bits": lambda n: n.view(xp.float32).astype(xp.float64),
        "min": xp.minimum,
        "native": xp,
        "max": xp.maximum,
        "NAN": math.nan,
        "INF": math.inf,
    }


def _function(xp: Any, name: str) -> Any:
    known, texts = _functions(xp), texts_of("functions.py")
    if name not in known:
        tree = ast.fix_missing_locations(_Arrays().visit(ast.parse(texts[name])))
        exec(compile(tree, name, "exec"), known)
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        for other in used & texts.keys():
            _function(xp, other)
    return known[name]


def vectorized(name: str) -> Callable[..., Any]:
    """Return the function of a namespace and of arrays for a function of the language."""

    def computed(xp: Any, x: Any) -> Any:
        function, flat = _function(xp, name), x.reshape(-1)
        result = xp.empty_like(flat)
        for start in range(0, flat.size, PART):
            part = slice(start, start + PART)
            result[part] = function(flat[part].astype(xp.float64))
        return result.reshape(x.shape)

    return computed
