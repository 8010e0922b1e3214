"""GLSL of the value of each kind of operation, and the table that chooses it.

Input: a node and the `Index` at which it is read. Output: the name of its four lanes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...dtypes import DType, int32
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
)
from .indices import Index
from .integers import quotient, remainder
from .joins import concat, interleave, pad
from .types import VECTOR, converted, literal, printed, wrapped
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


def _elementwise(writer: Writer, at: int, index: Index, *names: str) -> str:
    call = writer.nodes.calls[at]
    dtypes = [writer.nodes.spec(src).dtype for src in writer.nodes.edges[at]]
    operands = list(map(converted, names, dtypes, call.operands))
    return operation(writer, call.op, names, operands, call.operands, call.spec.dtype)


def operation(
    writer: Writer,
    op: Elementwise,
    names: Sequence[str],
    operands: list[str],
    dtypes: Sequence[DType],
    dtype: DType,
) -> str:
    """Return the name of an elementwise operation's result.

    `names` are the operands, and `operands` the same converted to `dtypes`.
    """
    if isinstance(op, Where) and operands[1] == operands[2]:
        return operands[1]
    terms = writer.sums.terms_of(op.factors, names if op.factors else ())
    cancels = 0 in terms.values()
    if cancels:
        operands[-1] = f"pt_opaque({operands[-1]})"
    expression = printed(op.formula, dtypes, dtype).format(*operands)
    if op.wraps:
        expression = wrapped(expression, dtype)
    name = writer.code.named(expression, VECTOR[dtype.kind])
    if op.factors and not cancels:
        writer.sums.define(name, terms)
    return name


def _gather(writer: Writer, at: int, index: Index, indices: str) -> str:
    code, positions = writer.code, writer.positions
    call = writer.nodes.calls[at]
    shape, axis = call.specs[0].shape, call.arg
    length, tail, count = shape[axis], row_major(shape)[axis], call.specs[1].size
    whole = positions.aligned_first(index)
    place = printed("place(x, y)", (call.specs[1].dtype, int32), int32)
    place = place.format(indices, f"ivec4({length})")
    together = whole is not None and tail % 4 == 0
    kind, position = ("int", str(whole)) if together else ("ivec4", positions.lanes(index))
    source = f"{place}.x" if together else place
    if math.prod(shape[:axis]) > 1:
        source = f"({quotient(position, count * tail)} * {length} + {source})"
    if tail > 1:
        source = f"{source} * {tail} + {remainder(position, tail)}"
    source = code.let((at, index, "source"), kind, "j", source)
    size = call.specs[0].size
    below = Index(size, first=source) if together else Index(size, lanes=source)
    return writer.value(writer.nodes.edges[at][0], below)


def _reduction(writer: Writer, at: int, index: Index) -> str:
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
    position = splat if together else positions.lanes(index)
    acc, k, q = code.name("r"), code.name("n"), code.name("q")
    start = f"{VECTOR[dtype.kind]}({literal(op.identity(dtype), dtype)})"
    combine = printed(op.combine, (dtype, dtype), dtype)
    if length == 0:
        # A compiler that sees a zero folds its product with NaN.
        start = f"pt_opaque({start})"
    with code.hoisted(str(position)):
        code.line(f"{VECTOR[dtype.kind]} {acc} = {start};")
        with code.block(f"for (int {k} = 0; {k} < {length}; {k} += {4 if together else 1})"):
            code.line(f"{'int' if together else 'ivec4'} {q} = {position} * {length} + {k};")
            first, lanes = (q, "") if together else ("", q)
            below = Index(writer.nodes.spec(src).size, first, lanes).through(view)
            value = converted(writer.value(src, below), call.specs[0].dtype, dtype)
            code.line(f"{acc} = {combine.format(acc, value)};")
        for swap in ("zwxy", "yxwz") if together else ():
            code.line(f"{acc} = {combine.format(acc, f'{acc}.{swap}')};")
    return acc


EXPRESSIONS: dict[type[OpDef], Expression] = {
    Elementwise: Expression(_elementwise, elementwise_operands),
    ViewOp: Expression(lambda writer, at, index, name: name, _view_operands),
    Pad: Expression(pad),
    Concat: Expression(concat),
    Gather: Expression(_gather, _gather_operands),
    Reduction: Expression(_reduction),
    SourceOp: Expression(lambda writer, at, index: writer.positions.lanes(index)),
    Interleave: Expression(interleave),
}
"""Expression of each kind of operation that a kernel can inline."""
