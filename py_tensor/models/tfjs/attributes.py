"""Decode the values in a GraphDef as JSON.

Source: https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/framework, files
attr_value.proto, tensor.proto, tensor_shape.proto and types.proto. In JSON, bytes are base64,
64-bit integers are texts, and enumerations are names or numbers.
"""

from __future__ import annotations

import base64
import json
import math
import struct
from typing import Any, NamedTuple

from ...dtypes import DType, as_dtype
from ...errors import ModelError
from ...io.safetensors import SIZES, Entry
from ..execution import TEXTS
from ..graph import TEXT, ModelConstant, constant_of_entry

NUMBERS = {
    1: "DT_FLOAT", 2: "DT_DOUBLE", 3: "DT_INT32", 4: "DT_UINT8", 5: "DT_INT16", 6: "DT_INT8",
    7: "DT_STRING", 8: "DT_COMPLEX64", 9: "DT_INT64", 10: "DT_BOOL", 14: "DT_BFLOAT16",
    17: "DT_UINT16", 18: "DT_COMPLEX128", 19: "DT_HALF", 20: "DT_RESOURCE", 21: "DT_VARIANT",
    22: "DT_UINT32", 23: "DT_UINT64",
}  # fmt: skip
"""Names of TensorFlow's dtypes by their numbers."""
DTYPES = {
    "DT_FLOAT": "float32", "DT_DOUBLE": "float32", "DT_HALF": "float32", "DT_BFLOAT16": "float32",
    "DT_INT8": "int8", "DT_INT16": "int16", "DT_INT32": "int32", "DT_INT64": "int32",
    "DT_UINT8": "uint8", "DT_UINT16": "uint16", "DT_UINT32": "uint32", "DT_UINT64": "uint32",
    "DT_BOOL": "bool", "DT_COMPLEX64": "complex64", "DT_COMPLEX128": "complex64",
}  # fmt: skip
"""Dtypes of tensors; the converter has made the weights of DT_HALF and DT_DOUBLE float32."""
_ELEMENTS = {
    "DT_FLOAT": ("F32", "f", "floatVal"), "DT_DOUBLE": ("F64", "d", "doubleVal"),
    "DT_INT8": ("I8", "b", "intVal"), "DT_INT16": ("I16", "h", "intVal"),
    "DT_INT32": ("I32", "i", "intVal"), "DT_INT64": ("I64", "q", "int64Val"),
    "DT_UINT8": ("U8", "B", "intVal"), "DT_UINT16": ("U16", "H", "intVal"),
    "DT_UINT32": ("U32", "I", "uint32Val"), "DT_UINT64": ("U64", "Q", "uint64Val"),
    "DT_BOOL": ("BOOL", "?", "boolVal"), "DT_HALF": ("F16", "H", "halfVal"),
    "DT_BFLOAT16": ("BF16", "H", "halfVal"), "DT_COMPLEX64": ("C64", "2f", "scomplexVal"),
}  # fmt: skip
"""Code in an `Entry`, `struct` code, and field of the elements of each dtype of a tensor."""

LARGEST = 1 << 26
"""Maximum number of bytes of a tensor whose elements are equal."""

type PartialShape = tuple[int | None, ...] | None


class Type(NamedTuple):
    """A dtype as the value of an attribute."""

    name: str
    """TensorFlow's name, for example "DT_FLOAT"."""

    @property
    def is_text(self) -> bool:
        """True for texts."""
        return self.name == "DT_STRING"

    @property
    def dtype(self) -> DType:
        """Dtype of values; raises ModelError if it is not supported."""
        if self.is_text:
            return TEXT
        if self.name not in DTYPES:
            raise ModelError(
                f"load: dtype is not supported; got {self.name:.40}; use one of {', '.join(DTYPES)}"
            )
        return as_dtype(DTYPES[self.name])


class FunctionName(NamedTuple):
    """The name of a function of the file's library as the value of an attribute."""

    name: str


def decoded(value: Any, owner: str) -> Any:
    """Decode the value of an attribute: numbers, texts, types, shapes, functions and lists."""
    if not isinstance(value, dict) or len(value) > 1:
        raise malformed("attribute has no value", f"{value!r:.80} of {owner}")
    if not value:
        return None
    [(kind, content)] = value.items()
    if kind == "list":
        if not isinstance(content, dict) or len(content) > 1:
            raise malformed("attribute is no list", f"{content!r:.80} of {owner}")
        for inner, elements in content.items():
            if not isinstance(elements, list):
                raise malformed("attribute is no list", f"{content!r:.80} of {owner}")
            return [_single(inner, element, owner) for element in elements]
        return []
    return _single(kind, content, owner)


