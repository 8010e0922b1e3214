"""Read ONNX files.

Input: the bytes of a file and of its external data. Output: a `ModelGraph`. Source:
https://github.com/onnx/onnx/blob/main/docs/IR.md and onnx.proto, whose field numbers the schema
repeats. Strings, maps and sparse tensors are not supported.
"""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from ...dtypes import DType, as_dtype
from ...errors import ModelError
from ...io.safetensors import SIZES, Entry
from ...ops.index_map import Shape
from ..file_errors import check_size, malformed, shortened, unsupported
from ..graph import (
    DTYPE_OF_CODE,
    FORMATS,
    LinearQuantization,
    ModelConstant,
    ModelGraph,
    ModelNode,
    ValueInfo,
    constant_of_entry,
)
from ..sources import check_neighbour
from . import narrow_floats
from .ordering import in_order
from .packed_constants import with_packed
from .protobuf import Message, ProtobufReader, float_of

SCHEMA = {
    "Model": {1: ("ir_version", "int"), 2: ("producer_name", "text"),
              3: ("producer_version", "text"), 4: ("domain", "text"), 5: ("model_version", "int"),
              6: ("doc_string", "text"), 7: ("graph", "Graph"),
              8: ("opset_import", "OperatorSet*"), 14: ("metadata_props", "StringEntry*"),
              25: ("functions", "Function*")},
    "OperatorSet": {1: ("domain", "text"), 2: ("version", "int")},
    "Graph": {1: ("node", "Node*"), 2: ("name", "text"), 5: ("initializer", "Tensor*"),
              10: ("doc_string", "text"), 11: ("input", "ValueInfo*"), 12: ("output", "ValueInfo*"),
              15: ("sparse_initializer", "bytes*")},
    "Node": {1: ("input", "text*"), 2: ("output", "text*"), 3: ("name", "text"),
             4: ("op_type", "text"), 5: ("attribute", "Attribute*"), 7: ("domain", "text"),
             8: ("overload", "text")},
    "Attribute": {1: ("name", "text"), 2: ("f", "float"), 3: ("i", "int"), 4: ("s", "bytes"),
                  5: ("t", "Tensor"), 6: ("g", "Graph"), 7: ("floats", "float*"),
                  8: ("ints", "int*"), 9: ("strings", "bytes*"), 14: ("tp", "Type"),
                  20: ("type", "int"), 21: ("ref_attr_name", "text")},
    "ValueInfo": {1: ("name", "text"), 2: ("type", "Type")},
    "Type": {1: ("tensor_type", "TensorType"), 4: ("sequence_type", "Element"),
             5: ("map_type", "bytes"), 7: ("opaque_type", "bytes"),
             8: ("sparse_tensor_type", "bytes"), 9: ("optional_type", "Element")},
    "Element": {1: ("elem_type", "Type")},
    "TensorType": {1: ("elem_type", "int"), 2: ("shape", "Shape")},
    "Shape": {1: ("dim", "Dimension*")},
    "Dimension": {1: ("dim_value", "int"), 2: ("dim_param", "text")},
    "Tensor": {1: ("dims", "int*"), 2: ("data_type", "int"), 3: ("segment", "bytes"),
               4: ("float_data", "float*"), 5: ("int32_data", "int*"),
               7: ("int64_data", "int*"), 8: ("name", "text"), 9: ("raw_data", "bytes"),
               10: ("double_data", "double*"), 11: ("uint64_data", "int*"),
               13: ("external_data", "StringEntry*"), 14: ("data_location", "int")},
    "StringEntry": {1: ("key", "text"), 2: ("value", "text")},
    "Function": {1: ("name", "text"), 4: ("input", "text*"), 5: ("output", "text*"),
                 6: ("attribute", "text*"), 7: ("node", "Node*"),
                 9: ("opset_import", "OperatorSet*"), 10: ("domain", "text"),
                 11: ("attribute_proto", "Attribute*"), 13: ("overload", "text")},
}  # fmt: skip
"""Name and kind of each field that the reader uses, by message and number."""

_MODEL_KEYS = {number << 3 | 2 for number in (2, 3, 4, 6, 7, 8, 14)} | {5 << 3}
"""First bytes of the fields that follow the version in a Model."""


_malformed, _check_size = partial(malformed, "ONNX"), partial(check_size, "ONNX")


