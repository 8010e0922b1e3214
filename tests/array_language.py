"""Run functions of the language as array code of NumPy, to test them without a printer."""

import ast
import re
from importlib.resources import files
from types import SimpleNamespace

import numpy as np


def _array(value, dtype):
    """Convert between kinds as WebAssembly does: floats saturate, integers keep their bits."""
    value = np.asarray(value)
    if value.dtype.kind == "f" and dtype != np.float32:
        info = np.iinfo(dtype)
        return np.clip(np.nan_to_num(value.astype(np.float64)), info.min, info.max).astype(dtype)
    return value.astype(dtype)


def _bits(x):
    return np.asarray(x, np.float32).view(np.uint32)


def _from_bits(n):
    return np.asarray(n, np.uint32).view(np.float32)


def _chosen(condition, a, b):
    """Choose by elements; plain numbers take the type of the other value."""
    if isinstance(a, int) and isinstance(b, int):
        a, b = np.int32(a), np.int32(b)
    dtype = next(value.dtype for value in (a, b) if hasattr(value, "dtype"))
    return np.where(condition, np.asarray(a, dtype), np.asarray(b, dtype))


class _ArrayCode(ast.NodeTransformer):
    """Replace what arrays and numbers of Python do differently."""

    def _call(self, name, *arguments):
        return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])

    def visit_Constant(self, node):
        return self._call("float32", node) if isinstance(node.value, float) else node

    def visit_IfExp(self, node):
        self.generic_visit(node)
        return self._call("chosen", node.test, node.body, node.orelse)

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        name = "all_true" if isinstance(node.op, ast.And) else "any_true"
        return self._call(name, *node.values)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        name = {ast.LShift: "left", ast.RShift: "right"}.get(type(node.op))
        return self._call(name, node.left, node.right) if name else node

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return self._call("inverse", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        return ast.Assign([node.target], value)

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Tuple):
            return ast.Assign([node.target], self._call("table", node.value))
        return ast.Assign([node.target], self._call(node.annotation.id, node.value))


class _Table:
    """Table of constants, from which any index may be read."""

    def __init__(self, numbers):
        self.numbers = np.array(numbers, np.uint32)

    def __getitem__(self, index):
        return self.numbers[np.clip(index, 0, len(self.numbers) - 1)]


def blocks(module):
    """Return the texts of the functions and constants of a module by name, like the printer."""
    texts = files("py_tensor.language").joinpath(f"{module}.py").read_text().split("\n\n\n")
    found = {re.match(r"(?:def )?(\w+)[:(]", text): text for text in texts}
    return {match[1]: text for match, text in found.items() if match}


def functions():
    """Return all functions; one that `elementary` has too is taken from there."""
    names = {
        "INF": np.float32(np.inf),
        "NAN": np.float32(np.nan),
        "float32": lambda x: _array(x, np.float32),
        "int32": lambda x: _array(x, np.int32),
        "uint32": lambda x: _array(x, np.uint32),
        "bool": bool,
        "bits": _bits,
        "from_bits": _from_bits,
        "chosen": _chosen,
        "table": _Table,
        "all_true": lambda *values: np.logical_and.reduce(np.broadcast_arrays(*values)),
        "any_true": lambda *values: np.logical_or.reduce(np.broadcast_arrays(*values)),
        "left": lambda a, n: np.left_shift(a, np.asarray(n, np.asarray(a).dtype)),
        "right": lambda a, n: np.right_shift(a, np.asarray(n, np.asarray(a).dtype)),
        "inverse": np.logical_not,
        "any_element": np.any,
        "floor": np.floor,
        "trunc": np.trunc,
        "round": np.rint,
        "abs": np.abs,
        "min": np.minimum,
        "max": np.maximum,
        "range": range,
    }
    text = "from __future__ import annotations\n" + "\n".join(
        {**blocks("functions"), **blocks("elementary")}.values()
    )
    tree = ast.fix_missing_locations(_ArrayCode().visit(ast.parse(text)))
    exec(compile(tree, "functions", "exec"), names)
    native = {name: names[name] for name in ("exp", "exp2", "log", "log2", "sign", "fract")}
    names["native"] = SimpleNamespace(**native, sqrt=np.sqrt)
    return SimpleNamespace(**names)
