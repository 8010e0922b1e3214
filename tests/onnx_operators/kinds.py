"""What ONNX writes in numbers of its own: dtypes, and what is left out."""

from __future__ import annotations

DTYPES = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int32",
    9: "bool",
    10: "float16",
    11: "float32",
    12: "uint32",
    13: "uint32",
}
"""Numbers of onnx.TensorProto.DataType; 64-bit dtypes are the 32-bit ones, as in pt.asarray."""


class Unsupported(Exception):
    """py_tensor has no function for this."""


def dtype_of(number: int) -> str:
    """The dtype that ONNX's number means here."""
    if number not in DTYPES:
        raise Unsupported(f"dtype {number}")
    return DTYPES[number]
