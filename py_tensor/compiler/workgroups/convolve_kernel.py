"""Generate convolutions as products of a matrix of pixels, which is never stored, and the weights.

Rows of the left matrix are pixels of the result. The inner axis consists of runs: elements that the
kernel covers and that are neighbours in a row of the image. Runs are padded to whole groups of
four. Each invocation walks along the runs without a division, and finds its pixels only once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...ir.node import OpInstance
from ...language.tree import Value, Whole
from ...ops.contractions import Window
from ..codegen.positions import total
from .contract_kernel import BlockedContraction, Blocking
from .workgroup_writer import WorkgroupWriter

PANELS = 32
"""Length of which parts of a split inner axis are multiples, so that whole panels are loaded."""


class SplitWindow(NamedTuple):
    """Static argument of a convolution whose inner axis is split.

    The result has shape (parts, pixels, channels); the parts add up to the convolution.
    """

    window: Window
    parts: int


class Runs(NamedTuple):
    """Runs of elements that a kernel covers."""

    length: int
    """Elements of a run."""
    taps: int
    """Runs in a row of the kernel."""
    lines: int
    """Runs of the kernel."""

    @property
    def pitch(self) -> int:
        """Length with padding."""
        return self.length + -self.length % 4

    @property
    def inner(self) -> int:
        """Length of all runs."""
        return self.lines * self.pitch


def runs_of(window: Window, channels: int, is_dense: bool) -> Runs:
    """Return the runs of a kernel of so many input channels.

    `is_dense` is True if the elements of neighbouring pixels are neighbours in the image.
    """
    (rows, columns), dilation = window.kernel, window.dilation[1]
    if window.groups == 1 and is_dense and (dilation == 1 or columns == 1):
        return Runs(columns * channels, 1, rows)
    return Runs(channels, columns, rows * columns)


def leaves(window: Window, image: tuple[int, ...], axis: int) -> bool:
    """Return True if the kernel covers places outside of the image along an axis, 0 or 1."""
    before = window.pad[axis]
    return before > 0 or window.reach[axis] - before > image[axis + 1]


class BlockedConvolution(BlockedContraction):
    """Convolution of NHWC images with HWIO weights."""

    def __init__(self, writer: WorkgroupWriter, call: OpInstance) -> None:
        super().__init__(writer, call)
        is_split = isinstance(call.arg, SplitWindow)
        self.window: Window = call.arg.window if is_split else call.arg
        self.parts = call.arg.parts if is_split else 1
        self.groups = max(self.parts, self.window.groups)
        _, _, self.channels, outs = call.specs[1].shape
        self.columns = outs // self.window.groups
        self.rows = call.spec.size // (outs * self.parts)
        _, strides, self.offset = self.nodes.strides(self.operands[0])
        assert strides is not None
        # The only column of an image may have any stride.
        across = strides[2] if call.specs[0].shape[2] > 1 else self.channels
        self.strides = (*strides[:2], across)
        self.runs = runs_of(self.window, self.channels, across == self.channels)
        self.inner = self.runs.inner

    def result_row(self, group: Value, row: Value) -> Any:
        if self.parts > 1:
            return total([(group, self.rows), (row, 1)], 0)
        return total([(row, self.groups), (group, 1)], 0) if self.groups > 1 else row

    def extent(self) -> tuple[str, str]:
        if self.parts == 1:
            return super().extent()
        share = self.size(self.inner // self.parts)
        return f"g * {share}", f"(g + 1) * {share}"

    # --- pixels ---------------------------------------------------------------------------------

    def left(self, blocking: Blocking) -> None:
        self._pixel()
        self._element(self.inner % blocking.depth != 0)

    def _pixel(self) -> None:
        """Define the function that returns where the kernel is for a row of the left matrix.

        These are the position of its first element, its row, and its column, which counts elements
        instead of pixels if a run has several pixels.
        """
        stride, pad, (oh, ow) = self.window.stride, self.window.pad, self.window.out
        m, v, u = self.number("m"), self.number("v"), self.number("u")
        line = m // ow
        y, batch = (line % oh, line // oh) if self.rows > oh * ow else (line, 0)
        terms: list[tuple[Whole, int]] = [(batch, self.strides[0])]
        terms += [(v, self.strides[1]), (u, self.strides[2])]
        if self.window.groups > 1:
            terms.append((self.number("g"), self.channels))
        column = u * self.channels if self.runs.taps == 1 else u
        lines = [
            f"let v = {self.text(self.whole(y) * stride[0] + -pad[0])};",
            f"let u = {self.text(self.whole(m % ow) * stride[1] + -pad[1])};",
            f"return vec3<i32>({self.text(total(terms, self.offset))}, v, {self.text(column)});",
        ]
        text = "\n".join(["fn pt_pixel(g: i32, m: i32) -> vec3<i32> {", *lines, "}"])
        self.writer.definitions.append(text)

    def _element(self, is_bounded: bool) -> None:
        """Define the function that loads four elements of a run.

        It gets the pixel, row and run of the kernel, and the position in the run. `is_bounded` is
        True if the row may be after the last one.
        """
        runs, (dy, dx) = self.runs, self.window.dilation
        _, height, width, _ = image = self.call.specs[0].shape
        y, x, r = self.number("y"), self.number("x"), self.number("r")
        is_whole = runs.length % 4 == 0
        others = (*self.strides, self.offset)
        together = is_whole and self.channels % 4 == 0 and all(step % 4 == 0 for step in others)
        first = [(self.number("q.x"), 1), (y, dy * self.strides[1]), (r, 1)]
        tests: list[str] = []
        lane_tests: list[str] = []
        if runs.taps > 1:
            first.append((x, dx * self.strides[2]))
        if leaves(self.window, image, 0):
            row = total([(self.number("q.y"), 1), (y, dy)], 0)
            tests.append(f"u32({self.text(row)}) < u32({self.size(height)})")
        if is_bounded:
            tests.append(f"y < {self.size(self.window.kernel[0])}")
        four = self.number("r") + self.code.printer.multiples(1)
        if leaves(self.window, image, 1):
            if runs.taps > 1:
                column = total([(self.number("q.z"), 1), (x, dx)], 0)
                tests.append(f"u32({self.text(column)}) < u32({self.size(width)})")
            elif together:
                end = self.size(width * self.channels)
                tests.append(f"u32({self.text(self.number('q.z') + r)}) < u32({end})")
            else:
                end = self.size(width * self.channels)
                column = self.number("q.z") + four
                lane_tests.append(f"vec4<u32>({column.text}) < vec4<u32>(u32({end}))")
        if not is_whole:
            lane_tests.append(f"({four.text}) < vec4<i32>({self.size(runs.length)})")
        text = self.four_at(0, self.number("p"), 1, together)
        lines = [f"let p = {self.text(total(first, 0))};", f"let v = {text};"]
        lines += [f"return {self._chosen(tests, lane_tests)};"]
        names = "q: vec3<i32>, y: i32, x: i32, r: i32"
        head = f"fn pt_left({names}) -> {self.four} {{"
        self.writer.definitions.append("\n".join([head, *[f"  {line}" for line in lines], "}"]))

    def _chosen(self, tests: list[str], lane_tests: list[str]) -> str:
        """Return the text of `v` where all tests, some of which are of lanes, hold, or of zeros."""
        condition = " && ".join(tests)
        if lane_tests:
            own = [f"vec4<bool>({condition})"] if tests else []
            condition = " & ".join([*own, *(f"({test})" for test in lane_tests)])
        return f"select({self.zero}, v, {condition})" if condition else "v"

    # --- panels ---------------------------------------------------------------------------------

    def before(self, blocking: Blocking) -> Iterator[str]:
        """Yield the pixels of an invocation, and where it begins in the runs."""
        start, _ = self.extent()
        rows = [blocking.row_of(row) for row in range(blocking.rows)]
        if not self.writer.target.on_processor:
            steps = blocking.depth // 4
            assert blocking.invocations % steps == 0, "an invocation loads one column of a panel"
            assert PANELS % blocking.depth == 0, "parts consist of whole panels"
            shares = blocking.shares(blocking.height * steps)
            rows = [f"row + {own} / {steps}" for own, _ in shares]
            start = f"{start} + l % {steps} * 4"
        for number, row in enumerate(rows):
            yield f"let q{number} = pt_pixel(g, {row});"
        yield f"let first = {start};"
        run = self.whole(self.number("first") // self.runs.pitch)
        yield f"let run = {run.text};"
        yield f"var r = first - run * {self.size(self.runs.pitch)};"
        yield f"var y = {self.text(self.number('run') // self.runs.taps)};"
        yield f"var x = {self.text(self.number('run') % self.runs.taps)};"

    def left_value(self, number: int, row: str, k: str) -> str:
        return f"pt_left(q{number}, y, x, r)"

    def after(self, step: int) -> Iterator[str]:
        """Yield the statements that walk along the runs."""
        pitch = self.size(self.runs.pitch)
        yield f"r += {step};"
        # Short runs may end more than once in a step.
        word = "while" if self.runs.pitch < step else "if"
        yield f"{word} (r >= {pitch}) {{"
        yield f"  r -= {pitch};"
        if self.runs.taps > 1:
            yield "  x++;"
            yield f"  if (x == {self.size(self.runs.taps)}) {{ x = 0; y++; }}"
        else:
            yield "  y++;"
        yield "}"

    def right(self, blocking: Blocking) -> None:
        outs, runs = self.call.specs[1].shape[3], self.runs
        k = self.number("k")
        together = outs % 4 == 0 and self.columns % 4 == 0
        text = self.four_at(1, self.number("p"), 1, together)
        text = self.bounded(text, "k", False, blocking)
        lines = []
        if runs.length % 4:
            # There are no weights for the padding of runs.
            run = self.whole(k // runs.pitch)
            lines = [f"let run = {run.text};", f"let r = k - run * {self.size(runs.pitch)};"]
            k = total([(self.number("run"), runs.length), (self.number("r"), 1)], 0)
            text = f"select({self.zero}, {text}, r < {self.size(runs.length)})"
        terms = [(self.whole(k), outs), (self.number("n"), 1)]
        if self.window.groups > 1:
            terms.append((self.number("g"), self.columns))
        lines += [f"let p = {self.text(total(terms, 0))};", f"return {text};"]
        self.function("pt_right", "gkn", lines)
