"""Functions and Python operators made out of rows of the op table.

The checked combination of a row and its operands' specs is remembered by each function, so that the
next call of the same kind makes its node after one look-up.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from ..dtypes import OF_PYTHON
from ..errors import ShapeError
from ..nodes import Call, Node
from ..ops.rows import Elementwise, Where
from ..tensor import Tensor, apply
from ..tracing import TracedNumber
from .naming import presented

_ARRAYS = (list, tuple, bytes, bytearray, memoryview, array)
_OTHERS = (bool, int, float, complex, Tensor, TracedNumber, *_ARRAYS)


def function_of(row: Elementwise) -> Callable[..., Tensor]:
    """The public function of an elementwise row; as a method its first operand is self."""
    calls: dict[Any, Call] = {}

    def unary(x: Any, /) -> Tensor:
        if x.__class__ is Tensor:
            node = x._node
            call = calls.get(node.spec)
            if call is not None:
                return Tensor(Node(call, (node,), call.spec))
        return remember(x.__class__ is Tensor and x._node.spec, apply(row, (x,)))

    def binary(x1: Any, x2: Any, /) -> Tensor:
        key: Any = None
        if x1.__class__ is Tensor and x2.__class__ is Tensor:
            a, b = x1._node, x2._node
            key = (a.spec, b.spec)
            call = calls.get(key)
            if call is not None:
                return Tensor(Node(call, (a, b), call.spec))
        elif x1.__class__ is Tensor and x2.__class__ is float:
            a = x1._node
            key = (a.spec, float)
            call = calls.get(key)
            if call is not None:
                scalar = Node(None, (), call.specs[1])
                scalar.value = x2
                return Tensor(Node(call, (a, scalar), call.spec))
        return remember(key, apply(row, (x1, x2)))

    def remember(key: Any, result: Tensor) -> Tensor:
        # A node that was run at once, in debug mode or at the pending limit, has lost its call; one
        # of complex numbers is made of others.
        call = result._node.call
        if key and call is not None and call.row is row:
            calls[key] = call
        return result

    def ternary(x1: Any, x2: Any, x3: Any, /) -> Tensor:
        return apply(row, (x1, x2, x3))

    function: Any = (unary, binary, ternary)[row.arity - 1]
    return presented(function, row.name, documentation(row))  # type: ignore[no-any-return]


def documentation(row: Elementwise) -> str:
    """The docstring of a row's function."""
    dtypes = {"all": "any", "integer or boolean": "integer or bool"}.get(row.dtypes, row.dtypes)
    if dtypes != "any" and (row.partwise or row.complex is not None):
        dtypes += " or complex"
    gives = "bool" if row.result == "bool" else "the operands' promoted dtype"
    operands = "operand" if row.arity == 1 else "operands"
    together = "" if row.arity == 1 else ", broadcast together"
    raised = "DTypeError for other dtypes"
    if row.arity > 1:
        raised += " and pairs without a common one, ShapeError for shapes that do not broadcast"
    if isinstance(row, Where):
        dtypes = "bool, then any"
    return (
        f"{row.doc}\n\n"
        f"{operands.capitalize()}: {dtypes} dtype, any shape{together}. Result: {gives}.\n"
        f"Raises {raised}.\n\n"
        f">>> import py_tensor as pt\n{_example(row)}\n"
    )


def _example(row: Elementwise) -> str:
    """A call of a row's function, and what it gives: the value where plain Python computes it."""
    low: Any = row.sample[0]
    operands: tuple[Any, ...] = (7, 2)
    if isinstance(row, Where):
        operands = (True, 1, 0)
    elif row.dtypes == "boolean":
        operands = (True, False)
    elif row.dtypes == "floating":
        operands = (7.0, 2.0) if row.arity > 1 else (max(0.5, low),)
    elif row.dtypes == "numeric" and row.arity == 1:
        operands = (-2.5,)
    operands = operands[: row.arity]
    written = ", ".join([f"pt.asarray({operands[0]})", *map(str, operands[1:])])
    if row.host is None:
        dtype = OF_PYTHON[bool if row.result == "bool" else type(operands[0])]
        return f">>> pt.{row.name}({written}).dtype\n{dtype}"
    value = row.host(*operands)
    if row.result == "bool":
        value = bool(value)
    elif isinstance(operands[0], float):
        value = float(value)
    call = f"pt.{row.name}({written}).item()"
    if row.dtypes == "floating" and row.result != "bool" and row.tolerance:
        # GPUs differ in the last digits.
        call, value = f"round({call}, 4)", round(value, 4)
    return f">>> {call}\n{value}"


def operators_of(
    row: Elementwise, function: Callable[..., Tensor]
) -> dict[str, Callable[..., Any]]:
    """The Python operators of a row, given its function: forward, reflected and in place."""
    if row.arity == 1:
        return {row.dunder: function}

    def forward(self: Tensor, other: Any) -> Tensor:
        if other.__class__ is Tensor or other.__class__ is float or _can_convert(other):
            return function(self, other)
        return NotImplemented  # type: ignore[no-any-return]

    def reflected(self: Tensor, other: Any) -> Tensor:
        return function(other, self) if _can_convert(other) else NotImplemented

    def in_place(self: Tensor, other: Any) -> Tensor:
        result = forward(self, other)
        if result is NotImplemented:
            return result  # type: ignore[no-any-return]
        spec = self._spec
        if result.dtype is not spec.dtype or result.shape != spec.shape:
            raise ShapeError(
                f"{row.name}: assignment in place would change the tensor; got {spec} and a result "
                f"of {result._spec}; write x = x {row.name} y"
            )
        self._move(result._node)
        return self

    bare = row.dunder.strip("_")
    operators: dict[str, Callable[..., Any]] = {row.dunder: forward}
    if row.result != "bool":
        operators[f"__r{bare}__"] = reflected
        operators[f"__i{bare}__"] = in_place
    for name, operator in operators.items():
        operator.__name__ = name
        operator.__qualname__ = f"Tensor.{name}"
    return operators


def _can_convert(other: Any) -> bool:
    return isinstance(other, _OTHERS) or hasattr(other, "__array__")
