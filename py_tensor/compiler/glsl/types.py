"""GLSL types, literals and conversions of dtypes; bool is stored as 0 and 1 in unsigned lanes."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from ...dtypes import DType, float16
from ...language.glsl import GLSL
from ...ops.op_def import for_dtype

VECTOR = {"f": "vec4", "i": "ivec4", "u": "uvec4", "b": "uvec4"}
SCALAR = {"f": "float", "i": "int", "u": "uint", "b": "uint"}
SAMPLER = {"f": "sampler2D", "i": "isampler2D", "u": "usampler2D", "b": "usampler2D"}
UNIFORM = {"f": "F", "i": "I", "u": "U", "b": "U"}


def literal(value: bool | int | float, dtype: DType) -> str:
    """Return a GLSL constant of one lane with exactly that value."""
    if dtype.kind == "f":
        value = struct.unpack("f", struct.pack("f", value))[0]
        if math.isfinite(value):
            return repr(float(value))
        return "PT_NAN" if math.isnan(value) else ("-PT_INF" if value < 0 else "PT_INF")
    if dtype.kind in "ub":
        return f"{int(value)}u"
    return str(int(value)) if value >= 0 else f"({int(value) + 1} - 1)"


def printed(
    formula: str | dict[str, str], operands: Sequence[DType], result: DType, truth: str = "m"
) -> str:
    """Return a template with the fields {0}, {1}, ... for the value of a formula.

    If it is a truth value, it is a uvec4 of 0 and 1, or a bvec4 if `truth` is "b".
    """
    kinds = "".join(["m" if dtype.kind == "b" else dtype.kind for dtype in operands])
    text = for_dtype(formula, operands[-1])
    return GLSL.formula(text, kinds, truth if result.kind == "b" else result.kind)


def wrapped(expression: str, dtype: DType) -> str:
    """Wrap an expression into the range of an 8- or 16-bit integer dtype, as two's complement."""
    if dtype.kind not in "iu" or dtype.itemsize == 4:
        return expression
    if dtype.kind == "u":
        return f"(({expression}) & {dtype.highest}u)"
    shift = 32 - dtype.bits
    return f"((({expression}) << {shift}) >> {shift})"


def converted(name: str, source: DType, target: DType) -> str:
    """Convert `name`, which has four lanes of dtype `source`, to dtype `target`."""
    if source is target:
        return name
    a, b = source.kind, target.kind
    if b == "b":
        return name if a == "b" else f"uvec4(notEqual({name}, {VECTOR[a]}(0)))"
    if b == "f":
        name = name if a == "f" else f"vec4({name})"
        return f"pt_round_half({name})" if target.itemsize == 2 and source.itemsize > 1 else name
    if a == "f":
        # Converting a negative float to unsigned is undefined; by way of int it wraps as in C.
        name = f"ivec4({name})" if b == "i" else f"pt_to_uint({name})"
    elif VECTOR[a] != VECTOR[b]:
        name = f"{VECTOR[b]}({name})"
    narrows = a == "f" or target.itemsize < source.itemsize or (a == "i") != (b == "i")
    return wrapped(name, target) if narrows else name


def kept(name: str, dtype: DType) -> str:
    """Round `name` to float16 before it is stored, since drivers may truncate instead."""
    return f"pt_stored_half({name})" if dtype is float16 else name
