"""The dtypes a tensor can have, and how two of them combine.

Comes in: names; goes out: `DType`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .errors import DTypeError


@dataclass(frozen=True, eq=False)
class DType:
    """A data type: `kind` is "c" (complex), "f", "i", "u" or "b"; `itemsize` is in bytes.

    >>> import py_tensor as pt
    >>> pt.float32.itemsize
    4
    """

    name: str
    kind: str
    itemsize: int
    code: str
    """The format of the buffer protocol, of one character also that of `struct` and `array`."""

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, str) and other == self.name)

    __hash__ = object.__hash__

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return as_dtype, (self.name,)

    @property
    def bits(self) -> int:
        return self.itemsize * 8

    @property
    def lowest(self) -> int:
        """The smallest integer of an integer dtype."""
        return -(1 << (self.bits - 1)) if self.kind == "i" else 0

    @property
    def highest(self) -> int:
        """The largest integer of an integer dtype."""
        return (1 << (self.bits - (self.kind == "i"))) - 1


float32 = DType("float32", "f", 4, "f")
float16 = DType("float16", "f", 2, "e")
int32 = DType("int32", "i", 4, "i")
uint32 = DType("uint32", "u", 4, "I")
int16 = DType("int16", "i", 2, "h")
uint16 = DType("uint16", "u", 2, "H")
int8 = DType("int8", "i", 1, "b")
uint8 = DType("uint8", "u", 1, "B")
bool_ = DType("bool", "b", 1, "?")
complex64 = DType("complex64", "c", 8, "Zf")

DTYPES = (float32, float16, int32, uint32, int16, uint16, int8, uint8, bool_)
"""Those that textures and shaders have; a complex number is stored as two of float32."""
BY_NAME = {dtype.name: dtype for dtype in (*DTYPES, complex64)}
CATEGORIES = {
    "all": "fiub",
    "numeric": "fiu",
    "floating": "f",
    "integer": "iu",
    "boolean": "b",
    "integer or boolean": "iub",
}
OF_PYTHON: dict[type, DType] = {bool: bool_, int: int32, float: float32, complex: complex64}
WIDE = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}


def as_dtype(value: Any, operation: str = "dtype") -> DType:
    """The DType that a DType, a name, a Python type or a NumPy dtype stands for.

    Raises DTypeError for anything else, and for 64-bit dtypes, which WebGL does not have.
    """
    if isinstance(value, DType):
        return value
    if isinstance(value, type) and value in OF_PYTHON:
        return OF_PYTHON[value]
    name = (
        value
        if isinstance(value, str)
        else getattr(value, "name", None) or getattr(value, "__name__", None)
    )
    if name in BY_NAME:
        return BY_NAME[name]
    if name in WIDE:
        raise DTypeError(
            f'{operation}: dtype {name} does not exist on WebGL; got {value!r}; use "{WIDE[name]}"'
        )
    raise DTypeError(f"{operation}: not a dtype; got {value!r}; use one of {', '.join(BY_NAME)}")


HALF_END = 65520
FLOAT_END = 2**128 - 2**103
DOUBLE_END = 2**1024 - 2**970
"""The smallest numbers that round to infinity in float16, float32 and Python's floats."""
SHOWN_BITS = 192
"""Integers of more bits, about 58 digits, are not shown in full; Python refuses the longest."""


def limited(value: float, end: int) -> float:
    """Infinite from `end` on, as NumPy makes it, where packing would refuse."""
    if abs(value) < end or value != value:
        return value
    return math.inf if value > 0 else -math.inf


def as_float(value: float) -> float:
    """A number as a Python float, infinite where an integer is too large for one."""
    return float(limited(value, DOUBLE_END))


def shown(value: Any) -> str:
    """A number as errors show it: of an integer too long to read, the power of ten next to it."""
    if isinstance(value, int) and value.bit_length() > SHOWN_BITS:
        return f"about {'-' if value < 0 else ''}1e{round(math.log10(abs(value)))}"
    return f"{value}"


_SIGNED = {1: int8, 2: int16, 4: int32}


def promote(operation: str, a: DType, b: DType) -> DType:
    """The dtype both operands are converted to.

    The array API standard's table, and for kinds it leaves open: bool gives way to integers,
    integers give way to floats, all to complex. Raises DTypeError where the result would need 64
    bits for each number.
    """
    if a is b:
        return a
    order = "buifc"
    if order.index(a.kind) < order.index(b.kind):
        a, b = b, a
    if a.kind == b.kind:
        return a if a.itemsize > b.itemsize else b
    if a.kind in "cf" or b.kind == "b":
        return a
    itemsize = max(a.itemsize, 2 * b.itemsize)
    if itemsize > 4:
        raise DTypeError(
            f"{operation}: dtypes {a} and {b} need int64, which WebGL does not have; "
            f'got {a} and {b}; convert one with .astype("{a}") or .astype("{b}")'
        )
    return _SIGNED[itemsize]


def of_scalar(operation: str, value: complex, dtype: DType) -> DType:
    """The dtype a tensor of `dtype` and a Python scalar combine to (the scalar is weak).

    Raises DTypeError where an integer does not fit the tensor's integer dtype.
    """
    kind = type(value)
    if dtype.kind == "c" or isinstance(value, complex):
        return complex64
    if kind is float:
        return dtype if dtype.kind == "f" else float32
    if kind is bool:
        return dtype
    if dtype.kind == "b":
        dtype = int32
    if dtype.kind in "iu" and not dtype.lowest <= value <= dtype.highest:
        raise DTypeError(
            f"{operation}: Python integer {shown(value)} does not fit dtype {dtype}; "
            f"got {shown(value)}; {dtype} holds {dtype.lowest} to {dtype.highest}"
        )
    return dtype
