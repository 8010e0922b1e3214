"""Read TFLite files as graphs.

Input: bytes of a file. Output: a `ModelGraph`. Inputs and outputs have the names of the file's
signature, if there is one.
Source: tensorflow/lite/schema/schema.fbs
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from ...dtypes import DType, as_dtype
from ...errors import ModelError
from ...io.safetensors import SIZES, Entry
from ..file_errors import check_size, malformed, unsupported
from ..graph import (
    DTYPE_OF_CODE,
    LinearQuantization,
    ModelConstant,
    ModelGraph,
    ModelNode,
    ValueInfo,
    constant_of_entry,
)
from .flatbuffers import FlatbufferReader, Table
from .schema import OPERATORS, SCHEMA, UNIONS

TYPES = {
    0: "F32", 1: "F16", 2: "I32", 3: "U8", 4: "I64", 6: "BOOL", 7: "I16", 8: "C64", 9: "I8",
    10: "F64", 12: "U64", 15: "U32", 16: "U16", 17: "I8", 18: "BF16",
}  # fmt: skip
"""Code of elements in a file by the number of a type."""
_INT4 = 17
RANK = 64
MAX_BYTES = 1 << 26
"""Maximum size of a constant that a file stores in a compressed form."""
DEPTH = 30
NESTED_NODES = 200_000
"""Maximum depth of graphs inside nodes, and maximum number of nodes in all of these."""
BODIES = {
    "CALL": {"subgraph": "body"},
    "IF": {"then_subgraph_index": "then_branch", "else_subgraph_index": "else_branch"},
    "WHILE": {"cond_subgraph_index": "condition", "body_subgraph_index": "body"},
}
"""Options that are positions of graphs, and the names of the attributes that are these graphs."""
RETYPED = {"CAST", "DEQUANTIZE"}
"""Operators whose result has the dtype that the file declares."""


_malformed, _check_size = partial(malformed, "TFLite"), partial(check_size, "TFLite")


class Scales(NamedTuple):
    """Quantization of a tensor: a number means `(number - zero) * scale`."""

    scale: tuple[float, ...]
    """One for all elements, or one for each position along `axis`."""
    zero: tuple[int, ...]
    """As many as scales."""
    axis: int
    dtype: DType


class Quantization(NamedTuple):
    """Quantization of a node's inputs and outputs; None for those that are not quantized."""

    inputs: tuple[Scales | None, ...]
    outputs: tuple[Scales | None, ...]


def matches(data: Any) -> bool:
    """Return True if the bytes are those of a TFLite file."""
    return bytes(memoryview(data).cast("B")[4:8]) == b"TFL3"


def parse(data: Any) -> Table:
    """Decode the bytes of a file."""
    model = FlatbufferReader(SCHEMA, UNIONS, data, "TFLite").read("Model")
    if not model.get("subgraphs"):
        raise _malformed("file has no graph", f"fields {', '.join(model) or 'none'}")
    # Files of more than 2 GiB have their buffers at the end.
    whole = memoryview(data).cast("B")
    for buffer in model.get("buffers", ()):
        start, size = buffer.get("offset", 0), buffer.get("size", 0)
        if start > 1:
            if start + size > len(whole):
                raise _malformed("buffer goes past the end", f"bytes {start} to {start + size}")
            buffer["data"] = whole[start : start + size]
    return model


def files_of(model: Table) -> set[str]:
    """Return the names of further files; a TFLite file has none."""
    return set()


def read(model: Table, files: Mapping[str, Any]) -> ModelGraph:
    """Return the graph of a decoded file."""
    signatures = [
        signature
        for signature in model.get("signature_defs", ())
        if not signature.get("subgraph_index")
    ]
    file = _File(model["subgraphs"], model.get("operator_codes", ()), model.get("buffers", ()))
    return _GraphReader(file, 0, signature=signatures[0] if signatures else {}).read()


