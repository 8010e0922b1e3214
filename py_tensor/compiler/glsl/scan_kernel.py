"""Generate scan kernels, whose fragments compute chunks of results along the scanned axis.

Lanes are four neighbouring lines, or four neighbours along the scanned axis if it is contiguous.
Elements after the end of a line are read, too. They come last, and their results are never read.
"""

from __future__ import annotations

from ...ops.op_def import Scan
from ..lowered_graph import ScanBlock
from .indices import Index
from .types import VECTOR, converted, literal, printed
from .writer import Writer


def write_scan(writer: Writer) -> None:
    """Write the statements of a scan, which assign the chunk to y0, y1, ..."""
    scan = _Chunk(writer)
    for text in scan.tiling.place("P.x", "P.y"):
        writer.code.line(text)
    writer.code.line("int c0 = n0 * 4;")
    if scan.along:
        scan.lanes_along()
    else:
        scan.lanes_across()
    for layer in range(scan.tiling.layers):
        writer.code.line(f"y{layer} = chunk[{layer}];")


class _Chunk:
    """Writer of the loops of a chunk: over the elements before it unless `alone`, then over it."""

    def __init__(self, writer: Writer) -> None:
        nodes, root = writer.nodes, writer.kernel.root
        self.writer = writer
        self.code = writer.code
        self.tiling = nodes.tilings[root]
        call = nodes.calls[root]
        self.op: Scan = call.op
        self.block: ScanBlock = call.arg
        self.src = nodes.edges[root][0]
        self.source = call.specs[0].dtype
        self.dtype = call.operands[0]
        self.shape = call.specs[0].shape
        self.size = call.specs[0].size
        self.vector = VECTOR[self.dtype.kind]
        self.identity = literal(self.op.identity(self.dtype), self.dtype)
        self.joined = printed(self.op.join.formula, (self.dtype,) * 2, self.dtype).format
        self.along = self.block.axis == 2
        lines = self.shape[0] * self.shape[1]
        self.aligned = self.shape[2] % 4 == 0 or (self.along and lines == 1)

    def _shifted(self, name: str, by: int) -> str:
        lanes = ", ".join([self.identity] * by)
        return f"{self.vector}({lanes}, {name}.{'xyzw'[: 4 - by]})"

    def _element(self, position: str) -> str:
        """Return GLSL for four neighbouring elements, in the dtype of the result."""
        code = self.code
        if not self.size:
            return f"{self.vector}({self.identity})"
        if self.aligned:
            code.line(f"int q = {position};")
            index = Index(self.size, first="q")
        else:
            code.line(f"ivec4 q = {position} + ivec4(0, 1, 2, 3);")
            index = Index(self.size, lanes="q")
        return converted(self.writer.value(self.src, index), self.source, self.dtype)

    def _start(self) -> None:
        self.code.line(f"{self.vector} s = {self.vector}({self.identity});")
        self.code.line(f"{self.vector} chunk[{self.tiling.layers}];")

    def lanes_across(self) -> None:
        """Write a loop over four lines at once, with one position per step."""
        code = self.code
        _, rows, columns = self.shape
        code.line(f"int start = line * {rows * columns} + c0;")
        self._start()
        if not self.block.alone:
            with code.block("for (int k = 0; k < m0; k++)"):
                code.line(f"s = {self.joined('s', self._element(f'start + k * {columns}'))};")
        with code.block(f"for (int k = 0; k < {self.tiling.layers}; k++)"):
            if self.block.initial:
                code.line("chunk[k] = s;")
            value = self._element(f"start + (m0 + k) * {columns}")
            code.line(f"s = {self.joined('s', value)};")
            if not self.block.initial:
                code.line("chunk[k] = s;")

    def lanes_along(self) -> None:
        """Write a loop over one line, with four positions per step."""
        code = self.code
        _, rows, columns = self.shape
        code.line(f"int start = (line * {rows} + m0) * {columns};")
        self._start()
        if not self.block.alone:
            with code.block("for (int k = 0; k < c0; k += 4)"):
                code.line(f"s = {self.joined('s', self._element('start + k'))};")
            code.line(f"s = {self.joined('s', 's.zwxy')};")
            code.line(f"s = {self.joined('s', 's.yxwz')};")
        with code.block(f"for (int k = 0; k < {self.tiling.layers}; k++)"):
            code.line(f"{self.vector} v = {self._element('start + c0 + k * 4')};")
            for by in (1, 2):
                code.line(f"v = {self.joined(self._shifted('v', by), 'v')};")
            if self.block.initial:
                code.line(f"chunk[k] = {self.joined('s', self._shifted('v', 1))};")
            code.line(f"s = {self.joined('s', 'v')};")
            if not self.block.initial:
                code.line("chunk[k] = s;")
            code.line("s = s.wwww;")
