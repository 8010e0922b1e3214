"""Elementwise functions of NumPy that are composed of others, and comparisons with tolerances."""

from __future__ import annotations

import math
from typing import Any

from .. import errors, functions as F
from ..dtypes import uint8
from ..errors import DTypeError
from ..functions.arguments import choice, converted, flag, number, one_axis
from ..functions.data_types import as_second_operand, is_number
from ..functions.decorators import composite, named
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike


def as_floating(operation: str, x: ArrayLike) -> Tensor:
    """Convert an argument to a floating or complex tensor; integers and bool become float32."""
    return converted(operation, x, "fc")


def flat_or_along(operation: str, a: ArrayLike, axis: int | None) -> tuple[Tensor, int]:
    """Return a flattened tensor and 0 if there is no axis, or else the tensor and its axis."""
    x = as_tensor(operation, a)
    return (F.flatten(x), 0) if axis is None else (x, one_axis(operation, axis, x.ndim))


def _real(operation: str, x: ArrayLike) -> Tensor:
    tensor = as_floating(operation, x)
    if tensor.dtype.kind == "c":
        raise DTypeError(f"{operation}: dtype {tensor.dtype} is not real; use pt.real or pt.abs")
    return tensor


def _integers(operation: str, *values: ArrayLike) -> list[Tensor]:
    tensors = [as_tensor(operation, value) for value in values]
    for tensor in tensors:
        if tensor.dtype.kind not in "iu":
            raise DTypeError(
                f'{operation}: dtype {tensor.dtype} is not integer; use x.astype("int32")'
            )
    return tensors


def _pair(operation: str, x1: ArrayLike, x2: ArrayLike) -> tuple[Tensor, Tensor]:
    """Convert two operands to tensors; a Python number adopts the other one's dtype."""
    if is_number(x1) and not is_number(x2):
        b = as_tensor(operation, x2)
        return as_second_operand(operation, b, x1), b
    a = as_tensor(operation, x1)
    return a, as_second_operand(operation, a, x2)


