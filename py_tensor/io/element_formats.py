"""Convert a file's elements to tensors, and numbers to a file's elements."""

from __future__ import annotations

import struct
from array import array
from functools import cache
from typing import Any

from ..dtypes import (
    DType,
    as_dtype,
    bool_,
    complex64,
    float16,
    float32,
    int8,
    int16,
    int32,
    shown,
    uint8,
    uint16,
    uint32,
)
from ..errors import DTypeError, ShapeError
from ..runtime.host_data import to_host
from ..tensor import Tensor, from_host
from .safetensors import Entry

_OWN = {
    "BOOL": bool_, "U8": uint8, "I8": int8, "I16": int16, "U16": uint16, "F16": float16,
    "I32": int32, "U32": uint32, "F32": float32, "C64": complex64,
}  # fmt: skip
_WIDE = {"BF16": (float32, "f"), "F64": (float32, "d"), "I64": (int32, "q"), "U64": (uint32, "Q")}
"""Target dtype and `struct` code of dtypes that tensors do not support."""
CODES = {dtype: code for code, dtype in _OWN.items()}

_NUMBERS = {bool: ("BOOL", "<?"), int: ("I64", "<q"), float: ("F64", "<d")}
"""Dtype and `struct` format of Python numbers, which keep all their digits."""
_TRUTH = bytes([0] + [1] * 255)


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
            elements = elements.translate(_TRUTH)
    else:
        view: Any = memoryview(data)
        elements, _, _ = to_host(view.cast(form), target, f'from_bytes: "{name}"')
    return from_host(elements, shape, target, "from_bytes")


def _bfloat16_as_float32(data: Any) -> bytearray:
    """Widen by appending zeros: a bfloat16 is the upper half of a float32."""
    halves = bytes(data)
    words = bytearray(2 * len(halves))
    words[2::4] = halves[::2]
    words[3::4] = halves[1::2]
    return words


def number(name: str, entry: Entry, kind: type) -> Any:
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
    return struct.unpack(f"<{form}", data)[0]


def restored(name: str, entry: Entry, leaf: Any) -> Any:
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


def _float16_as_float32(data: Any) -> array[float]:
    """Look the numbers up, which is several times as fast as converting each."""
    halves = array("H", bytes(data))
    return array("f", map(_halves().__getitem__, halves))


@cache
def _halves() -> tuple[float, ...]:
    """Return all numbers of float16 by their bits."""
    return struct.unpack("<65536e", array("H", range(65536)).tobytes())