ELEMENTS = {
    1: "F32", 2: "U8", 3: "I8", 4: "U16", 5: "I16", 6: "I32", 7: "I64", 9: "BOOL", 10: "F16",
    11: "F64", 12: "U32", 13: "U64", 16: "BF16",
}  # fmt: skip
"""Codes of the supported dtypes in an `Entry`, by their number in onnx.TensorProto.DataType."""
_FIELDS = {
    "F32": "float_data", "F64": "double_data", "I64": "int64_data", "U32": "uint64_data",
    "U64": "uint64_data",
}  # fmt: skip
"""Fields with the elements that are not raw bytes, by code; others are in `int32_data`."""
_MASKS = {"F16": 0xFFFF, "BF16": 0xFFFF, "U64": (1 << 64) - 1}
"""Bits of a number of the field that count, by code; all for others."""
DTYPES = {
    **{number: DTYPE_OF_CODE[code] for number, code in ELEMENTS.items()},
    **{14: "complex64", 21: "uint8", 22: "int8", 25: "uint8", 26: "int8"},
    **dict.fromkeys(narrow_floats.BITS, "float32"),
}
"""Dtype of a tensor by ONNX's number: 64-bit dtypes become 32-bit ones, as in pt.asarray;
bfloat16 and floats of fewer bits become float32; integers of 2 and 4 bits become integers of 8
bits."""
NARROW_INTEGERS = {21: (4, 0), 22: (4, -8), 25: (2, 0), 26: (2, -2)}
"""Bits and least number of ONNX's dtypes of integers of less than 8 bits."""

RANK = 32
"""Maximum number of axes of a constant."""
DEPTH = 30
NESTED_NODES = 200_000
"""Maximum depth of graphs inside nodes and of calls of the file's functions, and maximum number of
nodes in all of these."""


def dtype_of(number: int) -> DType:
    """Return the dtype of ONNX's number; raise ModelError if it is not supported."""
    if number not in DTYPES:
        raise ModelError(
            f"load: dtype is not supported; got number {number} of onnx.TensorProto.DataType; "
            f"convert to one of {', '.join(sorted(set(DTYPES.values())))}"
        )
    return as_dtype(DTYPES[number])


def matches(data: Any) -> bool:
    """Return True if bytes begin like a Model: its version, and the key of another field.

    Protocol Buffers have no signature. All libraries write the fields in the order of their
    numbers, so that a file begins with `ir_version`.
    """
    head = bytes(memoryview(data).cast("B")[:3])
    return len(head) == 3 and head[0] == 0x08 and head[1] < 0x80 and head[2] in _MODEL_KEYS


def parse(data: Any) -> Message:
    """Decode the bytes of a file."""
    model = ProtobufReader(SCHEMA, data, "ONNX").read("Model")
    if "graph" not in model:
        raise _malformed("file has no graph", f"fields {', '.join(model) or 'none'}")
    return model


def files_of(model: Message) -> set[str]:
    """Return the names of the files with external data, relative to the model's file.

    Raises ModelError for names that lead out of its folder.
    """
    names = set()
    for tensor in _tensors(model):
        if tensor.get("data_location"):
            name = _location(tensor).get("location", "")
            check_neighbour(name, f'tensor "{tensor.get("name", "")}"')
            names.add(name)
    return names


def _tensors(value: Any) -> Iterator[Message]:
    """Yield the tensors in a message."""
    if isinstance(value, dict):
        if "data_type" in value or "data_location" in value:
            yield value
        else:
            for inner in value.values():
                yield from _tensors(inner)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for inner in value:
            yield from _tensors(inner)


def read(model: Message, files: Mapping[str, Any]) -> ModelGraph:
    """Return the graph of a decoded file, given the bytes of its external data by name."""
    functions = {
        tuple(function.get(key, "") for key in ("domain", "name", "overload")): function
        for function in model.get("functions", ())
    }
    reader = _GraphReader(functions, files)
    graph = reader.graph(model["graph"], _Scope(_versions(model), {}, 0))
    if reader.has_narrow:
        graph = with_packed(graph)
    scales = _scales(graph)
    return graph._replace(
        inputs=tuple(_with_quantization(info, graph, scales) for info in graph.inputs),
        outputs=tuple(_with_quantization(info, graph, scales) for info in graph.outputs),
    )


_MOVES = {"Flatten", "Identity", "MaxPool", "Reshape", "Squeeze", "Transpose", "Unsqueeze"}
"""Operators whose result has the quantization of the input."""
_RESULT_SCALES = {
    "QuantizeLinear": 1, "QLinearAdd": 6, "QLinearConcat": 0, "QLinearConv": 6,
    "QLinearMatMul": 6, "QLinearMul": 6,
}  # fmt: skip
"""Position of the scale of the result among the inputs; 3 for other operators on one tensor."""


