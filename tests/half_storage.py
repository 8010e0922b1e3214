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
"""Relative error of results: operands and results are rounded by up to 2**-11, twice each."""

_patch = pytest.MonkeyPatch()
_active = False


def is_active() -> bool:
    """Return True in a run with `--storage float16`."""
    return _active


def tolerance(relative: float) -> float:
    """Return the relative error that is allowed instead of the one for float32."""
    return max(relative, ROUNDING) if _active else relative


def epsilon(last_place: float) -> float:
    """Return the relative distance of neighbouring numbers, `last_place` for float32."""
    return 2.0**-10 if _active else last_place


def largest(expected: Any) -> float:
    """Return the largest finite absolute value of an array in a run with `--storage float16`."""
    values = np.abs(np.asarray(expected))
    return float(np.max(values[np.isfinite(values)], initial=0.0)) if _active else 0.0


def _is_real(*values: Any) -> bool:
    return all(np.asarray(value).dtype.kind in "fc" for value in values)


def start() -> None:
    """Widen the comparisons of floats in NumPy and pytest."""
    global _active
    _active = True
    allclose = np.testing.assert_allclose
    array_equal = np.testing.assert_array_equal
    approx = pytest.approx

    def assert_allclose(
        actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 0.0, **options: Any
    ) -> None:
        if _is_real(actual, desired):
            rtol, atol = tolerance(rtol), max(atol, ROUNDING * largest(desired))
        allclose(actual, desired, rtol=rtol, atol=atol, **options)

    def assert_array_equal(actual: Any, desired: Any, *args: Any, **options: Any) -> None:
        if not _is_real(actual, desired) or options.get("strict", False):
            array_equal(actual, desired, *args, **options)
        else:
            assert_allclose(actual, desired, **options)

    def widened(expected: Any, rel: Any = None, abs: Any = None, **options: Any) -> Any:
        numbers = [*expected.values()] if isinstance(expected, dict) else expected
        if _is_real(numbers):
            rel, abs = tolerance(rel or 1e-6), max(abs or 1e-12, ROUNDING * largest(numbers))
        return approx(expected, rel=rel, abs=abs, **options)

    _patch.setattr(np.testing, "assert_allclose", assert_allclose)
    _patch.setattr(np.testing, "assert_array_equal", assert_array_equal)
    _patch.setattr(pytest, "approx", widened)


def stop() -> None:
    """Undo `start`."""
    global _active
    _active = False
    _patch.undo()
