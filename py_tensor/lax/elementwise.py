"""Elementwise functions with other names or rules in `jax.lax` than in py_tensor."""

from __future__ import annotations

from typing import Any

from ..dtypes import as_dtype
from ..errors import ArgumentError, DTypeError
from ..functions import elementwise as E
from ..functions.arguments import integer
from ..functions.elementwise import (
    bitwise_invert as bitwise_not,
    bitwise_left_shift as shift_left,
    bitwise_right_shift as shift_right_arithmetic,
    equal as eq,
    erfinv as erf_inv,
    greater as gt,
    greater_equal as ge,
    isfinite as is_finite,
    less as lt,
    less_equal as le,
    maximum as max,
    minimum as min,
    multiply as mul,
    negative as neg,
    not_equal as ne,
    sigmoid as logistic,
    subtract as sub,
    where,
)
from ..numpy_functions.arithmetic import bitwise_count as population_count
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, DTypeLike
from .checks import checked

__all__ = [
    "bitcast_convert_type",
    "bitwise_not",
    "clamp",
    "convert_element_type",
    "div",
    "eq",
    "erf_inv",
    "ge",
    "gt",
    "integer_pow",
    "is_finite",
    "le",
    "logistic",
    "lt",
    "max",
    "min",
    "mul",
    "ne",
    "neg",
    "population_count",
    "rem",
    "round",
    "select",
    "select_n",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sub",
]

_UNSIGNED = {1: "uint8", 2: "uint16", 4: "uint32"}
"""Unsigned dtype of each number of bytes."""


@checked
def clamp(min: ArrayLike, x: ArrayLike, max: ArrayLike) -> Tensor:
    """Return x, limited to the range from `min` to `max`.

    >>> import py_tensor as pt
    >>> pt.lax.clamp(0.0, pt.asarray([-1.0, 0.5, 9.0]), 1.0).tolist()
    [0.0, 0.5, 1.0]
    """
    return E.clip(as_tensor("clamp", x), min, max)


@checked
def convert_element_type(operand: ArrayLike, new_dtype: DTypeLike) -> Tensor:
    """Return `operand` with another dtype, see `pt.astype`.

    >>> import py_tensor as pt
    >>> pt.lax.convert_element_type(1.5, "int32").item()
    1
    """
    return E.astype(as_tensor("convert_element_type", operand), as_dtype(new_dtype))


@checked
def bitcast_convert_type(operand: ArrayLike, new_dtype: DTypeLike) -> Tensor:
    """Return the bits of `operand` as numbers of another dtype of the same size.

    The values are read, so this does not work in `jit`.

    >>> import py_tensor as pt
    >>> hex(pt.lax.bitcast_convert_type(pt.asarray(1.0), "int32").item())
    '0x3f800000'
    """
    x, dtype = as_tensor("bitcast_convert_type", operand), as_dtype(new_dtype)
    if x.dtype.itemsize != dtype.itemsize:
        raise ArgumentError(
            f"bitcast_convert_type: sizes of the dtypes differ; got {x.dtype} and {dtype}; choose "
            "dtypes of one size"
        )
    code: Any = dtype.code
    data = memoryview(bytes(x)).cast(code)
    return as_tensor("bitcast_convert_type", data).reshape(x.shape).astype(dtype)


@checked
def div(x: ArrayLike, y: ArrayLike) -> Tensor:
    """Return x / y; of integers the quotient without its fraction, as in C.

    >>> import py_tensor as pt
    >>> pt.lax.div(pt.asarray([-7, 7]), 2).tolist(), pt.lax.div(7.0, 2.0).item()
    ([-3, 3], 3.5)
    """
    x, y = as_tensor("div", x), as_tensor("div", y)
    if x.dtype.kind not in "iu" or y.dtype.kind not in "iu":
        return E.divide(x, y)
    down = E.floor_divide(x, y)
    inexact = E.not_equal(down * y, x)
    return where(E.logical_and(E.less(down, 0), inexact), down + 1, down)


@checked
def rem(x: ArrayLike, y: ArrayLike) -> Tensor:
    """Return the remainder of `div`, which has the sign of x.

    >>> import py_tensor as pt
    >>> pt.lax.rem(pt.asarray([-7, 7]), 2).tolist(), pt.lax.rem(-7.5, 2.0).item()
    ([-1, 1], -1.5)
    """
    x, y = as_tensor("rem", x), as_tensor("rem", y)
    rest = E.remainder(E.abs(x), E.abs(y))
    return where(E.less(x, 0), -rest, rest)


@checked
def integer_pow(x: ArrayLike, y: int) -> Tensor:
    """Return x to the power of a Python integer.

    >>> import py_tensor as pt
    >>> pt.lax.integer_pow(pt.asarray(2.0), -2).item()
    0.25
    """
    x, power = as_tensor("integer_pow", x), integer("integer_pow", "y", y)
    return E.pow(x, power) if power >= 0 else E.reciprocal(E.pow(x, -power))


@checked
def round(x: ArrayLike, rounding_method: int = 0) -> Tensor:
    """Return x rounded to integers.

    Args:
        x: Numbers.
        rounding_method: 0 (default) to round halves away from zero, 1 to round them to even ones.

    >>> import py_tensor as pt
    >>> pt.lax.round(pt.asarray([0.5, 2.5])).tolist(), pt.lax.round(2.5, 1).item()
    ([1.0, 3.0], 2.0)
    """
    x = as_tensor("round", x)
    if int(rounding_method):
        return E.round(x)
    whole = E.trunc(x)
    return where(E.greater_equal(E.abs(x - whole), 0.5), whole + E.sign(x), whole)


@checked
def select(pred: ArrayLike, on_true: ArrayLike, on_false: ArrayLike) -> Tensor:
    """Return elements of `on_true` if `pred` is True, else of `on_false`.

    >>> import py_tensor as pt
    >>> pt.lax.select(pt.asarray([True, False]), pt.ones(2), pt.zeros(2)).tolist()
    [1.0, 0.0]
    """
    return where(pred, on_true, on_false)


@checked
def select_n(which: ArrayLike, *cases: ArrayLike) -> Tensor:
    """Return elements of the case that `which` selects, a bool or an integer.

    >>> import py_tensor as pt
    >>> pt.lax.select_n(pt.asarray([2, 0]), pt.zeros(2), pt.ones(2), pt.full(2, 9.0)).tolist()
    [9.0, 0.0]
    """
    number = as_tensor("select_n", which)
    if not cases:
        raise ArgumentError("select_n: there are no cases; got none; give at least one")
    if number.dtype.kind == "b":
        number = number.astype("int32")
    result = as_tensor("select_n", cases[-1])
    for position, case in reversed([*enumerate(cases[:-1])]):
        result = where(number <= position, case, result)
    return result


@checked
def shift_right_logical(x: ArrayLike, y: ArrayLike) -> Tensor:
    """Return the bits of x moved to the right, with zeros from the left.

    >>> import py_tensor as pt
    >>> pt.lax.shift_right_logical(pt.asarray(-1), 28).item()
    15
    """
    x = as_tensor("shift_right_logical", x)
    if x.dtype.kind not in "iu":
        raise DTypeError(
            f"shift_right_logical: dtype {x.dtype} has no bits to move; use x.astype('int32')"
        )
    unsigned = x.astype(_UNSIGNED[x.dtype.itemsize])
    return E.bitwise_right_shift(unsigned, as_tensor("", y).astype(unsigned.dtype)).astype(x.dtype)