def _single(kind: str, value: Any, owner: str) -> Any:
    try:
        if kind == "s":
            return str(bytes_of(value), "utf-8", "replace")
        if kind == "i":
            return integer(value)
        if kind == "f":
            return float(value)
        if kind == "b":
            if not isinstance(value, bool):
                raise TypeError
            return value
        if kind == "type":
            return type_of(value)
        if kind == "shape":
            return shape_of(value)
        if kind == "tensor":
            return constant("", value, owner)
        if kind == "func":
            return FunctionName(str(value["name"]))
    except (AttributeError, TypeError, ValueError, KeyError, OverflowError):
        raise malformed(f"attribute is no {kind}", f"{value!r:.80} of {owner}") from None
    raise malformed("attribute has an unknown kind", f"{kind!r:.80} of {owner}")


def integer(value: Any) -> int:
    """Return an integer that may be a text; raise ValueError for others and beyond 64 bits."""
    if isinstance(value, bool) or not isinstance(value, (int, str)) or len(str(value)) > 20:
        raise ValueError
    return int(value)


def bytes_of(value: Any) -> bytes:
    """Return bytes, which are base64 or a list of numbers."""
    if isinstance(value, str):
        return base64.b64decode(value)
    if not isinstance(value, list):
        raise TypeError
    return bytes(value)


def type_of(value: Any) -> Type:
    """Return a dtype that is given as a name or as a number."""
    if not isinstance(value, str):
        value = NUMBERS.get(value, f"number {value!r}")
    return Type(value.removesuffix("_REF"))


def shape_of(value: Any) -> PartialShape:
    """Return the lengths of a shape, None for unknown ones, or None for an unknown rank."""
    if value.get("unknownRank"):
        return None
    lengths = [integer(length.get("size", 0)) for length in value.get("dim", ())]
    if any(not -1 <= length < 1 << 31 for length in lengths) or len(lengths) > 32:
        raise ValueError
    return tuple(None if length == -1 else length for length in lengths)


def constant(name: str, value: Any, owner: str) -> ModelConstant | None:
    """Return the value of an attribute; None for a tensor without elements."""
    try:
        dtype, shape = type_of(value.get("dtype", 0)).name, shape_of(value.get("tensorShape", {}))
        if dtype == "DT_STRING" and shape is not None:
            return _texts(name, value.get("stringVal", []), shape)
        if dtype not in _ELEMENTS or shape is None or None in shape:
            return None
        code, form, field = _ELEMENTS[dtype]
        lengths = tuple(length or 0 for length in shape)
        count = math.prod(lengths)
        if "tensorContent" in value:
            data = bytes_of(value["tensorContent"])
        else:
            elements = value.get(field, [])
            if not elements and count:
                return None
            kinds = {"f": float, "d": float, "2f": float, "?": bool}
            numbers = [kinds.get(form, integer)(number) for number in elements]
            data = struct.pack(f"<{len(numbers)}{form[-1]}", *numbers)
        size = SIZES[code]
        if 0 < len(data) < count * size and len(data) % size == 0 and count * size <= LARGEST:
            # The last element is repeated.
            data += data[-size:] * (count - len(data) // size)
    except (AttributeError, TypeError, ValueError, OverflowError, struct.error):
        raise malformed("tensor is not valid", f"{value!r:.80} of {owner}") from None
    if len(data) != count * size:
        raise malformed(
            "number of elements does not fit the shape",
            f"{len(data)} bytes instead of {count * size} for shape {list(lengths)} of {owner}",
        )
    return constant_of_entry(name, Entry(code, lengths, data))


def _texts(name: str, elements: list[Any], shape: tuple[int | None, ...]) -> ModelConstant | None:
    """Return texts, of which the last one is repeated; None if there are none."""
    lengths = tuple(length or 0 for length in shape)
    count = math.prod(lengths)
    if None in shape or (not elements and count) or count > TEXTS:
        return None
    texts = [bytes_of(text) for text in elements]
    if len(texts) > count:
        raise ValueError
    return ModelConstant(name, TEXT, lengths, texts + texts[-1:] * (count - len(texts)))


def document_of(data: Any, files: str = "file") -> Any:
    """Decode the JSON of a `model.json` or of a manifest of weights."""
    try:
        return json.loads(str(bytes(data), "utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise malformed("file is not JSON", f"{error!s:.80}", files) from None


def malformed(wrong: str, got: str, files: str = "file") -> ModelError:
    """Return the error of a file that violates the format."""
    return ModelError(
        f"load: not a valid TensorFlow.js model: {wrong}; got {got}; download or save the {files} "
        "again"
    )
