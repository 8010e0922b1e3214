"""Write convolutions as products of patches of the image with the kernel.

Input: a convolution and the strides of its operands. Output: the text of its loops. Patches are
copied to scratch memory for one block of pixels at a time. Depthwise convolutions read the image
directly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

from ...ir.node import OpInstance
from ...ops.contractions import Window
from .body import FunctionText, total
from .elements import Matrix, Operand
from .packing import spans
from .products import (
    BLOCK,
    ZERO,
    Product,
    ProductWriter,
    ResultLanes,
    packed,
    write_blocks,
    write_rows,
)

PIXELS = 4
"""Neighbouring pixels that a depthwise convolution computes at once."""


class _Windows:
    """Convolution of an image (batch, height, width, channels) with a kernel."""

    def __init__(
        self, writer: ProductWriter, call: OpInstance, x: Operand, w: Operand, out: Operand
    ) -> None:
        self.writer = writer
        self.body = writer.body
        self.call = call
        self.window: Window = call.arg
        self.x, self.w, self.out = x, w, out
        self.image, self.kernel = call.specs[0].shape, call.specs[1].shape
        self.size = x.dtype.itemsize
        self.leaves = [
            self.window.pad[axis] > 0
            or self.window.reach[axis] - self.window.pad[axis] > self.image[axis + 1]
            for axis in (0, 1)
        ]

    def start(self, position: str, axis: int) -> str:
        """Return a local with the index of the first element that a result reads."""
        stride, pad = self.window.stride[axis], self.window.pad[axis]
        return self.body.let(total("", (position, stride), constant=-pad), of="xy")


class Convolution(_Windows):
    """Convolution as a product of patches with the kernel, for each group."""

    def write(self) -> None:
        body, (groups, pixels, columns) = self.body, self.call.spec.shape
        shape = (pixels, math.prod(self.kernel[:3]), columns)
        with body.loop(groups) as g:
            left = self.x.matrix(body, (_times(g, self.kernel[2]), 3), row=2, column=3)
            out = self.out.matrix(body, (g, 0))
            self._write_group(Product(shape, left, self._kernel(g, shape), out, g))

    def _write_group(self, product: Product) -> None:
        writer, body, window = self.writer, self.body, self.window
        pixels, inner, _ = product.shape
        is_plain = window[:4] == ((1, 1), (1, 1), (0, 0), (1, 1))
        joined = _joined(self.image[:3], self.x.strides[:3])
        if is_plain and window.out == self.image[1:3] and joined is not None:
            write_rows(writer, product._replace(left=product.left._replace(row=joined)))
            return
        limit = max(4, BLOCK // (4 * max(1, inner)))
        step = -(-inner // 4) * 4
        scratch = writer.reserve(min(pixels, limit + 4) * step)

        def rows_of(i: str, count: int) -> Matrix:
            with body.loop(count) as n:
                pixel = body.let(total(i, (n, 1)), of="n")
                self._patch(product.left.base, pixel, total(scratch, (n, 4 * step)))
            return Matrix(scratch, writer.packed_dtype, step, 1)

        write_blocks(writer, product, rows_of, limit)

    def _kernel(self, group: str, shape: tuple[int, int, int]) -> Matrix:
        """Return the right matrix of a group."""
        w, body = self.w, self.body
        base = body.let(w.address((_times(group, shape[2]), 3)), of="m")
        joined = _joined(self.kernel[:3], w.strides[:3])
        if joined is not None:
            return packed(self.writer, Matrix(base, w.dtype, joined, w.strides[3]), shape)
        panels = self.writer.panels(*shape[1:])
        width, inputs = panels.row, self.kernel[2]
        with body.loop(self.kernel[0]) as ky, body.loop(self.kernel[1]) as kx:
            tap = w._replace(base=base, offset=0)
            step = inputs * width * 4
            target = total(panels.base, (ky, self.kernel[1] * step), (kx, step))
            taps = tap.matrix(body, (ky, 0), (kx, 1), row=2, column=3)
            part = panels._replace(base=body.let(target, of="a"))
            self.writer.pack_columns(taps, inputs, shape[2], part)
        return panels

    def _patch(self, image: str, pixel: str, target: str) -> None:
        """Copy the elements that the kernel covers for one pixel."""
        body, window, (_, height, width, _) = self.body, self.window, self.image
        rows, columns = window.out
        q = body.let(target, name="q")
        x0 = self.start(f"{pixel} i32.const:{columns} i32.rem_u", 1)
        y0 = self.start(f"{pixel} i32.const:{columns} i32.div_u i32.const:{rows} i32.rem_u", 0)
        batch = f"{pixel} i32.const:{rows * columns} i32.div_u"
        x = self.x._replace(base=image, offset=0)
        base = body.let(x.address((batch, 0), (y0, 1), (x0, 2)), of="a")
        (kh, kw), inputs, (dy, dx) = window.kernel, self.kernel[2], window.dilation
        step = _joined((kw, inputs), x.strides[2:])
        is_run = dx == 1 and step is not None
        whole = f"{x0} i32.const:{width - kw} i32.le_s {x0} i32.const:0 i32.ge_s i32.and"
        with body.loop(kh) as ky:
            y = total(y0, (ky, dy))
            row = body.let(total(base, (ky, dy * x.steps[1])), of="a")
            with _checked(body, f"{y} i32.const:{height} i32.lt_u" if self.leaves[0] else ""):
                with _checked(body, whole if self.leaves[1] and is_run else ""):
                    if is_run:
                        self._run(row, q, kw * inputs, step or 0)
                    if is_run and self.leaves[1]:
                        body.add(".else")
                    if not is_run or self.leaves[1]:
                        with body.loop(kw) as kx:
                            inside = f"{total(x0, (kx, dx))} i32.const:{width} i32.lt_u"
                            tap = body.let(total(row, (kx, dx * x.steps[2])), of="a")
                            with _checked(body, inside if self.leaves[1] else ""):
                                self._run(tap, q, inputs, x.strides[3])
                                if self.leaves[1]:
                                    body.add(".else")
                                    self._run("", q, inputs)
                            body.step(q, 4 * inputs)
                        body.step(q, -4 * kw * inputs)
                if self.leaves[0]:
                    body.add(".else")
                    self._run("", q, kw * inputs)
            body.step(q, 4 * kw * inputs)

    def _run(self, source: str, target: str, count: int, stride: int = 0) -> None:
        """Copy elements, or zeros if there is no source, and up to three more."""
        body = self.body
        x = Matrix(source, self.x.dtype, 0, stride)

        def copy(p: str, q: str, length: int) -> None:
            for n in range(0, length, 4):
                value = "i32x4.const:0"
                if source:
                    value = self.writer.load(
                        p, n * stride * self.size, x, stride, min(4, length - n)
                    )
                body.add(f"{q} {value} v128.store:{4 * n}")

        whole = count // 16 * 16
        if whole:
            with body.loop(whole, 16) as n:
                p = body.let(total(source, (n, stride * self.size)), name="r") if source else ""
                copy(p, body.let(total(target, (n, 4)), name="t"), 16)
        if count > whole:
            far = total(source, constant=whole * stride * self.size)
            p = body.let(far, name="r") if source else ""
            copy(p, body.let(total(target, constant=whole * 4), name="t"), count - whole)


class Depthwise(_Windows):
    """Convolution of each channel with kernels of its own: the lanes are channels."""

    multiple = ""
    """Index of the kernel of each channel."""

    def write(self) -> None:
        body, window, (batch, _, width, _) = self.body, self.window, self.image
        (rows, columns), stride, pad = window.out, window.stride[1], window.pad[1]
        reach = (window.kernel[1] - 1) * window.dilation[1] + 1
        low = min(columns, max(0, -(-pad // stride)))
        high = min(columns, max(low, (width - reach + pad) // stride + 1))
        high = low + (high - low) // PIXELS * PIXELS
        multiples = self.call.spec.shape[2]
        with body.loop(batch) as b, body.loop(rows) as oy, body.loop(multiples) as m:
            self.multiple = m
            y0 = self.start(oy, 0)
            line = body.let(total("", (b, rows * columns), (oy, columns)), of="n")
            image = body.let(self.x.address((b, 0), (y0, 1)), of="a")
            first, stop = self._valid(y0, 0)
            for begin, end, pixels in ((0, low, 1), (low, high, PIXELS), (high, columns, 1)):
                if begin < end:
                    with body.loop(end, pixels, begin) as ox:
                        x0 = self.start(ox, 1)
                        base = body.let(total(image, (x0, self.x.steps[2])), of="a")
                        pixel = body.let(total(line, (ox, 1)), of="n")
                        taps = (first, stop, *self._valid(x0, 1)) if pixels == 1 else (first, stop)
                        self._channels(base, pixel, pixels, taps)

    def _valid(self, start: str, axis: int) -> tuple[int | str, int | str]:
        """Return locals with the first tap inside of the image along an axis, and the one after."""
        taps, step = self.window.kernel[axis], self.window.dilation[axis]
        length = self.image[axis + 1]
        if not self.leaves[axis]:
            return 0, taps
        up = f"i32.const:{step - 1} {start} i32.sub i32.const:{step} i32.div_s"
        first = self.body.let(f"{up} i32.const:0 {start} i32.const:0 i32.lt_s .select", of="k")
        end = f"i32.const:{length + step - 1} {start} i32.sub i32.const:{step} i32.div_s"
        end = self.body.let(end, of="k")
        return first, self.body.let(
            f"{end} i32.const:{taps} {end} i32.const:{taps} i32.lt_s .select", of="k"
        )

    def _channels(self, image: str, pixel: str, pixels: int, taps: tuple[int | str, ...]) -> None:
        body, channels = self.body, self.image[3]
        for first, stop in spans(channels, 4):
            with body.loop(stop, 4, first) as c:
                self._tile(image, pixel, pixels, taps, c, min(4, stop - first))

    def _tile(
        self, image: str, pixel: str, pixels: int, taps: tuple[int | str, ...], c: str, lanes: int
    ) -> None:
        body, w, writer, out = self.body, self.w, self.writer, self.out
        sums = [body.let("i32x4.const:0", "v128", name=f"c{n}") for n in range(pixels)]
        px = body.let(total(image, (c, self.x.steps[3])), of="x")
        multiples, (dy, dx) = self.call.spec.shape[2], self.window.dilation
        pw = body.let(w.address((_times(c, multiples), 3), (self.multiple, 3)), of="w")
        with body.loop(taps[1], 1, taps[0]) as ky:
            row = body.let(total(px, (ky, dy * self.x.steps[1])), of="x")
            weights = body.let(total(pw, (ky, w.steps[0])), of="w")
            if len(taps) == 2:
                self._row(row, weights, sums, lanes)
            else:
                with body.loop(taps[3], 1, taps[2]) as kx:
                    p = body.let(total(row, (kx, dx * self.x.steps[2])), name="px")
                    q = body.let(total(weights, (kx, w.steps[1])), name="pw")
                    self._row(p, q, sums, lanes, 1)
        address = body.let(out.address((c, 0), (pixel, 1), (self.multiple, 2)), name="po")
        for n, name in enumerate(sums):
            row = total(pixel, constant=n) if n else pixel
            place = ResultLanes(c or ZERO, row, self.multiple or ZERO, 0, lanes)
            writer.store(place, address, n * out.steps[1], out.dtype, name, out.strides[0])

    def _row(self, image: str, weights: str, sums: list[str], lanes: int, taps: int = 0) -> None:
        """Add the products of the taps in a row of the kernel, reading each column once."""
        body, writer, (x, w) = self.body, self.writer, (self.x, self.w)
        taps = taps or self.window.kernel[1]
        stride, dilation = self.window.stride[1], self.window.dilation[1]
        columns: dict[int, list[tuple[int, int]]] = {}
        for n in range(len(sums)):
            for tap in range(taps):
                columns.setdefault(n * stride + tap * dilation, []).append((n, tap))
        multiples = self.call.spec.shape[2]
        a = Matrix("", x.dtype, 0, x.strides[3])
        b = Matrix("", w.dtype, 0, w.strides[3] * multiples)
        for tap in range(taps):
            value = writer.load(weights, tap * w.steps[1], b, b.column, lanes)
            body.let(value, "v128", name=f"w{tap}")
        for column, uses in sorted(columns.items()):
            value = writer.load(image, column * x.steps[2], a, a.column, lanes)
            body.let(value, "v128", name="v")
            for n, tap in uses:
                writer.add_product(sums[n], f"{body.prefix}_v", f"{body.prefix}_w{tap}")


def _times(text: str, factor: int) -> str:
    return total("", (text, factor)) if text else ""


def _joined(shape: tuple[int, ...], strides: tuple[int, ...]) -> int | None:
    """Return the stride of several axes as one, or None if there is no such stride."""
    axes = [(n, step) for n, step in zip(shape, strides, strict=True) if n > 1]
    for (_, outer), (n, step) in pairwise(axes):
        if outer != n * step:
            return None
    return axes[-1][1] if axes else 1


@contextmanager
def _checked(body: FunctionText, condition: str) -> Iterator[None]:
    """Write a condition around a block, unless it is empty."""
    if condition:
        body.add(f"{condition} .if")
    yield
    if condition:
        body.add(".end")
