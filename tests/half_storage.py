"""Tolerances and exceptions of `--storage float16`, under which textures hold float32 as float16.

Results and operands are rounded to 11 bits whenever they are stored. The comparisons of NumPy and
pytest therefore allow an error in the tenth bit, of the number itself and of the largest number
that it is compared with: a small result of larger terms has their error.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

ROUNDING = 2.0**-9
"""Error relative to the largest number: operands and results, each rounded to 2**-11, twice."""


def largest(expected: Any) -> float:
    """Return the largest finite absolute value of an array."""
    values = np.abs(np.asarray(expected))
    return float(np.max(values[np.isfinite(values)], initial=0.0))


def is_real(*values: Any) -> bool:
    """Return True if all values are arrays of floats or complex numbers."""
    return all(np.asarray(value).dtype.kind in "fc" for value in values)


def widen(patch: pytest.MonkeyPatch) -> None:
    """Widen the comparisons of floats in NumPy and pytest."""
    allclose, array_equal, approx = (
        np.testing.assert_allclose,
        np.testing.assert_array_equal,
        pytest.approx,
    )

    def assert_allclose(
        actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 0.0, **options: Any
    ) -> None:
        if is_real(actual, desired):
            rtol, atol = max(rtol, ROUNDING), max(atol, ROUNDING * largest(desired))
        allclose(actual, desired, rtol=rtol, atol=atol, **options)

    def assert_array_equal(actual: Any, desired: Any, *args: Any, **options: Any) -> None:
        if not is_real(actual, desired) or options.pop("strict", False):
            array_equal(actual, desired, *args, **options)
            return
        assert_allclose(actual, desired, rtol=0.0, **options)

    def widened(expected: Any, rel: Any = None, abs: Any = None, **options: Any) -> Any:
        numbers = [*expected.values()] if isinstance(expected, dict) else expected
        if is_real(numbers):
            rel = max(rel or 1e-6, ROUNDING)
            abs = max(abs or 1e-12, ROUNDING * largest(numbers))
        return approx(expected, rel=rel, abs=abs, **options)

    patch.setattr(np.testing, "assert_allclose", assert_allclose)
    patch.setattr(np.testing, "assert_array_equal", assert_array_equal)
    patch.setattr(pytest, "approx", widened)
