"""Generate the tiled kernel of matrix products and convolutions.

Each fragment computes a block of rows by columns in registers and writes it to as many draw buffers
as the block has texels. Every texel fetched from one operand is multiplied with several texels of
the other. Products and convolutions differ only in the positions of the texels that they fetch.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

from ...dtypes import DType, float32
from ...language.statements import Statements
from ...language.tree import Value, Whole
from ...ops.contractions import CONVOLVE, Window
from ..codegen.types import KIND, converted, either, wrapped
from .operands import OperandMatrix, Texels, across_rows, along_rows
from .taps import taps_of
from .texture_layout import texture_row
from .texture_writer import TextureWriter
from .tile_heuristics import layout

LANES = "xyzw"


def tile_dtype(dtype: DType) -> DType:
    """Return the dtype of a tiled result; float16 results are accumulated and stored as float32."""
    return float32 if dtype.kind == "f" else dtype


def write_contract(writer: TextureWriter) -> None:
    """Write the statements of a contraction, whose outputs are the block."""
    is_convolution = writer.nodes.calls[writer.kernel.root].op is CONVOLVE
    block = _Convolution(writer) if is_convolution else _Product(writer)
    block.write()
    for number, total in enumerate(block.sums):
        writer.code.output(number, wrapped(writer.code, total, block.call.spec.dtype))


class _Block:
    """Rows by texels of a product, which a fragment sums up."""

    def __init__(self, writer: TextureWriter) -> None:
        nodes, root = writer.nodes, writer.kernel.root
        self.writer = writer
        self.code: Statements = writer.code
        self.nodes = nodes
        self.tiling = nodes.tilings[root]
        self.call = nodes.calls[root]
        self.operands = nodes.edges[root]
        self.dtype = self.call.spec.dtype
        self.kind = KIND[self.dtype.kind]
        position = self.tiling.fragment(writer.column, writer.row, self.code.let)
        self.first, self.line, self.row = position
        self.zero = self.code.vector(self.kind, 0)
        self.sums = [self.code.variable(self.zero, "s") for _ in range(self.tiling.layers)]

    def texel(self, at: int, base: int, position: tuple[Whole, ...]) -> Value:
        """Return a texel of operand `at` in the product's dtype.

        It is given by its number, or by column and row.
        """
        fetches, slot = self.writer.fetches, self.writer.kernel.inputs.index(base)
        by_number = len(position) == 1
        texel = fetches.texel(slot, *position) if by_number else fetches.load(slot, *position)
        return converted(self.code, texel, self.nodes.spec(at).dtype, self.dtype)

    def multiply(self, first: list[Value], second: list[list[Value]]) -> None:
        """Add the products of each row's vector with the vectors of each column texel.

        `second` has a list of column texels for each lane of the rows' vectors.
        """
        texels = self.tiling.texels
        for row, vector in enumerate(first):
            lanes = [f"{vector.text}.{lane} * " for lane in LANES[: len(second)]]
            for texel in range(texels):
                terms, uses = [], vector.uses
                for lane, columns in zip(lanes, second, strict=True):
                    terms.append(lane + columns[texel].text)
                    uses |= columns[texel].uses
                total = self.code.value(" + ".join(terms), self.kind, uses=uses)
                self.code.assign(self.sums[row * texels + texel], total, "+=")


class _Operand(NamedTuple):
    """Matrix operand of a product."""

    at: int
    base: int
    """Stored node."""
    matrix: OperandMatrix
    is_upright: bool
    """True if neighbours along the matrix's last axis are neighbours in the texture."""


