"""Read the weights in files of Keras and TensorFlow: `.keras`, HDF5 (`.h5`) and frozen graphs.

Input: the bytes of a file. Output: an `Entry` for each tensor by name. A frozen graph (`.pb`) has
its weights in nodes. Source: `graph.proto`, `attr_value.proto` and `tensor.proto` in
https://github.com/tensorflow/tensorflow/tree/master/tensorflow/core/framework
"""

from __future__ import annotations

import math
import struct
from typing import Any

from ...errors import ModelError
from ...io.safetensors import SIZES, Entry
from ..file_errors import malformed
from ..onnx.protobuf import Message, ProtobufReader
from ..tfjs import hdf5, keras_archive

FROZEN = "frozen graph of TensorFlow"
SCHEMA = {
    "GraphDef": {1: ("nodes", "NodeDef*")},
    "NodeDef": {1: ("name", "text"), 2: ("op", "text"), 5: ("attributes", "Attribute*")},
    "Attribute": {1: ("name", "text"), 2: ("value", "Value")},
    "Value": {8: ("tensor", "Tensor")},
    "Tensor": {
        **{1: ("dtype", "int"), 2: ("shape", "Shape"), 4: ("content", "bytes")},
        **{5: ("floats", "float*"), 6: ("doubles", "double*"), 7: ("ints", "int*")},
        **{10: ("longs", "int*"), 11: ("bools", "int*"), 13: ("halves", "int*")},
    },
    "Shape": {2: ("lengths", "Length*")},
    "Length": {1: ("size", "int")},
}
_TYPES = {
    **{1: ("F32", "floats", ""), 2: ("F64", "doubles", ""), 3: ("I32", "ints", "i")},
    **{4: ("U8", "ints", "B"), 5: ("I16", "ints", "h"), 6: ("I8", "ints", "b")},
    **{9: ("I64", "longs", "q"), 10: ("BOOL", "bools", "?"), 14: ("BF16", "halves", "H")},
    **{17: ("U16", "ints", "H"), 19: ("F16", "halves", "H")},
}
"""Code of an `Entry`, field of the numbers and their `struct` code, by the number of a dtype."""


def is_frozen_graph(data: Any) -> bool:
    """Return True if bytes begin as a frozen graph does: with a node, which begins with a name."""
    head = bytes(memoryview(data).cast("B")[:8])
    size, at = 0, 1
    while at < 5 and head[at : at + 1] >= b"\x80":
        at += 1
    for byte in reversed(head[1 : at + 1]):
        size = size << 7 | byte & 127
    name = head[at + 1 : at + 3]
    return head[:1] == b"\n" and name[:1] == b"\n" and len(name) == 2 and 0 < name[1] < size - 2


def matches(data: Any) -> bool:
    """Return True if bytes look like a file of Keras or TensorFlow with weights."""
    view = memoryview(data).cast("B")
    return bytes(view[:8]) == hdf5.SIGNATURE or is_frozen_graph(view) or keras_archive.matches(view)


def read(data: Any) -> dict[str, Entry]:
    """Return the tensors of a file by name, without those of optimizers.

    Raises ModelError for damaged files.
    """
    try:
        if is_frozen_graph(data):
            return _constants(ProtobufReader(SCHEMA, data, FROZEN).read("GraphDef"))
        if keras_archive.matches(data):
            constants = keras_archive.parse(data)["constants"]
            return {name: constant.elements for name, constant in constants.items()}
        entries = hdf5.read(data)
    except ModelError as error:
        raise ModelError(str(error).replace("load:", "load_weights:", 1)) from None
    return {name: entry for name, entry in entries.items() if not name.startswith("optimizer")}


def _constants(graph: Message) -> dict[str, Entry]:
    """Return the constants of a graph, without texts and empty ones of unknown dtypes."""
    found = {}
    for node in graph.get("nodes", ()):
        for attribute in node.get("attributes", ()) if node.get("op") == "Const" else ():
            tensor = attribute.get("value", {}).get("tensor", {})
            if tensor.get("dtype") in _TYPES:
                name = node.get("name", "")
                found[name] = _entry(name, tensor)
    return found


def _entry(name: str, tensor: Message) -> Entry:
    code, field, form = _TYPES[tensor["dtype"]]
    shape = tuple(length.get("size", 0) for length in tensor.get("shape", {}).get("lengths", ()))
    nbytes = math.prod(shape) * SIZES[code]
    content = tensor.get("content") or tensor.get(field, b"")
    if form and isinstance(content, list):
        content = struct.pack(f"<{len(content)}{form}", *content)
    if len(content) < nbytes and min(shape, default=0) >= 0:
        # The last number stands for all further ones, and no number for zeros.
        last = bytes(content[-SIZES[code] :]) or bytes(SIZES[code])
        content = bytes(content) + last * ((nbytes - len(content)) // SIZES[code])
    if len(content) != nbytes:
        label = f"{name!r:.60} of shape {shape!s:.60}"
        raise malformed(FROZEN, "tensor has another number of bytes", label)
    return Entry(code, shape, content)
