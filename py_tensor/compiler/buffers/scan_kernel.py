"""Generate scans: loops along the scanned axis that keep the combination of the elements so far.

Input: a kernel whose root is a scan. Output: its statements.
Lanes are four neighbouring lines, or four neighbours along the scanned axis if it is the last one.
"""

from __future__ import annotations

import math
from contextlib import ExitStack
from typing import Any

from ...language.tree import Value, Whole
from ...ops.index_map import row_major
from ...ops.op_def import Scan, for_dtype
from ..codegen.positions import Axes, total
from ..codegen.types import KIND, converted, literal, number
from .buffer_writer import BufferWriter
from .map_kernel import write_map
from .nest import axes_of
from .reduce_kernel import split_by
from .storage import GROUP


def write_scan(writer: BufferWriter) -> None:
    """Write the statements of a scan kernel."""
    call = writer.nodes.calls[writer.kernel.root]
    if not call.specs[0].size:
        identity = call.op.identity(call.operands[0])
        writer.fixed[writer.kernel.root] = literal(writer.code, identity, call.spec.dtype)
        write_map(writer)
        return
    scan = _Scan(writer)
    if scan.is_scanned[-1]:
        scan.lanes_along()
    else:
        scan.lanes_across()


class _Scan:
    """Writer of the loops of one scan."""

    def __init__(self, writer: BufferWriter) -> None:
        nodes, root = writer.nodes, writer.kernel.root
        self.writer = writer
        self.code = writer.code
        self.call = nodes.calls[root]
        op: Scan = self.call.op
        axis, self.initial = self.call.arg
        shape = self.call.specs[0].shape
        self.src = nodes.edges[root][0]
        self.size = self.call.specs[0].size
        self.lengths = axes_of(nodes, self.src, shape)
        self.is_scanned = split_by(shape, self.lengths, {axis})
        if True not in self.is_scanned:
            # Axes of length 1 are not among the lengths.
            inner = math.prod(shape[axis + 1 :])
            at = sum(step >= inner for step in row_major(self.lengths))
            self.lengths = (*self.lengths[:at], 1, *self.lengths[at:])
            self.is_scanned.insert(at, True)
        self.length = shape[axis]
        self.dtype = self.call.operands[0]
        self.kind = KIND[self.dtype.kind]
        self.formula = for_dtype(op.join.formula, self.dtype)
        self.identity = number(self.code, op.identity(self.dtype), self.dtype)

    def _loops(self, stack: ExitStack, is_scanned: bool) -> dict[int, Value]:
        """Write loops over the scanned or the other axes except the last; return the counters."""
        return {
            axis: stack.enter_context(self.code.loop(0, n))
            for axis, n in enumerate(self.lengths[:-1])
            if self.is_scanned[axis] == is_scanned
        }

    def _element(self, counters: dict[int, Value]) -> Value:
        """Return the elements at coordinates, in the dtype of the result."""
        axes: Axes = tuple([(counters[axis], n) for axis, n in enumerate(self.lengths)])
        value = self.writer.value(self.src, self.writer.index(self.size, axes))
        return converted(self.code, value, self.call.specs[0].dtype, self.dtype)

    def _joined(self, a: Value, b: Value) -> Value:
        return self.code.apply(self.formula, self.kind, a, b)

    def _keep(self, value: Value, counters: dict[int, Value], place: Whole, lanes: int) -> None:
        """Store results at a place along the scanned axis."""
        axes: list[tuple[Any, int]] = []
        for axis, n in enumerate(self.lengths):
            if not self.is_scanned[axis]:
                axes.append((counters[axis], n))
            elif not axis or not self.is_scanned[axis - 1]:
                axes.append((place, self.length + self.initial))
        self.writer.store(0, value, tuple(axes), lanes)

    def _place(self, counters: dict[int, Value]) -> Whole:
        """Return the place along the scanned axis."""
        axes = [axis for axis in counters if self.is_scanned[axis]]
        strides = row_major(tuple([self.lengths[axis] for axis in axes]))
        place: Whole = total(zip([counters[axis] for axis in axes], strides, strict=True), 0)
        return place

    def lanes_across(self) -> None:
        """Write loops over four lines at once."""
        writer, length = self.writer, self.lengths[-1]
        last = len(self.lengths) - 1
        with ExitStack() as stack:
            kept = self._loops(stack, False)
            if length >= GROUP:
                with writer.whole_groups(length) as k:
                    self._line({**kept, last: writer.neighbours(k)}, GROUP)
            if rest := length % GROUP:
                self._line({**kept, last: writer.last_ones(length - rest, length)}, rest)

    def _line(self, kept: dict[int, Value], lanes: int) -> None:
        """Write the loop along four lines."""
        code = self.code
        acc = code.variable(code.printer.spread(self.identity), "s")
        with ExitStack() as stack:
            scanned = self._loops(stack, True)
            counters = {**kept, **scanned}
            place = self._place(scanned)
            if self.initial:
                self._keep(acc, counters, place, lanes)
            code.assign(acc, self._joined(acc, self._element(counters)))
            if not self.initial:
                self._keep(acc, counters, place, lanes)
        if self.initial:
            self._keep(acc, kept, self.length, lanes)

    def lanes_along(self) -> None:
        """Write loops along one line, with four places per step."""
        code, writer, length = self.code, self.writer, self.lengths[-1]
        last = len(self.lengths) - 1
        with ExitStack() as stack:
            kept = self._loops(stack, False)
            acc = code.variable(code.printer.spread(self.identity), "s")
            with ExitStack() as inner:
                counters = {**kept, **self._loops(inner, True)}
                if length >= GROUP:
                    with writer.whole_groups(length) as k:
                        self._group(acc, {**counters, last: writer.neighbours(k)}, GROUP)
                if rest := length % GROUP:
                    tail = writer.last_ones(length - rest, length)
                    self._group(acc, {**counters, last: tail}, rest)
            if self.initial:
                self._keep(acc, kept, self.length, 1)

    def _group(self, acc: Value, counters: dict[int, Value], lanes: int) -> None:
        """Combine four neighbours with each other, and with what comes before them."""
        code, writer, last = self.code, self.writer, len(self.lengths) - 1
        value = code.variable(self._element(counters))
        for by in (1, 2):
            value = code.variable(self._joined(self._shifted(value, by), value))
        result = self._joined(acc, self._shifted(value, 1) if self.initial else value)
        start = code.printer.whole(writer.firsts[counters[last].text])
        first = self._place({**counters, last: start})
        places = code.let(writer.positions.spread(first, 1), "i")
        writer.firsts[places.text] = first
        self._keep(code.variable(result), counters, places, lanes)
        code.assign(acc, self._joined(acc, value.lane("xyzw"[lanes - 1] * GROUP)))

    def _shifted(self, value: Value, by: int) -> Value:
        parts = [self.identity] * by
        return self.code.vector(self.kind, *parts, value.lane("xyzw"[: GROUP - by]))
