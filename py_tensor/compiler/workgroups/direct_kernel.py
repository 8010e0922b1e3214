"""Generate convolutions of few channels for each result without shared memory.

An invocation computes four channels of several pixels in a row, whose windows overlap: it reads
each element of a row of the image once. Depthwise convolutions have one input channel for each
result, and grouped ones a few.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...ir.node import OpInstance
from ...language.tree import Value, Whole
from ...ops.contractions import Window
from ..codegen.positions import total
from .contract_kernel import BlockedContraction
from .convolve_kernel import leaves
from .workgroup_writer import INVOCATIONS, ROW, WorkgroupWriter

MOST_CHANNELS = 32
"""Results of a group up to which a blocked product has too few columns."""
FEW_CHANNELS = 8
"""Such a number if there are no groups, so that a product has few columns but many rows."""
SHORT_SUM = 64
"""Number of products up to which few invocations add them up in a short time."""
PIXELS = (4, 2, 1)
"""Numbers of pixels of an invocation to choose from."""
ENOUGH = 1 << 14
"""Invocations that occupy a device, since each of them has several loads at once."""
UNROLLED = 8
"""Taps in a row of a kernel that are written one after the other."""
UNROLLED_CHANNELS = 3
"""Taps that are written so if there are several input channels, whose weights are in registers."""


def is_direct(window: Window, kernel: tuple[int, ...]) -> bool:
    """Return True if the kernel for few channels computes a convolution with a kernel (HWIO)."""
    inputs, outs = kernel[2:]
    columns = outs // window.groups
    if outs % 4 or (inputs > 1 and (inputs % 4 or columns % 4)):
        return False
    if window.groups > 1:
        return inputs == 1 or columns <= MOST_CHANNELS
    if inputs > 1 and columns > FEW_CHANNELS:
        return False
    return math.prod(kernel[:3]) <= SHORT_SUM or math.prod(window.out) * outs // 4 >= ENOUGH


class DirectConvolution(BlockedContraction):
    """Convolution of NHWC images with HWIO weights, of few channels."""

    def __init__(self, writer: WorkgroupWriter, call: OpInstance) -> None:
        super().__init__(writer, call)
        self.window: Window = call.arg
        self.inputs, self.columns = call.specs[1].shape[2:]
        self.multiple = self.columns // self.window.groups
        """Results of each group."""
        _, strides, self.offset = self.nodes.strides(self.operands[0])
        assert strides is not None
        self.strides = strides
        self.lines: int = call.spec.size // (self.columns * self.window.out[1])
        """Rows of the results of all images."""
        taps = self.window.kernel[1]
        self.taps = taps if taps <= (UNROLLED if self.inputs == 1 else UNROLLED_CHANNELS) else 1
        """Taps that are written one after the other."""
        self.pixels = next(n for n in PIXELS if self._invocations(n) >= ENOUGH or n == 1)
        dilation, stride = self.window.dilation[1], self.window.stride[1]
        pairs = [(n, t) for n in range(self.pixels) for t in range(self.taps)]
        self.reads = {n * stride + t * dilation for n, t in pairs}
        """Columns of the image that an invocation reads, from the first one of its window."""

    def _invocations(self, pixels: int) -> int:
        across = -(-self.window.out[1] // pixels)
        return self.lines * across * self.columns // 4

    # --- loads ----------------------------------------------------------------------------------

    def _images(self) -> None:
        """Define the function that loads the elements of the image for four results."""
        steps = (*self.strides[:3], self.offset)
        is_aligned = all(step % 4 == 0 for step in steps)
        p, c = self.number("p"), self.number("c")
        if self.inputs > 1:
            # Four input channels of a group: each result adds up all of them.
            text = self.four_at(0, p, 1, is_aligned)
        elif self.multiple == 1:
            text = self.four_at(0, p + c, 1, is_aligned)
        elif self.multiple % 4 == 0:
            channel = c // self.multiple if self.window.groups > 1 else 0
            text = self.four_at(0, p + channel, 0, False)
        else:
            text = self._separate(p, c)
        self.function("pt_image", "pc", [f"return {text};"])

    def _separate(self, p: Value, c: Value) -> str:
        """Return the text of the elements of four channels that are not neighbours."""
        slot = self.writer.kernel.inputs.index(self.nodes.strides(self.operands[0])[0])
        positions = [p + (c + lane) // self.multiple for lane in range(4)]
        parts = [self.writer.fetches.element(slot, position) for position in positions]
        value = self.code.vector(self.writer.fetches.kinds[slot], *parts)
        return self.converted(0, value)

    def _weights(self) -> None:
        """Define the function that loads four weights of a tap and an input channel."""
        terms = [(self.number("k"), self.columns), (self.number("c"), 1)]
        text = self.four_at(1, total(terms, 0), 1, True)
        self.function("pt_weight", "kc", [f"return {text};"])

    # --- text -----------------------------------------------------------------------------------

    def write(self) -> None:
        """Write the kernel."""
        writer = self.writer
        self._images()
        self._weights()
        self._keep()
        groups = -(-self._invocations(self.pixels) // INVOCATIONS)
        writer.workgroup = (INVOCATIONS,)
        writer.grid = (min(groups, ROW), -(-groups // ROW), 1)
        writer.main = "\n".join([f"  {line}" for line in self._statements(groups)])

    def _statements(self, groups: int) -> Iterator[str]:
        yield from self._position("W.x" if groups <= ROW else f"W.x + W.y * {ROW}u")
        for pixel in range(self.pixels):
            yield f"var s{pixel} = {self.zero};"
        yield f"for (var y = 0; y < {self.size(self.window.kernel[0])}; y++) {{"
        row = total([(self.number("v"), 1), (self.number("y"), self.window.dilation[0])], 0)
        is_tested = leaves(self.window, self.call.specs[0].shape, 0)
        if is_tested:
            yield f"  let row = {self.text(row)};"
            yield f"  if (u32(row) < u32({self.size(self.call.specs[0].shape[1])})) {{"
        yield from (f"    {line}" for line in self._row())
        if is_tested:
            yield "  }"
        yield "}"
        for pixel in range(self.pixels):
            keep = f"pt_keep(line * {self.size(self.window.out[1])} + x + {pixel}, c, s{pixel});"
            inside = f"x + {pixel} < {self.size(self.window.out[1])}"
            yield keep if self.window.out[1] % self.pixels == 0 else f"if ({inside}) {{ {keep} }}"

    def _position(self, workgroup: str) -> Iterator[str]:
        """Yield the statements that find the results of an invocation, and their window."""
        fours, across = self.columns // 4, -(-self.window.out[1] // self.pixels)
        stride, pad = self.window.stride, self.window.pad
        t, s, line = (self.number(name) for name in ("t", "s", "line"))
        yield f"let t = i32({workgroup}) * {INVOCATIONS} + l;"
        yield f"let c = {self.text(self.whole(t % fours) * 4)};"
        yield f"let s = {self.text(t // fours)};"
        yield f"let x = {self.text(self.whole(s % across) * self.pixels)};"
        yield f"let line = {self.text(s // across)};"
        yield f"if (line >= {self.size(self.lines)}) {{ return; }}"
        height = self.window.out[0]
        is_one = self.lines == height
        row = self.whole(line if is_one else line % height)
        yield f"let v = {self.text(self.whole(row * stride[0]) + -pad[0])};"
        yield f"let u = {self.text(self.whole(self.number('x') * stride[1]) + -pad[1])};"
        terms: list[tuple[Whole, int]] = [(0 if is_one else line // height, self.strides[0])]
        terms += [(self.number("v"), self.strides[1]), (self.number("u"), self.strides[2])]
        if self.inputs > 1:
            group = self.number("c") // self.multiple
            terms.append((group, self.inputs))
        yield f"let first = {self.text(total(terms, self.offset))};"

    def _row(self) -> Iterator[str]:
        """Yield the statements that add the products of a row of the kernel."""
        columns, dilation = self.window.kernel[1], self.window.dilation
        is_loop, several = self.taps < columns, self.inputs > 1
        terms = [(self.number("first"), 1), (self.number("y"), dilation[0] * self.strides[1])]
        tap = self.number("y") * columns
        if is_loop:
            yield f"for (var x1 = 0; x1 < {self.size(columns)}; x1++) {{"
            terms.append((self.number("x1"), dilation[1] * self.strides[2]))
            tap = self.whole(tap) + self.number("x1")
        if several:
            yield f"for (var i = 0; i < {self.size(self.inputs)}; i += 4) {{"
            terms.append((self.number("i"), 1))
        yield f"let p = {self.text(total(terms, 0))};"
        weight = [(self.whole(tap), self.inputs)]
        if several:
            weight.append((self.number("i"), 1))
        yield f"let k = {self.text(total(weight, 0))};"
        yield from self._loads_of_row(is_loop)
        for t in range(self.taps):
            for lane in range(4 if several else 1):
                at = self.text(self.number("k") + (t * self.inputs + lane))
                yield f"let w{t}_{lane} = pt_weight({at}, c);"
        for pixel in range(self.pixels):
            for t in range(self.taps):
                value = f"v{pixel * self.window.stride[1] + t * dilation[1]}"
                for lane, letter in enumerate("xyzw" if several else " "):
                    factor = f"{value}.{letter}" if several else value
                    yield f"s{pixel} += {factor} * w{t}_{lane};"
        yield "}" * (is_loop + several)

    def _loads_of_row(self, is_loop: bool) -> Iterator[str]:
        """Yield the loads of the columns; those outside of the image are zeros."""
        width, stride = self.call.specs[0].shape[2], self.strides[2]
        for column in sorted(self.reads):
            at = self.text(total([(self.number("p"), 1)], column * stride))
            yield f"var v{column} = pt_image({at}, c);"
        if not leaves(self.window, self.call.specs[0].shape, 1):
            return
        first = self.number("u")
        if is_loop:
            first = total([(first, 1), (self.number("x1"), self.window.dilation[1])], 0)
        yield f"let z = {self.text(first)};"
        end = self.text(self.number("z") + max(self.reads))
        yield f"if (z < 0 || {end} >= {self.size(width)}) {{"
        for column in sorted(self.reads):
            at = self.text(self.number("z") + column)
            inside = f"u32({at}) < u32({self.size(width)})"
            yield f"  v{column} = select({self.zero}, v{column}, {inside});"
        yield "}"
