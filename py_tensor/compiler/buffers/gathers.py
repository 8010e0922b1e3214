"""Gathers in linear memory: each coordinate of the result is turned into one of the operand.

Input: a gather, the index at which it is read, and the indices there. Output: its four lanes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...language.tree import INT, Value
from ...ops.index_map import row_major
from ...ops.op_def import Gather, GatherAlong
from ..codegen.expressions import EXPRESSIONS
from ..codegen.indices import Index
from ..codegen.positions import Axes
from ..codegen.writer import Expression, NodeAtIndex, Writer
from .buffer_writer import BufferWriter

_GATHER = EXPRESSIONS[Gather]


class _Split(NamedTuple):
    """Coordinates of a result before, along and after the axis of a gather."""

    before: Axes
    along: Axes
    after: Axes


def _split(writer: BufferWriter, index: Index, count: int, after: int) -> _Split | None:
    """Split the coordinates of an index; None if one is about more than one of the parts."""
    axes = () if index.stack else index.axes
    if axes and index.first is not None:
        # The coordinate of the lanes becomes a vector.
        *outer, (first, length) = axes
        axes = (*outer, (writer.neighbours(first), length))
    parts: list[Axes] = []
    for length in (after, count):
        size = 1
        own: Axes = ()
        while size < length and axes:
            own, axes = (axes[-1], *own), axes[:-1]
            size *= own[0][1]
        if size != length:
            return None
        parts.append(own)
    return _Split(axes, *parts[::-1]) if parts[0] or parts[1] else None


def _gather(writer: BufferWriter, at: int, index: Index, indices: Value) -> Value:
    call = writer.nodes.calls[at]
    shape, axis = call.specs[0].shape, call.arg
    split = _split(writer, index, call.specs[1].size, row_major(shape)[axis])
    if split is None:
        value: Value = _GATHER.write(writer, at, index, indices)
        return value
    code = writer.code
    taken = code.apply("place(x, y)", INT, indices, code.vector(INT, shape[axis]))
    if split.after:
        # All lanes are in one slice.
        taken = taken.lane("x")
    axes = (*split.before, (code.let(taken, "j"), shape[axis]), *split.after)
    return writer.value(writer.nodes.edges[at][0], writer.index(call.specs[0].size, axes))


def _gather_along(writer: BufferWriter, at: int, index: Index, indices: Value) -> Value:
    call, code = writer.nodes.calls[at], writer.code
    shape, (axis, _) = call.specs[0].shape, call.arg
    length, after, count = shape[axis], row_major(shape)[axis], call.spec.shape[axis]
    taken = code.let(indices.of(INT), "j")
    split = _split(writer, index, count, after)
    if split is not None:
        below = writer.index(call.specs[0].size, (*split.before, (taken, length), *split.after))
    else:
        lanes = writer.positions.lanes(index)
        source = lanes // (count * after) * length if math.prod(shape[:axis]) > 1 else 0
        source = (source + taken) * after + lanes % after
        below = Index(call.specs[0].size, lanes=code.let(source, "j"))
    return writer.value(writer.nodes.edges[at][0], below)


def _along_operands(writer: Writer, at: int, index: Index) -> list[NodeAtIndex]:
    return [(writer.nodes.edges[at][1], index)]


GATHERS = {
    Gather: Expression(_gather, _GATHER.operands),
    GatherAlong: Expression(_gather_along, _along_operands),
}
"""Expression of each kind of gather."""
