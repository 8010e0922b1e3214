"""Numbers and arrays as text."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from ..dtypes import wrong_type
from ..errors import ArgumentError
from ..functions.arguments import MOST_STEPS, choice, flag, integer, number
from ..functions.decorators import named
from ..runtime import array_format
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def base_repr(number: int, base: int = 2, padding: int = 0) -> str:
    """Return an integer as text in a base.

    Args:
        number: Integer.
        base: Base from 2 to 36; 2 by default.
        padding: Number of zeros to add on the left; 0 by default.

    Returns:
        str.

    Raises:
        ArgumentError: If the base is out of range.

    >>> import py_tensor as pt
    >>> pt.base_repr(-255, 16)
    '-FF'
    """
    base = integer("base_repr", "base", base)
    if not 2 <= base <= 36:
        raise ArgumentError(f"base_repr: base out of range; got {base}; use 2 to 36")
    rest = abs(integer("base_repr", "number", number))
    digits = ""
    while rest:
        rest, digit = divmod(rest, base)
        digits = _DIGITS[digit] + digits
    text = "0" * integer("base_repr", "padding", padding, 0, MOST_STEPS) + digits
    return ("-" if number < 0 else "") + (text or "0")


def binary_repr(num: int, width: int | None = None) -> str:
    """Return an integer as binary text; with a width, in two's complement.

    Args:
        num: Integer.
        width: Number of digits; None (default) for as many as needed, with a minus sign.

    Returns:
        str.

    Raises:
        ArgumentError: If the width is too small.

    >>> import py_tensor as pt
    >>> pt.binary_repr(3, 5), pt.binary_repr(-3, 5)
    ('00011', '11101')
    """
    value = integer("binary_repr", "num", num)
    if width is None:
        return f"{value:b}"
    needed = value.bit_length() if value >= 0 else (-value - 1).bit_length() + 1
    width = integer("binary_repr", "width", width, most=MOST_STEPS)
    if width < max(needed, 1):
        raise ArgumentError(f"binary_repr: width too small; got {width} for {value}; use {needed}")
    return f"{value % (1 << width):0{width}b}"


def _shortest(x: Any) -> Decimal:
    """Return the number with the fewest digits that rounds to x in its dtype."""
    if not isinstance(x, Tensor):
        return Decimal(repr(float(x)))
    value, code = float(x.item()), x.dtype.code
    if x.dtype.kind != "f":
        return Decimal(repr(value))
    texts = (f"{value:.{digits}e}" for digits in range(17))
    return Decimal(
        next(text for text in texts if struct.pack(code, float(text)) == struct.pack(code, value))
    )


def _trimmed(digits: str, trim: str, operation: str) -> str:
    """Apply NumPy's rule for zeros at the end of "12.300"."""
    if choice(operation, "trim", trim, ("k", ".", "0", "-")) == "k":
        return digits
    digits = digits.rstrip("0")
    if digits.endswith("."):
        digits += {".": "", "0": "0", "-": ""}[trim]
        digits = digits.rstrip(".") if trim == "-" else digits
    return digits


_MOST_DIGITS = 1000
"""Largest precision of a number's text."""


def format_float_positional(
    x: float | ArrayLike,
    precision: int | None = None,
    unique: bool = True,
    trim: str = "k",
    sign: bool = False,
) -> str:
    """Return a number as text without an exponent.

    Args:
        x: Number, or tensor of one element.
        precision: Largest number of digits after the point; None (default) for as many as needed.
        unique: Use the fewest digits that identify the number; False adds zeros up to
            `precision`; True by default.
        trim: Zeros at the end: "k" (default) keeps them, "." drops them, "0" keeps one, "-" also
            drops the point.
        sign: Show the sign of positive numbers; False by default.

    Returns:
        str.

    Raises:
        ArgumentError: If `trim` is unknown.

    >>> import py_tensor as pt
    >>> pt.format_float_positional(pt.asarray(0.1)), pt.format_float_positional(1e6)
    ('0.1', '1000000.')
    """
    return _digits("format_float_positional", x, precision, unique, trim, sign, "f")[0]


def _digits(
    operation: str,
    x: float | ArrayLike,
    precision: int | None,
    unique: bool,
    trim: str,
    sign: bool,
    form: str,
) -> tuple[str, str]:
    """Return the digits with their sign, and the exponent, or "" in the form "f"."""
    value = number(operation, "x", x)
    if precision is not None:
        precision = integer(operation, "precision", precision, 0, _MOST_DIGITS)
    plus = "+" if flag(operation, "sign", sign) and value >= 0 else ""
    if not math.isfinite(value):
        return plus + str(value), ""
    shortest = _shortest(x) if flag(operation, "unique", unique) else Decimal(value)
    digits, _, exponent = f"{shortest:{form}}".partition("e")
    if precision is not None and (not unique or len(digits.partition(".")[2]) > precision):
        digits, _, exponent = f"{Decimal(value):.{precision}{form}}".partition("e")
    digits = digits if "." in digits else digits + "."
    if unique:
        digits = digits.rstrip("0")
    return plus + _trimmed(digits, trim, operation), exponent


