"""Generate the tiled kernel of matrix products and convolutions.

Each fragment computes a block of rows by columns in registers and writes it to as many draw buffers
as the block has texels. Every texel fetched from one operand is multiplied with several texels of
the other. Products and convolutions differ only in the positions of the texels that they fetch.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from ...dtypes import DType, float32
from ...language.statements import Statements
from ...language.tree import Value, Whole
from ...ops.contractions import CONVOLVE, Window
from ..taps import taps_of
from .operands import OperandMatrix, Texels, across_rows, along_rows
from .tile_heuristics import layout
from .types import KIND, converted, wrapped
from .writer import Writer

LANES = "xyzw"


def tile_dtype(dtype: DType) -> DType:
    """Return the dtype of a tiled result; float16 results are accumulated and stored as float32."""
    return float32 if dtype.kind == "f" else dtype


def write_contract(writer: Writer) -> None:
    """Write the statements of a contraction, whose outputs are the block."""
    block = _Block(writer)
    if block.call.op is CONVOLVE:
        _convolve(block)
    else:
        _dot(block)
    for number, total in enumerate(block.sums):
        writer.code.output(number, wrapped(writer.code, total, block.call.spec.dtype))


class _Block:
    """Rows by texels of a product, which a fragment sums up."""

    def __init__(self, writer: Writer) -> None:
        nodes, root = writer.nodes, writer.kernel.root
        self.writer = writer
        self.code: Statements = writer.code
        self.nodes = nodes
        self.tiling = nodes.tilings[root]
        self.call = nodes.calls[root]
        self.operands = nodes.edges[root]
        self.dtype = self.call.spec.dtype
        self.kind = KIND[self.dtype.kind]
        places = self.tiling.place(writer.column, writer.row, self.code.let)
        self.first, self.line, self.row = places
        zero = self.code.vector(self.kind, 0)
        self.sums = [self.code.variable(zero, "s") for _ in range(self.tiling.layers)]

    def texel(self, at: int, base: int, place: tuple[Whole, ...]) -> Value:
        """Return a texel of operand `at` in the product's dtype, by its place or number."""
        fetches, slot = self.writer.fetches, self.writer.kernel.inputs.index(base)
        texel = fetches.texel(slot, place[0]) if len(place) == 1 else fetches.load(slot, *place)
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
                for lane, others in zip(lanes, second, strict=True):
                    terms.append(lane + others[texel].text)
                    uses |= others[texel].uses
                total = self.code.value(" + ".join(terms), self.kind, uses=uses)
                self.code.assign(self.sums[row * texels + texel], total, "+=")


