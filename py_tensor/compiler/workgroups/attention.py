"""Find attention in a graph: a softmax of products of queries and keys, times values.

Input: an `OpGraph`. Output: the same graph, in which the product with the values is an operation
that computes the softmax itself. Its kernel stores neither the scores nor the weights. Products
whose scores or weights are needed elsewhere, for example by gradients, are left alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

from ...ir.node import OpGraph, OpInstance, Scalar, op_instance
from ...language.tree import FLOAT, Value
from ...ops import OP_DEFS
from ...ops.contractions import DOT
from ...ops.index_map import ViewStack, broadcast_view, make_view, push
from ...ops.op_def import Elementwise, OpDef, Shape, ViewOp
from ...ops.reductions import MAX, SUM
from ...ops.rule_types import Spec
from ..codegen.indices import Index
from ..codegen.positions import coordinate
from ..codegen.types import literal
from ..codegen.writer import Writer
from ..lowered_graph import LoweredGraph

FEWEST = 16
"""Queries from which on a kernel that computes blocks of them is worth it."""
WIDEST = 256
"""Features of values whose sums invocations keep in registers."""
MOST_GROUPS = 65535
"""Workgroups along an axis of a grid."""


class Scores(OpDef):
    """Products of queries (groups, rows, features) and keys (groups, features, columns)."""

    weight: int = 64
    rereads: bool = True

    def result_shape(self, specs: Sequence[Spec], arg: Hashable) -> Shape:
        (groups, rows, _), (_, _, columns) = (spec.shape for spec in specs)
        return (groups, rows, columns)


class Attention(OpDef):
    """Softmax of scores (..., rows, columns) times values (groups, columns, features)."""

    def result_shape(self, specs: Sequence[Spec], arg: Hashable) -> Shape:
        groups, _, features = specs[1].shape
        return (groups, specs[0].shape[-2], features)


SCORES = Scores(name="scores")
ATTENTION = Attention(name="attention")


def with_attention(graph: OpGraph) -> OpGraph:
    """Return the graph in which kernels of attention replace products and softmaxes."""
    if [getattr(call, "op", None) for call in graph.calls].count(DOT) < 2:
        return graph
    pattern = _Pattern(graph)
    for at, call in enumerate(graph.calls):
        if type(call) is OpInstance and call.op is DOT:
            pattern.replace(at)
    return OpGraph(tuple(pattern.calls), tuple(pattern.edges), graph.outputs, graph.shared)


class _Pattern:
    """Search for attention in a graph."""

    def __init__(self, graph: OpGraph) -> None:
        self.calls = [*graph.calls]
        self.edges = [*graph.edges]
        self.uses = Counter(src for edges in graph.edges for src in edges)
        self.uses.update(graph.outputs)
        self.uses.update(graph.shared)

    def replace(self, at: int) -> None:
        """Replace a product with values by attention if it is one."""
        weights, values = self.edges[at]
        scores = self._scores(weights)
        if scores is None:
            return
        call, spec = self.calls[at], self.calls[scores].spec
        groups, rows, columns = call.specs[0].shape
        product = self._product(scores)
        if product is None or spec.shape[-2:] != (rows, columns):
            return
        first = self.calls[product]
        features = call.spec.shape[2]
        if (
            first.spec.shape != call.specs[0].shape
            or call.spec.dtype.kind != "f"
            or first.spec.dtype.kind != "f"
            or first.specs[0].shape[2] % 4
            or features % 4
            or features > WIDEST
            or groups > MOST_GROUPS
            or rows < FEWEST
            or not call.spec.size * columns * first.specs[0].size
        ):
            return
        self.calls[product] = op_instance(SCORES, first.specs)
        self.calls[at] = op_instance(ATTENTION, (spec, call.specs[1]))
        self.edges[at] = (scores, values)

    def _op(self, at: int) -> OpDef | None:
        call = self.calls[at]
        return call.op if type(call) is OpInstance else None

    def _below(self, at: int) -> int | None:
        """Return the node below views that keep all elements in order, which is used only here."""
        while self.uses[at] == 1 and isinstance(op := self._op(at), ViewOp):
            call = self.calls[at]
            if not op.view(call.specs[0].shape, call.arg)[1].is_identity:
                return None
            at = self.edges[at][0]
        return at

    def _scores(self, weights: int) -> int | None:
        """Return the operand of a softmax along the last axis, given its result."""
        quotient = self._below(weights)
        if quotient is None or not self._is(quotient, "divide", 1):
            return None
        powers, total = self.edges[quotient]
        if not self._is(powers, "exp", 2) or not self._reduces(total, SUM, powers):
            return None
        (shifted,) = self.edges[powers]
        if not self._is(shifted, "subtract", 1):
            return None
        scores, highest = self.edges[shifted]
        return scores if self.uses[scores] == 2 and self._reduces(highest, MAX, scores) else None

    def _is(self, at: int, name: str, uses: int) -> bool:
        return self._op(at) is OP_DEFS[name] and self.uses[at] == uses

    def _reduces(self, at: int, op: OpDef, src: int) -> bool:
        """Return True if a node reduces another one along the last axis, and is used only here."""
        below = self._below(at)
        if below is None or self._op(below) is not op or self.uses[below] != 1:
            return False
        call = self.calls[below]
        last = len(call.specs[0].shape) - 1
        return self.edges[below] == (src,) and call.arg == (last,)

    def _product(self, scores: int) -> int | None:
        """Return the product of which scores are an elementwise function, in the same order."""
        size = self.calls[scores].spec.size
        todo: list[tuple[int, ViewStack]] = [(scores, ())]
        while todo:
            at, stack = todo.pop()
            op, call = self._op(at), self.calls[at]
            if self.uses[at] != 1 + (at == scores) or op is None or call.spec.size != size:
                continue
            if op is DOT:
                return None if stack else at
            if isinstance(op, Elementwise):
                todo += [
                    (src, push(stack, broadcast_view(own.shape, call.spec.shape)))
                    for src, own in zip(self.edges[at], call.specs, strict=True)
                ]
            elif isinstance(op, ViewOp):
                view = op.view(call.specs[0].shape, call.arg)[1]
                todo.append((self.edges[at][0], push(stack, view)))
        return None


def lower_attention(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Keep scores or attention, whose operands, except for the scores, are stored."""
    stored = srcs if call.op is SCORES else srcs[1:]
    stored = tuple(
        [
            lowered.copied(src) if type(lowered.calls[lowered.view(src)[0]]) is Scalar else src
            for src in stored
        ]
    )
    lowered.materialized.update(lowered.view(src)[0] for src in stored)
    return lowered.append(call, (*srcs[: len(srcs) - len(stored)], *stored))


def scores_at(writer: Writer, at: int, index: Index) -> Value:
    """Return scores at any index, if a kernel other than that of attention needs them."""
    code, (queries, keys) = writer.code, writer.nodes.edges[at]
    call = writer.nodes.calls[at]
    inner = call.specs[0].shape[2]
    positions = writer.positions.lanes(index)
    group, row, column = (
        code.let(code.printer.whole(coordinate(positions, call.spec.shape, axis)))
        for axis in range(3)
    )
    total = code.variable(literal(code, 0.0, call.spec.dtype))
    with code.loop(0, inner) as k:
        left = code.let((group * call.spec.shape[1] + row) * inner + k, "q")
        right = code.let((group * inner + k) * call.spec.shape[2] + column, "q")
        values = [
            writer.value(src, Index(math.prod(spec.shape), lanes=lanes))
            for src, spec, lanes in zip((queries, keys), call.specs, (left, right), strict=True)
        ]
        code.assign(total, code.apply("x + y * z", FLOAT, total, *values))
    return total


def keys_by_row(shape: Shape) -> Any:
    """Return the view that reads keys (groups, features, columns) with features innermost."""
    groups, features, columns = shape
    return make_view((groups, columns, features), (features * columns, 1, columns))