def format_float_scientific(
    x: float | ArrayLike,
    precision: int | None = None,
    unique: bool = True,
    trim: str = "k",
    sign: bool = False,
    exp_digits: int = 2,
) -> str:
    """Return a number as text with an exponent.

    Args:
        x: Number, or tensor of one element.
        precision: Largest number of digits after the point; None (default) for as many as needed.
        unique: Use the fewest digits that identify the number; False adds zeros up to
            `precision`; True by default.
        trim: Zeros at the end, as in `format_float_positional`.
        sign: Show the sign of positive numbers; False by default.
        exp_digits: Smallest number of digits of the exponent; 2 by default.

    Returns:
        str.

    Raises:
        ArgumentError: If `trim` is unknown.

    >>> import py_tensor as pt
    >>> pt.format_float_scientific(123456.0, precision=2)
    '1.23e+05'
    """
    operation = "format_float_scientific"
    digits, exponent = _digits(operation, x, precision, unique, trim, sign, "e")
    if not exponent:
        return digits
    power = int(exponent) if float(digits) else 0
    width = integer(operation, "exp_digits", exp_digits, 0, _MOST_DIGITS)
    return f"{digits}e{'-' if power < 0 else '+'}{abs(power):0{width}d}"


def array2string(
    a: ArrayLike,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
    separator: str = ", ",
    prefix: str = "",
) -> str:
    """Return the values of an array as text, in the format of `repr`; they are read back.

    Args:
        a: Tensor or array-like.
        max_line_width: No effect: each row is one line.
        precision: Digits after the point; None (default) for those of `set_printoptions`.
        suppress_small: Show small and large numbers without an exponent; None (default) as set by
            `set_printoptions`.
        separator: Text between elements; ", " by default.
        prefix: Text in front of the result, which indents further lines; "" by default.

    Returns:
        str.

    >>> import py_tensor as pt
    >>> pt.array2string([1.5, 2.0]), pt.array2string([0.123, 2.0], precision=1, separator=" ")
    ('[1.5,  2.]', '[0.1  2.]')
    """
    x = as_tensor("array2string", a)
    for name, value in (("prefix", prefix), ("separator", separator)):
        if not isinstance(value, str):
            raise wrong_type("array2string", name, "text", value)
    if precision is not None:
        precision = integer("array2string", "precision", precision, 0, _MOST_DIGITS)
    if suppress_small is not None:
        suppress_small = flag("array2string", "suppress_small", suppress_small)
    with printoptions(precision=precision, suppress=suppress_small):
        return array_format.values(x.tolist(), x.shape, " " * len(prefix), separator)


@named
def array_str(a: ArrayLike) -> str:
    """Return the values of an array as text; they are read back.

    Args:
        a: Tensor or array-like.

    Returns:
        str.

    >>> import py_tensor as pt
    >>> print(pt.array_str([[1, 2], [3, 4]]))
    [[1, 2],
     [3, 4]]
    """
    return array2string(a)


def array_repr(arr: ArrayLike) -> str:
    """Return the text that `repr` gives for a tensor.

    Args:
        arr: Tensor or array-like.

    Returns:
        str.

    >>> import py_tensor as pt
    >>> pt.array_repr([1, 2]).startswith("tensor([1, 2], shape=(2,), dtype=int32")
    True
    """
    return repr(as_tensor("array_repr", arr))


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    suppress: bool | None = None,
    **options: Any,
) -> None:
    """Set how tensors are shown; None leaves an option as it is.

    Args:
        precision: Digits after the point.
        threshold: Number of elements above which long axes are abbreviated; may be infinite.
        edgeitems: Items shown at each end of a long axis.
        linewidth: No effect: each row is one line.
        suppress: Show small and large numbers without an exponent.
        options: Other options of NumPy, without effect.

    >>> import py_tensor as pt
    >>> pt.set_printoptions(precision=2)
    >>> pt.array_str([0.1234])
    '[0.12]'
    >>> pt.set_printoptions(precision=4)
    """
    counts = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems}
    _set("set_printoptions", counts | {"suppress": suppress})


def _set(operation: str, options: dict[str, Any]) -> None:
    array_format.OPTIONS.update(
        {
            name: flag(operation, name, value)
            if name == "suppress"
            else value
            if name == "threshold" and isinstance(value, float) and value == math.inf
            else integer(operation, name, value, 0)
            for name, value in options.items()
            if value is not None
        }
    )


def get_printoptions() -> dict[str, int]:
    """Return how tensors are shown.

    Returns:
        Dict with precision, threshold, edgeitems and suppress, as for `set_printoptions`.

    >>> import py_tensor as pt
    >>> pt.get_printoptions()["edgeitems"]
    3
    """
    return dict(array_format.OPTIONS)


@contextmanager
def printoptions(**options: Any) -> Iterator[dict[str, int]]:
    """Set how tensors are shown inside a `with` block.

    Args:
        options: As for `set_printoptions`.

    Returns:
        Context manager.

    >>> import py_tensor as pt
    >>> with pt.printoptions(precision=1):
    ...     pt.array_str([0.25])
    '[0.2]'
    """
    before: dict[str, Any] = dict(array_format.OPTIONS)
    options.pop("linewidth", None)  # rows are never broken
    unknown = sorted(options.keys() - before.keys())
    if unknown:
        raise ArgumentError(
            f"printoptions: unknown option; got {unknown[0]!r}; use {', '.join(before)}"
        )
    _set("printoptions", options)
    try:
        yield get_printoptions()
    finally:
        array_format.OPTIONS.update(before)
