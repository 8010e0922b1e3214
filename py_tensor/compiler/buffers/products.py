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

from ...dtypes import DType, float32, int32
from .body import Body, total
from .elements import Matrix, load, splat, store, transpose

ROWS, VECTORS = 4, 2
"""Size of a tile: more would not fit into 16 vector registers."""
FEW = 12
"""Number of rows from which packing the right matrix is worth it."""
CACHED = 1 << 14
"""Bytes of a matrix that is read in place, since it stays in the first cache."""
BLOCK = 1 << 18
"""Bytes of the rows that are multiplied with all columns before the next rows are."""
ZERO = "i32.const:0"
DEPTH = 8
"""Rows of the right matrix that few rows are multiplied with at once."""
DEEP = 1 << 12
"""Length of the inner axis from which it is divided into parts."""


class Place(NamedTuple):
    """Position of four neighbouring results: texts of the first one's indices."""

    group: str
    row: str
    column: str
    axis: int
    """Axis of the result along which the lanes run: 0, 1 or 2 of (group, row, column)."""
    lanes: int
    """Number of lanes that exist."""


Epilogue = Callable[[Place, str], str]
"""Function of a place and a local with four results that returns the text of what to store."""


def identity(place: Place, value: str) -> str:
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


class ProductWriter:
    """Writes products of one dtype into a body, and counts the bytes of scratch memory."""

    def __init__(
        self, body: Body, dtype: DType, scratch: str, epilogue: Epilogue, fused: bool
    ) -> None:
        self.body = body
        self.dtype = dtype
        self.kind = "f" if dtype.kind == "f" else "i"
        self.add = "f32x4.add" if self.kind == "f" else "i32x4.add"
        self.packed_dtype = float32 if self.kind == "f" else int32
        self.scratch = scratch
        self.epilogue = epilogue
        self.fused = fused and self.kind == "f"
        self.used = 0
        self.name = body.prefix + "_half"

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
        return load(address, offset, matrix.dtype, self.kind, stride, lanes, exact, self.name)

    def add_product(self, sums: str, a: str, b: str) -> None:
        """Add the product of two vectors to a local with sums."""
        words = f"{sums} {a} {b} {self.add[:5]}.mul {self.add}"
        if self.fused:
            words = f"{a} {b} {sums} f32x4.relaxed_madd"
        self.body.add(f"{words} .set:{sums}")

    # Copies

    def is_native(self, matrix: Matrix) -> bool:
        return matrix.dtype.itemsize == 4 and (matrix.dtype.kind == "f") == (self.kind == "f")

    def copy(self, source: Matrix, rows: int, columns: int, target: str, step: int) -> None:
        """Copy a matrix to rows of contiguous 32-bit elements, `step` elements apart."""
        rest = 0
        if source.row == 1 and source.column != 1:
            rest = rows // 4 * 4
            if rest and columns >= 4:
                self._copy(source, (0, rest), (0, columns // 4 * 4), target, step, True)
            if rest and columns % 4:
                self._copy(source, (0, rest), (columns // 4 * 4, columns), target, step)
        if rows > rest:
            self._copy(source, (rest, rows), (0, columns), target, step)

    def _copy(
        self,
        source: Matrix,
        rows: tuple[int, int],
        columns: tuple[int, int],
        target: str,
        step: int,
        blocks: bool = False,
    ) -> None:
        body, size = self.body, source.dtype.itemsize
        with body.loop(rows[1], 4 if blocks else 1, rows[0]) as i:
            a = body.let(total(source.base, (i, source.row * size)), of="a")
            b = body.let(total(target, (i, step * 4)), of="a")
            whole = columns[0] + (columns[1] - columns[0]) // 4 * 4
            spans = [(columns[0], whole, 4)] * (whole > columns[0])
            spans += [(whole, columns[1], columns[1] - whole)] * (columns[1] > whole)
            for first, stop, lanes in spans:
                with body.loop(stop, 4, first) as j:
                    p = body.let(total(a, (j, source.column * size)), name="p")
                    q = body.let(total(b, (j, 4)), name="q")
                    if blocks:
                        self._copy_block(source, p, q, step)
                    else:
                        value = self.load(p, 0, source, source.column, lanes)
                        body.add(f"{q} {value} v128.store")

    def _copy_block(self, source: Matrix, p: str, q: str, step: int) -> None:
        body, apart = self.body, source.column * source.dtype.itemsize
        names = [
            body.let(self.load(p, n * apart, source, 1), "v128", name=f"t{n}") for n in range(4)
        ]
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
        body, width, size = self.body, 4 * VECTORS, source.dtype.itemsize
        rows = inner if source.row == 1 else 1
        with body.loop(inner, rows) as k:
            a = body.let(total(source.base, (k, source.row * size)), of="a")
            b = body.let(total(target.base, (k, width * 4)), of="a")
            for first, stop in spans(columns, width):
                with body.loop(stop, width, first) as j:
                    base = body.let(total(a, (j, source.column * size)), of="a")
                    panel = body.let(total(b, (j, target.panel // width)), of="a")
                    part = source._replace(base=base)
                    self.copy(part, rows, min(width, stop - first), panel, width)

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

    # Products

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
            self.write_parts(product, DEPTH, self.tiles)
        else:
            self.tiles(product, None)

    def tiles(self, product: Product, sums: str | None) -> None:
        """Write loops over tiles. The sums are kept at `sums` if not None."""
        body, width = self.body, 4 * VECTORS
        height, _, columns = product.shape
        for first, stop in spans(columns, width):
            with body.loop(stop, width, first) as j:
                right = product.right
                apart = right.panel // width or right.column * right.dtype.itemsize
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
        pa = body.let(total(left.base, (i, left.row * left.dtype.itemsize)), name="pa")
        pb = body.let(b, name="pb")
        if inner := product.shape[1]:
            # Unrolled steps are slower: V8 keeps more values than there are registers.
            with body.loop(inner):
                self._step(product, sums, tile[1])
                body.step(pa, left.column * left.dtype.itemsize)
                body.step(pb, right.row * right.dtype.itemsize)
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
            offset = 4 * v * right.column * right.dtype.itemsize
            lanes = min(4, columns - 4 * v)
            value = self.load(f"{body.prefix}_pb", offset, right, right.column, lanes)
            vectors.append(body.let(value, "v128", name=f"b{v}"))
        for r, row in enumerate(sums):
            offset = r * left.row * left.dtype.itemsize
            value = splat(f"{body.prefix}_pa", offset, left.dtype, self.kind, self.name)
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
        left, right = product.left, product.right
        pitch = -(-columns // 4) * 4
        sums = self.reserve(rows * pitch)
        with body.loop(rows * pitch, 4) as n:
            body.add(f"{total(sums, (n, 4))} i32x4.const:0 v128.store")
        for first, stop in spans(inner, depth):
            with body.loop(stop, depth, first) as k:
                a = body.let(total(left.base, (k, left.column * left.dtype.itemsize)), of="a")
                b = body.let(total(right.base, (k, right.row * right.dtype.itemsize)), of="b")
                part = product._replace(
                    shape=(rows, min(depth, stop - first), columns),
                    left=left._replace(base=a),
                    right=right._replace(base=b),
                )
                write(part, sums)
        for first, stop in spans(columns, 4):
            with body.loop(rows) as i, body.loop(stop, 4, first) as j:
                address = total(sums, (i, 4 * pitch), (j, 4))
                name = body.let(f"{address} v128.load", "v128", name="c0_0")
                self.finish(product, (i, j), [[name]], min(4, stop - first))

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
        size, wide = left.dtype.itemsize, right.dtype.itemsize
        i, j = position
        sums = [
            [body.let("i32x4.const:0", "v128", name=f"c{r}_{c}") for c in range(4)]
            for r in range(tile[0])
        ]
        pa = body.let(total(left.base, (i, left.row * size)), name="pa")
        pb = body.let(total(right.base, (j, right.column * wide)), name="pb")

        def step(lanes: int, exact: bool) -> None:
            rows = [
                body.let(
                    self.load(pa, r * left.row * size, left, 1, lanes, exact), "v128", name=f"b{r}"
                )
                for r in range(tile[0])
            ]
            for c in range(tile[1]):
                offset = c * right.column * wide
                value = self.load(pb, offset, right, 1, lanes, exact)
                b = body.let(value, "v128", name="a")
                for r, a in enumerate(rows):
                    self.add_product(sums[r][c], a, b)

        with body.loop(inner // 4):
            step(4, False)
            body.step(pa, 4 * size)
            body.step(pb, 4 * wide)
        if inner % 4:
            step(inner % 4, True)
        for row in sums:
            body.add(transpose(row))
            a, b, c, d = row
            body.add(f"{a} {b} {self.add} {c} {d} {self.add} {self.add} .set:{a}")
        self.finish(product, position, [row[:1] for row in sums], tile[1])

    # Results

    def finish(
        self, product: Product, position: tuple[str, str], sums: list[list[str]], columns: int
    ) -> None:
        """Store a tile of results."""
        out, size = product.out, product.out.dtype.itemsize
        i, j = position
        p = self.body.let(total(out.base, (i, out.row * size), (j, out.column * size)), name="po")
        for r, row in enumerate(sums):
            for v, name in enumerate(row):
                indices = [
                    total(first, (index, 1), constant=constant)
                    for first, index, constant in zip(
                        product.first, position, (r, 4 * v), strict=True
                    )
                ]
                axis = 1 if product.is_transposed else 2
                if product.is_transposed:
                    indices.reverse()
                row_text, column_text = indices
                lanes = min(4, columns - 4 * v)
                place = Place(product.group or ZERO, row_text, column_text, axis, lanes)
                offset = (r * out.row + 4 * v * out.column) * size
                self.store(place, p, offset, out.dtype, name, out.column)

    def store(
        self, place: Place, address: str, offset: int, dtype: DType, sums: str, stride: int
    ) -> None:
        """Store a vector of results after the epilogue."""
        body = self.body
        if self.kind == "i" and self.dtype.itemsize < 4:
            shift, sign = (
                f"i32.const:{32 - self.dtype.bits}",
                "s" if self.dtype.kind == "i" else "u",
            )
            body.add(f"{sums} {shift} i32x4.shl {shift} i32x4.shr_{sign} .set:{sums}")
        value = self.epilogue(place, sums)
        body.add(store(address, offset, dtype, value, stride, place.lanes, body.prefix + "_out"))


def spans(length: int, step: int) -> list[tuple[int, int]]:
    """Split a range into whole steps and a rest, without those that are empty."""
    whole = length // step * step
    return [span for span in ((0, whole), (whole, length)) if span[0] < span[1]]


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
    size, pitch = product.out.dtype.itemsize, -(-columns // 4) * 16
    for first, stop in spans(rows, height):
        with body.loop(stop, height, first) as i:
            part = min(height, stop - first)
            out = body.let(total(product.out.base, (i, product.out.row * size)), of="o")
            block = product._replace(
                shape=(part, inner, columns),
                left=rows_of(i, part),
                out=product.out._replace(base=out),
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
        base = writer.body.let(total(left.base, (i, left.row * left.dtype.itemsize)), of="a")
        block = left._replace(base=base)
        return writer.pack_rows(block, count, inner, scratch) if packs else block

    write_blocks(writer, product, rows_of, limit, sums)
