"""Write matrix products: blocks of results in registers, operands packed if their layout is bad.

Input: two matrices in memory, and a function that is given the results four at a time. Output: the
text of the loops. All sizes and strides are constants of the text.

Results are computed in tiles of rows by vectors of columns: each step along the inner axis
multiplies one element of each row with the vectors of the right matrix. If few rows are multiplied
with a matrix whose inner axis is contiguous, vectors run along the inner axis instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...dtypes import DType
from .body import FunctionText, total
from .elements import Matrix, splat, store, transpose
from .packing import FEW, ROWS, VECTORS, Packer, spans

BLOCK = 1 << 18
"""Bytes of the rows that are multiplied with all columns before the next rows are."""
DEPTH = 8
"""Rows of the right matrix that few rows are multiplied with at once; half of them for one row."""
DEEP = 1 << 12
"""Length of the inner axis from which it is divided into parts."""
LONG = 64
"""Words of an epilogue that is written once for a tile, instead of once for each vector."""
ZERO = "i32.const:0"


class ResultLanes(NamedTuple):
    """Position of four neighbouring results: texts of the first one's indices."""

    group: str
    row: str
    column: str
    axis: int
    """Axis of the result along which the lanes run: 0, 1 or 2 of (group, row, column)."""
    lanes: int
    """Number of lanes that exist."""


Epilogue = Callable[[ResultLanes, str], str]
"""Function that takes a place and the local with four results, and returns the text of the vector
to store."""


def identity(place: ResultLanes, value: str) -> str:
    return value


class Product(NamedTuple):
    """Product of `left` (rows, inner) and `right` (inner, columns)."""

    shape: tuple[int, int, int]
    left: Matrix
    right: Matrix
    out: Matrix
    group: str
    first: tuple[str, str] = ("", "")
    """Texts of the indices of the first row and column."""
    is_transposed: bool = False

    @property
    def transposed(self) -> Product:
        return Product(
            self.shape[::-1],
            self.right.transposed,
            self.left.transposed,
            self.out.transposed,
            self.group,
            self.first[::-1],
            not self.is_transposed,
        )


