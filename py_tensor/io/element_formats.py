"""Convert a file's elements to tensors, and numbers to a file's elements."""

from __future__ import annotations

import re
import struct
from collections.abc import Buffer
from functools import cache
from typing import Any, NamedTuple

from ..dtypes import BY_NAME, DType, as_dtype, bool_, float32, int32, shown, uint32
from ..errors import DTypeError, ShapeError
from ..runtime.host_data import to_host
from ..tensor import Tensor, from_host
from .safetensors import Entry

_OWN = {
    code: BY_NAME[name]
    for code, name in (
        *(("BOOL", "bool"), ("U8", "uint8"), ("I8", "int8"), ("I16", "int16"), ("U16", "uint16")),
        *(("F16", "float16"), ("I32", "int32"), ("U32", "uint32"), ("F32", "float32")),
        ("C64", "complex64"),
    )
}
_WIDE = {"BF16": (float32, "f"), "F64": (float32, "d"), "I64": (int32, "q"), "U64": (uint32, "Q")}
"""Target dtype and `struct` code of dtypes that tensors do not support."""
CODES = {dtype: code for code, dtype in _OWN.items()}

_NUMBERS = {bool: ("BOOL", "<?"), int: ("I64", "<q"), float: ("F64", "<d")}
"""Dtype and `struct` format of Python numbers, which keep all their digits."""
TRUTH = bytes([0] + [1] * 255)
"""Table for `bytes.translate` that makes bytes of bool 0 or 1."""


def number_entry(name: str, value: bool | int | float) -> Entry:
    """Convert a Python number to an entry; raise DTypeError for integers beyond 64 bits."""
    code, form = _NUMBERS[type(value)]
    try:
        return Entry(code, (), struct.pack(form, value))
    except struct.error:
        raise DTypeError(
            f'to_bytes: integer needs more than 64 bits; got {shown(value)} at "{name}"; save '
            "it as text in the metadata"
        ) from None


def decoded(name: str, entry: Entry, dtype: DType | None = None) -> Tensor:
    """Convert an entry to a tensor.

    bfloat16 becomes float32 exactly; 64-bit numbers become the 32-bit dtype. With `dtype`, floating
    numbers are rounded to it, and integers must fit it. Raises DTypeError for integers that do not
    fit, and for an entry of another kind than `dtype`.
    """
    code, shape, data = entry
    natural, form = (_OWN[code], _OWN[code].code) if code in _OWN else _WIDE[code]
    target = dtype or natural
    if target.kind != natural.kind and not {target.kind, natural.kind} <= {"i", "u"}:
        raise DTypeError(
            f'from_bytes: dtypes of "{name}" differ in kind; got {code} in the file for {target}; '
            "load without like and convert with astype"
        )
    if code == "BF16":
        data = _bfloat16_as_float32(data)
    elif code == "F16" and target is float32:
        data, form = _float16_as_float32(data), "f"
    if form == target.code:
        elements = bytes(data)
        if target is bool_:
            elements = elements.translate(TRUTH)
    else:
        view: Any = memoryview(data)
        elements, _, _ = to_host(view.cast(form), target, f'from_bytes: "{name}"')
    return from_host(elements, shape, target, "from_bytes")


def _bfloat16_as_float32(data: Buffer) -> bytearray:
    """Widen by appending zeros: a bfloat16 is the upper half of a float32."""
    halves = bytes(data)
    words = bytearray(2 * len(halves))
    words[2::4] = halves[::2]
    words[3::4] = halves[1::2]
    return words


def entry_dtype(entry: Entry) -> DType:
    """Return the dtype of the tensor that is made of an entry."""
    return _OWN[entry.dtype] if entry.dtype in _OWN else _WIDE[entry.dtype][0]


def number(name: str, entry: Entry, kind: type) -> float:
    """Convert an entry to a Python number of type `kind`; raise DTypeError for other types."""
    code, shape, data = entry
    dtype, form = (_OWN[code], _OWN[code].code) if code in _OWN else _WIDE[code]
    if shape != () or {"f": float, "b": bool, "c": complex}.get(dtype.kind, int) is not kind:
        raise DTypeError(
            f'from_bytes: "{name}" is not a single {kind.__name__}; got {code} of shape {shape} in '
            "the file; load without like"
        )
    if code == "BF16":
        data = _bfloat16_as_float32(data)
    value: float = struct.unpack(f"<{form}", data)[0]
    return value


def restored(name: str, entry: Entry, leaf: object) -> Tensor | float:
    """Convert an entry to the type of a leaf: a number, or a tensor of its shape and dtype."""
    if type(leaf) in _NUMBERS:
        return number(name, entry, type(leaf))
    if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
        raise DTypeError(
            "from_bytes: leaves of like must be tensors, numbers or pt.ShapeDtype; got "
            f'{type(leaf).__name__} at "{name}"; replace it'
        )
    if entry.shape != leaf.shape:
        raise ShapeError(
            f'from_bytes: shapes of "{name}" differ; got {entry.shape} in the file for '
            f"{leaf.shape}; load it into the tree it was saved from, or without like"
        )
    return decoded(name, entry, as_dtype(leaf.dtype, f'from_bytes: "{name}"'))


def _float16_as_float32(data: Buffer) -> bytearray:
    """Widen all bytes at once by tables, which takes a tenth of the time of looking numbers up.

    Numbers below the normal ones of float16 are rare, so they are looked up one by one.
    """
    halves = bytes(data)
    low, high = halves[::2], halves[1::2]
    tables = _widening()
    words = bytearray(2 * len(halves))
    words[1::4] = low.translate(tables.low_mantissa)
    # Neighbouring bits of both bytes meet in one byte; as integers, all are joined at once.
    upper, lower = (high.translate(tables.exponent), low.translate(tables.mantissa))
    joined = int.from_bytes(upper, "little") | int.from_bytes(lower, "little")
    words[2::4] = joined.to_bytes(len(low), "little")
    words[3::4] = high.translate(tables.sign)
    elements: Any = memoryview(halves)
    numbers, small = memoryview(words).cast("f"), elements.cast("e")
    for match in _BELOW_NORMAL.finditer(high):
        numbers[match.start()] = small[match.start()]
    return words


_BELOW_NORMAL = re.compile(rb"[\x00-\x03\x80-\x83]")
"""Upper byte of a float16 without exponent: zero, or a number below the normal ones."""


class _Widening(NamedTuple):
    """Bytes of a float32 by a byte of a float16; the lowest one is 0."""

    sign: bytes
    """Highest byte, by the upper byte: the sign and all bits of the exponent but one."""
    exponent: bytes
    """Next byte, by the upper byte: the last bit of the exponent, the first two of the mantissa."""
    mantissa: bytes
    """The rest of that byte, by the lower byte."""
    low_mantissa: bytes
    """Byte with the last bits of the mantissa, by the lower byte."""


@cache
def _widening() -> _Widening:
    # The exponent of infinity and NaN, 31, becomes 255. That of normal numbers grows by 112.
    exponents = [0, *range(113, 143), 255]
    upper = [(byte & 0x80, exponents[byte >> 2 & 31], byte & 3) for byte in range(256)]
    return _Widening(
        bytes(sign | exponent >> 1 for sign, exponent, _ in upper),
        bytes((exponent & 1) << 7 | mantissa << 5 for _, exponent, mantissa in upper),
        bytes(byte >> 3 for byte in range(256)),
        bytes((byte & 7) << 5 for byte in range(256)),
    )
