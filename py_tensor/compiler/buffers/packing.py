"""Copy matrices to scratch memory in the order in which products read them, as 32-bit elements.

Input: a matrix in memory. Output: the text of the loops that copy it.
"""

from __future__ import annotations

from ...dtypes import DType, float32, int32
from .body import FunctionText, total
from .elements import Matrix, load, transpose

ROWS, VECTORS = 4, 2
"""Rows and vectors of columns of a tile of results. More do not fit into 16 vector registers."""
FEW = 12
"""Number of rows from which packing the right matrix is worth it."""
CACHED = 1 << 14
"""Bytes of a matrix that is read in place, since it stays in the first cache."""


class Packer:
    """Writes copies of matrices into a body, and counts the bytes of scratch memory."""

    def __init__(self, body: FunctionText, dtype: DType, scratch: str) -> None:
        self.body = body
        self.dtype = dtype
        self.kind = "f" if dtype.kind == "f" else "i"
        self.packed_dtype = float32 if self.kind == "f" else int32
        self.scratch = scratch
        self.used = 0

    def reserve(self, elements: int) -> str:
        """Reserve scratch memory; return a local with its address."""
        address = self.body.let(total(self.scratch, constant=self.used), of="s")
        self.used += (4 * elements + 79) // 64 * 64
        return address

    def load(
        self,
        address: str,
        offset: int,
        matrix: Matrix,
        stride: int,
        lanes: int = 4,
        exact: bool = False,
    ) -> str:
        return load(address, offset, matrix.dtype, self.kind, stride, lanes, exact)

    def is_native(self, matrix: Matrix) -> bool:
        return matrix.dtype.itemsize == 4 and (matrix.dtype.kind == "f") == (self.kind == "f")

    def copy(self, source: Matrix, rows: int, columns: int, target: str, step: int) -> None:
        """Copy a matrix to rows of contiguous 32-bit elements, `step` elements apart.

        Columns are copied four at a time, and up to three elements are written after a row.
        """
        body = self.body
        upright = source.row == 1 and source.column != 1
        for top, bottom in spans(rows, 4) if upright else spans(rows, 1):
            high = upright and bottom - top >= 4
            with body.loop(bottom, 4 if high else 1, top) as i:
                a = source.part(body, i)
                b = body.let(total(target, (i, step * 4)), of="a")
                for first, stop in spans(columns, 4):
                    lanes = min(4, stop - first)
                    with body.loop(stop, 4, first) as j:
                        p = body.let(a.address("", j), name="p")
                        q = body.let(total(b, (j, 4)), name="q")
                        if high:
                            self._copy_block(source, p, q, step, lanes)
                        else:
                            value = self.load(p, 0, source, source.column, lanes)
                            body.add(f"{q} {value} v128.store")

    def _copy_block(self, source: Matrix, p: str, q: str, step: int, columns: int) -> None:
        """Copy four rows of up to four columns, which are contiguous in memory."""
        body, names = self.body, []
        for n in range(4):
            value = self.load(p, min(n, columns - 1) * source.across, source, 1)
            names.append(body.let(value, "v128", name=f"t{n}"))
        body.add(transpose(names))
        for n, name in enumerate(names):
            body.add(f"{q} {name} v128.store:{n * step * 4}")

    def pack_rows(self, source: Matrix, rows: int, columns: int, target: str) -> Matrix:
        """Copy a matrix in rows of whole vectors to scratch memory."""
        step = -(-columns // 4) * 4
        self.copy(source, rows, columns, target, step)
        return Matrix(target, self.packed_dtype, step, 1)

    def pack_columns(self, source: Matrix, inner: int, columns: int, target: Matrix) -> None:
        """Copy a matrix to panels of the width of a tile, in the order in which it is stored."""
        body, width = self.body, 4 * VECTORS
        rows = inner if source.row == 1 else 1
        with body.loop(inner, rows) as k:
            a = source.part(body, k)
            b = body.let(total(target.base, (k, width * 4)), of="a")
            for first, stop in spans(columns, width):
                with body.loop(stop, width, first) as j:
                    panel = body.let(total(b, (j, target.panel // width)), of="a")
                    part, count = a.part(body, "", j), min(width, stop - first)
                    self.copy(part, rows, count, panel, width)

    def panels(self, inner: int, columns: int) -> Matrix:
        """Reserve scratch memory for the panels of a matrix."""
        width = 4 * VECTORS
        # Panels start in different sets of the caches.
        pitch = inner * width * 4 + 64
        base = self.reserve(-(-columns // width) * pitch // 4)
        return Matrix(base, self.packed_dtype, width, 1, pitch)

    def packs_left(self, matrix: Matrix, shape: tuple[int, int, int]) -> bool:
        rows, inner, columns = shape
        bad = matrix.column != 1 and 4 * rows * inner > CACHED
        return (bad or not self.is_native(matrix)) and columns >= 32 and inner > 1

    def packs_right(self, matrix: Matrix, shape: tuple[int, int, int]) -> bool:
        rows, inner, columns = shape
        bad = matrix.column != 1 or not self.is_native(matrix) or 4 * inner * columns > CACHED
        return bad and rows >= FEW and inner > 1 and not matrix.panel


def spans(length: int, step: int) -> list[tuple[int, int]]:
    """Split a range into whole steps and a rest, without those that are empty."""
    whole = length // step * step
    return [span for span in ((0, whole), (whole, length)) if span[0] < span[1]]