@dataclass
class _File:
    """Tables of a file, and what the readers of its graphs share."""

    graphs: Sequence[Table]
    codes: Sequence[Table]
    buffers: Sequence[Table]
    nested: int = 0
    """Number of nodes of graphs inside nodes."""
    variables: dict[str, str] = field(default_factory=dict)
    """Names of the values that variables have, by the variable's name."""


class _GraphReader:
    """Converts the graph at a position in a file; names of its values begin with `prefix`.

    Graphs that may run several times, or not at all, are not `stateful`: in them, variables are not
    supported.
    """

    def __init__(
        self,
        file: _File,
        at: int,
        outer: tuple[int, ...] = (),
        prefix: str = "",
        signature: Table | None = None,
        stateful: bool = True,
    ) -> None:
        if not 0 <= at < len(file.graphs):
            raise _malformed("graph does not exist", f"position {at} of {len(file.graphs)}")
        table = file.graphs[at]
        self._operators: Sequence[Table] = table.get("operators", ())
        file.nested += len(self._operators) if outer else 0
        if at in outer or len(outer) > DEPTH or file.nested > NESTED_NODES:
            raise ModelError(
                f"load: graphs are nested too deeply, or contain themselves; got graph {at} inside "
                f"of {', '.join(map(str, outer))} and {file.nested:,} nodes; save the model again"
            )
        self._file, self._outer, self._stateful = file, (*outer, at), stateful
        self._name = table.get("name", "")
        self._label = f'graph {at} "{self._name}"'
        self._tensors = [
            _Tensor(tensor, f'tensor {number} "{tensor.get("name", "")}"')
            for number, tensor in enumerate(table.get("tensors", ()))
        ]
        self._inputs = self._indices(table, "inputs", self._label)
        self._outputs = self._indices(table, "outputs", self._label)
        self._extra = _name(
            self._tensors, self._inputs, self._outputs, signature or {}, prefix, self._label
        )
        self._nodes: list[ModelNode] = []
        self._constants: dict[str, ModelConstant] = {}
        self._handles: dict[str, str] = {}
        """Names of variables by the names of values that stand for them."""

    def read(self) -> ModelGraph:
        """Convert the graph."""
        used = set(self._outputs)
        for number, operator in enumerate(self._operators):
            used.update(self._add(operator, number))
        for index in used.difference(self._inputs):
            tensor = self._tensors[index] if index >= 0 else None
            if tensor is not None and tensor.name not in self._constants:
                entry = self._entry(tensor)
                if entry is not None:
                    self._constants[tensor.name] = constant_of_entry(tensor.name, entry)
        names = [self._tensors[index].name for index in self._outputs]
        for position, name in self._extra.items():
            self._nodes.append(ModelNode(name, "Alias", (names[position],), (name,), {}, 0))
        return ModelGraph(
            self._name,
            tuple(self._tensors[index].info() for index in self._inputs),
            tuple(
                self._tensors[index].info()._replace(name=self._extra.get(position, name))
                for position, (index, name) in enumerate(zip(self._outputs, names, strict=True))
            ),
            tuple(self._nodes),
            self._constants,
        )

    def _add(self, operator: Table, number: int) -> list[int]:
        """Convert an operator; return the positions of its inputs."""
        node, inputs = self._node(operator, number, f"{self._label}, operator {number}")
        if self._stateful and node.operator == "CALL_ONCE":
            # States are those of a first call, so the graph belongs to each call.
            position = node.attributes.get("init_subgraph_index", 0)
            initial = _GraphReader(self._file, position, self._outer, f"{node.name}/").read()
            self._nodes += initial.nodes
            self._constants |= initial.constants
            return []
        node = self._stateless(node) if self._stateful else node
        if node.operator != "Assigned" and not self._known(node, inputs):
            self._nodes.append(node)
        return inputs

    def _indices(self, table: Table, name: str, label: str, omitted: bool = False) -> list[int]:
        """Return positions of tensors; -1 is an omitted one."""
        indices: list[int] = table.get(name, [])
        for index in indices:
            if not (0 <= index < len(self._tensors) or (omitted and index == -1)):
                raise _malformed("tensor does not exist", f"position {index} in {name} of {label}")
        return indices

    def _node(self, operator: Table, number: int, label: str) -> tuple[ModelNode, list[int]]:
        """Return a node and the positions of its inputs."""
        tensors = self._tensors
        position = operator.get("opcode_index", 0)
        if position >= len(self._file.codes):
            raise _malformed("operator code does not exist", f"position {position} of {label}")
        code = self._file.codes[position]
        kind = max(code.get("deprecated_builtin_code", 0), code.get("builtin_code", 0))
        name = OPERATORS[kind] if 0 <= kind < len(OPERATORS) else f"builtin operator {kind}"
        attributes = dict(operator.get("builtin_options", {}))
        if name == "CUSTOM":
            name = f"custom.{code.get('custom_code', '')}"
            attributes = {"custom_options": bytes(operator.get("custom_options", b""))}
        if not attributes.get("fused_activation_function", 1):
            del attributes["fused_activation_function"]
        inputs = self._indices(operator, "inputs", label, omitted=True)
        outputs = self._indices(operator, "outputs", label)
        title = (tensors[outputs[0]].name if outputs else "") or f"{name}[{number}]"
        for option, attribute in BODIES.get(name, {}).items():
            attributes[attribute] = _GraphReader(
                self._file,
                attributes.pop(option, 0),
                self._outer,
                f"{title}/{attribute}/",
                stateful=False,
            ).read()
        if name in RETYPED and outputs:
            dtype = tensors[outputs[0]].info().dtype
            if dtype is not None:
                attributes["dtype"] = dtype
        quantization = Quantization(
            tuple(tensors[index].scales if index >= 0 else None for index in inputs),
            tuple(tensors[index].scales for index in outputs),
        )
        if any(quantization.inputs) or any(quantization.outputs):
            attributes["quantization"] = quantization
        operands = tuple(tensors[index].name if index >= 0 else "" for index in inputs)
        results = tuple(tensors[index].name for index in outputs)
        return ModelNode(title, name, operands, results, attributes, code.get("version", 1)), inputs

    def _stateless(self, node: ModelNode) -> ModelNode:
        """Replace the read of a variable by an alias of its value at that point."""
        variables = self._file.variables
        name = self._handles.get(node.inputs[0], "") if node.inputs else ""
        if node.operator == "VAR_HANDLE" and node.outputs:
            self._handles[node.outputs[0]] = node.attributes.get("shared_name", "")
            return node._replace(operator="Assigned")
        if node.operator == "ASSIGN_VARIABLE" and name and len(node.inputs) == 2:
            variables[name] = node.inputs[1]
            return node._replace(operator="Assigned")
        if node.operator == "READ_VARIABLE" and name:
            if name not in variables:
                raise _malformed("variable has no first value", f'"{name}" in node "{node.name}"')
            return node._replace(operator="Alias", inputs=(variables[name],), attributes={})
        return node

    def _known(self, node: ModelNode, inputs: list[int]) -> bool:
        """Add the result of a node to the constants if a constant of a file has its elements."""
        if node.operator not in ("DENSIFY", "DEQUANTIZE") or not inputs or len(node.outputs) != 1:
            return False
        entry = self._entry(self._tensors[inputs[0]])
        if entry is None or (node.operator == "DEQUANTIZE" and entry.dtype not in ("F16", "BF16")):
            return False
        constant = constant_of_entry(node.outputs[0], entry)
        constant.dtype = node.attributes.get("dtype", constant.dtype)
        self._constants[node.outputs[0]] = constant
        return True

    def _entry(self, tensor: _Tensor) -> Entry | None:
        """Return the elements of a constant tensor; None if a node computes it."""
        table, label, buffers = tensor.table, tensor.label, self._file.buffers
        at = table.get("buffer", 0)
        if at and at >= len(buffers):
            raise _malformed("buffer does not exist", f"position {at} of {label}")
        data = buffers[at].get("data", b"") if at < len(buffers) else b""
        shape = tuple(table.get("shape", ()))
        count = math.prod(shape)
        if not len(data) and not table.get("is_variable") and not (at and count == 0):
            return None
        number = table.get("type", 0)
        if number not in TYPES:
            raise unsupported(f"elements of TFLite's type {number}", label)
        code = TYPES[number]
        if len(shape) > RANK or any(length < 0 for length in shape):
            raise _malformed("shape is not valid", f"{shape!s:.80} of {label}")
        if "sparsity" in table:
            _check_bytes(count * SIZES[code], label)
            data = _dense(table["sparsity"], data, shape, SIZES[code], label)
        elif not len(data):
            # A variable is zero before the first call.
            _check_bytes(count * SIZES[code], label)
            data = bytes(count * SIZES[code])
        elif number == _INT4:
            _check_size(len(data), -(-count // 2), shape, label)
            halves = [half for byte in data for half in (byte & 15, byte >> 4)][:count]
            data = bytes(((half ^ 8) - 8) & 255 for half in halves)
        _check_size(len(data), count * SIZES[code], shape, label)
        return Entry(code, shape, data)


class _Tensor:
    """A tensor of a graph with its name, which is different from all others."""

    def __init__(self, table: Table, label: str) -> None:
        self.table = table
        self.label = label
        self.name = ""
        self.scales = _scales(table, label)

    def info(self) -> ValueInfo:
        """Return the declaration."""
        number = self.table.get("type", 0)
        dtype = as_dtype(DTYPE_OF_CODE[TYPES[number]]) if number in TYPES else None
        shape = tuple(self.table.get("shape", ()))
        signature = self.table.get("shape_signature") or shape
        lengths = tuple(length if length >= 0 else None for length in signature)
        scales = self.scales
        quantization = None
        if scales is not None and len(scales.scale) == 1:
            quantization = LinearQuantization(scales.scale[0], scales.zero[0])
        return ValueInfo(self.name, dtype, lengths or None, quantization)


def _name(
    tensors: Sequence[_Tensor],
    inputs: list[int],
    outputs: list[int],
    signature: Table,
    prefix: str,
    label: str,
) -> dict[int, str]:
    """Name all tensors; return further names of outputs by their position in the list of outputs.

    A tensor that is an input and an output, or two outputs, has two names in a signature.
    """
    taken: set[str] = set()
    extra: dict[int, str] = {}
    named: dict[str, dict[int, str]] = {}
    for side in ("inputs", "outputs"):
        named[side] = {}
        for entry in signature.get(side, ()):
            index = entry.get("tensor_index", 0)
            if index >= len(tensors):
                raise _malformed(
                    "tensor does not exist", f"position {index} in signature of {label}"
                )
            named[side][index] = entry.get("name", "")
    for index in inputs:
        tensors[index].name = _unique(named["inputs"].get(index, ""), tensors[index], taken, prefix)
    for position, index in enumerate(outputs):
        tensor, wanted = tensors[index], named["outputs"].get(index, "")
        if not tensor.name:
            tensor.name = _unique(wanted, tensor, taken, prefix)
        elif wanted != tensor.name or index in outputs[:position]:
            extra[position] = _unique(wanted, tensor, taken, prefix)
    for tensor in tensors:
        tensor.name = tensor.name or _unique("", tensor, taken, prefix)
    return extra


def _unique(wanted: str, tensor: _Tensor, taken: set[str], prefix: str) -> str:
    """Return a name that is not taken, and add it to those that are."""
    stem = prefix + (wanted or tensor.table.get("name", "") or "value")
    name, number = stem, len(taken)
    while name in taken:
        name, number = f"{stem}#{number}", number + 1
    taken.add(name)
    return name


def _scales(table: Table, label: str) -> Scales | None:
    stored = table.get("quantization", {})
    scale, number = tuple(stored.get("scale", ())), table.get("type", 0)
    if stored.get("details_type", 0) > 1:
        raise unsupported("quantization in blocks", label)
    if not scale or number not in TYPES or TYPES[number] not in ("U8", "I8", "I16"):
        return None
    zero = tuple(stored.get("zero_point", ())) or (0,) * len(scale)
    axis, shape = stored.get("quantized_dimension", 0), table.get("shape", ())
    if len(scale) > 1 and not (0 <= axis < len(shape) and shape[axis] == len(scale)):
        raise _malformed(
            "number of scales does not fit the shape",
            f"{len(scale)} along axis {axis} of {shape!s:.80} of {label}",
        )
    dtype = as_dtype(DTYPE_OF_CODE[TYPES[number]])
    if len(zero) == 1:
        zero *= len(scale)
    if len(zero) != len(scale) or not all(
        0 < size < math.inf and dtype.lowest <= middle <= dtype.highest
        for size, middle in zip(scale, zero, strict=False)
    ):
        raise _malformed("scales or zero points are not valid", label)
    return Scales(scale, zero, axis, dtype)


def _dense(sparsity: Table, data: Any, shape: tuple[int, ...], size: int, label: str) -> bytes:
    """Write the stored elements of a sparse constant at their positions.

    Axes are stored in the order `traversal_order`; those after the shape's own are axes inside of
    blocks, of which `block_map` names the axis of the shape. Along a sparse axis, entry n of the
    axis before it has the indices from segments[n] to segments[n + 1].
    """
    order, blocks = sparsity.get("traversal_order", []), sparsity.get("block_map", [])
    dims, rank = sparsity.get("dim_metadata", []), len(shape)
    if len(dims) != len(order) or sorted(order) != list(range(rank + len(blocks))):
        raise _malformed("order of sparse axes is not valid", f"{order!s:.80} of {label}")
    block = [1] * rank
    for dim, axis in zip(order, dims, strict=True):
        if dim >= rank:
            if not 0 <= blocks[dim - rank] < rank:
                raise _malformed("block of a sparse constant is not valid", label)
            block[blocks[dim - rank]] = max(1, axis.get("dense_size", 0))
    strides = [math.prod(shape[axis + 1 :]) for axis in range(rank)]
    steps = [
        strides[dim] * block[dim] if dim < rank else strides[blocks[dim - rank]] for dim in order
    ]
    count = math.prod(shape)
    # For each stored entry, its position in the constant.
    positions = [0]
    for axis, step in zip(dims, steps, strict=True):
        if not axis.get("format"):
            length = axis.get("dense_size", 0)
            if not 0 <= length * len(positions) <= count:
                raise _malformed("sparse axis is too long", f"{length} of {label}")
            positions = [start + n * step for start in positions for n in range(length)]
            continue
        segments = axis.get("array_segments", {}).get("values", [])
        indices = axis.get("array_indices", {}).get("values", [])
        if (
            len(segments) != len(positions) + 1
            or any(not 0 <= n <= len(indices) for n in segments)
            or sum(max(0, end - start) for start, end in pairwise(segments)) > count
        ):
            raise _malformed("segments of a sparse axis are not valid", label)
        positions = [
            position + index * step
            for position, (start, end) in zip(positions, pairwise(segments), strict=True)
            for index in indices[start:end]
        ]
    _check_size(len(data), len(positions) * size, shape, label)
    elements = bytearray(count * size)
    for number, at in enumerate(positions):
        if not 0 <= at < count:
            raise _malformed("element of a sparse constant is outside", f"position {at} of {label}")
        elements[at * size : (at + 1) * size] = data[number * size : (number + 1) * size]
    return bytes(elements)


def _check_bytes(size: int, label: str) -> None:
    if size > MAX_BYTES:
        raise ModelError(
            f"load: constant is too large; got {size:,} bytes for {label}; at most {MAX_BYTES:,} "
            "are supported in a compressed form"
        )
