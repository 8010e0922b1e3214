"""Elementwise operations by NumPy in float64, independent of the op table's own references."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

IN_OWN_DTYPE = {"nextafter", "copysign", "signbit", "isfinite", "isinf", "isnan"}
"""Floating operations that are about bits and so must not be computed in float64."""


def _erfinv(x: Any) -> Any:
    """Newton's method on erf, which converges from 0 to the last bit of float64."""
    if abs(x) >= 1 or math.isnan(x):
        return math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    if x == 0:
        return x
    y = 0.0
    for _ in range(200):
        step = (math.erf(y) - x) / (2 / math.sqrt(math.pi) * math.exp(-y * y))
        y -= max(-0.5, min(0.5, step))
    return y


def _each(function: Callable[[float], float]) -> Callable[[Any], Any]:
    return np.vectorize(function, otypes=[np.float64])


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "relu": lambda x: np.where(np.isnan(x), x, np.where(x > 0, x, np.zeros_like(x))),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "erf": _each(math.erf),
    "erfinv": _each(_erfinv),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "atan2": np.arctan2,
}


def function(name: str) -> Callable[..., Any]:
    """The NumPy function of an operation's name."""
    return _FUNCTIONS.get(name) or getattr(np, name)  # type: ignore[no-any-return]


def result(name: str, *operands: Any) -> Any:
    """The operation's value, rounded once to the operands' dtype; bool for predicates."""
    dtype = np.asarray(operands[-1]).dtype
    wide = dtype.kind == "f" and name not in IN_OWN_DTYPE
    if wide:
        operands = tuple(x.astype("float64") if x.dtype.kind == "f" else x for x in operands)
    with np.errstate(all="ignore"):
        value = np.asarray(function(name)(*operands))
        return value if value.dtype.kind == "b" else value.astype(dtype)
