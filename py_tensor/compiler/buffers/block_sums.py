"""Add up products whose blocks share a scale, as those of packed matrices do.

Input: the operand of a sum, and the axes of its loops. Output: a `BlockSum`, or None, and values.
A block's products are added up first, and then multiplied by the scale once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...dtypes import float32
from ...language.tree import FLOAT, INT, Value
from ...ops.elementwise import CAST, MULTIPLY
from ...ops.index_map import ViewStack, broadcast_view, push
from ...ops.op_def import ViewOp
from ..codegen.kernel_nodes import KernelNodes
from ..codegen.positions import Axes
from .buffer_writer import BufferWriter
from .nest import view_along
from .storage import GROUP

LARGEST = 64
"""Most elements of a block, whose additions are written one after the other."""

Factor = tuple[int, ViewStack]
"""A node, and the views by which the operand of the sum reads it."""


class BlockSum(NamedTuple):
    """Factors of the elements of a sum over blocks."""

    along: int
    """Axis from block to block."""
    axes: range
    """Axes of a block, of which the last one is the lanes'."""
    scales: Sequence[Factor]
    """Factors that all elements of a block have in common."""
    others: Sequence[Factor]


def block_sum(
    nodes: KernelNodes, at: int, lengths: Sequence[int], is_reduced: Sequence[bool]
) -> BlockSum | None:
    """Return the factors of a sum of node `at` over some of these axes, if blocks share a scale.

    Scales are converted from at most 16 bits: with others a sum of products could be infinite
    though the sum of the scaled products is not.
    """
    axes = tuple(enumerate(lengths))
    if lengths[-1] % GROUP:
        return None
    factors = [*_factors(nodes, at)]
    views = {factor: view_along(factor[1], axes) for factor in factors}
    for start in range(1, len(lengths)):
        is_small = math.prod(lengths[start:]) <= LARGEST
        if not (is_small and all(is_reduced[start - 1 :])):
            continue
        scales = [
            factor
            for factor, view in views.items()
            if view and not any(view.strides[start:]) and _is_narrow(nodes, factor[0])
        ]
        others = [factor for factor in factors if factor not in scales]
        if scales and others:
            return BlockSum(start - 1, range(start, len(lengths)), scales, others)
    return None


def _is_narrow(nodes: KernelNodes, at: int) -> bool:
    """Return True if a node is converted from a dtype of at most 16 bits."""
    return nodes.op(at) is CAST and nodes.spec(nodes.edges[at][0]).dtype.bits <= 16


def _factors(nodes: KernelNodes, at: int) -> Iterator[Factor]:
    """Yield the factors of a node, through products and views of float32 values."""
    stack: list[Factor] = [(at, ())]
    while stack:
        node, views = stack.pop()
        call, op = nodes.calls[node], nodes.op(node)
        if isinstance(op, ViewOp):
            view = op.view(call.specs[0].shape, call.arg)[1]
            stack.append((nodes.edges[node][0], push(views, view)))
        elif op is MULTIPLY and {*call.operands} == {float32}:
            for src, spec in zip(nodes.edges[node], call.specs, strict=True):
                same = spec.shape == call.spec.shape
                view = broadcast_view(spec.shape, call.spec.shape)
                stack.append((src, views if same else push(views, view)))
        else:
            yield node, views


class BlockWriter:
    """Writes the code of the values of blocks, in loops of these lengths."""

    def __init__(self, writer: BufferWriter, block: BlockSum, lengths: Sequence[int]) -> None:
        self.writer = writer
        self.code = writer.code
        self.block = block
        self.lengths = lengths

    def scales(self, around: Mapping[int, Value], first: Value) -> list[Value]:
        """Return the scales of four neighbouring blocks, given the coordinates around them.

        They are read after the last block, too, where memory is padded.
        """
        inside = self._starts() | {self.block.axes[-1]: self.code.vector(INT, 0)}
        inside[self.block.along] = self.writer.neighbours(first)
        four = self.added(None, self._values(self.block.scales, {**around, **inside}))
        return [self.code.let(four.lane(name * GROUP)) for name in "xyzw"]

    def products(self, around: Mapping[int, Value], first: Value, number: int) -> Value:
        """Return the sum of the products of one of four blocks, without its scale."""
        writer, lengths, (*outer, last) = self.writer, self.lengths, self.block.axes
        starts = self._starts()
        counters = {**around, self.block.along: writer.moved(first, number)}
        sums: Value | None = None
        writer.pairs = lengths[last] % (2 * GROUP) == 0
        for element in range(0, math.prod(lengths[axis] for axis in self.block.axes), GROUP):
            rest, lane = divmod(element, lengths[last])
            counters[last] = writer.neighbours(starts[last], lane)
            for axis in reversed(outer):
                rest, own = divmod(rest, lengths[axis])
                counters[axis] = writer.moved(starts[axis], own)
            sums = self.added(sums, self._values(self.block.others, counters))
        writer.pairs = False
        assert sums is not None
        return sums

    def added(self, sums: Value | None, factors: Sequence[Value]) -> Value:
        """Return sums plus a product, which is rounded once if the target can."""
        code, (value, *others) = self.code, factors
        is_fused = self.writer.has_fma and others and sums is not None
        for factor in others[:-1] if is_fused else others:
            value = code.let(code.apply("x * y", FLOAT, value, factor))
        if sums is None:
            return value
        added = code.apply("x + y", FLOAT, sums, value)
        if is_fused:
            text = f"{value.text} {others[-1].text} {sums.text} f32x4.relaxed_madd"
            added = code.value(text, FLOAT, uses=value.uses | others[-1].uses | sums.uses)
        return code.let(added)

    def _starts(self) -> dict[int, Value]:
        """Return the first coordinates of a block: variables, which are told apart by their names.

        Equal texts would be one coordinate.
        """
        return {axis: self.code.variable(0, "z") for axis in self.block.axes}

    def _values(self, factors: Sequence[Factor], counters: Mapping[int, Value]) -> list[Value]:
        """Return factors at coordinates."""
        axes: Axes = tuple([(counters[axis], n) for axis, n in enumerate(self.lengths)])
        index = self.writer.index(math.prod(self.lengths), axes)
        values = []
        for at, views in factors:
            own = index
            for view in views:
                own = own.through(view)
            values.append(self.writer.value(at, own))
        return values
