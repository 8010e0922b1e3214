"""The value of each kind of operation, and the table that chooses it.

Input: a node and the `Index` at which it is read. Output: its four lanes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...dtypes import DType
from ...language.tree import INT, Value
from ...ops.index_map import make_view, row_major
from ...ops.op_def import (
    Concat,
    Elementwise,
    Gather,
    Interleave,
    OpDef,
    Pad,
    Reduction,
    SourceOp,
    ViewOp,
    Where,
    for_dtype,
)
from .indices import Index
from .joins import concat, interleave, pad
from .types import KIND, converted, hidden, literal, wrapped
from .writer import Expression, NodeAtIndex, Writer


def _view_operands(writer: Writer, at: int, index: Index) -> list[NodeAtIndex]:
    call, (src,) = writer.nodes.calls[at], writer.nodes.edges[at]
    return [(src, index.through(call.op.view(call.specs[0].shape, call.arg)[1]))]


def elementwise_operands(writer: Writer, at: int, index: Index) -> list[NodeAtIndex]:
    call = writer.nodes.calls[at]
    return [
        (src, index.spread(spec.shape, call.spec.shape))
        for src, spec in zip(writer.nodes.edges[at], call.specs, strict=True)
    ]


def _gather_operands(writer: Writer, at: int, index: Index) -> list[NodeAtIndex]:
    """Return the indices operand of a gather and the index at which it is read."""
    call, whole = writer.nodes.calls[at], writer.positions.aligned_first(index)
    if not index.stack:
        own = index
    elif whole is not None:
        own = Index(call.spec.size, first=whole)
    else:
        own = Index(call.spec.size, lanes=writer.positions.lanes(index))
    shape, axis = call.specs[0].shape, call.arg
    frame = (math.prod(shape[:axis]), call.specs[1].size, row_major(shape)[axis])
    return [(writer.nodes.edges[at][1], own.through(make_view(frame, (0, 1, 0))))]


def _elementwise(writer: Writer, at: int, index: Index, *values: Value) -> Value:
    call = writer.nodes.calls[at]
    dtypes = [writer.nodes.spec(src).dtype for src in writer.nodes.edges[at]]
    operands = [
        converted(writer.code, value, dtype, target)
        for value, dtype, target in zip(values, dtypes, call.operands, strict=True)
    ]
    return operation(writer, call.op, values, operands, call.operands, call.spec.dtype)


def operation(
    writer: Writer,
    op: Elementwise,
    values: Sequence[Value],
    operands: list[Value],
    dtypes: Sequence[DType],
    dtype: DType,
) -> Value:
    """Return the result of an elementwise operation, a variable.

    `values` are the operands, and `operands` the same converted to `dtypes`.
    """
    if isinstance(op, Where) and operands[1] is operands[2]:
        return operands[1]
    code, sums = writer.code, writer.sums
    terms = sums.terms_of(op.factors, values) if op.factors else {}
    cancels = 0 in terms.values()
    if cancels:
        operands[-1] = hidden(code, operands[-1])
    value = code.apply(for_dtype(op.formula, dtypes[-1]), KIND[dtype.kind], *operands)
    if op.wraps:
        value = wrapped(code, value, dtype)
    result: Value = code.let(value)
    if op.factors and not cancels:
        sums.define(result, terms)
    return result


def _gather(writer: Writer, at: int, index: Index, indices: Value) -> Value:
    code, positions = writer.code, writer.positions
    call = writer.nodes.calls[at]
    shape, axis = call.specs[0].shape, call.arg
    length, tail, count = shape[axis], row_major(shape)[axis], call.specs[1].size
    whole = positions.aligned_first(index)
    taken = code.apply("place(x, y)", INT, indices, code.vector(INT, length))
    together = whole is not None and tail % 4 == 0
    position: Any = whole if together else positions.lanes(index)
    source: Any = taken.lane("x") if together else taken
    if math.prod(shape[:axis]) > 1:
        source = position // (count * tail) * length + source
    if tail > 1:
        source = source * tail + position % tail
    source = code.let(source, "j")
    size = call.specs[0].size
    below = Index(size, source) if together else Index(size, lanes=source)
    return writer.value(writer.nodes.edges[at][0], below)


def _reduction(writer: Writer, at: int, index: Index) -> Value:
    """Write a short reduction before its consumer: of four results, or of one for all lanes."""
    code, positions = writer.code, writer.positions
    call, src = writer.nodes.calls[at], writer.nodes.edges[at][0]
    op, shape, axes, dtype = call.op, call.specs[0].shape, call.arg, call.operands[0]
    order = [axis for axis in range(len(shape)) if axis not in axes] + list(axes)
    strides = row_major(shape)
    view = make_view([shape[axis] for axis in order], [strides[axis] for axis in order])
    length = math.prod(shape[axis] for axis in axes)
    splat = positions.splat(index) if axes == (writer.nodes.lane_axis(src),) else None
    together = splat is not None and length % 4 == 0
    position: Any = splat if together else positions.lanes(index)
    start, kind = literal(code, op.identity(dtype), dtype), KIND[dtype.kind]
    combine = for_dtype(op.combine, dtype)
    if length == 0:
        # A compiler that sees a zero folds its product with NaN.
        start = hidden(code, start)
    with code.hoisted(position):
        acc = code.variable(start)
        with code.loop(0, length, 4 if together else 1) as k:
            first = code.let(position * length + k, "q")
            below = Index(writer.nodes.spec(src).size, *((first,) if together else (None, first)))
            value = writer.value(src, below.through(view))
            value = converted(code, value, call.specs[0].dtype, dtype)
            code.assign(acc, code.apply(combine, kind, acc, value))
        for swap in ("zwxy", "yxwz") if together else ():
            code.assign(acc, code.apply(combine, kind, acc, acc.lane(swap)))
    return acc


EXPRESSIONS: dict[type[OpDef], Expression] = {
    Elementwise: Expression(_elementwise, elementwise_operands),
    ViewOp: Expression(lambda writer, at, index, value: value, _view_operands),
    Pad: Expression(pad),
    Concat: Expression(concat),
    Gather: Expression(_gather, _gather_operands),
    Reduction: Expression(_reduction),
    SourceOp: Expression(lambda writer, at, index: writer.positions.lanes(index)),
    Interleave: Expression(interleave),
}
"""Expression of each kind of operation that a kernel can inline."""
