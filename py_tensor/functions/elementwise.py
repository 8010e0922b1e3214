"""Elementwise functions; each applies the op of its name in the op table.

`ufunc` applies the op, so the functions under it consist of signatures and docstrings.
"""

# mypy: disable-error-code="empty-body"

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from ..dtypes import as_dtype, bool_
from ..ir.node import node_of
from ..late import LateModule
from ..ops.elementwise import CAST, ELEMENTWISE
from ..runtime.executor import check_device
from ..tensor import Tensor, apply, as_tensor, node_behind, operand_of
from ..typing import ArrayLike, DTypeLike
from .decorators import documented, elementwise_contract, named, ufunc

if TYPE_CHECKING:
    from . import arguments
else:
    arguments = LateModule("functions.arguments")

# --- arithmetic -----------------------------------------------------------------------------------


@ufunc
def add(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the sum, element by element.

    >>> import py_tensor as pt
    >>> pt.add(pt.asarray(7), 2).item()
    9
    """


@ufunc
def subtract(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the difference, element by element.

    >>> import py_tensor as pt
    >>> pt.subtract(pt.asarray(7), 2).item()
    5
    """


@ufunc
def multiply(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the product, element by element.

    >>> import py_tensor as pt
    >>> pt.multiply(pt.asarray(7), 2).item()
    14
    """


@ufunc
def divide(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the quotient, element by element.

    >>> import py_tensor as pt
    >>> round(pt.divide(pt.asarray(7.0), 2.0).item(), 4)
    3.5
    """


@ufunc
def floor_divide(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the quotient, rounded down; integers divided by 0 give 0.

    >>> import py_tensor as pt
    >>> pt.floor_divide(pt.asarray(7), 2).item()
    3
    """


@ufunc
def remainder(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the remainder with the sign of the divisor; integers modulo 0 give 0.

    >>> import py_tensor as pt
    >>> pt.remainder(pt.asarray(7), 2).item()
    1
    """


@ufunc
def pow(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Raise the first operand to the power of the second; negative integer exponents count as 0.

    >>> import py_tensor as pt
    >>> pt.pow(pt.asarray(7), 2).item()
    49
    """


@ufunc
def negative(x: ArrayLike, /) -> Tensor:
    """Return the operand with the sign changed.

    >>> import py_tensor as pt
    >>> pt.negative(pt.asarray(-2.5)).item()
    2.5
    """


@ufunc
def positive(x: ArrayLike, /) -> Tensor:
    """Return the operand unchanged.

    >>> import py_tensor as pt
    >>> pt.positive(pt.asarray(-2.5)).item()
    -2.5
    """


@ufunc
def conj(x: ArrayLike, /) -> Tensor:
    """Return the complex conjugate; real numbers are unchanged.

    >>> import py_tensor as pt
    >>> pt.conj(pt.asarray(-2.5)).item()
    -2.5
    """


@ufunc
def abs(x: ArrayLike, /) -> Tensor:
    """Return the absolute value; the modulus of complex numbers.

    >>> import py_tensor as pt
    >>> pt.abs(pt.asarray(-2.5)).item()
    2.5
    """


@ufunc
def sign(x: ArrayLike, /) -> Tensor:
    """Return -1, 0 or 1 by the sign; complex numbers are divided by their modulus.

    >>> import py_tensor as pt
    >>> pt.sign(pt.asarray(-2.5)).item()
    -1.0
    """


@ufunc
def square(x: ArrayLike, /) -> Tensor:
    """Return the square, element by element.

    >>> import py_tensor as pt
    >>> pt.square(pt.asarray(-2.5)).item()
    6.25
    """


@ufunc
def reciprocal(x: ArrayLike, /) -> Tensor:
    """Return 1 / x, element by element.

    >>> import py_tensor as pt
    >>> round(pt.reciprocal(pt.asarray(0.5)).item(), 4)
    2.0
    """


# --- comparison -----------------------------------------------------------------------------------


@ufunc
def equal(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return True where the operands are equal.

    >>> import py_tensor as pt
    >>> pt.equal(pt.asarray(7), 2).item()
    False
    """


@ufunc
def not_equal(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return True where the operands differ.

    >>> import py_tensor as pt
    >>> pt.not_equal(pt.asarray(7), 2).item()
    True
    """


@ufunc
def less(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return True where the first operand is smaller than the second.

    >>> import py_tensor as pt
    >>> pt.less(pt.asarray(7), 2).item()
    False
    """


@ufunc
def less_equal(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return True where the first operand is smaller than or equal to the second.

    >>> import py_tensor as pt
    >>> pt.less_equal(pt.asarray(7), 2).item()
    False
    """


@ufunc
def greater(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return True where the first operand is larger than the second.

    >>> import py_tensor as pt
    >>> pt.greater(pt.asarray(7), 2).item()
    True
    """


@ufunc
def greater_equal(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return True where the first operand is larger than or equal to the second.

    >>> import py_tensor as pt
    >>> pt.greater_equal(pt.asarray(7), 2).item()
    True
    """


@ufunc
def maximum(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the larger operand, element by element; NaN if either is NaN.

    >>> import py_tensor as pt
    >>> pt.maximum(pt.asarray(7), 2).item()
    7
    """


@ufunc
def minimum(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the smaller operand, element by element; NaN if either is NaN.

    >>> import py_tensor as pt
    >>> pt.minimum(pt.asarray(7), 2).item()
    2
    """


# --- logic and bits -------------------------------------------------------------------------------


@ufunc
def logical_and(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return True where both operands are True.

    >>> import py_tensor as pt
    >>> pt.logical_and(pt.asarray(True), False).item()
    False
    """


@ufunc
def logical_or(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return True where at least one operand is True.

    >>> import py_tensor as pt
    >>> pt.logical_or(pt.asarray(True), False).item()
    True
    """


@ufunc
def logical_xor(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return True where exactly one operand is True.

    >>> import py_tensor as pt
    >>> pt.logical_xor(pt.asarray(True), False).item()
    True
    """


@ufunc
def logical_not(x: ArrayLike, /) -> Tensor:
    """Return True where the operand is False.

    >>> import py_tensor as pt
    >>> pt.logical_not(pt.asarray(True)).item()
    False
    """


@ufunc
def bitwise_and(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the bits that are set in both operands.

    >>> import py_tensor as pt
    >>> pt.bitwise_and(pt.asarray(7), 2).item()
    2
    """


@ufunc
def bitwise_or(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the bits that are set in at least one operand.

    >>> import py_tensor as pt
    >>> pt.bitwise_or(pt.asarray(7), 2).item()
    7
    """


@ufunc
def bitwise_xor(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the bits that are set in exactly one operand.

    >>> import py_tensor as pt
    >>> pt.bitwise_xor(pt.asarray(7), 2).item()
    5
    """


@ufunc
def bitwise_invert(x: ArrayLike, /) -> Tensor:
    """Invert every bit; bool values are negated.

    >>> import py_tensor as pt
    >>> pt.bitwise_invert(pt.asarray(7)).item()
    -8
    """


@ufunc
def bitwise_left_shift(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Shift the bits of the first operand to the left by the second.

    >>> import py_tensor as pt
    >>> pt.bitwise_left_shift(pt.asarray(7), 2).item()
    28
    """


@ufunc
def bitwise_right_shift(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Shift the bits of the first operand to the right by the second; the sign is kept.

    >>> import py_tensor as pt
    >>> pt.bitwise_right_shift(pt.asarray(7), 2).item()
    1
    """


# --- rounding and classes of numbers --------------------------------------------------------------


@ufunc
def ceil(x: ArrayLike, /) -> Tensor:
    """Round up to the nearest integer.

    >>> import py_tensor as pt
    >>> pt.ceil(pt.asarray(-2.5)).item()
    -2.0
    """


@ufunc
def floor(x: ArrayLike, /) -> Tensor:
    """Round down to the nearest integer.

    >>> import py_tensor as pt
    >>> pt.floor(pt.asarray(-2.5)).item()
    -3.0
    """


@ufunc
def trunc(x: ArrayLike, /) -> Tensor:
    """Round towards zero.

    >>> import py_tensor as pt
    >>> pt.trunc(pt.asarray(-2.5)).item()
    -2.0
    """


_MOST_DECIMALS = 300
"""Largest number of decimals; more exceed the range of floats."""


@named
@documented(elementwise_contract("round"))
def round(x: ArrayLike, /, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """Round to the nearest integer, halves to even.

    Args:
        decimals: Number of decimals to round to; negative numbers round before the point; 0 by
            default.
        out: Tensor to write the result to; None (default) for a new one.

    >>> import py_tensor as pt
    >>> pt.round(pt.asarray(-2.5)).item()
    -2.0
    """
    places = 0
    if decimals.__class__ is not int or decimals:
        places = arguments.integer("round", "decimals", decimals, -_MOST_DECIMALS, _MOST_DECIMALS)
    if not places:
        return apply(ELEMENTWISE["round"], (x,))
    x = as_tensor("round", x)
    dtype = x.dtype
    if dtype.kind in "iub" and places > 0:
        return apply(ELEMENTWISE["round"], (x,))
    scale = 10.0 ** builtins.abs(places)
    if places > 0:
        return divide(apply(ELEMENTWISE["round"], (multiply(x, scale),)), scale)
    return astype(
        multiply(apply(ELEMENTWISE["round"], (divide(x, scale),)), scale), dtype, copy=False
    )


@ufunc
def isfinite(x: ArrayLike, /) -> Tensor:
    """Return True where the operand is neither infinite nor NaN.

    >>> import py_tensor as pt
    >>> pt.isfinite(pt.asarray(-2.5)).item()
    True
    """


@ufunc
def isinf(x: ArrayLike, /) -> Tensor:
    """Return True where the operand is infinite.

    >>> import py_tensor as pt
    >>> pt.isinf(pt.asarray(-2.5)).item()
    False
    """


@ufunc
def isnan(x: ArrayLike, /) -> Tensor:
    """Return True where the operand is NaN.

    >>> import py_tensor as pt
    >>> pt.isnan(pt.asarray(-2.5)).item()
    False
    """


@ufunc
def signbit(x: ArrayLike, /) -> Tensor:
    """Return True where the sign bit is set, also for -0.0.

    >>> import py_tensor as pt
    >>> pt.signbit(pt.asarray(0.5)).item()
    False
    """


@ufunc
def copysign(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the magnitude of the first operand with the sign of the second.

    >>> import py_tensor as pt
    >>> pt.copysign(pt.asarray(7.0), 2.0).item()
    7.0
    """


@ufunc
def nextafter(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the next number of the dtype after the first operand, towards the second.

    >>> import py_tensor as pt
    >>> pt.nextafter(pt.asarray(7.0), 2.0).dtype
    float32
    """


# --- exponentials, logarithms, powers -------------------------------------------------------------


@ufunc
def exp(x: ArrayLike, /) -> Tensor:
    """Return e to the power of the operand.

    >>> import py_tensor as pt
    >>> round(pt.exp(pt.asarray(0.5)).item(), 4)
    1.6487
    """


@ufunc
def expm1(x: ArrayLike, /) -> Tensor:
    """Return exp(x) - 1, accurate near 0.

    >>> import py_tensor as pt
    >>> round(pt.expm1(pt.asarray(0.5)).item(), 4)
    0.6487
    """


@ufunc
def log(x: ArrayLike, /) -> Tensor:
    """Return the natural logarithm.

    >>> import py_tensor as pt
    >>> round(pt.log(pt.asarray(0.5)).item(), 4)
    -0.6931
    """


@ufunc
def log1p(x: ArrayLike, /) -> Tensor:
    """Return log(1 + x), accurate near 0.

    >>> import py_tensor as pt
    >>> round(pt.log1p(pt.asarray(0.5)).item(), 4)
    0.4055
    """


@ufunc
def log2(x: ArrayLike, /) -> Tensor:
    """Return the logarithm to base 2.

    >>> import py_tensor as pt
    >>> round(pt.log2(pt.asarray(0.5)).item(), 4)
    -1.0
    """


@ufunc
def log10(x: ArrayLike, /) -> Tensor:
    """Return the logarithm to base 10.

    >>> import py_tensor as pt
    >>> round(pt.log10(pt.asarray(0.5)).item(), 4)
    -0.301
    """


@ufunc
def logaddexp(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return log(exp(x1) + exp(x2)) without overflow.

    >>> import py_tensor as pt
    >>> round(pt.logaddexp(pt.asarray(7.0), 2.0).item(), 4)
    7.0067
    """


@ufunc
def sqrt(x: ArrayLike, /) -> Tensor:
    """Return the square root.

    >>> import py_tensor as pt
    >>> round(pt.sqrt(pt.asarray(0.5)).item(), 4)
    0.7071
    """


@ufunc
def rsqrt(x: ArrayLike, /) -> Tensor:
    """Return 1 / sqrt(x).

    >>> import py_tensor as pt
    >>> round(pt.rsqrt(pt.asarray(0.5)).item(), 4)
    1.4142
    """


@ufunc
def hypot(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return sqrt(x1**2 + x2**2) without overflow.

    >>> import py_tensor as pt
    >>> round(pt.hypot(pt.asarray(7.0), 2.0).item(), 4)
    7.2801
    """


# --- trigonometry ---------------------------------------------------------------------------------


@ufunc
def sin(x: ArrayLike, /) -> Tensor:
    """Return the sine of an angle in radians.

    >>> import py_tensor as pt
    >>> round(pt.sin(pt.asarray(0.5)).item(), 4)
    0.4794
    """


@ufunc
def cos(x: ArrayLike, /) -> Tensor:
    """Return the cosine of an angle in radians.

    >>> import py_tensor as pt
    >>> round(pt.cos(pt.asarray(0.5)).item(), 4)
    0.8776
    """


@ufunc
def tan(x: ArrayLike, /) -> Tensor:
    """Return the tangent of an angle in radians.

    >>> import py_tensor as pt
    >>> round(pt.tan(pt.asarray(0.5)).item(), 4)
    0.5463
    """


@ufunc
def asin(x: ArrayLike, /) -> Tensor:
    """Return the inverse sine in radians.

    >>> import py_tensor as pt
    >>> round(pt.asin(pt.asarray(0.5)).item(), 4)
    0.5236
    """


@ufunc
def acos(x: ArrayLike, /) -> Tensor:
    """Return the inverse cosine in radians.

    >>> import py_tensor as pt
    >>> round(pt.acos(pt.asarray(0.5)).item(), 4)
    1.0472
    """


@ufunc
def atan(x: ArrayLike, /) -> Tensor:
    """Return the inverse tangent in radians.

    >>> import py_tensor as pt
    >>> round(pt.atan(pt.asarray(0.5)).item(), 4)
    0.4636
    """


@ufunc
def atan2(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the angle of the point (x2, x1) in radians, from -pi to pi.

    >>> import py_tensor as pt
    >>> round(pt.atan2(pt.asarray(7.0), 2.0).item(), 4)
    1.2925
    """


@ufunc
def sinh(x: ArrayLike, /) -> Tensor:
    """Return the hyperbolic sine.

    >>> import py_tensor as pt
    >>> round(pt.sinh(pt.asarray(0.5)).item(), 4)
    0.5211
    """


@ufunc
def cosh(x: ArrayLike, /) -> Tensor:
    """Return the hyperbolic cosine.

    >>> import py_tensor as pt
    >>> round(pt.cosh(pt.asarray(0.5)).item(), 4)
    1.1276
    """


@ufunc
def tanh(x: ArrayLike, /) -> Tensor:
    """Return the hyperbolic tangent.

    >>> import py_tensor as pt
    >>> round(pt.tanh(pt.asarray(0.5)).item(), 4)
    0.4621
    """


@ufunc
def asinh(x: ArrayLike, /) -> Tensor:
    """Return the inverse hyperbolic sine.

    >>> import py_tensor as pt
    >>> round(pt.asinh(pt.asarray(0.5)).item(), 4)
    0.4812
    """


@ufunc
def acosh(x: ArrayLike, /) -> Tensor:
    """Return the inverse hyperbolic cosine.

    >>> import py_tensor as pt
    >>> round(pt.acosh(pt.asarray(1.0)).item(), 4)
    0.0
    """


@ufunc
def atanh(x: ArrayLike, /) -> Tensor:
    """Return the inverse hyperbolic tangent.

    >>> import py_tensor as pt
    >>> round(pt.atanh(pt.asarray(0.5)).item(), 4)
    0.5493
    """


# --- machine learning -----------------------------------------------------------------------------


@ufunc
def relu(x: ArrayLike, /) -> Tensor:
    """Return the operand where it is positive, else 0.

    >>> import py_tensor as pt
    >>> pt.relu(pt.asarray(-2.5)).item()
    0.0
    """


@ufunc
def sigmoid(x: ArrayLike, /) -> Tensor:
    """Return the logistic function 1 / (1 + exp(-x)).

    >>> import py_tensor as pt
    >>> round(pt.sigmoid(pt.asarray(0.5)).item(), 4)
    0.6225
    """


@ufunc
def erf(x: ArrayLike, /) -> Tensor:
    """Return the Gauss error function.

    >>> import py_tensor as pt
    >>> round(pt.erf(pt.asarray(0.5)).item(), 4)
    0.5205
    """


@ufunc
def erfinv(x: ArrayLike, /) -> Tensor:
    """Return the inverse of the Gauss error function.

    >>> import py_tensor as pt
    >>> pt.erfinv(pt.asarray(0.5)).dtype
    float32
    """


# --- special functions ----------------------------------------------------------------------------


@ufunc
def erfc(x: ArrayLike, /) -> Tensor:
    """Return 1 - erf(x), accurate also where it is small.

    >>> import py_tensor as pt
    >>> round(pt.erfc(pt.asarray(0.5)).item(), 4)
    0.4795
    """


@ufunc
def lgamma(x: ArrayLike, /) -> Tensor:
    """Return the logarithm of the absolute value of the gamma function.

    It is infinite at 0 and at negative integers.

    >>> import py_tensor as pt
    >>> round(pt.lgamma(pt.asarray(5.0)).item(), 4)
    3.1781
    """


@ufunc
def digamma(x: ArrayLike, /) -> Tensor:
    """Return the derivative of lgamma.

    It is NaN at 0 and at negative integers.

    >>> import py_tensor as pt
    >>> round(pt.digamma(pt.asarray(1.0)).item(), 4)
    -0.5772
    """


@ufunc
def i0(x: ArrayLike, /) -> Tensor:
    """Return the modified Bessel function of the first kind of order 0.

    >>> import py_tensor as pt
    >>> round(pt.i0(pt.asarray(1.0)).item(), 4)
    1.2661
    """


def betainc(a: ArrayLike, b: ArrayLike, x: ArrayLike, /) -> Tensor:
    """Return the regularized incomplete beta function.

    It is the integral of t**(a - 1) (1 - t)**(b - 1) from 0 to x, divided by that from 0 to 1.
    Operands for which it is not defined give NaN. The gradient exists with respect to x only, as in
    JAX.

    Args:
        a: Tensor or number of floating dtype and any shape, up to about 1000.
        b: Tensor or number, likewise.
        x: Tensor or number from 0 to 1.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        DTypeError: If an operand is not floating.
        ShapeError: If the shapes do not broadcast.
        GradientError: In the backward pass, if a or b needs a gradient.

    >>> import py_tensor as pt
    >>> round(pt.betainc(2.0, 3.0, pt.asarray(0.5)).item(), 4)
    0.6875
    """
    return apply(ELEMENTWISE["betainc"], (a, b, x))


# --- choice and conversion ------------------------------------------------------------------------


def where(x1: ArrayLike, x2: ArrayLike, x3: ArrayLike, /) -> Tensor:
    """Return the second operand where the first is True, else the third.

    Args:
        x1: Condition; numbers count as true unless they are zero.
        x2: Values if the condition is true, of any dtype.
        x3: Values if it is false; all shapes broadcast together.

    Returns:
        Tensor of the shape that the operands broadcast to, in their promoted dtype.

    Raises:
        DTypeError: If the operands have no common dtype.
        ShapeError: If the shapes do not broadcast.
    """
    condition = as_tensor("where", x1) if not isinstance(x1, bool) else x1
    if isinstance(condition, Tensor) and node_behind("where", condition).spec.dtype.kind != "b":
        condition = astype(condition, bool_)
    return apply(ELEMENTWISE["where"], (condition, x2, x3))


def astype(
    x: ArrayLike, dtype: DTypeLike, /, *, copy: bool = True, device: str | None = None
) -> Tensor:
    """Convert the elements of x to another dtype.

    Floating values are truncated towards zero when converted to integers. Integers wrap around.

    Args:
        x: Tensor or array-like of any shape and dtype.
        dtype: Dtype, or its name, to convert to.
        copy: If False, return x itself if it has the dtype already; True by default.
        device: The backend in use, or None (default).

    Returns:
        Tensor of the shape of x and of the given dtype.

    Raises:
        DTypeError: If WebGL lacks the dtype, or x is complex and the dtype is real.

    >>> import py_tensor as pt
    >>> pt.astype(pt.asarray([1.7, -1.7]), "int32").tolist()
    [1, -1]
    """
    check_device("astype", device)
    target = as_dtype(dtype, "astype")
    x = as_tensor("astype", x)
    node = node_behind("astype", x)
    if node.spec.dtype is target:
        return Tensor(node) if copy else x
    return Tensor(node_of(CAST, (node,), target))


@named
def clip(
    x: ArrayLike,
    /,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    out: Tensor | None = None,
    *,
    a_min: ArrayLike | None = None,
    a_max: ArrayLike | None = None,
) -> Tensor:
    """Limit the elements of x to the range from `min` to `max`.

    Args:
        x: Tensor or array-like of an integer or floating dtype.
        min: Lower limit, a number or tensor; None (default) for no limit.
        max: Upper limit, a number or tensor; None (default) for no limit. If `min` is larger than
            `max`, the result is `max`.
        out: Tensor to write the result to; None (default) for a new one.
        a_min: NumPy's name of `min`; None by default.
        a_max: NumPy's name of `max`; None by default.

    Returns:
        Tensor of the shape that the operands broadcast to, in their promoted dtype.

    Raises:
        DTypeError: If an operand is complex, or all are bool.
        ShapeError: If the shapes do not broadcast.

    >>> import py_tensor as pt
    >>> pt.clip(pt.asarray([1, 5, 9]), 2, 6).tolist()
    [2, 5, 6]
    """
    min, max = a_min if min is None else min, a_max if max is None else max
    x = operand_of("clip", x)
    min, max = (limit if limit is None else operand_of("clip", limit) for limit in (min, max))
    if min is None and max is None:
        return Tensor(node_behind("clip", as_tensor("clip", x)))
    if max is None:
        return apply(ELEMENTWISE["maximum"], (x, min))
    if min is None:
        return apply(ELEMENTWISE["minimum"], (x, max))
    return apply(ELEMENTWISE["clip"], (x, min, max))
