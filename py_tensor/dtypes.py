"""The dtypes of tensors and their promotion rules.

Input: names and Python types. Output: `DType`.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import ArgumentTypeError, DTypeError
from .late import LateModule

if TYPE_CHECKING:
    from .functions import conversion
else:
    conversion = LateModule("functions.conversion")


@dataclass(frozen=True, eq=False)
class DType:
    """A data type, which makes tensors of itself when it is called.

    `kind` is "c" (complex), "f" (floating), "i" (signed), "u" (unsigned) or "b" (bool); `itemsize`
    is the size of an element in bytes. Tensors without axes are instances of their dtype, as
    NumPy's scalars are.

    >>> import py_tensor as pt
    >>> pt.float32.itemsize
    4
    >>> pt.int8(3).dtype, isinstance(pt.int8(3), pt.int8)
    (int8, True)
    """

    name: str
    kind: str
    itemsize: int
    code: str
    """Format of the buffer protocol; one of a single character is also valid in `struct`.

    It is empty for bfloat16, which has none: NumPy converts its numbers.
    """

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, str | type):
            return self is other
        return other == self.name or named_dtype(other) is self

    def __call__(self, value: Any = 0) -> Any:
        return conversion.asarray(value, self)

    def __instancecheck__(self, value: Any) -> bool:
        return getattr(value, "dtype", None) is self and value.shape == ()

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return as_dtype, (self.name,)

    @property
    def __numpy_dtype__(self) -> Any:
        # NumPy 2.4 and newer ask for it where they take a dtype, as in `np.zeros(3, pt.float32)`.
        import numpy as np

        return np.dtype(self.name)

    @property
    def bits(self) -> int:
        """Size of an element in bits."""
        return self.itemsize * 8

    @property
    def lowest(self) -> int:
        """Smallest integer of an integer dtype."""
        return -(1 << (self.bits - 1)) if self.kind == "i" else 0

    @property
    def highest(self) -> int:
        """Largest integer of an integer dtype."""
        return (1 << (self.bits - (self.kind == "i"))) - 1


float32 = DType("float32", "f", 4, "f")
"""Floating-point numbers of 32 bits: the default for real numbers."""
float16 = DType("float16", "f", 2, "e")
"""Floating-point numbers of 16 bits."""
int32 = DType("int32", "i", 4, "i")
"""Signed integers of 32 bits: the default for integers."""
uint32 = DType("uint32", "u", 4, "I")
"""Unsigned integers of 32 bits."""
int16 = DType("int16", "i", 2, "h")
"""Signed integers of 16 bits."""
uint16 = DType("uint16", "u", 2, "H")
"""Unsigned integers of 16 bits."""
int8 = DType("int8", "i", 1, "b")
"""Signed integers of 8 bits."""
uint8 = DType("uint8", "u", 1, "B")
"""Unsigned integers of 8 bits."""
bool_ = DType("bool", "b", 1, "?")
"""Truth values: False and True."""
complex64 = DType("complex64", "c", 8, "Zf")
"""Complex numbers: real and imaginary parts are float32."""

DTYPES = (float32, float16, int32, uint32, int16, uint16, int8, uint8, bool_)
"""The dtypes of textures and shaders; a complex number is stored as two float32."""
BY_NAME = {dtype.name: dtype for dtype in (*DTYPES, complex64)}
EXTENDED = tuple(
    DType(*given)
    for given in (
        ("float64", "f", 8, "d"),
        ("int64", "i", 8, "q"),
        ("uint64", "u", 8, "Q"),
        ("bfloat16", "f", 2, ""),
    )
)
"""Dtypes that exist on the JAX backend after `enable_x64`."""
CATEGORIES = {
    "all": "fiub",
    "numeric": "fiu",
    "floating": "f",
    "integer": "iu",
    "boolean": "b",
    "integer or boolean": "iub",
}
OF_PYTHON: dict[type, DType] = {bool: bool_, int: int32, float: float32, complex: complex64}
WIDE = {
    **dict.fromkeys(("float64", "double"), float32),
    **dict.fromkeys(("int64", "long", "longlong"), int32),
    **dict.fromkeys(("uint64", "ulong", "ulonglong"), uint32),
    **dict.fromkeys(("complex128", "cdouble"), complex64),
}
"""Names of 64-bit dtypes, which WebGL does not have, and the dtypes that stand for them."""
SHORT = {
    "bool_": "bool", "half": "float16", "single": "float32", "float": "float32", "byte": "int8",
    "ubyte": "uint8", "short": "int16", "ushort": "uint16", "int": "int32", "intc": "int32",
    "int_": "int32", "uint": "uint32", "uintc": "uint32", "intp": "int64", "uintp": "uint64",
    "float_": "float64", "csingle": "complex64", "complex": "complex64",
    "d": "float64", "F": "complex64", "D": "complex128",
    **dict.fromkeys(("l", "q", "p", "i8"), "int64"),
    **dict.fromkeys(("L", "Q", "P", "u8"), "uint64"),
    "f8": "float64", "c16": "complex128",
    **{dtype.code: dtype.name for dtype in DTYPES},
    **{f"{dtype.kind}{dtype.itemsize}": dtype.name for dtype in (*DTYPES, complex64)},
}  # fmt: skip
"""Other texts of NumPy for dtypes, and the names that they stand for."""
NATIVE = ("=", "|", "<" if sys.byteorder == "little" else ">")
"""Marks of the byte order in such texts. Data of the other order needs `array.byteswap` first."""


def named_dtype(value: Any) -> DType | None:
    """Return the dtype of a name, a Python type or a NumPy dtype; None for anything else."""
    if isinstance(value, type) and value in OF_PYTHON:
        return OF_PYTHON[value]
    name: Any
    if isinstance(value, str):
        name = value[1:] if value[:1] in NATIVE else value
        name = SHORT.get(name, name)
    else:
        name = getattr(value, "name", None) or getattr(value, "__name__", None)
    return (BY_NAME.get(name) or WIDE.get(name)) if isinstance(name, str) else None


def as_dtype(value: Any, operation: str = "dtype") -> DType:
    """Convert a DType, a name, a Python type or a NumPy dtype to a DType.

    64-bit dtypes give the 32-bit ones, and complex128 gives complex64. Raises DTypeError for
    anything else.
    """
    dtype = value if isinstance(value, DType) else named_dtype(value)
    if dtype is None:
        raise DTypeError(
            f"{operation}: unknown dtype; got {value!r}; use one of {', '.join(BY_NAME)}"
        )
    return dtype


HALF_END = 65520
FLOAT_END = 2**128 - 2**103
DOUBLE_END = 2**1024 - 2**970
"""Smallest numbers that round to infinity in float16, float32 and Python's float."""
SHOWN_BITS = 192
"""Bit length (about 58 digits) up to which errors show integers in full."""


