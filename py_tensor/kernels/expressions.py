"""Read the operators, names, attributes and subscripts of a kernel's function.

Input: nodes of a syntax tree. Output: values, and the statements that compute them.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator

from ..dtypes import bool_, int32
from .builder import ATOMS, NUMBERS, Mismatch, Operand, PythonNumber, Truth, dtype_of, typed
from .intrinsics import arithmetic, power, product
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
    if name in local.names:
        return local.names[name]
    if name in local.unset:
        raise reading.error(
            node, f"{name} may have no value here", "assign it before, on all paths"
        )
    function = reading.calls[-1].function
    if name in function.__code__.co_varnames:
        raise reading.error(node, f"{name} has no value yet", "assign it before")
    value = resolve(function, name)
    if value is MISSING:
        raise reading.error(node, f"{name} is not defined", "define it, or pass it as an argument")
    return reading.outside(function, name, value)


def read_tuple(reading: Reading, node: ast.Tuple, local: Locals) -> object:
    return tuple([reading.value(part, local) for part in node.elts])


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
    if isinstance(left[1], Vector) or isinstance(right[1], Vector):
        return _on_vectors(reading, node, sign, left[1], right[1])
    a, b = reading.as_number(*left), reading.as_number(*right)
    with reading.located(node):
        if isinstance(sign, ast.Pow):
            return power(reading.builder, a, b)
        if type(sign) not in _BINARY:
            raise Mismatch("@ takes vectors", "make them with py_tensor.kernels.vec")
        name, function = _BINARY[type(sign)]
        if isinstance(a, NUMBERS) and isinstance(b, NUMBERS):
            try:
                return function(a, b)
            except (ArithmeticError, ValueError, TypeError) as error:
                raise Mismatch(f"{error}", "use other numbers") from None
        return reading.builder.apply(name, a, b)


def _on_vectors(
    reading: Reading, node: ast.expr | ast.stmt, sign: ast.operator, a: object, b: object
) -> object:
    with reading.located(node):
        if isinstance(sign, ast.MatMult):
            return product(reading.builder, a, b)
        if not isinstance(sign, ast.Add | ast.Sub | ast.Mult | ast.Div):
            raise Mismatch("vectors have + - * / and @ alone", "write out the parts")
        return arithmetic(reading.builder, _BINARY[type(sign)][0], a, b)


def read_unary(reading: Reading, node: ast.UnaryOp, local: Locals) -> object:
    build = reading.builder
    if isinstance(node.op, ast.Not):
        return build.inverse(reading.truth(node.operand, local))
    negative = isinstance(node.op, ast.USub)
    value = reading.value(node.operand, local)
    if isinstance(value, Vector) and negative:
        return _on_vectors(reading, node, ast.Mult(), value, -1)
    operand = reading.as_number(node.operand, value)
    with reading.located(node):
        if isinstance(node.op, ast.Invert):
            if dtype_of(operand) is bool_:
                raise Mismatch("~ takes integers", "use not")
            return ~operand if type(operand) is int else build.apply("bitwise_invert", operand)
        if isinstance(operand, NUMBERS):
            return -operand if negative else +operand
        if dtype_of(operand) is bool_:
            operand = build.cast(operand, int32)
        return build.apply("negative", operand) if negative else operand


def read_comparison(reading: Reading, node: ast.Compare, local: Locals) -> object:
    build = reading.builder
    left = reading.number(node.left, local)
    result: Truth = True
    for sign, comparator in zip(node.ops, node.comparators, strict=True):
        if type(sign) not in _COMPARISONS:
            raise reading.error(node, "is and in are not supported", "use ==")
        name, function = _COMPARISONS[type(sign)]
        right = reading.number(comparator, local)
        with reading.located(node):
            if isinstance(left, NUMBERS) and isinstance(right, NUMBERS):
                holds: Operand = function(left, right)
            else:
                holds = build.apply(name, left, right)
            result = build.both(result, build.truth(holds))
        left = right
    return result


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
    if isinstance(owner, Vector) and node.attr in AXES[: len(owner)]:
        return owner[AXES.index(node.attr)]
    if isinstance(owner, (*ATOMS, tuple)):
        raise reading.error(node, f"numbers have no {node.attr}", "use a function")
    value = getattr(owner, node.attr, MISSING)
    if value is MISSING:
        raise reading.error(node, f"there is no {node.attr}", "correct the name")
    return reading.outside(owner, node.attr, value)


def read_subscript(reading: Reading, node: ast.Subscript, local: Locals) -> object:
    owner = reading.value(node.value, local)
    if isinstance(owner, TensorArgument | SharedArgument):
        return _element(reading, node, owner, local)
    if not isinstance(owner, tuple):
        reading.as_number(node.value, owner)
        raise reading.error(
            node,
            "a number has no elements",
            "use pt.kernel(shape=...) for a kernel that reads tensors at positions",
        )
    build = reading.builder
    index = reading.whole(node.slice, local)
    if type(index) is int:
        if not -len(owner) <= index < len(owner):
            raise reading.error(node, f"the tuple has {len(owner)} parts", "use a smaller index")
        return owner[index]
    with reading.located(node):
        negative = build.truth(build.apply("less", index, 0))
        index = build.select(negative, build.apply("add", index, len(owner)), index)
    result = owner[0]
    for number, part in enumerate(owner[1:], 1):
        with reading.located(node):
            is_it = build.truth(build.apply("equal", index, number))
        result = reading.chosen(is_it, part, result, node)
    return result


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