def _scales(graph: ModelGraph) -> dict[str, tuple[str, ...]]:
    """Return the names of scale and zero point by the names of values that nodes read with them."""
    scales: dict[str, tuple[str, ...]] = {}
    for node in graph.nodes:
        operator = node.operator.rpartition(".")[2]
        if operator == "QuantizeLinear" or operator.startswith("QLinear"):
            at = _RESULT_SCALES.get(operator, 3)
            scales.update(dict.fromkeys(node.outputs, node.inputs[at : at + 2]))
        elif operator in _MOVES and node.inputs and node.inputs[0] in scales:
            scales.update(dict.fromkeys(node.outputs, scales[node.inputs[0]]))
    for node in reversed(graph.nodes):
        operator = node.operator.rpartition(".")[2]
        if operator == "DequantizeLinear" or operator.startswith("QLinear"):
            # Each tensor comes before its scale and its zero point.
            for at, name in enumerate(node.inputs):
                scales.setdefault(name, node.inputs[at + 1 : at + 3])
        elif operator in _MOVES and node.inputs and node.outputs[:1] and node.outputs[0] in scales:
            scales.setdefault(node.inputs[0], scales[node.outputs[0]])
    return scales


def _with_quantization(
    info: ValueInfo, graph: ModelGraph, scales: Mapping[str, tuple[str, ...]]
) -> ValueInfo:
    """Return the declaration with the quantization, if scale and zero point are constants."""
    constants = [graph.constants.get(name) for name in scales.get(info.name, ()) if name]
    if info.dtype is None or info.dtype.kind not in "iu" or not constants:
        return info
    numbers = [
        constant.numbers[0] for constant in constants if constant is not None and constant.size == 1
    ]
    scale, zero = (*numbers, 0)[:2] if len(numbers) == len(constants) else (None, None)
    if type(scale) is not float or type(zero) is not int:
        return info
    return info._replace(quantization=LinearQuantization(scale, zero))


class _Scope(NamedTuple):
    """The surroundings of a graph."""

    versions: Mapping[str, int]
    """Versions of the operator sets by domain."""
    arguments: Mapping[str, Any]
    """Attributes of the call of the function around the graph."""
    depth: int


