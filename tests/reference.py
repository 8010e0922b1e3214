"""Elementwise operations by NumPy in float64, independent of the op table's own references."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

IN_OWN_DTYPE = {"nextafter", "copysign", "signbit", "isfinite", "isinf", "isnan"}
"""Floating operations that depend on bits and so must not be computed in float64."""


def _erfinv(x: Any) -> Any:
    """Invert erf by Newton's method, which converges from 0 to the last bit of float64."""
    if abs(x) >= 1 or math.isnan(x):
        return math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    if x == 0:
        return x
    y = 0.0
    for _ in range(200):
        step = (math.erf(y) - x) / (2 / math.sqrt(math.pi) * math.exp(-y * y))
        y -= max(-0.5, min(0.5, step))
    return y


def _lgamma(x: float) -> float:
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf
    return math.lgamma(x)


def _digamma(x: float) -> float:
    """Differentiate lgamma by Richardson's extrapolation of central differences."""
    if x == math.inf or math.isnan(x):
        return x
    if x == -math.inf or (x <= 0 and x == math.floor(x)):
        return math.nan
    if x > 1e6:
        return math.log(x) - 0.5 / x
    steps = [1e-3 * min(1.0, abs(x)) / 2**k for k in range(3)]
    table = [(math.lgamma(x + h) - math.lgamma(x - h)) / (2 * h) for h in steps]
    for order in (4, 16):
        table = [(order * b - a) / (order - 1) for a, b in pairwise(table)]
    return table[0]


def _i0(x: float) -> float:
    return math.inf if abs(x) > 700 else float(np.i0(x))


def _each(function: Callable[[float], float]) -> Callable[[Any], Any]:
    return np.vectorize(function, otypes=[np.float64])


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "relu": lambda x: np.where(np.isnan(x), x, np.where(x > 0, x, np.zeros_like(x))),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "erf": _each(math.erf),
    "erfc": _each(math.erfc),
    "lgamma": _each(_lgamma),
    "digamma": _each(_digamma),
    "i0": _each(_i0),
    "erfinv": _each(_erfinv),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "atan2": np.arctan2,
}


def function(name: str) -> Callable[..., Any]:
    """Return the NumPy function of an operation's name."""
    return _FUNCTIONS.get(name) or getattr(np, name)  # type: ignore[no-any-return]


def result(name: str, *operands: Any) -> Any:
    """Compute the operation and round once to the operands' dtype; bool for predicates."""
    dtype = np.asarray(operands[-1]).dtype
    wide = dtype.kind == "f" and name not in IN_OWN_DTYPE
    if wide:
        operands = tuple(x.astype("float64") if x.dtype.kind == "f" else x for x in operands)
    with np.errstate(all="ignore"):
        value = np.asarray(function(name)(*operands))
        return value if value.dtype.kind == "b" else value.astype(dtype)
