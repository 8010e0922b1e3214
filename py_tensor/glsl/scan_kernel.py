"""The kernel of a scan: each fragment gives a chunk of neighbouring results along the scanned axis.

Lanes run over four neighbouring lines, or, where the scanned axis is the contiguous one, along it.
Elements behind the end of a line are read too: they come last, and nobody reads their results.
"""

from __future__ import annotations

from ..ops.rows import Scan
from ..schedule.kernel import Kernel
from ..schedule.program import Piece, Program
from .expressions import Index, Writer
from .tiles import Tiling
from .types import VECTOR, converted


def write_scan(program: Program, kernel: Kernel, tilings: dict[int, Tiling]) -> Writer:
    """The statements of a scan; the chunk is in y0, y1, ..."""
    writer = Writer(program, kernel, tilings)
    scan = _Chunk(program, kernel, writer, tilings[kernel.root])
    for text in scan.tiling.place("P.x", "P.y"):
        writer.line(text)
    writer.line("int c0 = n0 * 4;")
    if scan.along:
        scan.lanes_along()
    else:
        scan.lanes_across()
    for layer in range(scan.tiling.layers):
        writer.line(f"y{layer} = chunk[{layer}];")
    return writer


class _Chunk:
    """The loops of one chunk: over what is before it, unless scanned alone, then over itself."""

    def __init__(self, program: Program, kernel: Kernel, writer: Writer, tiling: Tiling) -> None:
        self.writer = writer
        self.tiling = tiling
        call = program.calls[kernel.root]
        self.row: Scan = call.row
        self.piece: Piece = call.arg
        self.src = program.edges[kernel.root][0]
        self.source = call.specs[0].dtype
        self.dtype = call.operands[0]
        self.shape = call.specs[0].shape
        self.size = call.specs[0].size
        self.vector = VECTOR[self.dtype.kind]
        self.identity = self.row.identity(self.dtype)
        self.along = self.piece.axis == 2
        lines = self.shape[0] * self.shape[1]
        self.aligned = self.shape[2] % 4 == 0 or (self.along and lines == 1)

    def _joined(self, a: str, b: str) -> str:
        glsl = self.row.join.glsl
        assert isinstance(glsl, str)
        return glsl.format(a, b)

    def _shifted(self, name: str, by: int) -> str:
        lanes = ", ".join([self.identity] * by)
        return f"{self.vector}({lanes}, {name}.{'xyzw'[: 4 - by]})"

    def _element(self, position: str) -> str:
        """The name of four neighbouring elements, in the dtype of the result."""
        writer = self.writer
        if not self.size:
            return f"{self.vector}({self.identity})"
        if self.aligned:
            writer.line(f"int q = {position};")
            index = Index(self.size, first="q")
        else:
            writer.line(f"ivec4 q = {position} + ivec4(0, 1, 2, 3);")
            index = Index(self.size, lanes="q")
        return converted(writer.value(self.src, index), self.source, self.dtype)

    def _start(self) -> None:
        self.writer.line(f"{self.vector} s = {self.vector}({self.identity});")
        self.writer.line(f"{self.vector} chunk[{self.tiling.layers}];")

    def lanes_across(self) -> None:
        """Four lines at once, one position a step."""
        writer = self.writer
        _, rows, columns = self.shape
        writer.line(f"int start = line * {rows * columns} + c0;")
        self._start()
        if not self.piece.alone:
            with writer.block("for (int k = 0; k < m0; k++)"):
                writer.line(f"s = {self._joined('s', self._element(f'start + k * {columns}'))};")
        with writer.block(f"for (int k = 0; k < {self.tiling.layers}; k++)"):
            if self.piece.initial:
                writer.line("chunk[k] = s;")
            value = self._element(f"start + (m0 + k) * {columns}")
            writer.line(f"s = {self._joined('s', value)};")
            if not self.piece.initial:
                writer.line("chunk[k] = s;")

    def lanes_along(self) -> None:
        """One line, four positions a step."""
        writer = self.writer
        _, rows, columns = self.shape
        writer.line(f"int start = (line * {rows} + m0) * {columns};")
        self._start()
        if not self.piece.alone:
            with writer.block("for (int k = 0; k < c0; k += 4)"):
                writer.line(f"s = {self._joined('s', self._element('start + k'))};")
            writer.line(f"s = {self._joined('s', 's.zwxy')};")
            writer.line(f"s = {self._joined('s', 's.yxwz')};")
        with writer.block(f"for (int k = 0; k < {self.tiling.layers}; k++)"):
            writer.line(f"{self.vector} v = {self._element('start + c0 + k * 4')};")
            for by in (1, 2):
                writer.line(f"v = {self._joined(self._shifted('v', by), 'v')};")
            if self.piece.initial:
                writer.line(f"chunk[k] = {self._joined('s', self._shifted('v', 1))};")
            writer.line(f"s = {self._joined('s', 'v')};")
            if not self.piece.initial:
                writer.line("chunk[k] = s;")
            writer.line("s = s.wwww;")