class _GraphReader:
    """Converts messages to graphs, and calls of the file's functions to nodes with a body."""

    def __init__(
        self, functions: Mapping[tuple[str, ...], Message], files: Mapping[str, Any]
    ) -> None:
        self._functions = functions
        self._files = files
        self._nested = 0
        self._values: dict[int, ModelConstant | None] = {}
        """Values of Constant nodes by the identity of their messages."""
        self._dtypes: dict[str, int] = {}
        """ONNX's numbers of the dtypes of values, as far as they matter."""
        self.has_narrow = False
        """True if a constant has integers of less than 8 bits."""

    def graph(self, graph: Message, scope: _Scope) -> ModelGraph:
        """Convert a graph."""
        name = graph.get("name", "")
        if graph.get("sparse_initializer"):
            raise unsupported("sparse tensors", f"an initializer of graph {name!r}")
        constants = {}
        for info in graph.get("input", ()):
            self._declare(info)
        for tensor in graph.get("initializer", ()):
            constant = self._constant(tensor)
            constants[constant.name] = constant
            self._dtypes[constant.name] = tensor.get("data_type", 0)
        nodes = self._nodes(graph.get("node", ()), constants, scope)
        for info in graph.get("output", ()):
            self._declare(info)
        inputs = map(_value_info, graph.get("input", ()))
        return ModelGraph(
            name,
            tuple(info for info in inputs if info.name not in constants),
            tuple(map(_value_info, graph.get("output", ()))),
            nodes,
            constants,
        )

    def _declare(self, info: Message) -> None:
        """Note the dtype of an input or output, if it has one."""
        declared = info.get("type", {}).get("tensor_type", {}).get("elem_type", 0)
        if declared:
            self._dtypes[info.get("name", "")] = declared

    def _nodes(
        self, nodes: Any, constants: dict[str, ModelConstant], scope: _Scope
    ) -> tuple[ModelNode, ...]:
        """Convert nodes, and add those that give constants to `constants`."""
        converted = []
        versions, arguments, depth = scope
        self._nested += len(nodes) if depth else 0
        if depth > DEPTH or self._nested > NESTED_NODES:
            raise ModelError(
                "load: graphs are nested too deeply, or functions call each other too often; got "
                f"depth {depth} of at most {DEPTH} and {self._nested:,} nodes of at most "
                f"{NESTED_NODES:,}; save the model without functions"
            )
        for at, message in enumerate(in_order(nodes)):
            operator, outputs = message.get("op_type", ""), tuple(message.get("output", ()))
            name = message.get("name") or next(filter(None, outputs), "") or f"{operator}[{at}]"
            domain = message.get("domain", "")
            inputs = tuple(message.get("input", ()))
            attributes = {}
            for attribute in message.get("attribute", ()):
                for info, own in zip(attribute.get("g", {}).get("input", ()), inputs, strict=False):
                    self._dtypes[info.get("name", "")] = self._dtypes.get(own, 0)
                key = attribute.get("name", "")
                reference = attribute.get("ref_attr_name")
                if reference is None:
                    label = f'attribute "{key}" of node "{name}"'
                    attributes[key] = self._attribute(attribute, label, scope)
                elif reference in arguments:
                    attributes[key] = arguments[reference]
            function = self._functions.get((domain, operator, message.get("overload", "")))
            if function is not None:
                body = self._body(function, attributes, depth + 1, inputs, outputs)
                # A call may omit inputs and outputs at the end.
                missing = len(body.inputs) - len(inputs)
                inputs += ("",) * missing
                converted.append(ModelNode(name, "Function", inputs, outputs, {"body": body}, 0))
                continue
            domain = "" if domain == "ai.onnx" else domain
            if not domain:
                operator, inputs = self._with_dtypes(operator, inputs, outputs, attributes)
            elif operator == "GatherBlockQuantized" and inputs:
                attributes["data_dtype"] = self._dtypes.get(inputs[0], 0)
            if not domain and operator == "Constant" and len(outputs) == 1:
                constant = self._shared(message, attributes, outputs[0])
                for attribute in message.get("attribute", ()):
                    self._dtypes[outputs[0]] = attribute.get("t", {}).get("data_type", 0)
                if constant is not None:
                    constants[outputs[0]] = constant
                    continue
            if not domain and "" not in versions:
                raise _malformed("file does not import ONNX's operators", f'node "{name}"')
            version = versions.get(domain, 1)
            operator = f"{domain}.{operator}" if domain else operator
            converted.append(ModelNode(name, operator, inputs, outputs, attributes, version))
        return tuple(converted)

    def _shared(
        self, message: Message, attributes: Mapping[str, Any], name: str
    ) -> ModelConstant | None:
        """Return the value of a Constant node, which calls of a function have in common."""
        if any("ref_attr_name" in attribute for attribute in message.get("attribute", ())):
            return _constant_node(attributes, name)
        if id(message) not in self._values:
            self._values[id(message)] = _constant_node(attributes, name)
        return self._values[id(message)]

    def _with_dtypes(
        self,
        operator: str,
        inputs: tuple[str, ...],
        outputs: tuple[str, ...],
        attributes: dict[str, Any],
    ) -> tuple[str, tuple[str, ...]]:
        """Write the narrow dtype of an input into the attributes, because tensors do not hold it.

        Returns the operator and the inputs.
        """
        dtype: Any = 0
        if operator == "Cast":
            dtype = attributes.get("to", 0)
        elif operator == "CastLike" and len(inputs) == 2:
            dtype = self._dtypes.get(inputs[1], 0)
            if _is_narrow(dtype):
                attributes["to"] = dtype
                operator, inputs = "Cast", inputs[:1]
        elif operator == "QuantizeLinear":
            zero = inputs[2] if len(inputs) > 2 else ""
            dtype = attributes.get("output_dtype", 0) or self._dtypes.get(zero, 0)
            if _is_narrow(dtype):
                attributes["output_dtype"] = dtype
        elif operator in _MOVES and inputs:
            dtype = self._dtypes.get(inputs[0], 0)
        if outputs and isinstance(dtype, int):
            self._dtypes[outputs[0]] = dtype
        for body in attributes.values():
            if isinstance(body, ModelGraph):
                # The first result of the body of a loop is its condition.
                results = body.outputs[1:] if operator == "Loop" else body.outputs
                for name, info in zip(outputs, results, strict=False):
                    self._dtypes[name] = self._dtypes.get(info.name, 0)
        return operator, inputs

    def _body(
        self,
        function: Message,
        attributes: dict[str, Any],
        depth: int,
        inputs: tuple[str, ...],
        outputs: tuple[str, ...],
    ) -> ModelGraph:
        """Return the graph of a function for a call with names of inputs and outputs."""
        around = self._dtypes
        pairs = zip(function.get("input", ()), inputs, strict=False)
        self._dtypes = {name: around.get(own, 0) for name, own in pairs}
        versions, arguments = _versions(function), dict(attributes)
        for default in function.get("attribute_proto", ()):
            key = default.get("name", "")
            if key not in arguments:
                label = f"default {key!r} of function {function.get('name', '')!r}"
                arguments[key] = self._attribute(default, label, _Scope(versions, {}, depth))
        constants: dict[str, ModelConstant] = {}
        nodes = self._nodes(function.get("node", ()), constants, _Scope(versions, arguments, depth))
        results = zip(outputs, function.get("output", ()), strict=False)
        around |= {name: self._dtypes.get(own, 0) for name, own in results}
        self._dtypes = around
        return ModelGraph(
            function.get("name", ""),
            tuple(ValueInfo(name, None, None) for name in function.get("input", ())),
            tuple(ValueInfo(name, None, None) for name in function.get("output", ())),
            nodes,
            constants,
        )

    def _attribute(self, attribute: Message, label: str, scope: _Scope) -> Any:
        kind = attribute.get("type", 0)
        if not kind:
            # Old files do not name the type.
            present = [code for code, (field, _) in _ATTRIBUTES.items() if field in attribute]
            kind = present[0] if present else 7
        if kind not in _ATTRIBUTES:
            raise unsupported(f"attributes of type {kind}", label)
        field, empty = _ATTRIBUTES[kind]
        value = attribute.get(field, empty)
        try:
            if value is None:
                raise _malformed("attribute has no value", label)
            if kind == 1:
                return float_of(value)
            if kind == 3:
                return str(value, "utf-8")
            if kind == 4:
                return self._constant(value)
            if kind == 5:
                return self.graph(value, scope._replace(depth=scope.depth + 1))
            if kind == 6:
                return list(struct.unpack(f"<{len(value) // 4}f", value))
            if kind == 8:
                return [str(text, "utf-8") for text in value]
        except UnicodeDecodeError:
            raise _malformed("text is not UTF-8", label) from None
        return value

    def _constant(self, tensor: Message) -> ModelConstant:
        name = tensor.get("name", "")
        constant = constant_of_entry(name, self._entry(tensor, f'tensor "{name}"'))
        constant.narrow = NARROW_INTEGERS.get(tensor.get("data_type", 0))
        self.has_narrow |= constant.narrow is not None
        return constant

    def _entry(self, tensor: Message, label: str) -> Entry:
        dtype, shape = tensor.get("data_type", 0), tuple(tensor.get("dims", ()))
        if len(shape) > RANK or any(length < 0 for length in shape):
            raise _malformed("shape is not valid", f"{shortened(shape)} of {label}")
        if "segment" in tensor:
            raise unsupported("tensors in segments", label)
        raw = tensor.get("raw_data")
        if tensor.get("data_location"):
            raw = self._external(tensor, label)
        if _is_narrow(dtype):
            return _narrow(dtype, shape, raw, tensor, label)
        if dtype not in ELEMENTS:
            raise unsupported(f"elements of ONNX's dtype {dtype}", label)
        code = ELEMENTS[dtype]
        if raw is None:
            raw = tensor.get(_FIELDS.get(code, "int32_data"), b"")
            if code not in ("F32", "F64"):
                # Halves are numbers of 16 bits.
                mask, form = _MASKS.get(code, -1), FORMATS[code].replace("e", "H")
                numbers = [number & mask for number in raw]
                try:
                    raw = struct.pack(f"<{len(numbers)}{form}", *numbers)
                except struct.error as error:
                    raise _malformed("number does not fit its dtype", f"{label}: {error}") from None
        _check_size(len(raw), math.prod(shape) * SIZES[code], shape, label)
        return Entry(code, shape, raw)

    def _external(self, tensor: Message, label: str) -> Any:
        location = _location(tensor)
        name = location.get("location", "")
        if name not in self._files:
            raise ModelError(
                f'load: file with external data is missing; got "{name}" for {label}; load the '
                "model from its URL or path"
            )
        data = memoryview(self._files[name]).cast("B")
        try:
            offset = int(location.get("offset", "0"))
            length = int(location.get("length", len(data) - offset))
        except ValueError:
            raise _malformed(
                "offset and length must be integers", f"{location} of {label}"
            ) from None
        if offset < 0 or length < 0 or offset + length > len(data):
            raise _malformed(
                "external data go past the end",
                f'bytes {offset} to {offset + length} of {len(data)} in "{name}" for {label}',
            )
        return data[offset : offset + length]


