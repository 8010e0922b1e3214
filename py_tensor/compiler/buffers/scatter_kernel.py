"""Generate kernels that add up slices at indices: a loop over the slices, in order.

Input: a kernel whose root is a scatter. Output: its statements.
"""

from __future__ import annotations

import math
from contextlib import ExitStack

from ...dtypes import DType, float16, float32
from ...language.tree import INT, TRUTH, Value
from ..codegen.positions import Axes
from .buffer_writer import BufferWriter
from .nest import axes_of
from .storage import GROUP, padded, stored


def write_scatter(writer: BufferWriter) -> None:
    """Write the statements of a scatter kernel."""
    nodes, root, code = writer.nodes, writer.kernel.root, writer.code
    call, (src, indices) = nodes.calls[root], nodes.edges[root]
    axis, length = call.arg
    shape, count, dtype = call.specs[0].shape, call.specs[1].size, call.spec.dtype
    after = math.prod(shape[axis + len(call.specs[1].shape) :])
    slices = (math.prod(shape[:axis]), count, after)
    # Sums of float16 are rounded once.
    base, sums = ("scratch", float32) if dtype is float16 else ("out0", dtype)
    nbytes = padded(call.spec.size * stored(sums).size)
    writer.scratch = nbytes * (base == "scratch")
    with code.loop(0, nbytes, 4 * GROUP) as k:
        code.line(f"{base} {k.text} i32.add i32x4.const:0 v128.store", k.uses)
    if count:
        _Sums(writer, src, indices, slices, length).write(base, sums)
    if base == "scratch":
        _rounded(writer, call.spec.size)


def _rounded(writer: BufferWriter, size: int) -> None:
    """Store the float32 sums in scratch memory as float16."""
    code, wide = writer.code, stored(float32)
    for first, lanes, count in writer.groups(size):
        address = code.value("scratch", INT, 1) + first * wide.size
        sums = code.value(f"{address.text} {wide.load_four}", wide.kind, uses=address.uses)
        writer.store(0, sums, ((lanes, size),), count)


class _Sums:
    """Writer of the loops over slices of shape (before, count, after)."""

    def __init__(
        self,
        writer: BufferWriter,
        src: int,
        indices: int,
        slices: tuple[int, int, int],
        length: int,
    ) -> None:
        self.writer = writer
        self.src = src
        self.indices = indices
        self.slices = slices
        self.length = length
        self.size = math.prod(slices)
        split = [n for n in axes_of(writer.nodes, src, slices) if n > 1]
        parts: list[list[int]] = [[], [], []]
        for own, n in zip(parts, slices, strict=True):
            while math.prod(own) < n:
                own.append(split.pop(0))
        self.before, self.count, self.after = parts
        # Lanes are neighbours in a slice, even if it has only one element.
        self.after = self.after or [1]

    def _looped(self, loops: ExitStack, lengths: list[int]) -> list[tuple[Value, int]]:
        """Write loops over axes; return the counters with their lengths."""
        return [(loops.enter_context(self.writer.code.loop(0, n)), n) for n in lengths]

    def write(self, base: str, dtype: DType) -> None:
        """Add the slices to the results at an address."""
        code, writer = self.writer.code, self.writer
        with ExitStack() as loops:
            before = self._looped(loops, self.before)
            count = self._looped(loops, self.count)
            at = self._index(count)
            is_inside = f"{at.text} i32.const:{self.length} i32.lt_u"
            loops.enter_context(code.when(code.value(is_inside, TRUTH, 1, uses=at.uses)))
            *outer, last = self.after
            after = self._looped(loops, outer)
            for _, lanes, kept in writer.groups(last):
                inner = (*after, (lanes, last))
                value = writer.value(self.src, writer.index(self.size, (*before, *count, *inner)))
                axes = (*before, (at, self.length), *inner)
                self._add(base, dtype, value, axes, kept)

    def _index(self, count: list[tuple[Value, int]]) -> Value:
        """Return the index of a slice."""
        code, writer = self.writer.code, self.writer
        index = writer.index(self.slices[1], tuple(count)) if count else writer.only
        at: Value = code.let(writer.value(self.indices, index).lane("x"), "j")
        return at

    def _add(self, base: str, dtype: DType, value: Value, axes: Axes, lanes: int) -> None:
        """Add lanes to results at coordinates. Integers wrap when they are stored."""
        writer, form = self.writer, stored(dtype)
        address, start, apart = writer.place(base, form, axes)
        load = form.load_four if lanes > 1 else form.load_splat
        add = {"f": "f32x4.add", "b": "v128.or"}.get(dtype.kind, "i32x4.add")
        text = f"{address.text} {load}:{start} {form.four} {value.text} {add}"
        sums = writer.code.value(text, form.kind, uses=address.uses | value.uses)
        writer.write(form, address, start, sums, lanes, apart)
