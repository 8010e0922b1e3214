"""Keep weights of 4 and 2 bits packed that products and gathers dequantize.

Input: a graph. Output: a graph in which `DequantizeLinear` of a constant matrix, and the `MatMul`,
`Gemm` or `Gather` that reads its result, are one `MatMulNBits` or `GatherBlockQuantized`, whose
kernels read the packed integers. Graphs in nodes are rewritten, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...io.safetensors import SIZES, Entry
from ..graph import ModelConstant, ModelGraph, ModelNode, constant_of_entry, reads

DEQUANTIZE, TRANSPOSE = "DequantizeLinear", "Transpose"
MATMUL, GATHER = "com.microsoft.MatMulNBits", "com.microsoft.GatherBlockQuantized"


class _Weight(NamedTuple):
    """A constant matrix of narrow integers with scales, which a node dequantizes."""

    name: str
    integers: ModelConstant
    bits: int
    low: int
    """Least integer of the dtype, which becomes 0."""
    scales: ModelConstant
    zeros: ModelConstant | None
    axis: int
    block: int
    """Elements along the axis that share a scale; 0 for one scale for each place on it."""

    def fits(self, rows: int) -> bool:
        """Return True if scales belong to parts of rows, which are counted along an axis."""
        if self.scales.size == 1:
            return True
        return self.axis == 1 - rows if self.block else self.axis == rows

    def layout(self, rows: int) -> tuple[int, int, int]:
        """Return the number of rows, and the lengths of a row and of a block."""
        shape = self.integers.shape
        length = shape[1 - rows]
        return shape[rows], length, self.block or length + -length % (8 // self.bits)

    def parts(self, rows: int) -> dict[str, ModelConstant]:
        """Return the packed integers, scales and zero points, with rows along an axis."""
        count, length, block = self.layout(rows)
        blocks = -(-length // block)
        shape = (blocks, count) if rows else (count, blocks)
        repeats = count * blocks if self.scales.size == 1 else 1
        codes = _lines(self.integers, self.integers.shape, rows, -self.low)
        zeros = bytes([-self.low]) * (count * blocks)
        if self.zeros is not None:
            zeros = _lines(self.zeros, shape, rows, -self.low, repeats)
        scales = _lines(self.scales, shape, rows, 0, repeats)
        entries = {
            "weights": Entry("U8", *_packed(codes, count, length, blocks * block, self.bits)),
            "scales": Entry(self.scales.elements.dtype, (count, blocks), scales),
            "zeros": Entry("U8", *_packed(zeros, count, blocks, blocks, self.bits)),
        }
        return {
            key: constant_of_entry(f"{self.name}: {key} by axis {rows}", entry)
            for key, entry in entries.items()
        }


def _lines(
    constant: ModelConstant, shape: tuple[int, ...], rows: int, added: int, repeats: int = 1
) -> bytes:
    """Return the bytes of a matrix, row by row, with rows along an axis."""
    data = bytes(constant.elements.data) * repeats
    if added:
        data = data.translate(bytes((code + added) & 255 for code in range(256)))
    if not rows:
        return data
    form: Any = {1: "B", 2: "H", 4: "I"}[SIZES[constant.elements.dtype]]
    view = memoryview(data).cast(form)
    return b"".join([view[column :: shape[1]].tobytes() for column in range(shape[1])])


def _packed(
    codes: bytes, rows: int, columns: int, padded: int, bits: int
) -> tuple[tuple[int, int], bytes]:
    """Return the shape and the bytes of rows of integers, the lowest bits of a byte first."""
    step = 8 // bits
    size = -(-padded // step)
    fill = bytes(size * step - columns)
    if fill:
        view = memoryview(codes)
        lines = [bytes(view[at : at + columns]) for at in range(0, rows * columns, columns)]
        codes = fill.join(lines) + fill
    whole = 0
    for place in range(step):
        # As integers, all bytes are shifted and joined at once.
        whole |= int.from_bytes(codes[place::step], "little") << place * bits
    return (rows, size), whole.to_bytes(rows * size, "little")


def with_packed(graph: ModelGraph) -> ModelGraph:
    """Return a graph with packed weights."""
    return _Rewriting(graph, {}, {}, {}).result()


def _inner(node: ModelNode) -> dict[str, ModelGraph]:
    """Return the graphs in a node by attribute."""
    graphs = node.attributes.items()
    return {name: value for name, value in graphs if isinstance(value, ModelGraph)}


def _own_names(graph: ModelGraph) -> set[str]:
    """Return the names of the values of a graph."""
    results = (name for node in graph.nodes for name in node.outputs)
    return {*graph.constants, *(info.name for info in graph.inputs), *results}


class _Rewriting:
    """Replaces the nodes of one graph, and of those in its nodes."""

    def __init__(
        self,
        graph: ModelGraph,
        outer: Mapping[str, ModelConstant],
        packed: dict[tuple[int, ...], dict[str, ModelConstant]],
        replaced: dict[int, ModelNode | None],
    ) -> None:
        """Replace nodes of a graph.

        `outer` has the constants around it, `packed` the parts of packed constants by these and
        the axis of rows, and `replaced` what replaces nodes by their identity.
        """
        self.graph, self.packed, self.replaced = graph, packed, replaced
        own = _own_names(graph)
        self.known = {name: value for name, value in outer.items() if name not in own}
        self.known |= graph.constants
        self.outputs = set[str]()
        self.readers: dict[str, list[ModelNode]] = {}
        self._read(graph, frozenset())
        self.constants: dict[str, ModelConstant] = {}
        for node in graph.nodes:
            self.rewrite(node)

    def _read(self, graph: ModelGraph, hidden: frozenset[str]) -> None:
        """Note what a graph and those in its nodes read, except their own names, `hidden`."""
        self.outputs.update({info.name for info in graph.outputs} - hidden)
        for node in graph.nodes:
            for name in node.inputs:
                if name not in hidden:
                    self.readers.setdefault(name, []).append(node)
            for inner in _inner(node).values():
                self._read(inner, hidden | _own_names(inner))

    def rewrite(self, node: ModelNode) -> None:
        """Replace a node and all that read its result, if there are nodes that do the same."""
        weight = self._weight(node)
        readers = None if weight is None else self._ends(node, 0)
        if weight is None or not readers:
            return
        made: list[tuple[ModelNode, str, int]] = []
        for reader, operand, turned in readers:
            use = _use(reader, operand)
            rows = None if use is None else abs(use[1] - turned)
            if use is None or rows is None or not weight.fits(rows):
                return
            _, length, block = weight.layout(rows)
            if use[0] == GATHER and (turned or length % block or length * weight.bits % 8):
                return
            made.append((reader, use[0], rows))
        for reader, operator, rows in made:
            self._replace(reader, operator, rows, weight)
        self.replaced[id(node)] = None
        self.replaced |= {id(own): None for own in self._transposes(node)}

    def result(self) -> ModelGraph:
        """Return the new graph, without constants that nothing reads any more."""
        nodes = [self.replaced.get(id(node), node) for node in self.graph.nodes]
        kept = tuple(self._with_inner(node) for node in nodes if node is not None)
        used = self.outputs.union(*map(reads, kept))
        constants = {
            name: own
            for name, own in self.graph.constants.items()
            if name in used or name not in self.readers
        }
        return self.graph._replace(nodes=kept, constants=constants | self.constants)

    def _with_inner(self, node: ModelNode) -> ModelNode:
        """Return a node whose graphs have packed weights."""
        inner = {
            name: _Rewriting(graph, self.known, self.packed, self.replaced).result()
            for name, graph in _inner(node).items()
        }
        return node._replace(attributes={**node.attributes, **inner}) if inner else node

    def _weight(self, node: ModelNode) -> _Weight | None:
        """Return the constants that a node dequantizes, if it dequantizes a matrix of a file."""
        if node.operator != DEQUANTIZE or node.attributes.get("output_dtype"):
            return None
        own = [self.known.get(name) for name in node.inputs if name]
        if None in own or not all(isinstance(x.elements, Entry) for x in own if x):
            return None
        integers, scales, *zeros = own
        if integers is None or scales is None or integers.narrow is None:
            return None
        if len(integers.shape) != 2 or not integers.size:
            return None
        bits, low = integers.narrow
        axis = node.attributes.get("axis", 1)
        block = node.attributes.get("block_size", 0) if scales.size > 1 else 0
        if axis not in (-2, -1, 0, 1) or block < 0 or block % (8 // bits):
            return None
        shape = list(integers.shape)
        if block:
            shape[axis] = -(-shape[axis] // block)
            fits = list(scales.shape) == shape
        else:
            fits = scales.size == 1 or scales.shape == (shape[axis],)
        if not fits or any(zero is None or zero.size != scales.size for zero in zeros):
            return None
        zero = zeros[0] if zeros else None
        name = ", ".join(filter(None, node.inputs))
        return _Weight(name, integers, bits, low, scales, zero, axis % 2, block)

    def _transposes(self, node: ModelNode) -> list[ModelNode]:
        return [own for own in self.readers[node.outputs[0]] if own.operator == TRANSPOSE]

    def _ends(self, node: ModelNode, turned: int) -> list[tuple[ModelNode, str, int]] | None:
        """Return the nodes that read a result, also after a transpose, and the operand of each."""
        (name,) = node.outputs
        if name in self.outputs:
            return None
        ends: list[tuple[ModelNode, str, int]] = []
        for reader in self.readers.get(name, ()):
            if reader.operator != TRANSPOSE:
                ends.append((reader, name, turned))
                continue
            inner = None
            if not turned and reader.attributes.get("perm", [1, 0]) == [1, 0]:
                inner = self._ends(reader, 1)
            if inner is None:
                return None
            ends += inner
        return ends

    def _replace(self, node: ModelNode, operator: str, rows: int, weight: _Weight) -> None:
        """Replace a node by one that reads packed weights."""
        key = (*map(id, (weight.integers, weight.scales, weight.zeros)), rows)
        if key not in self.packed:
            # Graphs that read the same constants share the parts.
            self.packed[key] = weight.parts(rows)
        packed = self.packed[key]
        self.constants |= {own.name: own for own in packed.values()}
        parts = [packed[part].name for part in ("weights", "scales", "zeros")]
        count, length, block = weight.layout(rows)
        if operator == GATHER:
            inputs = (parts[0], node.inputs[1], *parts[1:])
            attributes: dict[str, Any] = {"gather_axis": 0, "quantize_axis": 1}
        else:
            bias = node.inputs[2:3]
            inputs = (node.inputs[0], *parts, *(("", *bias) if any(bias) else ()))
            attributes = {"K": length, "N": count}
        attributes |= {"bits": weight.bits, "block_size": block}
        own = ModelNode(node.name, operator, inputs, node.outputs, attributes, 1)
        self.replaced[id(node)] = own


def _use(node: ModelNode, operand: str) -> tuple[str, int] | None:
    """Return the operator that reads a packed operand instead, and the axis of its rows."""
    places = [at for at, name in enumerate(node.inputs) if name == operand]
    own = node.attributes
    if node.operator == "Gather" and places == [0] and not own.get("axis", 0):
        return GATHER, 0
    if node.operator == "MatMul" and places == [1]:
        return MATMUL, 1
    is_plain = own.get("alpha", 1.0) == own.get("beta", 1.0) == 1.0 and not own.get("transA")
    if node.operator == "Gemm" and places == [1] and is_plain:
        return MATMUL, 0 if own.get("transB") else 1
    return None
