"""Read the operators, names, attributes and subscripts of a kernel's function.

Input: nodes of a syntax tree. Output: values, and the statements that compute them.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ..dtypes import bool_, int32
from .builder import (
    ATOMS,
    NUMBERS,
    Builder,
    Mismatch,
    Operand,
    PythonNumber,
    Truth,
    dtype_of,
    typed,
)
from .intrinsics import on_parts, power, product
from .locals import Locals, SharedArgument, TensorArgument
from .reading import Reading
from .source import MISSING, resolve
from .values import AXES, Vector

_OnNumbers = Callable[[PythonNumber, PythonNumber], PythonNumber]
_BINARY: dict[type[ast.operator], tuple[str, _OnNumbers]] = {
    ast.Add: ("add", operator.add),
    ast.Sub: ("subtract", operator.sub),
    ast.Mult: ("multiply", operator.mul),
    ast.Div: ("divide", operator.truediv),
    ast.FloorDiv: ("floor_divide", operator.floordiv),
    ast.Mod: ("remainder", operator.mod),
    ast.BitAnd: ("bitwise_and", operator.and_),
    ast.BitOr: ("bitwise_or", operator.or_),
    ast.BitXor: ("bitwise_xor", operator.xor),
    ast.LShift: ("bitwise_left_shift", operator.lshift),
    ast.RShift: ("bitwise_right_shift", operator.rshift),
}
_COMPARISONS: dict[type[ast.cmpop], tuple[str, _OnNumbers]] = {
    ast.Eq: ("equal", operator.eq),
    ast.NotEq: ("not_equal", operator.ne),
    ast.Lt: ("less", operator.lt),
    ast.LtE: ("less_equal", operator.le),
    ast.Gt: ("greater", operator.gt),
    ast.GtE: ("greater_equal", operator.ge),
}
READ_AND_WRITTEN = (
    "a kernel reads and writes the same tensor",
    "pass the tensor twice, under one name for reads and one for writes",
)


def read_constant(reading: Reading, node: ast.Constant, local: Locals) -> object:
    if type(node.value) in NUMBERS:
        return node.value
    kinds = {str: "text", bytes: "text", complex: "a complex number"}
    what = kinds.get(type(node.value), repr(node.value))
    raise reading.error(node, f"{what} is not supported", "use numbers")


def read_name(reading: Reading, node: ast.Name, local: Locals) -> object:
    name = node.id
    scope: Locals | None = local
    while scope is not None:
        if name in scope.names:
            reading.outside_reads += scope is not local
            return scope.names[name]
        if name in scope.unset:
            raise reading.error(
                node, f"{name} may have no value here", "assign it before, on all paths"
            )
        if name in scope.own:
            raise reading.error(node, f"{name} has no value yet", "assign it before")
        scope = scope.around
    function = reading.calls[-1].function
    value = resolve(function, name)
    if value is MISSING:
        raise reading.error(node, f"{name} is not defined", "define it, or pass it as an argument")
    return reading.outside(function, name, value)


def read_tuple(reading: Reading, node: ast.Tuple | ast.List, local: Locals) -> object:
    return tuple(reading.parts(node.elts, local))


# --- operators ------------------------------------------------------------------------------------


def read_binary(reading: Reading, node: ast.BinOp, local: Locals) -> object:
    left, right = reading.value(node.left, local), reading.value(node.right, local)
    return binary(reading, node.op, (node.left, left), (node.right, right), node)


def binary(
    reading: Reading,
    sign: ast.operator,
    left: tuple[ast.expr | ast.stmt, object],
    right: tuple[ast.expr | ast.stmt, object],
    node: ast.expr | ast.stmt,
) -> object:
    """Apply an operator to two values, which are given with their nodes for errors."""
    a, b = left[1], right[1]
    if not (isinstance(sign, ast.MatMult) or isinstance(a, Vector) or isinstance(b, Vector)):
        a, b = reading.as_number(*left), reading.as_number(*right)
    with reading.located(node):
        if isinstance(sign, ast.MatMult):
            return product(reading.builder, a, b)
        try:
            return on_parts(partial(_of_numbers, reading.builder, sign), a, b)
        except TypeError:
            raise Mismatch("a value is not a number", "use numbers and vectors") from None


def _of_numbers(build: Builder, sign: ast.operator, a: Operand, b: Operand) -> Operand:
    if isinstance(sign, ast.Pow):
        return power(build, a, b)
    name, function = _BINARY[type(sign)]
    if isinstance(a, NUMBERS) and isinstance(b, NUMBERS):
        try:
            return function(a, b)
        except (ArithmeticError, ValueError, TypeError) as error:
            raise Mismatch(f"{error}", "use other numbers") from None
    return build.apply(name, a, b)


def read_unary(reading: Reading, node: ast.UnaryOp, local: Locals) -> object:
    if isinstance(node.op, ast.Not):
        return reading.builder.inverse(reading.truth(node.operand, local))
    value = reading.value(node.operand, local)
    if not isinstance(value, Vector):
        value = reading.as_number(node.operand, value)
    with reading.located(node):
        return on_parts(partial(_of_number, reading.builder, node.op), value)


def _of_number(build: Builder, sign: ast.unaryop, operand: Operand) -> Operand:
    if isinstance(sign, ast.Invert):
        if dtype_of(operand) is bool_:
            raise Mismatch("~ takes integers", "use not")
        return ~operand if type(operand) is int else build.apply("bitwise_invert", operand)
    negative = isinstance(sign, ast.USub)
    if isinstance(operand, NUMBERS):
        return -operand if negative else +operand
    if dtype_of(operand) is bool_:
        operand = build.cast(operand, int32)
    return build.apply("negative", operand) if negative else operand


def read_comparison(reading: Reading, node: ast.Compare, local: Locals) -> object:
    build = reading.builder
    left = reading.plain(node.left, local)
    result: Truth = True
    for sign, before, comparator in zip(
        node.ops, [node.left, *node.comparators], node.comparators, strict=False
    ):
        if type(sign) not in _COMPARISONS:
            raise reading.error(node, "is and in are not supported", "use ==")
        name, function = _COMPARISONS[type(sign)]
        right = reading.plain(comparator, local)
        known: Any = (left, right)
        is_text = any(isinstance(value, str) for value in known)
        if not (is_text and name in ("equal", "not_equal") and all(map(_is_constant, known))):
            known = reading.as_number(before, left), reading.as_number(comparator, right)
        with reading.located(node):
            if all(map(_is_constant, known)):
                holds: Operand = function(*known)
            else:
                holds = build.apply(name, *known)
            result = build.both(result, build.truth(holds))
        left = right
    return result


def _is_constant(value: object) -> bool:
    return isinstance(value, (*NUMBERS, str))


def read_logical(reading: Reading, node: ast.BoolOp, local: Locals) -> object:
    return _logical(reading, node, 0, local)


def _logical(reading: Reading, node: ast.BoolOp, position: int, local: Locals) -> object:
    """Return the value of `and` or `or` from an operand on: that of an operand, as in Python."""
    first = reading.number(node.values[position], local)
    if position + 1 == len(node.values):
        return first
    build = reading.builder
    with reading.located(node):
        known = build.truth(first)
    stops = known if isinstance(node.op, ast.Or) else build.inverse(known)
    if isinstance(stops, bool):
        return first if stops else _logical(reading, node, position + 1, local)
    rest = _side(
        reading,
        build.inverse(stops),
        lambda inner: _logical(reading, node, position + 1, inner),
        local,
    )
    if dtype_of(first) is bool_ and isinstance(rest, ATOMS) and dtype_of(rest) is bool_:
        first = isinstance(node.op, ast.Or)
    return reading.chosen(stops, first, rest, node)


def read_choice(reading: Reading, node: ast.IfExp, local: Locals) -> object:
    """Return the value of `a if condition else b`."""
    condition = reading.truth(node.test, local)
    if isinstance(condition, bool):
        return reading.value(node.body if condition else node.orelse, local)
    inverse = reading.builder.inverse(condition)
    yes = _side(reading, condition, lambda inner: reading.value(node.body, inner), local)
    no = _side(reading, inverse, lambda inner: reading.value(node.orelse, inner), local)
    return reading.chosen(condition, yes, no, node)


def _side(
    reading: Reading, condition: Truth, value: Callable[[Locals], object], local: Locals
) -> object:
    """Return the value of an expression that some elements evaluate."""
    inner = local.copy()

    def run(inner: Locals) -> None:
        inner.result = value(inner)

    reading.side(condition, run, inner)
    return inner.result


# --- attributes and elements ----------------------------------------------------------------------


def read_attribute(reading: Reading, node: ast.Attribute, local: Locals) -> object:
    owner = reading.value(node.value, local)
    if isinstance(owner, TensorArgument | SharedArgument):
        if node.attr == "shape":
            return owner.lengths
        if node.attr == "ndim":
            return len(owner.lengths)
        raise reading.error(
            node, f"tensors in kernels have no {node.attr}", "use shape, ndim or an element"
        )
    if isinstance(owner, Vector) and (node.attr == "T" or {*node.attr} <= {*AXES}):
        part: object = getattr(owner, node.attr, MISSING)
        if part is not MISSING:
            return part
    if isinstance(owner, (*ATOMS, tuple)):
        raise reading.error(node, f"numbers have no {node.attr}", "use a function")
    if isinstance(owner, dict):
        if node.attr in ("keys", "values", "items", "get"):
            return getattr(owner, node.attr)
        raise reading.error(node, f"dicts have no {node.attr} here", "use [], get or items")
    value = getattr(owner, node.attr, MISSING)
    if value is MISSING:
        raise reading.error(node, f"there is no {node.attr}", "correct the name")
    return reading.outside(owner, node.attr, value)


def read_subscript(reading: Reading, node: ast.Subscript, local: Locals) -> object:
    owner = reading.value(node.value, local)
    if isinstance(owner, TensorArgument | SharedArgument):
        return _element(reading, node, owner, local)
    if isinstance(owner, dict):
        key = reading.plain(node.slice, local)
        if isinstance(key, ATOMS) and not isinstance(key, NUMBERS):
            raise reading.error(node, "the key is not constant", "use if and elif")
        if key not in owner:
            raise reading.error(node, f"the dict has no {key!r}", "correct the key")
        return owner[key]
    if not isinstance(owner, tuple):
        reading.as_number(node.value, owner)
        raise reading.error(
            node,
            "a number has no elements",
            "use pt.kernel(shape=...) for a kernel that reads tensors at positions",
        )
    for key in component_keys(reading, node, local):
        if not isinstance(owner, tuple):
            raise reading.error(node, "a number has no elements", "give fewer indices")
        owner = _part(reading, node, owner, key)
    return owner


def component_keys(reading: Reading, node: ast.Subscript, local: Locals) -> list[Operand]:
    """Return the indices of a part of a tuple, vector or matrix."""
    keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [reading.whole(key, local) for key in keys]


def _part(
    reading: Reading, node: ast.Subscript, owner: tuple[object, ...], index: Operand
) -> object:
    """Return a part of a tuple, whose index may be known to the shader alone."""
    numbers = matching(reading, node, owner, index)
    result = owner[numbers[0][0]]
    for number, is_it in numbers[1:]:
        result = reading.chosen(is_it, owner[number], result, node)
    return result


def matching(
    reading: Reading, node: ast.expr, owner: tuple[object, ...], index: Operand
) -> list[tuple[int, Truth]]:
    """Return the numbers of the parts that an index may mean, each with the condition for it."""
    build, count = reading.builder, len(owner)
    if type(index) is int:
        if not -count <= index < count:
            raise reading.error(node, f"the tuple has {count} parts", "use a smaller index")
        return [(index % count, True)]
    with reading.located(node):
        negative = build.truth(build.apply("less", index, 0))
        index = build.select(negative, build.apply("add", index, count), index)
        return [(n, build.truth(build.apply("equal", index, n))) for n in range(count)]


def read_indices(
    reading: Reading,
    node: ast.Subscript,
    array: TensorArgument | SharedArgument,
    local: Locals,
) -> Iterator[Operand]:
    """Read the index along each axis of an array, one after the other."""
    keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    rank = len(array.lengths)
    if len(keys) != rank:
        raise reading.error(
            node, f"{ast.unparse(node.value)} has {rank} axes", f"give {rank} indices"
        )
    for key in keys:
        with reading.located(node):
            yield reading.builder.cast(reading.whole(key, local), int32)


def _element(
    reading: Reading,
    node: ast.Subscript,
    tensor: TensorArgument | SharedArgument,
    local: Locals,
) -> Operand:
    """Return an element of a tensor; the border mode decides at positions outside of it."""
    build, border = reading.builder, reading.border
    reading.outside_reads += 1
    indices = read_indices(reading, node, tensor, local)
    row: Operand = 0
    position: Operand = 0
    inside: Truth = True
    index: Operand = 0
    with reading.located(node):
        for axis, (index, length) in enumerate(zip(indices, tensor.lengths, strict=True)):
            inner = index
            if border == "wrap":
                inner = build.apply("remainder", index, length)
            else:
                if border == "zero":
                    above = build.apply("greater_equal", index, 0)
                    inside = build.both(inside, build.truth(above))
                    below = build.apply("less", index, length)
                    inside = build.both(inside, build.truth(below))
                inner = build.apply("clip", index, 0, build.apply("subtract", length, 1))
            row = build.apply("multiply", position, length) if axis else 0
            position = build.apply("add", row, inner) if axis else inner
        whole, start = typed(position, int32), typed(row, int32)
        if isinstance(tensor, SharedArgument):
            shared = build.read_shared(tensor.array, whole)
            return build.select(inside, shared, typed(0, shared.dtype))
        operand = tensor.operand
        dtype = operand.var.dtype
        reading.accesses.setdefault(operand, set()).add("read")
        if "written" in reading.accesses[operand]:
            raise Mismatch(*READ_AND_WRITTEN)
        element = build.read(operand, whole, dtype, start, index, border)
        return build.select(inside, element, typed(0, dtype))
