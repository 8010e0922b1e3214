"""Find attention in a graph: a softmax of products of queries and keys, times values.

Input: an `OpGraph`. Output: the same graph, in which the product with the values is an operation
that computes the softmax itself. Its kernel stores neither the scores nor the weights. Products
whose scores or weights are needed elsewhere, for example by gradients, are left alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from ...dtypes import float32
from ...ir.node import OpGraph, OpInstance, Scalar, op_instance, tensor_spec
from ...language.tree import FLOAT, INT, Value, Whole
from ...ops import OP_DEFS
from ...ops.contractions import DOT
from ...ops.elementwise import CAST
from ...ops.index_map import View, ViewStack, broadcast_view, make_view, push
from ...ops.op_def import Elementwise, OpDef, Shape, ViewOp
from ...ops.reductions import MAX, SUM
from ...ops.rule_types import Spec
from ...ops.sources import IOTA
from ..codegen.indices import Index
from ..codegen.positions import coordinate
from ..codegen.types import literal
from ..codegen.writer import Writer
from ..lowered_graph import LoweredGraph, LoweredNodes
from .workgroup_writer import MOST_GROUPS

WIDEST = 256
"""Features of values whose sums invocations keep in registers."""
BUSY = 128
"""Workgroups of 256 invocations that occupy a GPU."""
SHORTEST = 128
"""Keys of a part of split attention at least."""
KEYS = 32
"""Keys that a workgroup multiplies at once."""


class AttentionBlock(NamedTuple):
    """Sizes of the block of a workgroup: invocations along queries and along keys."""

    down: int
    across: int

    @property
    def queries(self) -> int:
        return 4 * self.down

    @property
    def width(self) -> int:
        """Features of the values that are multiplied at once."""
        return 4 * self.across

    @property
    def own_keys(self) -> range:
        return range(KEYS // self.across)


def attention_block(groups: int, queries: int, features: int) -> AttentionBlock:
    """Choose the block for a result."""
    down = 16 if groups * -(-queries // 64) >= BUSY else 8
    while down > 2 and queries <= 2 * down:
        down //= 2
    return AttentionBlock(down, 16 if features > 32 else 8)


class Scores(OpDef):
    """Products of queries (groups, rows, features) and keys (groups, features, columns)."""

    weight: int = 64
    rereads: bool = True

    def result_shape(self, specs: Sequence[Spec], arg: Hashable) -> Shape:
        (groups, rows, _), (_, _, columns) = (spec.shape for spec in specs)
        return (groups, rows, columns)


class Attention(OpDef):
    """Softmax of scores times values (groups, columns, features).

    The last axis of the scores has the columns, and the others together are groups and rows, for
    example (batch, heads of keys, heads of queries for each, queries, columns). The static argument
    is the number of parts into which lowering splits the columns, or None. The result of parts has
    shape (parts, groups, rows, features + 4): weighted sums of the values, which are not yet
    divided by the sum of the weights, then the largest score and that sum.
    """

    def result_shape(self, specs: Sequence[Spec], arg: Hashable) -> Shape:
        groups, columns, features = specs[1].shape
        return (groups, specs[0].size // (groups * columns), features)


class JoinedParts(OpDef):
    """Attention of parts of the keys, combined."""

    weight: int = 64
    rereads: bool = True

    def result_shape(self, specs: Sequence[Spec], arg: Hashable) -> Shape:
        _, groups, rows, width = specs[0].shape
        return (groups, rows, width - 4)


SCORES = Scores(name="scores")
ATTENTION = Attention(name="attention")
JOINED_PARTS = JoinedParts(name="joined_parts")


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
        groups, _, columns = call.specs[0].shape
        product = self._product(scores)
        if product is None or spec.shape[-1] != columns:
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
    srcs = (*srcs[: len(srcs) - len(stored)], *stored)
    parts = 1 if call.op is SCORES or lowered.target.on_processor else _parts(call)
    if parts == 1:
        return lowered.append(call, srcs)
    groups, rows, features = call.spec.shape
    spec = tensor_spec((parts, groups, rows, features + 4), float32)
    at = lowered.add(JOINED_PARTS, (lowered.rewritten(call, srcs, parts, spec),))
    return lowered.add(CAST, (at,), call.spec.dtype) if call.spec.dtype is not float32 else at


def _parts(call: OpInstance) -> int:
    """Return into how many parts to split the keys, to occupy the device."""
    groups, queries, features = call.spec.shape
    block = attention_block(groups, queries, features)
    own = groups * -(-queries // block.queries) * block.down * block.across
    return max(1, min(256 * BUSY // own, call.specs[0].shape[-1] // SHORTEST))


def joined_parts_at(writer: Writer, at: int, index: Index) -> Value:
    """Return attention of which the parts are stored: their sums, over the sum of the weights."""
    code, (src,) = writer.code, writer.nodes.edges[at]
    shape = writer.nodes.spec(src).shape
    parts, width = shape[0], shape[3]
    features, size = width - 4, math.prod(shape)
    first = writer.positions.aligned_first(index)
    position: Any = writer.positions.lanes(index) if first is None else first
    row, column = (
        code.let(code.printer.whole(n)) for n in (position // features, position % features)
    )

    def read(part: Value, place: Whole, together: bool) -> Value:
        place = (part * (size // parts // width) + row) * width + place
        place = code.let(code.printer.whole(place), "q")
        if together and first is not None:
            return writer.value(src, Index(size, place))
        return writer.value(src, Index(size, lanes=code.vector(INT, place)))

    top = code.variable(literal(code, -math.inf, float32))
    total, result = (code.variable(literal(code, 0.0, float32)) for _ in range(2))
    with code.loop(0, parts) as part:
        code.assign(top, code.apply("maximum(x, y)", FLOAT, top, read(part, features, False)))
    with code.loop(0, parts) as part:
        weight = code.let(code.apply("exp(x - y)", FLOAT, read(part, features, False), top))
        weights = read(part, features + 1, False)
        code.assign(total, code.apply("x + y * z", FLOAT, total, weight, weights))
        values = read(part, column, True)
        code.assign(result, code.apply("x + y * z", FLOAT, result, weight, values))
    return code.let(code.apply("x / y", FLOAT, result, total))


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


def causal_fill(nodes: LoweredNodes, scores: int) -> int | None:
    """Return the scalar that replaces the scores of keys after a query's own position, or None.

    The outermost operation of the scores must choose it. The positions of queries and keys are
    their numbers.
    """
    call = nodes.calls[scores]
    if nodes.op(scores) is not OP_DEFS["where"]:
        return None
    condition, _, fill = nodes.edges[scores]
    if nodes.op(condition) is not OP_DEFS["greater_equal"] or not nodes.is_leaf(fill):
        return None
    shape, below = call.spec.shape, nodes.calls[condition]
    frame = (math.prod(shape[:-2]), *shape[-2:])
    spread = push((), broadcast_view(below.spec.shape, shape))
    for src, spec, steps in zip(
        nodes.edges[condition], below.specs, ((0, 1, 0), (0, 0, 1)), strict=True
    ):
        stack = push(spread, broadcast_view(spec.shape, below.spec.shape))
        base, views = nodes.view(src)
        for view in views:
            stack = push(stack, view)
        if nodes.op(base) is not IOTA or stack != (make_view(frame, steps),):
            return None
    return fill if nodes.spec(fill).size == 1 and not nodes.is_buffer(fill) else None


def keys_by_row(shape: Shape) -> View:
    """Return the view that reads keys (groups, features, columns) with features innermost."""
    groups, features, columns = shape
    return make_view((groups, columns, features), (features * columns, 1, columns))
