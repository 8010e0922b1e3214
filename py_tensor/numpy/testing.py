"""Assertions about arrays, with the names and rules of `numpy.testing`.

The arguments are read back. A failure raises AssertionError with both arrays.

>>> import py_tensor.numpy as np
>>> np.testing.assert_allclose(np.sqrt([4.0, 9.0]), [2.0, 3.0])
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from .. import functions as F
from ..numpy_functions import isclose
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike

__all__ = [
    "assert_",
    "assert_allclose",
    "assert_almost_equal",
    "assert_approx_equal",
    "assert_array_almost_equal",
    "assert_array_equal",
    "assert_array_less",
    "assert_equal",
    "assert_raises",
    "assert_raises_regex",
]


def assert_(val: Any, msg: str = "") -> None:
    """Raise AssertionError if a value is false.

    Args:
        val: Value whose truth is tested.
        msg: Text of the error.
    """
    if not val:
        raise AssertionError(msg)


def _compare(
    rule: str, actual: ArrayLike, desired: ArrayLike, close: Callable[..., Tensor], msg: str
) -> None:
    x, y = as_tensor(rule, actual), as_tensor(rule, desired)
    fits = () in (x.shape, y.shape) or x.shape == y.shape
    if not fits or not bool(F.all(close(x, y))):
        shapes = "" if fits else f"; shapes {x.shape} and {y.shape} differ"
        raise AssertionError(f"arrays are not {rule}{shapes}\n{msg}\n ACTUAL: {x}\n DESIRED: {y}")


def _equal(x: Tensor, y: Tensor) -> Tensor:
    return (x == y) | (F.isnan(x) & F.isnan(y))


def assert_allclose(
    actual: ArrayLike,
    desired: ArrayLike,
    rtol: float = 1e-7,
    atol: float = 0,
    equal_nan: bool = True,
    err_msg: str = "",
    verbose: bool = True,
) -> None:
    """Raise AssertionError unless elements are within `atol + rtol * abs(desired)` of each other.

    Args:
        actual: Computed values.
        desired: Expected values.
        rtol: Relative tolerance; 1e-7 by default, which is at least 1e-6 here: float32 has 24 bits.
        atol: Absolute tolerance; 0 by default.
        equal_nan: Count NaN as equal to NaN; True by default.
        err_msg: Text for the error.
        verbose: Ignored.
    """
    rtol = max(rtol, 1e-6)
    rule = f"equal up to rtol={rtol}, atol={atol}"
    _compare(rule, actual, desired, lambda x, y: isclose(x, y, rtol, atol, equal_nan), err_msg)


def assert_array_equal(
    actual: ArrayLike, desired: ArrayLike, err_msg: str = "", verbose: bool = True
) -> None:
    """Raise AssertionError unless all elements are equal; NaN equals NaN.

    Args:
        actual: Computed values.
        desired: Expected values, or a number for all elements.
        err_msg: Text for the error.
        verbose: Ignored.
    """
    _compare("equal", actual, desired, _equal, err_msg)


def assert_array_almost_equal(
    actual: ArrayLike,
    desired: ArrayLike,
    decimal: int = 6,
    err_msg: str = "",
    verbose: bool = True,
) -> None:
    """Raise AssertionError unless differences are below `1.5 * 10**-decimal`.

    Args:
        actual: Computed values.
        desired: Expected values.
        decimal: Number of equal decimals; 6 by default.
        err_msg: Text for the error.
        verbose: Ignored.
    """
    limit = 1.5 * 10.0**-decimal

    def close(x: Tensor, y: Tensor) -> Tensor:
        return _equal(x, y) | (abs(x - y) < limit)

    _compare(f"equal to {decimal} decimals", actual, desired, close, err_msg)


assert_almost_equal = assert_array_almost_equal


def assert_approx_equal(
    actual: float, desired: float, significant: int = 7, err_msg: str = "", verbose: bool = True
) -> None:
    """Raise AssertionError unless two numbers agree in their leading digits.

    Args:
        actual: Computed number.
        desired: Expected number.
        significant: Number of equal digits; 7 by default.
        err_msg: Text for the error.
        verbose: Ignored.
    """
    x, y = float(actual), float(desired)
    size = max(abs(x), abs(y))
    digits = math.floor(math.log10(size)) if 0 < size < math.inf else 0
    if x != y and not abs(x - y) < 10.0 ** (digits - significant + 1):
        raise AssertionError(f"{x} and {y} are not equal to {significant} digits\n{err_msg}")


def assert_array_less(x: ArrayLike, y: ArrayLike, err_msg: str = "", verbose: bool = True) -> None:
    """Raise AssertionError unless all elements of x are less than those of y.

    Args:
        x: Smaller values.
        y: Larger values.
        err_msg: Text for the error.
        verbose: Ignored.
    """
    _compare("less", x, y, F.less, err_msg)


def assert_equal(actual: Any, desired: Any, err_msg: str = "", verbose: bool = True) -> None:
    """Raise AssertionError unless two values, also lists, tuples and dicts of arrays, are equal.

    Args:
        actual: Computed value.
        desired: Expected value.
        err_msg: Text for the error.
        verbose: Ignored.
    """
    if isinstance(desired, dict) and isinstance(actual, dict):
        assert_equal(sorted(actual), sorted(desired), err_msg)
        pairs = [(actual[key], desired[key]) for key in desired]
    elif isinstance(desired, list | tuple) and isinstance(actual, list | tuple):
        assert_(len(actual) == len(desired), f"lengths differ: {actual} and {desired}\n{err_msg}")
        pairs = list(zip(actual, desired, strict=True))
    elif isinstance(actual, str | type(None)) or isinstance(desired, str | type(None)):
        assert_(actual == desired, f"{actual!r} is not equal to {desired!r}\n{err_msg}")
        return
    else:
        assert_array_equal(actual, desired, err_msg)
        return
    for one, other in pairs:
        assert_equal(one, other, err_msg)


@contextmanager
def _raising(kinds: Any, pattern: str) -> Any:
    try:
        yield
    except kinds as error:
        assert_(re.search(pattern, str(error)), f"{pattern!r} is not in {str(error)!r}")
    else:
        raise AssertionError(f"{kinds} was not raised")


def assert_raises(
    exception_class: Any, *call: Any, **kwargs: Any
) -> AbstractContextManager[None] | None:
    """Raise AssertionError unless a call, or the block of a `with` statement, raises an error.

    Args:
        exception_class: Class of the error, or a tuple of them.
        call: Function and its arguments; none for a context manager.
        kwargs: Arguments of the function by name.

    Returns:
        Context manager if there is no function.
    """
    return assert_raises_regex(exception_class, "", *call, **kwargs)


def assert_raises_regex(
    exception_class: Any, expected_regexp: str, *call: Any, **kwargs: Any
) -> AbstractContextManager[None] | None:
    """Raise AssertionError unless an error is raised whose text matches a pattern.

    Args:
        exception_class: Class of the error, or a tuple of them.
        expected_regexp: Regular expression that is searched in the text.
        call: Function and its arguments; none for a context manager.
        kwargs: Arguments of the function by name.

    Returns:
        Context manager if there is no function.
    """
    context: AbstractContextManager[None] = _raising(exception_class, expected_regexp)
    if not call:
        return context
    function, *args = call
    with context:
        function(*args, **kwargs)
    return None
