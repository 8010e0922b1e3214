"""Conversions of values to dtypes; bool is stored as 0 and 1 in unsigned lanes."""

from __future__ import annotations

from ...dtypes import DType, float16
from ...language.statements import Statements
from ...language.tree import FLOAT, INT, LOGICAL, MASK, UINT, Value

KIND = {"f": FLOAT, "i": INT, "u": UINT, "b": MASK}
"""Kind of values of each kind of dtype."""
UNIFORM = {"f": FLOAT, "i": INT, "u": UINT, "b": UINT}
"""Kind of the array of uniforms that has scalars of each kind of dtype."""


def number(code: Statements, value: bool | int | float, dtype: DType) -> Value:
    """Return a constant of one lane with exactly that value."""
    kind = KIND[dtype.kind]
    text = code.printer.number(value, kind)
    if "PT_" in text:
        code.needs["PT_NAN" if "NAN" in text else "PT_INF"] = None
    return code.value(text, kind, 1)


def literal(code: Statements, value: bool | int | float, dtype: DType) -> Value:
    """Return a constant of four lanes with exactly that value."""
    return code.printer.spread(number(code, value, dtype))


def wrapped(code: Statements, value: Value, dtype: DType) -> Value:
    """Wrap a value into the range of an 8- or 16-bit integer dtype, as two's complement."""
    if dtype.kind not in "iu" or dtype.itemsize == 4:
        return value
    if dtype.kind == "u":
        return code.apply(f"x & {dtype.highest}", UINT, value)
    shift = 32 - dtype.bits
    return code.apply(f"(x << {shift}) >> {shift}", INT, value)


def converted(code: Statements, value: Value, source: DType, target: DType) -> Value:
    """Convert four lanes of dtype `source` to dtype `target`."""
    if source is target:
        return value
    a, b = source.kind, target.kind
    if b == "b":
        return value if a == "b" else code.apply("x != 0", MASK, value)
    if b == "f":
        value = value if a == "f" else code.vector(FLOAT, value)
        halved = target.itemsize == 2 and source.itemsize > 1
        return code.apply("round_half(x)", FLOAT, value) if halved else value
    if a == "f" and b == "u":
        # Converting a negative float to unsigned is undefined; by way of int it wraps as in C.
        value = code.apply("to_uint(x)", UINT, value)
    elif a + b == "bu":
        value = code.printer.of_kind(value, UINT)
    elif a != b:
        value = code.vector(KIND[b], value)
    narrows = a == "f" or target.itemsize < source.itemsize or (a == "i") != (b == "i")
    return wrapped(code, value, target) if narrows else value


def kept(code: Statements, value: Value, dtype: DType) -> Value:
    """Round to float16 before the value is stored, since drivers may truncate instead."""
    return code.apply("stored_half(x)", FLOAT, value) if dtype is float16 else value


def hidden(code: Statements, value: Value) -> Value:
    """Return a value that compilers cannot see through."""
    kind, of_kind = UINT if value.kind == MASK else value.kind, code.printer.of_kind
    return of_kind(code.apply("opaque(x)", kind, of_kind(value, kind)), value.kind)


def either(code: Statements, condition: Value, a: Value, b: Value) -> Value:
    """Return one of two values by a comparison of numbers."""
    text = code.printer.either(condition.text, a.text, b.text)
    uses = condition.uses | a.uses | b.uses
    return code.value(text, a.kind, a.lanes, LOGICAL, uses)
