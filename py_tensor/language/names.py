"""Names of the language besides Python's own: types, constants and conversions of bits.

They are ordinary Python here, so that type checkers and readers understand the functions; a printer
writes each in a form of its own. `native` has the functions of a graphics driver, whose results may
be inaccurate, or undefined outside of their domain.
"""

from __future__ import annotations

import math
import struct
from typing import Any

float32 = float
int32 = int
uint32 = int
Integer = int
"""int32 or uint32: a printer writes the function for both."""
Number = float
"""float32, int32 or uint32."""

INF = math.inf
NAN = math.nan


def bits(x: float) -> int:
    """Return the bits of a float32 as a uint32."""
    number: int = struct.unpack("I", struct.pack("f", x))[0]
    return number


def from_bits(n: int) -> float:
    """Return the float32 with the given bits; a shift may have left more of them."""
    number: float = struct.unpack("f", struct.pack("I", n & 0xFFFFFFFF))[0]
    return number


def any_element(condition: bool) -> bool:
    """Return True if a condition holds for one of the elements that are computed together."""
    return condition


def floor(x: float) -> float:
    """Round down."""
    return math.floor(x)


def trunc(x: float) -> float:
    """Round towards zero."""
    return math.trunc(x)


native: Any = math
"""A driver's functions: `exp`, `exp2`, `log`, `log2`, `sqrt`, `sign`, `fract`, and `divide`, the
quotient of integers, which a driver rounds towards zero."""
