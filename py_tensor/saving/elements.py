"""A file's elements become those of tensors, and the other way round."""

from __future__ import annotations

import struct
from typing import Any

from ..conversion import to_host
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
    uint8,
    uint16,
    uint32,
)
from ..errors import DTypeError, ShapeError
from ..tensor import Tensor, from_host
from .safetensors import Entry

_OWN = {
    "BOOL": bool_, "U8": uint8, "I8": int8, "I16": int16, "U16": uint16, "F16": float16,
    "I32": int32, "U32": uint32, "F32": float32, "C64": complex64,
}  # fmt: skip
_WIDE = {"BF16": (float32, "f"), "F64": (float32, "d"), "I64": (int32, "q"), "U64": (uint32, "Q")}
"""Of the dtypes that tensors cannot have: those they become, and how their elements are read."""
CODES = {dtype: code for code, dtype in _OWN.items()}

_NUMBERS = {bool: ("BOOL", "<?"), int: ("I64", "<q"), float: ("F64", "<d")}
"""How a Python number is written: with all its digits."""
_TRUTH = bytes([0] + [1] * 255)


def number_entry(name: str, value: bool | int | float) -> Entry:
    """A Python number as a file has it. Raises DTypeError for integers beyond 64 bits."""
    code, form = _NUMBERS[type(value)]
    try:
        return Entry(code, (), struct.pack(form, value))
    except struct.error:
        raise DTypeError(
            f'to_bytes: integer needs more than 64 bits; got {value} at "{name}"; save it as text '
            "in the metadata"
        ) from None


def decoded(name: str, entry: Entry, dtype: DType | None = None) -> Tensor:
    """A tensor of an entry: bfloat16 exact as float32, 64-bit numbers as the 32-bit dtype.

    With `dtype`, floating numbers are rounded to it, and integers have to fit it. Raises DTypeError
    for integers that do not fit, and for numbers of another kind than `dtype`.
    """
    code, shape, data = entry
    natural, form = (_OWN[code], _OWN[code].code) if code in _OWN else _WIDE[code]
    target = dtype or natural
    if target.kind != natural.kind and not {target.kind, natural.kind} <= {"i", "u"}:
        raise DTypeError(
            f'from_bytes: dtypes of "{name}" differ in kind; got {code} in the file for {target}; '
            "load without like, and convert by astype"
        )
    if code == "BF16":
        data = _bfloat16_as_float32(data)
    if form == target.code:
        elements = bytes(data)
        if target is bool_:
            elements = elements.translate(_TRUTH)
    else:
        view: Any = memoryview(data)
        elements, _, _ = to_host(view.cast(form), target, f'from_bytes: "{name}"')
    return from_host(elements, shape, target, "from_bytes")


def _bfloat16_as_float32(data: Any) -> bytearray:
    """A bfloat16 is the upper half of a float32."""
    halves = bytes(data)
    words = bytearray(2 * len(halves))
    words[2::4] = halves[::2]
    words[3::4] = halves[1::2]
    return words


def number(name: str, entry: Entry, kind: type) -> Any:
    """A Python number of an entry, of the same kind. Raises DTypeError for others."""
    code, shape, data = entry
    dtype, form = (_OWN[code], _OWN[code].code) if code in _OWN else _WIDE[code]
    if shape != () or {"f": float, "b": bool, "c": complex}.get(dtype.kind, int) is not kind:
        raise DTypeError(
            f'from_bytes: "{name}" is no {kind.__name__}; got {code} of shape {shape} in the file; '
            "load without like"
        )
    if code == "BF16":
        data = _bfloat16_as_float32(data)
    return struct.unpack(f"<{form}", data)[0]


def restored(name: str, entry: Entry, leaf: Any) -> Any:
    """What an entry holds, as a leaf of that kind: a number, or a tensor of its shape and dtype."""
    if type(leaf) in _NUMBERS:
        return number(name, entry, type(leaf))
    if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
        raise DTypeError(
            f'from_bytes: leaf of like is no tensor; got {type(leaf).__name__} at "{name}"; '
            "give tensors, numbers or pt.ShapeDtype"
        )
    if entry.shape != leaf.shape:
        raise ShapeError(
            f'from_bytes: shapes of "{name}" differ; got {entry.shape} in the file for '
            f"{leaf.shape}; load it into the tree it was saved from, or without like"
        )
    return decoded(name, entry, as_dtype(leaf.dtype, f'from_bytes: "{name}"'))