@named
def isclose(
    a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Test for each pair of elements if |a - b| <= atol + rtol * |b|.

    Args:
        a: Tensor or array-like.
        b: Tensor or array-like; the shapes broadcast.
        rtol: Relative tolerance; 1e-5 by default.
        atol: Absolute tolerance; 1e-8 by default.
        equal_nan: Count NaN as equal to NaN; False by default.

    Returns:
        Tensor of the broadcast shape; bool.

    >>> import py_tensor as pt
    >>> pt.isclose([1.0, 2.0], [1.000001, 2.1]).tolist()
    [True, False]
    """
    a, b = (as_floating("isclose", x) for x in _pair("isclose", a, b))
    near: Tensor = (
        F.abs(a - b) <= F.abs(b) * number("isclose", "rtol", rtol) + number("isclose", "atol", atol)
    ) & F.isfinite(b)
    near = near | (a == b)
    return near | (F.isnan(a) & F.isnan(b)) if flag("isclose", "equal_nan", equal_nan) else near


@named
def allclose(
    a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Test if all pairs of elements are close; the answer is read back from the device.

    Args:
        a: Tensor or array-like.
        b: Tensor or array-like; the shapes broadcast.
        rtol: Relative tolerance; 1e-5 by default.
        atol: Absolute tolerance; 1e-8 by default.
        equal_nan: Count NaN as equal to NaN; False by default.

    Returns:
        True or False.

    >>> import py_tensor as pt
    >>> pt.allclose([1.0, 2.0], [1.000001, 2.0])
    True
    """
    return bool(F.all(isclose(a, b, rtol, atol, equal_nan)))


@named
def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> bool:
    """Test if two arrays have one shape and equal elements; the answer is read back.

    Args:
        a1: Tensor or array-like.
        a2: Tensor or array-like.
        equal_nan: Count NaN as equal to NaN; False by default.

    Returns:
        True or False.

    >>> import py_tensor as pt
    >>> pt.array_equal([1, 2], [1, 2]), pt.array_equal([1, 2], [1])
    (True, False)
    """
    a, b = as_tensor("array_equal", a1), as_tensor("array_equal", a2)
    if a.shape != b.shape:
        return False
    equal = a == b
    if (
        flag("array_equal", "equal_nan", equal_nan)
        and a.dtype.kind in "fc"
        and b.dtype.kind in "fc"
    ):
        equal = equal | (F.isnan(a) & F.isnan(b))
    return bool(F.all(equal))


@named
def array_equiv(a1: ArrayLike, a2: ArrayLike) -> bool:
    """Test if two arrays broadcast and have equal elements then; the answer is read back.

    Args:
        a1: Tensor or array-like.
        a2: Tensor or array-like.

    Returns:
        True or False.

    >>> import py_tensor as pt
    >>> pt.array_equiv([1, 2], [[1, 2], [1, 2]])
    True
    """
    a, b = as_tensor("array_equiv", a1), as_tensor("array_equiv", a2)
    try:
        F.broadcast_shapes(a.shape, b.shape)
    except errors.ShapeError:
        return False
    return bool(F.all(a == b))


@named
def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """Replace NaN by a number and infinities by large numbers.

    Args:
        x: Tensor or array-like.
        copy: False also assigns the result to x, which is a Tensor then; True by default.
        nan: Replacement of NaN; 0.0 by default.
        posinf: Replacement of infinity; None (default) for the largest number of the dtype.
        neginf: Replacement of minus infinity; None (default) for the smallest number.

    Returns:
        Tensor of the shape and dtype of x.

    >>> import py_tensor as pt
    >>> pt.nan_to_num([1.0, pt.nan, pt.inf], posinf=9.0).tolist()
    [1.0, 0.0, 9.0]
    """
    tensor = result = as_tensor("nan_to_num", x)

    def finite(part: Tensor) -> Tensor:
        limits = F.finfo(part.dtype)
        high = limits.max if posinf is None else posinf
        low = limits.min if neginf is None else neginf
        infinite = F.where(part > 0, high, low)
        return F.where(F.isnan(part), nan, F.where(F.isinf(part), infinite, part))

    if tensor.dtype.kind == "c":
        result = F.complex(finite(F.real(tensor)), finite(F.imag(tensor)))
    elif tensor.dtype.kind == "f":
        result = finite(tensor)
    if not flag("nan_to_num", "copy", copy):
        value: Any = x
        value[...] = result
    return result


@composite
def heaviside(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Step function: 0 for negative x1, x2 for zero, 1 for positive x1.

    Args:
        x1: Tensor or array-like of a real dtype.
        x2: Values where x1 is zero; the shapes broadcast.

    Returns:
        Tensor of the broadcast shape; floating. NaN stays NaN.

    >>> import py_tensor as pt
    >>> pt.heaviside([-1.5, 0.0, 2.0], 0.5).tolist()
    [0.0, 0.5, 1.0]
    """
    x, middle = (_real("heaviside", x) for x in _pair("heaviside", x1, x2))
    step = F.where(x > 0, 1.0, F.where(x < 0, 0.0, x))
    return F.where(x == 0, middle, step)


@composite
def exp2(x: ArrayLike, /) -> Tensor:
    """Return 2 to the power of each element.

    Args:
        x: Tensor or array-like of any numeric dtype.

    Returns:
        Tensor of the shape of x; float32 for integers.

    >>> import py_tensor as pt
    >>> round(pt.exp2(3.0).item(), 4)
    8.0
    """
    return F.pow(2.0, as_floating("exp2", x))


@composite
def cbrt(x: ArrayLike, /) -> Tensor:
    """Return the real cube root of each element.

    Args:
        x: Tensor or array-like of a real dtype.

    Returns:
        Tensor of the shape of x; float32 for integers.

    >>> import py_tensor as pt
    >>> round(pt.cbrt(-27.0).item(), 4)
    -3.0
    """
    x = _real("cbrt", x)
    size = F.abs(x)
    root = F.pow(size, 1 / 3)
    # A Newton step: the power of a GPU is not exact.
    usable = (root > 0) & F.isfinite(root)
    safe = F.where(usable, root, 1.0)
    root = root - F.where(usable, (safe - size / (safe * safe)) * (1 / 3), 0.0)
    return F.where(F.isnan(x), x, F.copysign(root, x))


@composite
def fabs(x: ArrayLike, /) -> Tensor:
    """Return the absolute values as floating numbers.

    Args:
        x: Tensor or array-like of a real dtype.

    Returns:
        Tensor of the shape of x; float32 for integers.

    >>> import py_tensor as pt
    >>> pt.fabs([-2, 3]).tolist()
    [2.0, 3.0]
    """
    return F.abs(_real("fabs", x))


@composite
def rint(x: ArrayLike, /) -> Tensor:
    """Round to the nearest integer, halves to the even one; the result is floating.

    Args:
        x: Tensor or array-like of a numeric dtype.

    Returns:
        Tensor of the shape of x; float32 for integers.

    >>> import py_tensor as pt
    >>> pt.rint([0.5, 1.5, -2.7]).tolist()
    [0.0, 2.0, -3.0]
    """
    return F.round(as_floating("rint", x))


def _ignoring_nan(name: str, x1: ArrayLike, x2: ArrayLike) -> Tensor:
    choose = F.maximum if name == "fmax" else F.minimum
    a, b = _pair(name, x1, x2)
    chosen = choose(a, b)
    for x, other in ((a, b), (b, a)):
        if x.dtype.kind == "f":
            chosen = F.where(F.isnan(x), F.astype(other, chosen.dtype, copy=False), chosen)
    return chosen


@composite
def fmax(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the larger element of each pair; NaN only if both are NaN.

    Args:
        x1: Tensor or array-like of a real dtype.
        x2: Tensor or array-like; the shapes broadcast.

    Returns:
        Tensor of the broadcast shape in the promoted dtype.

    >>> import py_tensor as pt
    >>> pt.fmax([1.0, pt.nan], [3.0, 2.0]).tolist()
    [3.0, 2.0]
    """
    return _ignoring_nan("fmax", x1, x2)


@composite
def fmin(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the smaller element of each pair; NaN only if both are NaN.

    Args:
        x1: Tensor or array-like of a real dtype.
        x2: Tensor or array-like; the shapes broadcast.

    Returns:
        Tensor of the broadcast shape in the promoted dtype.

    >>> import py_tensor as pt
    >>> pt.fmin([1.0, pt.nan], [3.0, 2.0]).tolist()
    [1.0, 2.0]
    """
    return _ignoring_nan("fmin", x1, x2)


@composite
def fmod(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the remainder of division rounded towards zero; it has the sign of x1, as in C.

    Args:
        x1: Tensor or array-like of a real dtype.
        x2: Tensor or array-like; the shapes broadcast.

    Returns:
        Tensor of the broadcast shape in the promoted dtype.

    >>> import py_tensor as pt
    >>> pt.fmod([-7, 7], [3, -3]).tolist()
    [-1, 1]
    """
    a, b = _pair("fmod", x1, x2)
    if "f" in (a.dtype.kind, b.dtype.kind):
        return F.copysign(F.remainder(F.abs(a), F.abs(b)), a)
    rest = F.remainder(a, b)
    return F.where((rest != 0) & ((a < 0) != (b < 0)), rest - b, rest)


@composite
def modf(x: ArrayLike, /) -> tuple[Tensor, Tensor]:
    """Split numbers into their fractional and integer parts; both have the sign of x.

    Args:
        x: Tensor or array-like of a real dtype.

    Returns:
        Tuple of the fractional and the integer parts; float32 for integers.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.modf([1.5, -2.25])]
    [[0.5, -0.25], [1.0, -2.0]]
    """
    x = _real("modf", x)
    whole = F.trunc(x)
    rest = F.where(F.isinf(x), 0.0, x - whole)
    return F.where(F.isnan(x), x, F.copysign(rest, x)), whole


_LOWEST = -126
"""Exponent of the smallest normal float32."""


def _power_of_two(exponent: Tensor) -> Tensor:
    """Return 2**exponent exactly, which shaders cannot, for exponents from -126 to 127."""
    powers = F.asarray([2.0**k for k in range(_LOWEST, 128)])
    return F.take(powers, exponent - _LOWEST, axis=0)


@composite
def ldexp(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return x1 * 2**x2.

    Args:
        x1: Tensor or array-like of a real dtype.
        x2: Tensor or array-like of an integer dtype; the shapes broadcast.

    Returns:
        Tensor of the broadcast shape; float32 for integers.

    >>> import py_tensor as pt
    >>> pt.ldexp(0.75, [2, -1]).tolist()
    [3.0, 0.375]
    """
    result = _real("ldexp", x1)
    (rest,) = _integers("ldexp", x2)
    rest = F.clip(F.astype(rest, "int32", copy=False), -378, 381)
    # The power itself may be too large or too small for float32 when the result is not.
    for _ in range(3):
        part = F.clip(rest, _LOWEST, 127)
        result = result * F.astype(_power_of_two(part), result.dtype, copy=False)
        rest = rest - part
    return result


@composite
def frexp(x: ArrayLike, /) -> tuple[Tensor, Tensor]:
    """Split numbers into m * 2**e with 0.5 <= |m| < 1.

    Args:
        x: Tensor or array-like of a real dtype.

    Returns:
        Tuple of m, floating, and e, int32; m is x and e is 0 for zeros, infinities and NaN.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.frexp([3.0, -0.5])]
    [[0.75, -0.5], [2, 0]]
    """
    x = _real("frexp", x)
    usable = F.isfinite(x) & (x != 0)
    safe = F.where(usable, x, 1.0)
    exponent = F.astype(F.floor(F.log2(F.abs(safe))), "int32") + 1
    part = ldexp(safe, -exponent)
    # The logarithm may be rounded to a neighbouring integer.
    size = F.abs(part)
    shift = F.astype(size >= 1, "int32") - F.astype(size < 0.5, "int32")
    part = F.where(shift > 0, part * 0.5, F.where(shift < 0, part * 2.0, part))
    return F.where(usable, part, x), F.where(usable, exponent + shift, 0)


@composite
def divmod(x1: ArrayLike, x2: ArrayLike, /) -> tuple[Tensor, Tensor]:
    """Return the quotients rounded down and the remainders.

    Args:
        x1: Tensor or array-like of a real dtype.
        x2: Tensor or array-like; the shapes broadcast.

    Returns:
        Tuple of quotients and remainders.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.divmod([7, -7], 3)]
    [[2, -3], [1, 2]]
    """
    return F.floor_divide(x1, x2), F.remainder(x1, x2)


@composite
def float_power(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Raise x1 to the power x2 in floating numbers; integers become float32 first.

    Args:
        x1: Tensor or array-like of a numeric dtype.
        x2: Tensor or array-like; the shapes broadcast.

    Returns:
        Tensor of the broadcast shape; floating or complex.

    >>> import py_tensor as pt
    >>> pt.float_power([2, 4], -1).tolist()
    [0.5, 0.25]
    """
    base, exponent = (as_floating("float_power", x) for x in _pair("float_power", x1, x2))
    return F.pow(base, exponent)


@composite
def logaddexp2(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return log2(2**x1 + 2**x2).

    Args:
        x1: Tensor or array-like of a real dtype.
        x2: Tensor or array-like; the shapes broadcast.

    Returns:
        Tensor of the broadcast shape; float32 for integers.

    >>> import py_tensor as pt
    >>> round(pt.logaddexp2(3.0, 3.0).item(), 4)
    4.0
    """
    a, b = (_real("logaddexp2", x) for x in _pair("logaddexp2", x1, x2))
    return F.logaddexp(a * math.log(2), b * math.log(2)) * (1 / math.log(2))


_STEPS = {1: 13, 2: 25, 4: 47}
"""Steps of Euclid's algorithm that suffice, by the size of an integer in bytes."""


@composite
def gcd(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the greatest common divisor of each pair of integers.

    Args:
        x1: Tensor or array-like of an integer dtype.
        x2: Tensor or array-like; the shapes broadcast.

    Returns:
        Tensor of the broadcast shape in the promoted dtype.

    >>> import py_tensor as pt
    >>> pt.gcd([12, 0], [-18, 5]).tolist()
    [6, 5]
    """
    a, b = map(F.abs, F.broadcast_arrays(*_integers("gcd", *_pair("gcd", x1, x2))))
    dtype = F.result_type(a, b)
    a, b = F.astype(a, dtype, copy=False), F.astype(b, dtype, copy=False)
    for _ in range(_STEPS[dtype.itemsize]):
        ended = b == 0
        a, b = F.where(ended, a, b), F.where(ended, 0, a % F.where(ended, 1, b))
    return a


@composite
def lcm(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Return the least common multiple of each pair of integers.

    Args:
        x1: Tensor or array-like of an integer dtype.
        x2: Tensor or array-like; the shapes broadcast.

    Returns:
        Tensor of the broadcast shape in the promoted dtype.

    >>> import py_tensor as pt
    >>> pt.lcm([4, 0], [6, 5]).tolist()
    [12, 0]
    """
    a, b = map(F.abs, _integers("lcm", *_pair("lcm", x1, x2)))
    divisor = gcd(a, b)
    return F.where(divisor == 0, 0, a // F.where(divisor == 0, 1, divisor) * b)


@composite
def bitwise_count(x: ArrayLike, /) -> Tensor:
    """Count the bits that are set in the absolute value of each integer.

    Args:
        x: Tensor or array-like of an integer dtype.

    Returns:
        Tensor of the shape of x; uint8.

    >>> import py_tensor as pt
    >>> pt.bitwise_count([7, -8]).tolist()
    [3, 1]
    """
    (integers,) = _integers("bitwise_count", x)
    v = F.astype(F.abs(integers), "uint32")
    v = v - ((v >> 1) & 0x55555555)
    v = (v & 0x33333333) + ((v >> 2) & 0x33333333)
    v = (v + (v >> 4)) & 0x0F0F0F0F
    return F.astype((v * 0x01010101) >> 24, "uint8")


@composite
def isposinf(x: ArrayLike) -> Tensor:
    """Test each element for positive infinity.

    Args:
        x: Tensor or array-like of a real dtype.

    Returns:
        Tensor of the shape of x; bool.

    >>> import py_tensor as pt
    >>> pt.isposinf([pt.inf, -pt.inf]).tolist()
    [True, False]
    """
    x = _real("isposinf", x)
    return F.logical_and(F.isinf(x), x > 0)


@composite
def isneginf(x: ArrayLike) -> Tensor:
    """Test each element for negative infinity.

    Args:
        x: Tensor or array-like of a real dtype.

    Returns:
        Tensor of the shape of x; bool.

    >>> import py_tensor as pt
    >>> pt.isneginf([pt.inf, -pt.inf]).tolist()
    [False, True]
    """
    x = _real("isneginf", x)
    return F.logical_and(F.isinf(x), x < 0)


@composite
def degrees(x: ArrayLike, /) -> Tensor:
    """Convert angles from radians to degrees.

    Args:
        x: Tensor or array-like of a real dtype.

    Returns:
        Tensor of the shape of x; float32 for integers.

    >>> import py_tensor as pt
    >>> round(pt.degrees(pt.pi).item(), 3)
    180.0
    """
    return _real("degrees", x) * (180 / math.pi)


@composite
def radians(x: ArrayLike, /) -> Tensor:
    """Convert angles from degrees to radians.

    Args:
        x: Tensor or array-like of a real dtype.

    Returns:
        Tensor of the shape of x; float32 for integers.

    >>> import py_tensor as pt
    >>> round(pt.radians(180).item(), 4)
    3.1416
    """
    return _real("radians", x) * (math.pi / 180)


deg2rad = radians
rad2deg = degrees


@composite
def spacing(x: ArrayLike, /) -> Tensor:
    """Return the distance from each element to the next number away from zero.

    Args:
        x: Tensor or array-like of a real dtype.

    Returns:
        Tensor of the shape of x; float32 for integers.

    >>> import py_tensor as pt
    >>> pt.spacing(1.0).item()
    1.1920928955078125e-07
    """
    x = _real("spacing", x)
    return F.subtract(F.nextafter(x, F.copysign(math.inf, x)), x)


@named
def sinc(x: ArrayLike) -> Tensor:
    """Return sin(pi x) / (pi x), and 1 for x = 0.

    Args:
        x: Tensor or array-like of a numeric dtype.

    Returns:
        Tensor of the shape of x; float32 for integers.

    >>> import py_tensor as pt
    >>> round(pt.sinc(0.5).item(), 4)
    0.6366
    """
    x = as_floating("sinc", x)
    angle = F.where(x == 0, 1.0, x * math.pi)
    return F.where(x == 0, 1.0, F.sin(angle) / angle)


def real_if_close(a: ArrayLike, tol: float = 100) -> Tensor:
    """Return the real parts if all imaginary parts are close to zero; they are read back.

    Args:
        a: Tensor or array-like.
        tol: Tolerance in units of the dtype's epsilon if above 1, else absolute; 100 by default.

    Returns:
        Real tensor, or a itself.

    >>> import py_tensor as pt
    >>> pt.real_if_close([1 + 1e-9j, 2]).dtype
    float32
    """
    x = as_tensor("real_if_close", a)
    if x.dtype.kind != "c":
        return x
    tol = number("real_if_close", "tol", tol)
    limit = tol * F.finfo(x.dtype).eps if tol > 1 else tol
    return F.real(x) if bool(F.all(F.abs(F.imag(x)) < limit)) else x


def iscomplexobj(x: object) -> bool:
    """Test if an argument has a complex dtype.

    Args:
        x: Tensor or array-like.

    Returns:
        True or False.

    >>> import py_tensor as pt
    >>> pt.iscomplexobj([1, 2j])
    True
    """
    return as_tensor("iscomplexobj", x).dtype.kind == "c"


@named
def isrealobj(x: object) -> bool:
    """Test if an argument has no complex dtype.

    Args:
        x: Tensor or array-like.

    Returns:
        True or False.

    >>> import py_tensor as pt
    >>> pt.isrealobj([1.0, 2.0])
    True
    """
    return not iscomplexobj(x)


def isscalar(element: object) -> bool:
    """Test if an object is a number or a string; tensors of shape () are not.

    Args:
        element: Any object.

    Returns:
        True or False.

    >>> import py_tensor as pt
    >>> pt.isscalar(3.1), pt.isscalar(pt.asarray(3.1))
    (True, False)
    """
    numpy_scalar = any(kind.__name__ == "generic" for kind in type(element).__mro__)
    return isinstance(element, int | float | complex | str | bytes) or numpy_scalar


def iterable(y: Any) -> bool:
    """Test if an object can be iterated over; tensors of shape () cannot.

    Args:
        y: Any object.

    Returns:
        True or False.

    >>> import py_tensor as pt
    >>> pt.iterable([1, 2]), pt.iterable(2)
    (True, False)
    """
    try:
        iter(y)
    except TypeError:
        return False
    return True


def _bit_weights(operation: str, bitorder: str) -> list[int]:
    big = choice(operation, "bitorder", bitorder, ("big", "little")) == "big"
    return list(range(7, -1, -1)) if big else list(range(8))


@named
def packbits(a: ArrayLike, /, axis: int | None = None, bitorder: str = "big") -> Tensor:
    """Pack truth values into bytes; zeros are added up to a multiple of 8.

    Args:
        a: Tensor or array-like of an integer dtype or bool.
        axis: Axis to pack along; None (default) for the flattened tensor.
        bitorder: "big" (default) if the first value is the highest bit, or "little".

    Returns:
        Tensor of bytes; uint8.

    Raises:
        ArgumentError: If `bitorder` is unknown.

    >>> import py_tensor as pt
    >>> pt.packbits([1, 0, 0, 0, 0, 0, 1, 1, 1]).tolist()
    [131, 128]
    """
    shifts = F.asarray(_bit_weights("packbits", bitorder))
    bits, along = flat_or_along("packbits", a, axis)
    rows = F.moveaxis(F.astype(bits != 0, "int32"), along, -1)
    rows = F.pad(rows, ((0, 0),) * (rows.ndim - 1) + ((0, -rows.shape[-1] % 8),))
    rows = F.reshape(rows, (*rows.shape[:-1], rows.shape[-1] // 8, 8))
    packed = F.astype(F.sum(rows << shifts, axis=-1), "uint8")
    return F.moveaxis(packed, -1, along)


@named
def unpackbits(
    a: ArrayLike, /, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> Tensor:
    """Unpack bytes into zeros and ones.

    Args:
        a: Tensor or array-like of dtype uint8.
        axis: Axis to unpack along; None (default) for the flattened tensor.
        count: Number of elements of the result along the axis, which is cut or padded with zeros;
            negative numbers leave out elements at the end; None (default) for all.
        bitorder: "big" (default) if the first value is the highest bit, or "little".

    Returns:
        Tensor of zeros and ones; uint8.

    Raises:
        ArgumentError: If `bitorder` is unknown.
        DTypeError: If a is not uint8.

    >>> import py_tensor as pt
    >>> pt.unpackbits(pt.asarray([131], dtype="uint8")).tolist()
    [1, 0, 0, 0, 0, 0, 1, 1]
    """
    shifts = F.asarray(_bit_weights("unpackbits", bitorder))
    packed, along = flat_or_along("unpackbits", a, axis)
    if packed.dtype is not uint8:
        raise DTypeError(f'unpackbits: dtype {packed.dtype} is not uint8; use x.astype("uint8")')
    rows = F.expand_dims(F.astype(F.moveaxis(packed, along, -1), "int32"), axis=-1)
    bits = F.reshape((rows >> shifts) & 1, (*rows.shape[:-2], rows.shape[-2] * 8))
    if count is not None:
        bits = bits[..., :count]
        bits = F.pad(bits, ((0, 0),) * (bits.ndim - 1) + ((0, max(count - bits.shape[-1], 0)),))
    return F.moveaxis(F.astype(bits, "uint8"), -1, along)
