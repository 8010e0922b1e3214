"""Floats of 8 and 4 bits, which tensors hold as float32.

Source: https://onnx.ai/onnx/technical/float8.html and float4.html.
"""

from __future__ import annotations

import math
import struct
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from ... import functions as F
from ...tensor import Tensor


class NarrowFloat(NamedTuple):
    """A dtype of floats: a sign, an exponent and a fraction."""

    bits: int
    fraction: int
    """Bits of the fraction."""
    bias: int
    """Exponent of 1.0 as an integer."""
    special: str
    """Codes that are not numbers: "inf" for the largest exponent as in float32, "last" for all bits
    but the sign, "sign" for the sign alone, "" for none."""

    def value(self, code: int) -> float:
        """Return the number that a code means."""
        sign = 1 << self.bits - 1
        exponent, fraction = divmod(code & sign - 1, 1 << self.fraction)
        if self.special == "inf" and exponent == sign - 1 >> self.fraction:
            number = math.nan if fraction else math.inf
        elif self.special == "last" and code & sign - 1 == sign - 1:
            number = math.nan
        elif self.special == "sign" and code == sign:
            return math.nan
        elif exponent:
            number = math.ldexp(fraction | 1 << self.fraction, exponent - self.bias - self.fraction)
        else:
            number = math.ldexp(fraction, 1 - self.bias - self.fraction)
        return -number if code & sign else number


FLOATS = {
    17: NarrowFloat(8, 3, 7, "last"),
    18: NarrowFloat(8, 3, 8, "sign"),
    19: NarrowFloat(8, 2, 15, "inf"),
    20: NarrowFloat(8, 2, 16, "sign"),
    23: NarrowFloat(4, 1, 1, ""),
}
"""Dtypes by their number in onnx.TensorProto.DataType."""
SCALES = 24
"""Number of the dtype of powers of 2, without a sign: 2**(code - 127)."""
BITS = {SCALES: 8} | {number: kind.bits for number, kind in FLOATS.items()}
"""Bits of the elements of each of these dtypes."""


@cache
def values(number: int) -> list[float]:
    """Return the number that each code of a dtype means."""
    if number == SCALES:
        return [*(math.ldexp(1, code - 127) for code in range(255)), math.nan]
    return [FLOATS[number].value(code) for code in range(1 << BITS[number])]


@cache
def _grid(number: int, round_mode: str) -> tuple[list[float], list[float]]:
    """Return the numbers from 0, and for each the largest float32 that is rounded to it."""
    if number == SCALES:
        numbers = values(number)[:-1]
        if round_mode == "up":
            return numbers, numbers
        factor = 2 if round_mode == "down" else 1.5
        return numbers, [_before(x * factor) for x in numbers]
    numbers = [x for x in values(number)[: 1 << BITS[number] - 1] if math.isfinite(x)]
    limits = []
    for at, (low, high) in enumerate(pairwise([*numbers, 2 * numbers[-1] - numbers[-2]])):
        # Numbers in the middle are rounded to the even code.
        limits.append((low + high) / 2 if at % 2 == 0 else _before((low + high) / 2))
    return numbers, limits


def _before(number: float) -> float:
    """Return the float32 before a positive one, which may be 2**128."""
    if number >= 2.0**128:
        return 2.0**128 - 2.0**104
    [bits] = struct.unpack("<I", struct.pack("<f", number))
    [before] = struct.unpack("<f", struct.pack("<I", bits - 1))
    return float(before)


def narrowed(x: Tensor, number: int, *, saturate: int = 1, round_mode: str = "up") -> Tensor:
    """Round to the numbers of a dtype.

    Numbers beyond the largest become it with `saturate`, and otherwise infinite or NaN.
    """
    numbers, limits = _grid(number, round_mode)
    x = x.astype("float32")
    special = FLOATS[number].special if number in FLOATS else "last"
    beyond = math.inf if special == "inf" else math.nan
    if (saturate or not special) and not (number == SCALES and round_mode == "down"):
        beyond = numbers[-1]
    places = F.searchsorted(F.asarray(limits, dtype="float32"), F.abs(x))
    y = F.take(F.asarray([*numbers, beyond], dtype="float32"), places)
    if number == SCALES:
        return F.where(F.isfinite(x), y, math.nan)
    # Without a code for it, NaN becomes 0, as in the package ml_dtypes.
    y = F.where(F.isnan(x), math.nan if special else 0.0, F.copysign(y, x))
    return F.where(y == 0, 0.0, y) if special == "sign" else y
