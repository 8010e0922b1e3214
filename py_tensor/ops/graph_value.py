"""Nodes of a graph with operators, so that code that builds graphs reads like mathematics.

Input: a graph and its nodes. Output: `GraphValue`s, whose operators append further nodes. Complex
rules use them on the nodes of calls, and lowering on those of a lowered graph.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, TypeVar

from ..dtypes import DType, bool_, float32
from . import OP_DEFS
from .complex_algebra import ComplexParts
from .op_def import Shape
from .sources import CONSTANT

Operand = Any
"""A GraphValue, or a Python number, which takes the dtype of the other operands."""
Value = TypeVar("Value", bound="GraphValue")


def _operator(name: str) -> Callable[[Value, Operand], Value]:
    return lambda self, other: value_of(name, self, other)


def _reflected(name: str) -> Callable[[Value, Operand], Value]:
    return lambda self, other: value_of(name, other, self)


def _unary(name: str) -> Callable[[Value], Value]:
    return lambda self: value_of(name, self)


class GraphValue:
    """Node `at` of a graph, with operators that append further nodes.

    `graph` has the methods `add(op, nodes, arg)` and `constant(value, dtype)`, which append a node
    and return it, and `spec(node)`.
    """

    __slots__ = ("at", "graph")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, graph: Any, at: Any) -> None:
        self.graph = graph
        self.at = at

    __add__, __radd__ = _operator("add"), _reflected("add")
    __sub__, __rsub__ = _operator("subtract"), _reflected("subtract")
    __mul__, __rmul__ = _operator("multiply"), _reflected("multiply")
    __truediv__, __rtruediv__ = _operator("divide"), _reflected("divide")
    __floordiv__, __mod__ = _operator("floor_divide"), _operator("remainder")
    __lt__, __gt__ = _operator("less"), _operator("greater")
    __le__, __ge__ = _operator("less_equal"), _operator("greater_equal")
    __eq__, __ne__ = _operator("equal"), _operator("not_equal")  # type: ignore[assignment]
    __and__, __or__ = _operator("logical_and"), _operator("logical_or")

    __neg__, __abs__, __invert__ = _unary("negative"), _unary("abs"), _unary("logical_not")

    @property
    def shape(self) -> Shape:
        shape: Shape = self.graph.spec(self.at).shape
        return shape

    @property
    def dtype(self) -> DType:
        dtype: DType = self.graph.spec(self.at).dtype
        return dtype


def value_of(name: str, *operands: Operand, arg: Hashable = None) -> Any:
    """Apply the operation `name` to values and Python numbers.

    Numbers take the dtype of the last value, or float32 if that is bool.
    """
    value = [operand for operand in operands if isinstance(operand, GraphValue)][-1]
    graph, dtype = value.graph, float32 if value.dtype is bool_ else value.dtype
    nodes = [
        operand.at if isinstance(operand, GraphValue) else graph.constant(operand, dtype)
        for operand in operands
    ]
    return type(value)(graph, graph.add(OP_DEFS[name], tuple(nodes), arg))


class NodeGraph:
    """Graph whose nodes have an attribute `spec`; `add` makes them."""

    def __init__(self, add: Callable[..., Any]) -> None:
        self.add = add

    def constant(self, value: float, dtype: DType = float32) -> Any:
        return self.add(CONSTANT, (), float(value))

    def spec(self, node: Any) -> Any:
        return node.spec


class Algebra:
    """The `pt` argument of complex rules: operations by name, as functions of `GraphValue`s."""

    def __init__(self) -> None:
        self.value_read = False

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(value_of, name)

    def known_integer(self, operand: ComplexParts) -> int | None:
        """Return the value of an operand that is a Python integer, or None for tensors and tracers.

        Set `value_read`, since the result of the rule then depends on a value and cannot be cached.
        """
        self.value_read = True
        value = getattr(operand.re.at, "value", None) if operand.im is None else None
        return value if type(value) is int else None
