"""Functions that formulas call, of plain Python numbers; `FUNCTIONS` has them by name.

Input: one number for each operand. Output: one number, not yet converted to a dtype.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from typing import Any

from ..language.names import from_bits
from . import special_functions

Plain = Callable[..., Any]
_RAISED = (ValueError, OverflowError, ZeroDivisionError)


def ieee(function: Plain, instead: Plain = lambda *operands: math.nan) -> Plain:
    """Wrap `function` so that `instead` returns the IEEE 754 result if Python raises."""

    def computed(*operands: Any) -> Any:
        try:
            return function(*operands)
        except _RAISED:
            return instead(*operands)

    return computed


def at_pole(pole: float, value: float) -> Plain:
    """Return a function that returns `value` at the pole and NaN elsewhere, for use with `ieee`."""
    return lambda x: value if x == pole else math.nan


def _over_zero(x: float, y: float) -> float:
    return math.copysign(math.inf, x) * math.copysign(1.0, y) if x and x == x else math.nan


def _infinite_power(x: float, y: float) -> float:
    if x < 0.0 and y % 1.0:
        return math.nan
    return math.copysign(math.inf, x) if y % 2.0 == 1.0 else math.inf


_float_pow = ieee(math.pow, _infinite_power)


def power(x: Any, y: Any) -> Any:
    # Modulo 2**32, since large exponents would otherwise make integers with as many digits.
    return pow(x, max(y, 0), 1 << 32) if type(x) is int else _float_pow(x, y)


def sign(x: Any) -> Any:
    return (x > 0) - (x < 0) if x == x else x


def maximum(x: Any, y: Any) -> Any:
    return x if x > y or x != x else y


def minimum(x: Any, y: Any) -> Any:
    return x if x < y or x != x else y


def invert(x: Any) -> Any:
    return not x if type(x) is bool else ~x


def shift_left(x: int, count: int) -> int:
    return x << count if 0 <= count < 32 else 0


def shift_right(x: int, count: int) -> int:
    return x >> count if 0 <= count < 32 else -(x < 0)


def rounding(function: Plain) -> Plain:
    """Wrap a rounding function of `math` so that it keeps the sign of zero, infinities and NaN."""

    def rounded(x: Any) -> Any:
        if type(x) is complex:
            return complex(of_float(x.real), of_float(x.imag))
        return x if type(x) is int else of_float(x)

    of_float = ieee(lambda x: math.copysign(function(x), x), lambda x: x)
    return rounded


def signbit(x: float) -> bool:
    return math.copysign(1.0, x) < 0.0


def logaddexp(x: float, y: float) -> Any:
    if x == y:
        return x + math.log(2.0)
    return maximum(x, y) + math.log1p(math.exp(-abs(x - y)))


def next_number(code: str, bits: str) -> Plain:
    """Return `nextafter` for floats of a `struct` format, and the format of their bits."""

    def following(x: float, y: float) -> Any:
        if x == y or x != x or y != y:
            return y if x == x else x
        # Floats of one sign are in the order of their bits.
        (number,) = struct.unpack(bits, struct.pack(code, abs(x)))
        number += 1 if x == 0.0 or (y > x) == (x > 0.0) else -1
        (size,) = struct.unpack(code, struct.pack(bits, number))
        return math.copysign(size, x or y)

    return following


def threefry(k0: int, k1: int, count: int, second: int = 0xFFFFFFFF) -> int:
    """Return 32 random bits for a pair of keys and a counter; the first word if `second` is 0."""
    a, b = threefry_block(k0, k1, count)
    return a ^ (b & second)


def threefry_block(k0: int, k1: int, count: int) -> tuple[int, int]:
    """Return the two words of Threefry-2x32 (Salmon et al. 2011) with 20 rounds."""
    mask = 0xFFFFFFFF
    keys = (k0, k1, k0 ^ k1 ^ 0x1BD11BDA)
    a, b = k0, (count + k1) & mask
    for block in range(5):
        for n in ((13, 15, 26, 6), (17, 29, 16, 24))[block % 2]:
            a = (a + b) & mask
            b = ((b << n | b >> (32 - n)) & mask) ^ a
        a = (a + keys[(block + 1) % 3]) & mask
        b = (b + keys[(block + 2) % 3] + block + 1) & mask
    return a, b


_OF_MATH: tuple[Plain, ...] = (
    *(math.sqrt, math.hypot, math.copysign, math.erf, math.erfc, math.tanh, math.asinh, math.acosh),
    *(math.sin, math.cos, math.tan, math.asin, math.acos, math.atan, math.atan2),
)
_OWN: tuple[Plain, ...] = (
    *(sign, signbit, maximum, minimum, invert, shift_left, shift_right, logaddexp, threefry),
    *(special_functions.cos_of_turn, special_functions.erfinv, special_functions.lgamma),
    *(special_functions.digamma, special_functions.i0, special_functions.betainc, from_bits),
)
FUNCTIONS: dict[str, Plain] = {
    **{function.__name__: ieee(function) for function in _OF_MATH},
    **{function.__name__: function for function in _OWN},
    "divide": ieee(operator.truediv, _over_zero),
    "ratio": ieee(operator.truediv, _over_zero),
    "floor_divide": ieee(operator.floordiv, lambda x, y: 0 if type(x) is int else _over_zero(x, y)),
    "remainder": ieee(operator.mod, lambda x, y: 0 if type(x) is int else math.nan),
    "pow": power,
    "ceil": rounding(math.ceil),
    "floor": rounding(math.floor),
    "trunc": rounding(math.trunc),
    "round": rounding(round),
    "is_finite": math.isfinite,
    "is_inf": math.isinf,
    "is_nan": math.isnan,
    "nextafter": next_number("f", "i"),
    "nextafter_half": next_number("e", "h"),
    "exp": ieee(math.exp, lambda x: math.inf),
    "expm1": ieee(math.expm1, lambda x: math.inf),
    "log": ieee(math.log, at_pole(0.0, -math.inf)),
    "log1p": ieee(math.log1p, at_pole(-1.0, -math.inf)),
    "log2": ieee(math.log2, at_pole(0.0, -math.inf)),
    "sinh": ieee(math.sinh, lambda x: math.copysign(math.inf, x)),
    "cosh": ieee(math.cosh, lambda x: math.inf),
    "atanh": ieee(math.atanh, lambda x: x * math.inf if abs(x) == 1.0 else math.nan),
}
"""Functions by the names that formulas call. Division and ~ are functions, too."""
