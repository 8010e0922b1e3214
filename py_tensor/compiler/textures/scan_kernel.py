"""Generate scan kernels, whose fragments compute chunks of results along the scanned axis.

Lanes are four neighbouring lines, or four neighbours along the scanned axis if it is contiguous.
Elements after the end of a line are read, too. They come last, and their results are never read.
"""

from __future__ import annotations

from ...language.tree import Value, Whole
from ...ops.op_def import Scan, for_dtype
from ..codegen.indices import Index
from ..codegen.types import KIND, converted, number
from ..lowered_graph import ScanBlock
from .texture_writer import TextureWriter


def write_scan(writer: TextureWriter) -> None:
    """Write the statements of a scan, whose outputs are the chunk."""
    code, tiling = writer.code, writer.nodes.tilings[writer.kernel.root]
    first, line, row = tiling.fragment(writer.column, writer.row, code.let)
    scan = _Chunk(writer)
    column = code.let(first * 4, "c")
    if scan.along:
        scan.lanes_along(line, row, column)
    else:
        scan.lanes_across(line, row, column)
    for layer in range(tiling.layers):
        code.output(layer, scan.chunk[layer])


class _Chunk:
    """Writer of the loops of a chunk: over the elements before it unless `alone`, then over it."""

    def __init__(self, writer: TextureWriter) -> None:
        nodes, root = writer.nodes, writer.kernel.root
        self.writer = writer
        self.code = writer.code
        self.layers = nodes.tilings[root].layers
        call = nodes.calls[root]
        op: Scan = call.op
        self.block: ScanBlock = call.arg
        self.src = nodes.edges[root][0]
        self.source = call.specs[0].dtype
        self.dtype = call.operands[0]
        self.kind = KIND[self.dtype.kind]
        self.shape = call.specs[0].shape
        self.size = call.specs[0].size
        self.formula = for_dtype(op.join.formula, self.dtype)
        self.along = self.block.axis == 2
        lines = self.shape[0] * self.shape[1]
        self.aligned = self.shape[2] % 4 == 0 or (self.along and lines == 1)
        self.identity = number(self.code, op.identity(self.dtype), self.dtype)
        self.sum = self.code.variable(self.code.printer.spread(self.identity), "s")
        self.chunk = self.code.array(self.kind, self.layers)

    def _joined(self, a: Value, b: Value) -> Value:
        return self.code.apply(self.formula, self.kind, a, b)

    def _shifted(self, value: Value, by: int) -> Value:
        return self.code.vector(self.kind, *[self.identity] * by, value.lane("xyzw"[: 4 - by]))

    def _element(self, position: Whole) -> Value:
        """Return four neighbouring elements, in the dtype of the result."""
        code, positions = self.code, self.writer.positions
        if not self.size:
            return self.code.printer.spread(self.identity)
        if self.aligned:
            index = Index(self.size, code.let(position, "q"))
        else:
            index = Index(self.size, lanes=code.let(positions.spread(position, 1), "q"))
        return converted(code, self.writer.value(self.src, index), self.source, self.dtype)

    def _keep(self, number: Value, value: Value, before: Value) -> None:
        """Assign a result of the chunk and the sum: the value, or the sum before it."""
        target = self.chunk[number]
        if self.block.initial:
            self.code.assign(target, before)
        self.code.assign(self.sum, value)
        if not self.block.initial:
            self.code.assign(target, self.sum)

    def lanes_across(self, line: Whole, row: Whole, column: Whole) -> None:
        """Write a loop over four lines at once, with one position per step."""
        code = self.code
        _, rows, columns = self.shape
        start = code.let(line * (rows * columns) + column, "i")
        if not self.block.alone:
            with code.loop(0, row) as k:
                code.assign(self.sum, self._joined(self.sum, self._element(start + k * columns)))
        with code.loop(0, self.layers) as k:
            value = self._element(start + (row + k) * columns)
            self._keep(k, self._joined(self.sum, value), self.sum)

    def lanes_along(self, line: Whole, row: Whole, column: Whole) -> None:
        """Write a loop over one line, with four positions per step."""
        code, total = self.code, self.sum
        _, rows, columns = self.shape
        start = code.let((line * rows + row) * columns, "i")
        if not self.block.alone:
            with code.loop(0, column, 4) as k:
                code.assign(total, self._joined(total, self._element(start + k)))
            for swap in ("zwxy", "yxwz"):
                code.assign(total, self._joined(total, total.lane(swap)))
        with code.loop(0, self.layers) as k:
            value = code.variable(self._element(start + column + k * 4))
            for by in (1, 2):
                code.assign(value, self._joined(self._shifted(value, by), value))
            before = self._joined(total, self._shifted(value, 1))
            self._keep(k, self._joined(total, value), before)
            code.assign(total, total.lane("wwww"))
