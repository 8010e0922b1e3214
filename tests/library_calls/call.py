"""A call of another library's function, which is run with NumPy and with py_tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Call(NamedTuple):
    """A call of a library's function."""

    name: str
    """Path of the function, followed by a word about the arguments if it is called twice."""
    run: Callable[[Any], Any]
    """Call the function with arrays of the given namespace and return its result."""
    rtol: float = 1e-4
    atol: float = 1e-5
    host: bool = False
    """The library returns arrays of NumPy, whatever arrays it is given."""


def converted(xp: Any, value: Any) -> Any:
    """Return arguments with all NumPy arrays replaced by arrays of the namespace."""
    if isinstance(value, np.ndarray):
        # A copy, because some calls write to their arguments.
        return xp.asarray(value.copy())
    if type(value) in (list, tuple):
        return type(value)(converted(xp, item) for item in value)
    return value


def of(name: str, function: Callable[..., Any], *args: Any, **options: Any) -> Call:
    """Return the call of a function with these arguments, in which arrays are converted."""

    def run(xp: Any) -> Any:
        named = {key: converted(xp, value) for key, value in options.items()}
        return function(*converted(xp, args), **named)

    return Call(name, run)


def each(
    prefix: str, functions: list[Callable[..., Any]], *args: Any, **options: Any
) -> list[Call]:
    """Return a call of each function with the same arguments."""
    return [of(f"{prefix}.{f.__name__}", f, *args, **options) for f in functions]


_rng = np.random.default_rng(7)

X = _rng.normal(size=(12, 4)).astype("float32")
"""Normal samples: 12 rows of 4 features."""
Y = (X @ np.asarray([1.0, -2.0, 0.5, 0.0]) + 0.1 * _rng.normal(size=12)).astype("float32")
"""A linear function of the features, with noise."""
P = _rng.uniform(0.5, 4.0, (3, 5)).astype("float32")
"""Positive numbers."""
U = _rng.uniform(0.05, 0.95, (3, 5)).astype("float32")
"""Numbers between 0 and 1."""
V = _rng.normal(size=32).astype("float32")
"""A signal of 32 samples."""
W = (0.5 * V + _rng.normal(size=32)).astype("float32")
"""A signal that is correlated with V."""
IMAGE = _rng.uniform(0.0, 1.0, (9, 8)).astype("float32")
"""A grey image."""
MASK = IMAGE > 0.45
"""A binary image."""
LABELS = np.asarray([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2], "int32")
"""A class for each row of X."""
BINARY = np.asarray([0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0], "int32")
"""A truth value for each row of X."""
Z = (_rng.normal(size=(4, 6)) + 1j * _rng.normal(size=(4, 6))).astype("complex64")
"""Complex numbers."""
SPD = (X.T @ X + np.eye(4)).astype("float32")
"""A symmetric positive definite matrix."""
