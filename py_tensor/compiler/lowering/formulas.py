"""Nodes of a lowered graph with operators, so that lowering reads like mathematics.

Input: positions of nodes. Output: `Formula`s. Their operators and methods append nodes to the
lowered graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import Any

from ...dtypes import DType
from ...ir.node import op_instance
from ...ops.contractions import DOT
from ...ops.elementwise import CAST
from ...ops.gathers import TAKE
from ...ops.graph_value import GraphValue, Operand, value_of
from ...ops.op_def import OpDef, Reduction
from ...ops.reductions import SUM
from ...ops.sources import IOTA
from ...ops.views import CONCAT, DIAGONAL, PERMUTE, RESHAPE, SLICE
from ..lowered_graph import LoweredGraph
from .lower import lower_node


class Formula(GraphValue):
    """Node of a lowered graph, with operators and methods that append further nodes."""

    __slots__ = ()
    graph: LoweredGraph
    at: int

    def materialized(self) -> Formula:
        """Materialize the node and return it."""
        self.graph.materialized.add(self.at)
        return self

    def astype(self, dtype: DType) -> Formula:
        return self if self.dtype is dtype else self.by(CAST, dtype)

    def reshape(self, *shape: int) -> Formula:
        if -1 in shape:
            known = -math.prod(shape)
            shape = tuple(math.prod(self.shape) // known if n == -1 else n for n in shape)
        return self if self.shape == shape else self.by(RESHAPE, shape)

    def transposed(self) -> Formula:
        """Exchange the last two of three axes."""
        return self.by(PERMUTE, (0, 2, 1))

    def part(self, axis: int, start: int, stop: int) -> Formula:
        """Slice an axis from `start` to `stop`."""
        parts = [(0, n, 1) for n in self.shape]
        parts[axis] = (start, stop - start, 1)
        return self if parts[axis] == (0, self.shape[axis], 1) else self.by(SLICE, tuple(parts))

    def diagonal(self) -> Formula:
        """Return the diagonals of the last two of three axes."""
        return self.by(DIAGONAL, (1, 2))

    def take(self, indices: Formula, axis: int) -> Formula:
        """Return the slices at the indices `places`, whose axes replace the axis."""
        return Formula(self.graph, self.graph.add(TAKE, (self.at, indices.at), axis))

    def taken(self, index: Formula, axis: int) -> Formula:
        """Return the slice at one index along an axis, which keeps length 1."""
        shape = self.shape
        return self.take(index, axis).reshape(*shape[:axis], 1, *shape[axis + 1 :])

    def reduced(self, op: Reduction, axis: int) -> Formula:
        """Reduce along an axis, which keeps length 1."""
        return self.lowered(op, (axis,))

    def sum(self, axis: int) -> Formula:
        return self.reduced(SUM, axis)

    def matmul(self, other: Formula) -> Formula:
        """Multiply matrices of shape (batch, rows, columns)."""
        return self.lowered(DOT, None, other)

    def by(self, op: OpDef, arg: Any) -> Formula:
        """Apply an operation of one operand with its static argument."""
        return Formula(self.graph, self.graph.add(op, (self.at,), arg))

    def lowered(self, op: OpDef, arg: Hashable, *others: Formula) -> Formula:
        """Apply an operation as the target of the graph computes it."""
        srcs = self.at, *[other.at for other in others]
        call = op_instance(op, tuple(map(self.graph.spec, srcs)), arg)
        return Formula(self.graph, lower_node(self.graph, call, srcs))


of: Callable[..., Formula] = value_of
"""Apply the operation of a name to formulas and Python numbers."""


def where(condition: Formula, one: Operand, other: Operand) -> Formula:
    """Return `one` where the condition is True, else `other`."""
    return of("where", condition, one, other)


def iota(lowered: LoweredGraph, *shape: int) -> Formula:
    """Return row-major positions in a shape, as int32."""
    return Formula(lowered, lowered.add(IOTA, (), shape))


def positions(lowered: LoweredGraph, *shape: int) -> Formula:
    """Return row-major positions in a shape, as int32, that every consumer recomputes."""
    result = iota(lowered, *shape)
    lowered.always_inline.add(result.at)
    return result


def joined(axis: int, *formulas: Formula) -> Formula:
    """Concatenate along an axis; formulas of length 0 are left out."""
    parts = [formula for formula in formulas if formula.shape[axis]]
    if len(parts) < 2:
        return (parts or formulas)[0]
    lowered = parts[0].graph
    return Formula(lowered, lowered.add(CONCAT, [part.at for part in parts], axis))


def looped(initial: Formula, count: int, body: Callable[[Formula, Formula], Formula]) -> Formula:
    """Return the carry after `count` iterations of `body`, given carry and iteration number."""
    lowered = initial.graph
    if not count:
        return initial
    loop, (result,) = lowered.loop(
        (initial.at,),
        count,
        lambda carries, number: (body(Formula(lowered, carries[0]), Formula(lowered, number)).at,),
    )
    # To save draws, only reductions and nodes in `materialized` are stored within the body.
    first = lowered.calls[loop].arg.iteration + 1
    lowered.always_inline.update(set(range(first, loop)) - lowered.materialized)
    return Formula(lowered, lowered.item(loop, result, count - 1))