_ATTRIBUTES: dict[int, tuple[str, Any]] = {
    1: ("f", bytes(4)), 2: ("i", 0), 3: ("s", b""), 4: ("t", None), 5: ("g", None),
    6: ("floats", b""), 7: ("ints", []), 8: ("strings", []), 13: ("tp", {}),
}  # fmt: skip
"""Field of each type of attribute, and its value if the file omits it."""
_CONSTANTS = {
    "value_int": ("I64", "q"), "value_ints": ("I64", "q"),
    "value_float": ("F32", "f"), "value_floats": ("F32", "f"),
}  # fmt: skip


def _constant_node(attributes: Mapping[str, Any], name: str) -> ModelConstant | None:
    """Return the value of a Constant node; None if it is not a number or a tensor."""
    if len(attributes) != 1:
        return None
    [(key, value)] = attributes.items()
    if key == "value" and isinstance(value, ModelConstant):
        return replace(value, name=name)
    if key not in _CONSTANTS:
        return None
    code, form = _CONSTANTS[key]
    numbers = value if isinstance(value, list) else [value]
    shape = (len(numbers),) if isinstance(value, list) else ()
    try:
        data = struct.pack(f"<{len(numbers)}{form}", *numbers)
    except struct.error:
        return None
    return constant_of_entry(name, Entry(code, shape, data))