class ProductWriter(Packer):
    """Writes products of one dtype into a body."""

    def __init__(
        self, body: FunctionText, dtype: DType, scratch: str, epilogue: Epilogue, fused: bool
    ) -> None:
        super().__init__(body, dtype, scratch)
        self.add = "f32x4.add" if self.kind == "f" else "i32x4.add"
        self.epilogue = epilogue
        self.fused = fused and self.kind == "f"
        self.tile = self.reserve(4 * ROWS * VECTORS) if epilogue is not identity else ""
        """Address of a tile of results that wait for the epilogue."""

    def add_product(self, sums: str, a: str, b: str) -> None:
        """Add the product of two vectors to a local with sums."""
        words = f"{sums} {a} {b} {self.add[:5]}.mul {self.add}"
        if self.fused:
            words = f"{a} {b} {sums} f32x4.relaxed_madd"
        self.body.add(f"{words} .set:{sums}")

    def write(self, product: Product) -> None:
        """Write a product, of which the left matrix is read in place."""
        rows, inner, columns = product.shape
        if columns == 1 and rows > 1:
            product = product.transposed
            rows, columns = columns, rows
        right = product.right
        if right.panel or rows >= FEW:
            self.tiles(product, None)
        elif right.row == 1 and right.column != 1 and inner > 3:
            self._write_along(product)
        elif inner > DEEP or (inner >= 2 * DEPTH and columns >= 32):
            self.write_parts(product, DEPTH if rows > 1 else DEPTH // 2, self.tiles)
        else:
            self.tiles(product, None)

    def tiles(self, product: Product, sums: str | None) -> None:
        """Write loops over tiles. The sums are kept at `sums` if not None."""
        body = self.body
        height, _, columns = product.shape
        # One row leaves registers for twice as many columns: a line of the processor's cache.
        width = 4 * VECTORS if height > 1 or product.right.panel else 8 * VECTORS
        for first, stop in spans(columns, width):
            with body.loop(stop, width, first) as j:
                right = product.right
                apart = right.panel // width or right.across
                b = body.let(total(right.base, (j, apart)), of="b")
                for low, high in spans(height, ROWS):
                    with body.loop(high, ROWS, low) as i:
                        tile = (min(ROWS, high - low), min(width, stop - first))
                        self._tile(product, (i, j), tile, b, sums)

    def _tile(
        self,
        product: Product,
        position: tuple[str, str],
        tile: tuple[int, int],
        b: str,
        kept: str | None,
    ) -> None:
        body, left, right = self.body, product.left, product.right
        i, j = position
        vectors = -(-tile[1] // 4)
        pitch = 4 * -(-product.shape[2] // 4 * 4)
        sums = [
            [body.let("i32x4.const:0", "v128", name=f"c{r}_{v}") for v in range(vectors)]
            for r in range(tile[0])
        ]
        if kept:
            kept = body.let(total(kept, (i, pitch), (j, 4)), name="k")
        pa = body.let(left.address(i), name="pa")
        pb = body.let(b, name="pb")
        if inner := product.shape[1]:
            # Unrolled steps are slower: V8 keeps more values than there are registers.
            with body.steps(inner, (pb, right.down), (pa, left.across)):
                self._step(product, sums, tile[1])
        for r, row in enumerate(sums):
            for v, name in enumerate(row):
                if kept:
                    at = r * pitch + v * 16
                    body.add(f"{kept} {kept} v128.load:{at} {name} {self.add} v128.store:{at}")
        if not kept:
            self.finish(product, position, sums, tile[1])

    def _step(self, product: Product, sums: list[list[str]], columns: int) -> None:
        """Add the products of the elements at two pointers to the sums."""
        body, left, right = self.body, product.left, product.right
        vectors = []
        for v in range(len(sums[0])):
            lanes = min(4, columns - 4 * v)
            value = self.load(f"{body.prefix}_pb", 4 * v * right.across, right, right.column, lanes)
            vectors.append(body.let(value, "v128", name=f"b{v}"))
        for r, row in enumerate(sums):
            pa = f"{body.prefix}_pa"
            value = splat(pa, r * left.down, left.dtype, self.kind)
            a = body.let(value, "v128", name="a")
            for name, b in zip(row, vectors, strict=True):
                self.add_product(name, a, b)

    def write_parts(
        self, product: Product, depth: int, write: Callable[[Product, str], None]
    ) -> None:
        """Write a product in parts of `depth` steps along the inner axis.

        `write` is given a part and the address of the sums, to which it adds. Matrices are then
        read in about the order in which they are stored, and sums of many terms are more accurate.
        """
        body, (rows, inner, columns) = self.body, product.shape
        pitch = -(-columns // 4) * 4
        sums = self.reserve(rows * pitch)
        with body.loop(rows * pitch, 4) as n:
            body.add(f"{total(sums, (n, 4))} i32x4.const:0 v128.store")
        for first, stop in spans(inner, depth):
            with body.loop(stop, depth, first) as k:
                part = product._replace(
                    shape=(rows, min(depth, stop - first), columns),
                    left=product.left.part(body, "", k),
                    right=product.right.part(body, k),
                )
                write(part, sums)
        self._finish_kept(product, ("", ""), sums, 4 * pitch, (rows, columns))

    def _write_along(self, product: Product) -> None:
        """Multiply few rows with columns that are contiguous: lanes run along the inner axis."""
        body, (rows, inner, columns) = self.body, product.shape
        left = product.left
        if left.column != 1 or not self.is_native(left):
            left = self.pack_rows(left, rows, inner, self.reserve(rows * (inner + 4)))
            product = product._replace(left=left)
        for first, stop in spans(columns, 4):
            with body.loop(stop, 4, first) as j:
                for low, high in spans(rows, 2):
                    with body.loop(high, 2, low) as i:
                        tile = (min(2, high - low), min(4, stop - first))
                        self._tile_along(product, (i, j), tile)

    def _tile_along(
        self, product: Product, position: tuple[str, str], tile: tuple[int, int]
    ) -> None:
        body, left, right, inner = self.body, product.left, product.right, product.shape[1]
        i, j = position
        sums = [
            [body.let("i32x4.const:0", "v128", name=f"c{r}_{c}") for c in range(4)]
            for r in range(tile[0])
        ]
        pa = body.let(left.address(i), name="pa")
        pb = body.let(right.address("", j), name="pb")

        def step(lanes: int, exact: bool) -> None:
            rows = []
            for r in range(tile[0]):
                value = self.load(pa, r * left.down, left, 1, lanes, exact)
                rows.append(body.let(value, "v128", name=f"b{r}"))
            for c in range(tile[1]):
                value = self.load(pb, c * right.across, right, 1, lanes, exact)
                b = body.let(value, "v128", name="a")
                for r, a in enumerate(rows):
                    self.add_product(sums[r][c], a, b)

        with body.steps(inner // 4, (pb, 4 * right.dtype.itemsize), (pa, 4 * left.dtype.itemsize)):
            step(4, False)
        if inner % 4:
            step(inner % 4, True)
        for row in sums:
            body.add(transpose(row))
            a, b, c, d = row
            body.add(f"{a} {b} {self.add} {c} {d} {self.add} {self.add} .set:{a}")
        self.finish(product, position, [row[:1] for row in sums], tile[1])

    def finish(
        self, product: Product, position: tuple[str, str], sums: list[list[str]], columns: int
    ) -> None:
        """Store a tile of results."""
        vectors = len(sums[0])
        if self.tile and len(sums) * vectors > 1 and self._is_long(sums[0][0]):
            for n, name in enumerate(name for row in sums for name in row):
                self.body.add(f"{self.tile} {name} v128.store:{16 * n}")
            shape = (len(sums), columns)
            self._finish_kept(product, position, self.tile, 16 * vectors, shape)
            return
        out, (i, j) = product.out, position
        p = self.body.let(out.address(i, j), name="po")
        for r, row in enumerate(sums):
            for v, name in enumerate(row):
                first, second = product.first
                indices = (total(first, (i, 1), constant=r), total(second, (j, 1), constant=4 * v))
                place = ResultLanes(
                    product.group or ZERO,
                    *(indices[::-1] if product.is_transposed else indices),
                    axis=1 if product.is_transposed else 2,
                    lanes=min(4, columns - 4 * v),
                )
                offset = r * out.down + 4 * v * out.across
                self.store(place, p, offset, out.dtype, name, out.column)

    def _is_long(self, value: str) -> bool:
        """Return True if the epilogue should be written once, and results pass through memory."""
        place = ResultLanes(ZERO, ZERO, ZERO, 2, 4)
        return len(self.epilogue(place, value).split()) > LONG

    def _finish_kept(
        self,
        product: Product,
        position: tuple[str, str],
        sums: str,
        pitch: int,
        shape: tuple[int, int],
    ) -> None:
        """Store results that are kept at an address, in rows of `pitch` bytes."""
        body, (rows, columns) = self.body, shape
        for first, stop in spans(columns, 4):
            with body.loop(rows) as r, body.loop(stop, 4, first) as c:
                address = total(sums, (r, pitch), (c, 4))
                name = body.let(f"{address} v128.load", "v128", name="c0_0")
                i, j = (
                    body.let(total(start, (n, 1)), of="n") if start and n else start or n
                    for start, n in zip(position, (r, c), strict=True)
                )
                self.finish(product, (i, j), [[name]], min(4, stop - first))

    def store(
        self, place: ResultLanes, address: str, offset: int, dtype: DType, sums: str, stride: int
    ) -> None:
        """Store a vector of results after the epilogue."""
        body = self.body
        if self.kind == "i" and self.dtype.itemsize < 4:
            shift, sign = f"i32.const:{32 - self.dtype.bits}", self.dtype.kind
            shifted = f"i32x4.shl {shift} i32x4.shr_{'s' if sign == 'i' else 'u'}"
            body.add(f"{sums} {shift} {shifted} .set:{sums}")
        value = self.epilogue(place, sums)
        body.add(store(address, offset, dtype, value, stride, place.lanes, body.prefix + "_out"))


def write_blocks(
    writer: ProductWriter,
    product: Product,
    rows_of: Callable[[str, int], Matrix],
    limit: int,
    sums: str | None = None,
) -> None:
    """Write a product in blocks of at most about `limit` rows, which `rows_of` prepares.

    Sums are added to those at `sums` if not None.
    """
    body, (rows, inner, columns) = writer.body, product.shape
    count = max(1, -(-rows // max(ROWS, limit)))
    height = -(-rows // count)
    if count > 1:
        height = -(-height // ROWS) * ROWS
        height = next((n for n in range(height, height // 2, -ROWS) if rows % n == 0), height)
    pitch = -(-columns // 4) * 16
    for first, stop in spans(rows, height):
        with body.loop(stop, height, first) as i:
            part = min(height, stop - first)
            block = product._replace(
                shape=(part, inner, columns),
                left=rows_of(i, part),
                out=product.out.part(body, i),
                first=(i, ""),
            )
            if sums:
                writer.tiles(block, body.let(total(sums, (i, pitch)), of="k"))
            else:
                writer.write(block)


def packed(writer: ProductWriter, matrix: Matrix, shape: tuple[int, int, int]) -> Matrix:
    """Return the right matrix of a product, copied to panels if that makes it faster."""
    if shape[2] == 1 or not writer.packs_right(matrix, shape):
        return matrix
    panels = writer.panels(*shape[1:])
    writer.pack_columns(matrix, *shape[1:], panels)
    return panels


def write_rows(writer: ProductWriter, product: Product, sums: str | None = None) -> None:
    """Write a product of matrices in memory, which are packed one block at a time if necessary."""
    rows, inner, columns = product.shape
    left = product.left
    if columns == 1 or rows == 1 or inner == 0:
        writer.write(product)
        return
    if inner > DEEP and rows >= FEW and not product.right.panel:
        writer.write_parts(product, DEEP // 4, lambda part, kept: write_rows(writer, part, kept))
        return
    product = product._replace(right=packed(writer, product.right, product.shape))
    packs = writer.packs_left(left, product.shape)
    limit = BLOCK // (4 * inner)
    scratch = writer.reserve(min(rows, max(limit, ROWS) + ROWS) * (inner + 4)) if packs else ""

    def rows_of(i: str, count: int) -> Matrix:
        block = left.part(writer.body, i)
        return writer.pack_rows(block, count, inner, scratch) if packs else block

    write_blocks(writer, product, rows_of, limit, sums)
