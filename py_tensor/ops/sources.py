"""Definitions of operations without operands."""

from __future__ import annotations

import math

from ..dtypes import int32
from .op_def import Literal, SourceOp

IOTA = SourceOp(
    name="iota",
    dtype=int32,
    reference=lambda xp, arg: xp.arange(math.prod(arg), dtype=xp.int32).reshape(arg),
    public=False,
    doc="Return row-major positions 0, 1, 2, ... as int32.",
)

CONSTANT = Literal(
    name="constant",
    reference=lambda xp, arg: xp.float32(arg),
    public=False,
    doc="Return a number.",
)

OP_DEFS = (IOTA, CONSTANT)