FLOAT_ENDS = {"float16": HALF_END, "float64": DOUBLE_END}


def limited(value: float, end: int) -> float:
    """Replace numbers from `end` on by infinity, like NumPy; `struct.pack` would raise."""
    if abs(value) < end or value != value:
        return value
    return math.inf if value > 0 else -math.inf


def as_float(value: float) -> float:
    """Convert a number to a Python float; an integer too large for a float becomes infinite."""
    return float(limited(value, DOUBLE_END))


def shown(value: Any) -> str:
    """Format a number or a shape for an error message; very long integers as powers of ten."""
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))}{',' * (len(value) == 1)})"
    if isinstance(value, int) and value.bit_length() > SHOWN_BITS:
        return f"about {'-' if value < 0 else ''}1e{round(math.log10(abs(value)))}"
    return f"{value}"


def described(value: Any) -> str:
    """Format an argument of any type for an error message, in at most about 60 characters."""
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{type(value).__name__} of shape {value.shape}, dtype {value.dtype}"
    if isinstance(value, int):
        return shown(value)
    if value is None or isinstance(value, str | float | complex | list | tuple):
        return f"{value!r:.60}"
    return f"an object of type {type(value).__name__}"


def wrong_type(
    operation: str, name: str, what: str, value: Any, advice: str = ""
) -> ArgumentTypeError:
    """Return the error that an argument is not `what`, for example "an integer"."""
    return ArgumentTypeError(
        f"{operation}: {name} must be {what}; got {described(value)}; pass {advice or what}"
    )


def does_not_fit(operation: str, value: Any, dtype: DType, position: str = "") -> DTypeError:
    """Return the error that an integer dtype does not hold a value."""
    return DTypeError(
        f"{operation}: value does not fit dtype {dtype}; got {shown(value)}{position}; "
        f"{dtype} holds {dtype.lowest} to {dtype.highest}"
    )


def extend() -> None:
    """Let the names of 64-bit dtypes stand for themselves, and add bfloat16."""
    BY_NAME.update({dtype.name: dtype for dtype in EXTENDED})
    WIDE.update({name: BY_NAME.get(f"{d.name[:-2]}64", d) for name, d in WIDE.items()})
    _SIGNED[8] = BY_NAME["int64"]


_SIGNED = {1: int8, 2: int16, 4: int32}


def promote(operation: str, a: DType, b: DType) -> DType:
    """Return the dtype to which both operands are converted.

    The array API standard's promotion table applies. For mixed kinds, which the standard leaves
    open, the order is bool, integer, float, complex. Raises DTypeError if the result would be a
    64-bit integer.
    """
    if a is b:
        return a
    order = "buifc"
    if order.index(a.kind) < order.index(b.kind):
        a, b = b, a
    if a.kind == b.kind:
        if a.itemsize == b.itemsize:
            return float32  # of float16 and bfloat16
        return a if a.itemsize > b.itemsize else b
    if a.kind in "cf" or b.kind == "b":
        return a
    itemsize = max(a.itemsize, 2 * b.itemsize)
    if itemsize not in _SIGNED:
        raise DTypeError(
            f"{operation}: dtypes {a} and {b} promote to int64, which WebGL does not support; got "
            f'{a} and {b}; convert one with .astype("{a}") or .astype("{b}")'
        )
    return _SIGNED[itemsize]


def of_scalar(operation: str, value: complex, dtype: DType) -> DType:
    """Return the result dtype of a tensor of `dtype` and a weakly typed Python scalar.

    Raises DTypeError if an integer does not fit the tensor's integer dtype.
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