def _versions(message: Message) -> dict[str, int]:
    versions = {}
    for operator_set in message.get("opset_import", ()):
        domain, version = operator_set.get("domain", ""), operator_set.get("version", 0)
        domain = "" if domain == "ai.onnx" else domain
        versions[domain] = version
    return versions


def _value_info(message: Message) -> ValueInfo:
    label, kind = f'value "{message.get("name", "")}"', message.get("type", {})
    is_optional = "optional_type" in kind
    if is_optional:
        kind = kind["optional_type"].get("elem_type", {})
    is_list = "sequence_type" in kind
    if is_list:
        kind = kind["sequence_type"].get("elem_type", {})
    if kind.keys() - {"tensor_type"}:
        raise unsupported("values that are not tensors or sequences of them", label)
    tensor = kind.get("tensor_type", {})
    number = tensor.get("elem_type", 0)
    if number and number not in DTYPES:
        raise unsupported(f"values of ONNX's dtype {number}", label)
    name = DTYPES.get(number)
    shape = None
    if "shape" in tensor:
        # Some exporters write -1 for an open length.
        shape = tuple(
            length["dim_value"] if length.get("dim_value", -1) >= 0 else length.get("dim_param")
            for length in tensor["shape"].get("dim", ())
        )
    dtype = None if name is None else as_dtype(name)
    return ValueInfo(message.get("name", ""), dtype, shape, None, is_list, is_optional)


def _is_narrow(dtype: Any) -> bool:
    return isinstance(dtype, int) and (dtype in NARROW_INTEGERS or dtype in narrow_floats.BITS)


def _location(tensor: Message) -> dict[str, str]:
    entries = tensor.get("external_data", ())
    return {entry.get("key", ""): entry.get("value", "") for entry in entries}


def _narrow(dtype: int, shape: Shape, raw: Any, tensor: Message, label: str) -> Entry:
    """Unpack elements of at most 8 bits: the lowest bits of a byte come first."""
    if raw is None:
        raw = [number & 255 for number in tensor.get("int32_data", ())]
    bits, low = NARROW_INTEGERS.get(dtype, (narrow_floats.BITS.get(dtype, 8), 0))
    count, mask = math.prod(shape), (1 << bits) - 1
    _check_size(len(raw), -(-count * bits // 8), shape, label)
    codes = bytearray(len(raw) * (8 // bits))
    for place, shift in enumerate(range(0, 8, bits)):
        table = bytes(byte >> shift & mask for byte in range(256))
        codes[place :: 8 // bits] = bytes(raw).translate(table)
    del codes[count:]
    if dtype in NARROW_INTEGERS:
        table = bytes(((code ^ -low) + low) & 255 for code in range(256))
        return Entry("I8" if low else "U8", shape, codes.translate(table))
    numbers = array("f", map(narrow_floats.values(dtype).__getitem__, codes))
    return Entry("F32", shape, numbers.tobytes())