def _dot(block: _Block) -> None:
    code, nodes, tiling, call = block.code, block.nodes, block.tiling, block.call
    let, (a, b) = code.let, block.operands
    groups, _, inner = call.specs[0].shape
    height, texels, step = tiling.height, tiling.texels, tiling.step

    def matrix(at: int) -> tuple[OperandMatrix, int, bool]:
        """Return the operand in texels, the stored node, and True if its columns are contiguous."""
        base, (group, rows, columns), offset = layout(nodes, at)
        width = nodes.texture_row(base)
        group = group // 4 if groups > 1 else 0
        upright = columns == 1
        row, length = rows if upright else columns, nodes.spec(at).shape[2 if upright else 1]
        found = OperandMatrix(block.line, offset // 4, group, row // 4, length // 4, width)
        return found, base, upright

    def fetch(at: int, base: int, start: Texels, row: int, column: int = 0) -> Value:
        return code.variable(block.texel(at, base, start.texel(row, column)), "t")

    left, base_a, a_upright = matrix(a)
    right, base_b, b_upright = matrix(b)
    columns = texels * step
    with code.loop(0, inner // 4) as k:
        if a_upright:
            start = along_rows(left, block.row, k, let, tiling.aligned, tiling.together)
            rows = [fetch(a, base_a, start, tiling.row(row)) for row in range(height)]
        else:
            start = across_rows(left, block.row // 4, k, let, height // 4)
            parts = [[fetch(a, base_a, start, n, p) for p in range(height // 4)] for n in range(4)]
            rows = [
                _transposed(block, [part[row // 4] for part in parts], row % 4)
                for row in range(height)
            ]
        if b_upright:
            start = across_rows(right, block.first, k, let, columns)
            others = [
                [fetch(b, base_b, start, n, texel * step) for texel in range(texels)]
                for n in range(4)
            ]
        else:
            block_size = 4 * columns if texels > 1 else 4
            start = along_rows(right, block.first * 4, k, let, 4, block_size)
            found = [
                [fetch(b, base_b, start, texel * step * 4 + n) for n in range(4)]
                for texel in range(texels)
            ]
            others = [[_transposed(block, each, n) for each in found] for n in range(4)]
        block.multiply(rows, others)


def _transposed(block: _Block, vectors: list[Value], lane: int) -> Value:
    """Return one lane of each of four vectors."""
    parts = [vector.lane(LANES[lane]) for vector in vectors]
    return block.code.variable(block.code.vector(block.kind, *parts), "v")


def _convolve(block: _Block) -> None:
    code, nodes, tiling, call = block.code, block.nodes, block.tiling, block.call
    let, (x, w) = code.let, block.operands
    base_x, base_w = nodes.view(x)[0], nodes.view(w)[0]
    window: Window = call.arg
    (kh, kw), (sh, sw), (ph, pw), (dh, dw), (oh, ow), groups = window
    batch, height, width, channels = call.specs[0].shape
    each, outs = call.specs[1].shape[2:]
    line: Any = block.line
    iy0 = let(line % oh * sh - ph, "y")
    ix0 = let(block.row * sw - pw, "x")
    picture = line // oh % batch if batch > 1 else 0
    start = (picture * (height * width) + ix0) * (channels // 4)
    start_w = block.first
    # A split convolution has the sums of some channels in each matrix of the result.
    depth = each if groups > 1 else each // call.spec.shape[0]
    if call.spec.shape[0] > 1:
        which = line // (batch * oh)
        start += which * (depth // 4)
        start_w += which * ((tiling.columns if groups > 1 else depth * outs) // 4)
    start, start_w = let(start, "t"), let(start_w, "t")
    step, _, parts = taps_of(tiling.height, window)
    reach = (ow - 1) * sw + (kw - 1) * dw - pw
    sides = pw > 0 or reach >= width
    zero = code.vector(block.kind, 0)
    ends = ph > 0 or (oh - 1) * sh + (kh - 1) * dh - ph >= height

    def products(tx: Value, tw: Value, kx: Any, lanes: int, part: range) -> None:
        rows = [[row * sw + tap * dw for row in range(tiling.height)] for tap in part]
        found = {}
        for tap in sorted({tap for taps in rows for tap in taps}):
            value = block.texel(x, base_x, (tx + tap * channels // 4,))
            if sides:
                place = code.printer.whole(let(ix0 + (kx * dw + tap), "x"))
                inside = let((place >= 0) & (place < width), "b")
                value = block.writer.fetches.either(inside, value, zero)
            found[tap] = code.variable(value, "v")
        for tap, row in zip(part, rows, strict=True):
            with code.block():
                others: list[list[Value]] = [[] for _ in range(lanes)]
                for k, i in product(range(lanes), range(tiling.texels)):
                    place = tw + ((tap * each + k) * outs // 4 + i * tiling.step)
                    others[k].append(code.variable(block.texel(w, base_w, (place,)), "w"))
                block.multiply([found[column] for column in row], others)

    def channels_of(tx: Any, tw: Any, kx: Any, c: Whole, lanes: int) -> None:
        tx, tw = code.variable(tx + c, "x"), code.variable(tw + c * outs, "w")
        for part in parts:
            products(tx, tw, kx, lanes, part)

    def inner(tx: Any, tw: Any, kx: Any) -> None:
        if depth >= 4:
            with code.loop(0, depth // 4) as c:
                channels_of(tx, tw, kx, c, 4)
        if depth % 4:
            with code.block():
                channels_of(tx, tw, kx, depth // 4, depth % 4)

    with code.loop(0, kh) as ky:
        y = let(iy0 + ky * dh, "y")
        if ends:
            code.stop((y < 0) | (y >= height), "continue")
        tx = start + y * (width * channels // 4)
        tw = start_w + ky * (kw * each * outs // 4)
        if step == kw:
            inner(let(tx, "t"), let(tw, "t"), 0)
        else:
            tx, tw = code.variable(tx, "t"), code.variable(tw, "t")
            with code.loop(0, kw // step) as k:
                inner(tx, tw, k * step)
                code.assign(tx, code.printer.whole(step * dw * channels // 4), "+=")
                code.assign(tw, code.printer.whole(step * each * outs // 4), "+=")
