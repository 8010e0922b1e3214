"""Generate kernels of contractions, whose results go through an elementwise epilogue to memory.

Input: a kernel whose root is a matrix product or a convolution. Output: its statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ir.node import tensor_spec
from ...language.tree import INT, Value
from ...ops.contractions import CONVOLVE
from ...ops.index_map import row_major
from ..codegen.positions import Axes
from ..codegen.types import KIND, literal
from ..lowered_graph import rewritten
from .buffer_writer import BufferWriter
from .contractions import write_contraction
from .elements import Operand
from .map_kernel import write_map
from .products import ResultLanes
from .storage import GROUP


def write_contract(writer: BufferWriter) -> None:
    """Write the statements of a contraction."""
    nodes, kernel = writer.nodes, writer.kernel
    call = nodes.calls[kernel.root]
    if not min(spec.size for spec in call.specs):
        writer.fixed[kernel.root] = literal(writer.code, 0, call.spec.dtype)
        write_map(writer)
        return
    left, right = (_operand(writer, at) for at in nodes.edges[kernel.root])
    strides, order = row_major(call.spec.shape), (0, 1, 2)
    if call.op is CONVOLVE and call.arg.groups > 1:
        order = (1, 0, 2)
        spec = tensor_spec(_ordered(call.spec.shape, order), call.spec.dtype)
        call = rewritten(call.op, call.arg, call.specs, spec, call.operands)
    out = Operand("out0", nodes.spec(kernel.output).dtype, _ordered(strides, order))
    epilogue = _Epilogue(writer, order)
    text, writer.scratch = write_contraction(
        call, left, right, out, "scratch", epilogue=epilogue.write, fused=writer.has_fma
    )
    # Its statements use variables that the epilogue declares before it.
    writer.code.line(text, uses=-1)


def _ordered(values: Sequence[Any], order: Sequence[int]) -> tuple[Any, ...]:
    return tuple([values[axis] for axis in order])


def _operand(writer: BufferWriter, at: int) -> Operand:
    base, strides, offset = writer.nodes.strides(at)
    assert strides is not None
    dtype = writer.nodes.spec(base).dtype
    return Operand(f"in{writer.kernel.inputs.index(base)}", dtype, strides, offset)


PLACES = ("@group", "@row", "@column", "@value")
"""Names in a text for indices and for results."""


class _Epilogue:
    """Writer of the elementwise operations on four results of a contraction."""

    def __init__(self, writer: BufferWriter, order: tuple[int, ...]) -> None:
        self.writer = writer
        self.order = order
        """Axes of the stored results that are the groups, rows and columns."""
        self.root = writer.kernel.root
        self.shape = writer.nodes.spec(self.root).shape
        self.known: dict[tuple[int, int], str] = {}
        """Texts by the axis and the number of the lanes, with `PLACES` for what differs."""

    def write(self, place: ResultLanes, value: str) -> str:
        """Return the text of the vector to store, given the place and the variable of results."""
        key = place.axis, place.lanes
        text = self.known.get(key)
        if text is None:
            texts = place._replace(group=PLACES[0], row=PLACES[1], column=PLACES[2])
            text = self.known[key] = self._written(texts, PLACES[3])
        names = place.group, place.row, place.column, value
        for name, own in zip(PLACES, names, strict=True):
            text = text.replace(name, own)
        return text

    def _written(self, place: ResultLanes, value: str) -> str:
        writer, root = self.writer, self.root
        output = writer.kernel.output
        kind = KIND[writer.nodes.spec(root).dtype.kind]
        with writer.code.separate() as chunk:
            texts = _ordered((place.group, place.row, place.column), self.order)
            lanes = self.order[place.axis]
            axes: Axes = tuple(
                [
                    (self._coordinate(place, axis, texts[axis], axis == lanes), length)
                    for axis, length in enumerate(self.shape)
                    if length > 1 or axis == lanes
                ]
            )
            writer.fixed[root] = writer.code.local(value, kind, GROUP)
            index = writer.index(writer.nodes.spec(output).size, axes)
            result = writer.value(output, index)
            del writer.fixed[root]
            chunk.finish(result)
        return chunk.text

    def _coordinate(self, place: ResultLanes, axis: int, text: str, is_lanes: bool) -> Value:
        """Return the coordinate of the results along an axis, a vector along that of the lanes."""
        code, writer = self.writer.code, self.writer
        first = code.local(text, INT, 1)
        if not is_lanes:
            return first
        if place.lanes == GROUP:
            return writer.neighbours(first)
        last = code.value(f"i32.const:{self.shape[axis] - 1}", INT, 1)
        lanes = code.printer.bounded("min", writer.positions.spread(first, 1), last)
        return code.let(lanes, "i")
