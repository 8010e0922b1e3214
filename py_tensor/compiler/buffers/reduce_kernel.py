"""Generate kernels with loops over reduced axes, followed by an elementwise epilogue.

Input: a kernel whose root is a reduction. Output: its statements.
Lanes run along the axis that is contiguous in the operand. They are four results, or, if that axis
is reduced, four elements of one result that are combined at the end.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from ...dtypes import float32, int32
from ...language.tree import FLOAT, INT, MASK, TRUTH, Value, Whole
from ...ops.index_map import row_major
from ...ops.op_def import Reduction, for_dtype
from ..codegen.positions import Axes, total
from ..codegen.types import KIND, converted, literal
from .block_sums import BlockSum, BlockWriter, block_sum
from .buffer_writer import BufferWriter
from .map_kernel import write_map
from .nest import axes_of
from .storage import GROUP

QUICK = {
    "maximum(x, y)": "y if x < y else x",
    "minimum(x, y)": "y if x > y else x",
}
"""Formulas that take one instruction, and ignore elements that are NaN."""
SEPARATE = 4
"""Groups with sums of their own, so that an addition need not wait for the one before."""
BLOCK = 64
"""Floats that are added one after the other.

Longer sums are sums of blocks, on as many levels as are needed. The relative error of ten million
times 0.1 is then 1e-6 instead of 6e-3."""


def write_reduce(writer: BufferWriter) -> None:
    """Write the statements of a reduce kernel."""
    call = writer.nodes.calls[writer.kernel.root]
    writer.results = 1
    if not call.specs[0].size:
        dtype = call.operands[0]
        empty = call.specs[0].shape[call.arg[0]] if call.op.index else call.op.identity(dtype)
        writer.fixed[writer.kernel.root] = literal(writer.code, empty, call.spec.dtype)
        write_map(writer)
        return
    loop = _Loops(writer)
    if loop.is_reduced[loop.lane]:
        loop.lanes_along()
    else:
        loop.lanes_across()


class _Best(NamedTuple):
    """Variables of a reduction in progress: the value, and its position in an arg-reduction.

    `odd` is True where an element was NaN.
    """

    value: Value
    position: Value | None = None
    odd: Value | None = None


_Bests = list[_Best]


class _Loops:
    """Writer of the loops of one reduction."""

    def __init__(self, writer: BufferWriter) -> None:
        nodes, root = writer.nodes, writer.kernel.root
        self.writer = writer
        self.code = writer.code
        self.call = nodes.calls[root]
        self.op: Reduction = self.call.op
        self.src = nodes.edges[root][0]
        shape, reduced = self.call.specs[0].shape, set(self.call.arg)
        self.size = math.prod(shape)
        self.lengths = axes_of(nodes, self.src, shape)
        self.is_reduced = split_by(shape, self.lengths, reduced)
        self.lane = self._lane_axis(nodes.lane_axis(self.src), shape)
        self.source = self.call.specs[0].dtype
        self.dtype = self.call.operands[0]
        self.kind = KIND[self.dtype.kind]
        self.identity = literal(self.code, self.op.identity(self.dtype), self.dtype)
        self.combine = for_dtype(self.op.combine, int32 if self.op.index else self.dtype)
        self.length = math.prod(shape[axis] for axis in reduced)
        self.has_blocks = self.combine == "x + y" and self.kind == FLOAT
        self.scaled: BlockSum | None = None
        stores_operand = len(writer.kernel.outputs) > 1
        if self.has_blocks and self.length and self.source is float32 and not stores_operand:
            self.scaled = block_sum(nodes, self.src, self.lengths, self.is_reduced)

    def _lane_axis(self, axis: int | None, shape: tuple[int, ...]) -> int:
        """Return the number of the innermost of the axes into which an axis is split."""
        if axis is None:
            return len(self.lengths) - 1
        inner = math.prod(shape[axis + 1 :])
        sizes = row_major(self.lengths)
        return max(number for number, size in enumerate(sizes) if size == inner or size > inner)

    # --- parts of loops -------------------------------------------------------------------------

    @contextmanager
    def _kept(self) -> Iterator[dict[int, Value]]:
        """Write loops over the kept axes except the lanes'; yield the counters."""
        with ExitStack() as loops:
            yield {
                axis: loops.enter_context(self.code.loop(0, n))
                for axis, n in enumerate(self.lengths)
                if not self.is_reduced[axis] and axis != self.lane
            }

    @contextmanager
    def _reduced(
        self, best: _Bests, inner: int = 1, but: Collection[int] = ()
    ) -> Iterator[tuple[dict[int, Value], _Bests]]:
        """Write loops over the reduced axes except the lanes'; yield counters, and sums to add to.

        Args:
            best: Sums of all elements.
            inner: Number of additions to each of them in the innermost loop.
            but: Further axes that get no loop.
        """
        but = {self.lane, *but}
        axes = [a for a, reduced in enumerate(self.is_reduced) if reduced and a not in but]
        counters: dict[int, Value] = {}
        with ExitStack() as loops:
            for number, axis in enumerate(axes):
                n = self.lengths[axis]
                later = inner * math.prod(self.lengths[a] for a in axes[number + 1 :])
                blocks = self._blocks(best, 0, n, 1, n, later)
                counters[axis], best = loops.enter_context(blocks)
            yield counters, best

    @contextmanager
    def _blocks(
        self, best: _Bests, start: Whole, stop: Whole, step: int, count: int, inner: int = 1
    ) -> Iterator[tuple[Value, _Bests]]:
        """Write a loop of at most `count` turns; yield its counter, and sums to add to.

        Each turn makes `inner` additions to each sum. Long sums are added up in blocks.
        """
        code, turns = self.code, 1
        while turns * BLOCK < count:
            turns *= BLOCK
        is_short = turns == 1 and (inner == 1 or count * inner <= BLOCK)
        if is_short or not self.has_blocks:
            with code.loop(start, stop, step) as k:
                yield k, best
            return
        with code.loop(start, stop, step * turns) as k:
            own = [self._start() for _ in best]
            if turns == 1:
                yield k, own
            else:
                ends = [code.printer.whole(end).text for end in (k + step * turns, stop)]
                text = f"{' '.join(ends * 2)} i32.lt_s .select"
                uses = k.uses if isinstance(stop, int) else k.uses | stop.uses
                end = code.let(code.value(text, INT, 1, uses=uses))
                with self._blocks(own, k, end, step, turns, inner) as inside:
                    yield inside
            for whole, part in zip(best, own, strict=True):
                self._add(whole, part.value, None)

    def _elements(self, counters: dict[int, Value], lanes: Value, count: int = GROUP) -> Value:
        """Return the elements at coordinates, in the dtype in which they are combined.

        The first ones are stored if the operand is an output, too.
        """
        known = {**counters, self.lane: lanes}
        axes: Axes = tuple([(known[axis], n) for axis, n in enumerate(self.lengths)])
        value = self.writer.value(self.src, self.writer.index(self.size, axes))
        for number in range(1, len(self.writer.kernel.outputs)):
            self.writer.store(number, value, axes, count)
        return converted(self.code, value, self.source, self.dtype)

    def _position(self, counters: dict[int, Value], lanes: Value | None) -> Value | None:
        """Return the positions of elements along the reduced axes, for an arg-reduction."""
        if not self.op.index:
            return None
        axes = [axis for axis, reduced in enumerate(self.is_reduced) if reduced]
        strides = row_major(tuple([self.lengths[axis] for axis in axes]))
        known = counters if lanes is None else {**counters, self.lane: lanes}
        terms = [(known[axis], step) for axis, step in zip(axes, strides, strict=True)]
        code = self.code
        return code.printer.spread(code.printer.whole(total(terms, 0)))

    def _start(self) -> _Best:
        """Declare variables with the result of an empty reduction."""
        code = self.code
        value = code.variable(self.identity, "s")
        if self.op.index:
            return _Best(value, code.variable(code.vector(INT, self.length), "w"))
        odd = None
        if self.combine in QUICK and self.kind == FLOAT:
            odd = code.variable(code.vector(MASK, 0), "x")
        return _Best(value, None, odd)

    def _add(self, best: _Best, value: Value, position: Value | None) -> None:
        """Combine elements with those before."""
        code = self.code
        if best.position is None:
            combine = self.combine
            if best.odd is not None:
                combine = QUICK[combine]
                is_odd = code.apply("x or y != y", MASK, best.odd, value)
                code.assign(best.odd, is_odd)
            code.assign(best.value, code.apply(combine, self.kind, best.value, value))
            return
        assert position is not None
        value, position = code.let(value), code.let(position)
        better = code.apply(self.combine, TRUTH, value, position, best.value, best.position)
        better = code.variable(better, "b")
        code.assign(best.value, code.pick(better, value, best.value))
        code.assign(best.position, code.pick(better, position, best.position))

    def _settled(self, best: _Best) -> Value:
        """Return the value, NaN where an element was NaN."""
        if best.odd is None:
            return best.value
        return self.code.variable(self.code.apply("NAN if x else y", FLOAT, best.odd, best.value))

    # --- kinds of loops -------------------------------------------------------------------------

    def lanes_across(self) -> None:
        """Write loops over results, four or more at once."""
        length = self.lengths[self.lane]
        with self._kept() as kept:
            done = 0
            for step in (GROUP * SEPARATE, GROUP):
                stop = length - (length - done) % step
                if stop > done:
                    with self.code.loop(done, stop, step) as k:
                        firsts = [k + GROUP * n for n in range(step // GROUP)]
                        self._results(kept, [self.writer.neighbours(n) for n in firsts])
                    done = stop
            if rest := length - done:
                self._results(kept, [self.writer.last_ones(done, length)], rest)

    def _results(self, kept: dict[int, Value], groups: Sequence[Value], count: int = GROUP) -> None:
        """Write the loops over the elements of results, and store the results."""
        best = [self._start() for _ in groups]
        if self.length:
            with self._reduced(best) as (reduced, parts):
                for group, own in zip(groups, parts, strict=True):
                    value = self._elements({**kept, **reduced}, group, count)
                    self._add(own, value, self._position(reduced, None))
        for group, own in zip(groups, best, strict=True):
            self._finish(own, {**kept, self.lane: group}, count)

    def lanes_along(self) -> None:
        """Write loops over results, whose elements are combined four or more at once."""
        code, writer, length = self.code, self.writer, self.lengths[self.lane]
        with self._kept() as kept:
            best = self._start()
            if self.scaled is not None:
                self._scaled_blocks(best, self.scaled, kept)
            elif self.length:
                turns = min(length // GROUP + 1, 2 * SEPARATE)
                with self._reduced([best], turns) as (reduced, [part]):
                    around = {**kept, **reduced}
                    done = self._long(part, around, reduced)
                    if rest := length - done:
                        last = writer.last_ones(done, length)
                        value = self._elements(around, last, rest)
                        inside = ",".join(["-1"] * rest + ["0"] * (GROUP - rest))
                        mask = code.value(f"i32x4.const:{inside}", TRUTH)
                        if not self.op.index:
                            # A repeated element cannot win against itself.
                            value = code.pick(mask, value, self.identity)
                        self._add(part, value, self._position(reduced, last))
            for swap in ("zwxy", "yxwz"):
                value, position = self._settled(best), best.position
                position = position and code.variable(position.lane(swap))
                self._add(best, code.variable(value.lane(swap)), position)
            self._finish(best, kept, 1)

    def _long(self, best: _Best, around: dict[int, Value], reduced: dict[int, Value]) -> int:
        """Combine whole groups along the lanes' axis; return how many elements these are."""
        writer, length = self.writer, self.lengths[self.lane]
        done = 0
        for step in (GROUP * SEPARATE, GROUP):
            stop = length - (length - done) % step
            if stop <= done:
                continue
            count = step // GROUP
            own = [self._start() for _ in range(count)] if count > 1 else [best]
            with self._blocks(own, done, stop, step, (stop - done) // step) as (k, parts):
                for number, part in enumerate(parts):
                    lanes = writer.neighbours(k, GROUP * number)
                    self._add(part, self._elements(around, lanes), self._position(reduced, lanes))
            if count > 1:
                for part in own:
                    self._add(best, self._settled(part), part.position)
            done = stop
        return done

    def _scaled_blocks(self, best: _Best, block: BlockSum, kept: dict[int, Value]) -> None:
        """Add blocks of products; the scales of four neighbours are converted at once."""
        code, along = self.code, block.along
        writer = BlockWriter(self.writer, block, self.lengths)
        count = self.lengths[along]
        whole = count - count % GROUP
        with self._reduced([best], count, (along, *block.axes)) as (reduced, [part]):
            around = {**kept, **reduced}
            for start, stop, step in (0, whole, GROUP), (whole, count, count - whole):
                if start == stop:
                    continue
                turns = (stop - start) // step
                with self._blocks([part], start, stop, step, turns, step) as (k, [own]):
                    scales = writer.scales(around, k)
                    for number in range(step):
                        factors = [writer.products(around, k, number), scales[number]]
                        code.assign(own.value, writer.added(own.value, factors))

    def _finish(self, best: _Best, kept: dict[int, Value], count: int) -> None:
        """Store results, to which the epilogue is applied."""
        writer = self.writer
        result = best.position or self._settled(best)
        axes: Axes = tuple([(kept[axis], self.lengths[axis]) for axis in sorted(kept)])
        if self.lane not in kept:
            # All lanes are the result.
            result = self.code.let(self.code.printer.spread(result.lane("x")))
            only: Value = self.code.let(self.code.vector(INT, 0), "i")
            writer.firsts[only.text] = 0
            axes = (*axes, (only, 1))
        writer.fixed[writer.kernel.root] = result
        writer.result(axes, count)
        del writer.fixed[writer.kernel.root]


def split_by(shape: tuple[int, ...], lengths: Sequence[int], axes: set[int]) -> list[bool]:
    """Return for each of the finer axes of a shape whether it is a part of one of these axes."""
    flags: list[bool] = []
    rest = list(lengths)[::-1]
    for axis in reversed(range(len(shape))):
        inner = 1
        while inner < shape[axis]:
            inner *= rest.pop(0)
            flags.append(axis in axes)
    return flags[::-1] or [bool(axes)]
