"""Rows that need no operand."""

from __future__ import annotations

import math

from ..dtypes import int32
from .rows import Literal, Source

IOTA = Source(
    name="iota",
    dtype=int32,
    reference=lambda xp, arg: xp.arange(math.prod(arg), dtype=xp.int32).reshape(arg),
    public=False,
    doc="Row-major positions 0, 1, 2, ... as int32.",
)

CONSTANT = Literal(
    name="constant",
    reference=lambda xp, arg: xp.float32(arg),
    public=False,
    doc="A number.",
)

ROWS = (IOTA, CONSTANT)
