"""The rows' functions of plain Python numbers, where `operator` and `math` have no such function.

Comes in: one number for each operand; goes out: one number, not yet brought into a dtype.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

Plain = Callable[..., Any]
_RAISED = (ValueError, OverflowError, ZeroDivisionError)


def ieee(function: Plain, instead: Plain = lambda *operands: math.nan) -> Plain:
    """`function`; where Python raises, `instead` says what IEEE 754 gives for the operands."""

    def computed(*operands: Any) -> Any:
        try:
            return function(*operands)
        except _RAISED:
            return instead(*operands)

    return computed


def at_pole(pole: float, value: float) -> Plain:
    """What a function gives that is infinite at one place, and not defined where else it raises."""
    return lambda x: value if x == pole else math.nan


def _over_zero(x: float, y: float) -> float:
    return math.copysign(math.inf, x) * math.copysign(1.0, y) if x and x == x else math.nan


divide = ieee(operator.truediv, _over_zero)
exp = ieee(math.exp, lambda x: math.inf)
sqrt = ieee(math.sqrt)
floor_divide = ieee(operator.floordiv, lambda x, y: 0 if type(x) is int else _over_zero(x, y))
remainder = ieee(operator.mod, lambda x, y: 0 if type(x) is int else math.nan)


def reciprocal(x: float) -> Any:
    return divide(1.0, x)


def rsqrt(x: float) -> Any:
    return divide(1.0, sqrt(x))


def sigmoid(x: float) -> Any:
    return 1.0 / (1.0 + exp(-x))


def _infinite_power(x: float, y: float) -> float:
    if x < 0.0 and y % 1.0:
        return math.nan
    return math.copysign(math.inf, x) if y % 2.0 == 1.0 else math.inf


_float_pow = ieee(math.pow, _infinite_power)


def power(x: Any, y: Any) -> Any:
    # Modulo 2**32, or large exponents would make integers of as many digits.
    return pow(x, max(y, 0), 1 << 32) if type(x) is int else _float_pow(x, y)


def sign(x: Any) -> Any:
    return (x > 0) - (x < 0) if x == x else x


def maximum(x: Any, y: Any) -> Any:
    return x if x > y or x != x else y


def minimum(x: Any, y: Any) -> Any:
    return x if x < y or x != x else y


def clip(x: Any, low: Any, high: Any) -> Any:
    return minimum(maximum(x, low), high)


def relu(x: Any) -> Any:
    return x if x > 0 or x != x else 0


def where(condition: bool, x: Any, y: Any) -> Any:
    return x if condition else y


def identity(x: Any) -> Any:
    return x


def invert(x: Any) -> Any:
    return not x if type(x) is bool else ~x


def shift_left(x: int, count: int) -> int:
    return x << count if 0 <= count < 32 else 0


def shift_right(x: int, count: int) -> int:
    return x >> count if 0 <= count < 32 else -(x < 0)


def rounding(function: Plain) -> Plain:
    """A rounding function of `math` that keeps the sign of zero, and infinities and NaN."""
    return ieee(lambda x: x if type(x) is int else math.copysign(function(x), x), identity)


def signbit(x: float) -> bool:
    return math.copysign(1.0, x) < 0.0


def logaddexp(x: float, y: float) -> Any:
    if x == y:
        return x + math.log(2.0)
    return maximum(x, y) + math.log1p(math.exp(-abs(x - y)))