class _Product(_Block):
    """Matrix product, in a loop over four elements of the inner axis."""

    def write(self) -> None:
        a, b = self.operands
        # The inner axis of the first operand is its last one.
        left, right = self._operand(a, 2), self._operand(b, 1)
        with self.code.loop(0, self.call.specs[0].shape[2] // 4) as k:
            rows = self._rows(left, k)
            self.multiply(rows, self._columns(right, k))

    def _operand(self, at: int, inner: int) -> _Operand:
        nodes = self.nodes
        base, (group, rows, columns), offset = layout(nodes, at)
        group = group // 4 if self.call.specs[0].shape[0] > 1 else 0
        is_upright = columns == 1
        row = rows if is_upright else columns
        length = nodes.spec(at).shape[2 if is_upright else 1]
        width = texture_row(nodes, base)
        matrix = OperandMatrix(self.line, offset // 4, group, row // 4, length // 4, width)
        return _Operand(at, base, matrix, is_upright)

    def _fetched(self, operand: _Operand, start: Texels, row: int, column: int = 0) -> Value:
        texel = self.texel(operand.at, operand.base, start.texel(row, column))
        return self.code.variable(texel, "t")

    def _rows(self, left: _Operand, k: Value) -> list[Value]:
        """Return four elements of each row of the first operand."""
        let, tiling, height = self.code.let, self.tiling, self.tiling.height
        if left.is_upright:
            start = along_rows(left.matrix, self.row, k, let, tiling.aligned, tiling.together)
            return [self._fetched(left, start, tiling.row(row)) for row in range(height)]
        start = across_rows(left.matrix, self.row // 4, k, let, height // 4)
        texels = range(height // 4)
        parts = [[self._fetched(left, start, n, texel) for texel in texels] for n in range(4)]
        return [
            self._transposed([part[row // 4] for part in parts], row % 4) for row in range(height)
        ]

    def _columns(self, right: _Operand, k: Value) -> list[list[Value]]:
        """Return the texels of the second operand for each of four elements of the inner axis."""
        let, texels, step = self.code.let, range(self.tiling.texels), self.tiling.step
        columns = len(texels) * step
        if right.is_upright:
            start = across_rows(right.matrix, self.first, k, let, columns)
            return [
                [self._fetched(right, start, n, texel * step) for texel in texels] for n in range(4)
            ]
        block_size = 4 * columns if len(texels) > 1 else 4
        start = along_rows(right.matrix, self.first * 4, k, let, 4, block_size)
        parts = [
            [self._fetched(right, start, texel * step * 4 + n) for n in range(4)]
            for texel in texels
        ]
        return [[self._transposed(part, n) for part in parts] for n in range(4)]

    def _transposed(self, vectors: list[Value], lane: int) -> Value:
        """Return one lane of each of four vectors."""
        parts = [vector.lane(LANES[lane]) for vector in vectors]
        return self.code.variable(self.code.vector(self.kind, *parts), "v")


class _Convolution(_Block):
    """Convolution, in loops over the rows of the kernel, its taps in a row, and channels."""

    def __init__(self, writer: TextureWriter) -> None:
        super().__init__(writer)
        self.window: Window = self.call.arg
        self.image_shape = self.call.specs[0].shape
        self.inputs, self.outs = self.call.specs[1].shape[2:]
        self.taps = taps_of(self.tiling.height, self.window)
        # A split convolution has the sums of some channels in each matrix of the result.
        parts = self.call.spec.shape[0] if self.window.groups == 1 else 1
        self.depth = self.inputs // parts
        self.leaves_row = _leaves(self.window, 1, self.image_shape[2])
        self.leaves_column = _leaves(self.window, 0, self.image_shape[1])

    def write(self) -> None:
        code, let, step = self.code, self.code.let, self.taps.step
        (kernel_rows, kernel_columns), (stride, across), (top, left), dilation, out, _ = self.window
        _, height, width, channels = self.image_shape
        line: Any = self.line
        y0 = let(line % out[0] * stride - top, "y")
        self.x0 = let(self.row * across - left, "x")
        image, weights = self._starts()
        with code.loop(0, kernel_rows) as ky:
            y = let(y0 + ky * dilation[0], "y")
            if self.leaves_column:
                code.stop((y < 0) | (y >= height), "continue")
            texel = image + y * (width * channels // 4)
            weight = weights + ky * (kernel_columns * self.inputs * self.outs // 4)
            if step == kernel_columns:
                self._all_channels(let(texel, "t"), let(weight, "t"), 0)
                return
            texel, weight = code.variable(texel, "t"), code.variable(weight, "t")
            with code.loop(0, kernel_columns // step) as k:
                self._all_channels(texel, weight, k * step)
                code.assign(texel, code.printer.whole(step * dilation[1] * channels // 4), "+=")
                code.assign(weight, code.printer.whole(step * self.inputs * self.outs // 4), "+=")

    def _starts(self) -> tuple[Value, Value]:
        """Return the numbers of the first texels of the image and of the weights."""
        batch, height, width, channels = self.image_shape
        rows, groups, line = self.window.out[0], self.window.groups, self.line
        picture = line // rows % batch if batch > 1 else 0
        image: Any = (picture * (height * width) + self.x0) * (channels // 4)
        weights: Any = self.first
        if self.call.spec.shape[0] > 1:
            part = line // (batch * rows)
            image += part * (self.depth // 4)
            per_part = self.tiling.columns if groups > 1 else self.depth * self.outs
            weights += part * (per_part // 4)
        return self.code.let(image, "t"), self.code.let(weights, "t")

    def _all_channels(self, texel: Value, weight: Value, kx: Whole) -> None:
        """Add the products of all channels of some taps, four channels at a time."""
        rest = self.depth % 4
        if self.depth >= 4:
            with self.code.loop(0, self.depth // 4) as c:
                self._channels(texel, weight, kx, c, 4)
        if rest:
            with self.code.block():
                self._channels(texel, weight, kx, self.depth // 4, rest)

    def _channels(self, texel: Value, weight: Value, kx: Whole, c: Whole, lanes: int) -> None:
        texel = self.code.variable(texel + c, "x")
        weight = self.code.variable(weight + c * self.outs, "w")
        for part in self.taps.parts:
            self._products(texel, weight, kx, lanes, part)

    def _products(self, texel: Value, weight: Value, kx: Whole, lanes: int, part: range) -> None:
        """Add the products of taps that read many columns of pixels in common."""
        code, tiling = self.code, self.tiling
        stride, dilation = self.window.stride[1], self.window.dilation[1]
        columns = [[row * stride + tap * dilation for row in range(tiling.height)] for tap in part]
        pixels = {
            column: self._pixel(texel, kx, column)
            for column in sorted({column for row in columns for column in row})
        }
        base = self.nodes.view(self.operands[1])[0]
        for tap, row in zip(part, columns, strict=True):
            with code.block():
                vectors: list[list[Value]] = [[] for _ in range(lanes)]
                for k, i in product(range(lanes), range(tiling.texels)):
                    number = (tap * self.inputs + k) * self.outs // 4 + i * tiling.step
                    vector = self.texel(self.operands[1], base, (weight + number,))
                    vectors[k].append(code.variable(vector, "w"))
                self.multiply([pixels[column] for column in row], vectors)

    def _pixel(self, texel: Value, kx: Whole, column: int) -> Value:
        """Return four channels of a pixel, or zeros if it is outside of the image."""
        code, image = self.code, self.operands[0]
        base, (width, channels) = self.nodes.view(image)[0], self.image_shape[2:]
        value = self.texel(image, base, (texel + column * channels // 4,))
        if self.leaves_row:
            x = code.printer.whole(code.let(self.x0 + (kx * self.window.dilation[1] + column), "x"))
            inside = code.let((x >= 0) & (x < width), "b")
            value = either(self.code, inside, value, self.zero)
        return code.variable(value, "v")


def _leaves(window: Window, axis: int, length: int) -> bool:
    """Return True if taps along an axis of an image are outside of it."""
    return window.pad[axis] > 0 or window.reach[axis] > length
