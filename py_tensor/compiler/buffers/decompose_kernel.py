"""Generate kernels that factorize matrices in place, four columns at once.

Each matrix is copied into scratch memory with padded rows. A step divides a panel of four columns,
and then subtracts its products from the columns after it (Golub and Van Loan, Matrix Computations,
3.2.11, 3.4 and 4.2).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from ...language.tree import FLOAT, INT, Value, Whole
from .body import FunctionText, total
from .buffer_writer import BufferWriter
from .elements import transpose
from .storage import GROUP

WORD = 4
"""Bytes of an element."""
WIDE = 2 * GROUP
"""Columns that change in one pass over the rows."""
NAN = "0x7fc00000"


def write_decompose(writer: BufferWriter) -> None:
    """Write the statements of a kernel that factorizes."""
    DECOMPOSITIONS[writer.nodes.calls[writer.kernel.root].op.name](_Matrices(writer))


class _Matrices:
    """Matrices of a stack, one of which is in scratch memory, and operations on it.

    Rows and columns are padded with those of the identity. Rows of zeros and columns of zeros
    follow, because passes are wide.
    """

    def __init__(self, writer: BufferWriter) -> None:
        nodes, root = writer.nodes, writer.kernel.root
        self.writer = writer
        self.call = nodes.calls[root]
        self.operands = nodes.edges[root]
        self.batch, self.n, _ = self.call.specs[0].shape
        self.rows = _padded(self.n)
        more = self.call.specs[1].shape[2] if len(self.operands) > 1 else 0
        self.width = self.rows + _padded(more)
        # Without the last columns, rows often would be in the same part of a cache.
        self.stride = WORD * (self.width + GROUP)
        self.size = (self.rows + GROUP) * self.stride
        writer.scratch = self.size
        self.text = FunctionText("d")
        self.text.add(".local:d_factor:v128 .local:d_row:v128 .local:d_value:f32")
        self.text.add(".local:d_best:f32 .local:d_where:i32")

    # --- reads and stores -----------------------------------------------------------------------

    def each(self, result: Callable[[Value, Value, Value], Value], first: int = 0) -> None:
        """Read each matrix, run the text, and store results from a column on.

        `result` gets the row, the columns of the lanes, and the elements there.
        """
        code, writer = self.writer.code, self.writer
        shape = self.call.spec.shape
        with ExitStack() as loops:
            group = loops.enter_context(code.loop(0, self.batch))
            with code.loop(0, self.size, WORD * GROUP) as k:
                code.line(f"scratch {k.text} i32.add f32x4.const:0 v128.store", k.uses)
            for number in range(self.n, self.rows):
                at = f"f32.const:1 f32.store:{number * (self.stride + WORD)}"
                code.line(f"scratch {at}")
            for number, src in enumerate(self.operands):
                self._read(group, src, self.call.specs[number].shape, number * self.rows)
            code.line(self.text.text, uses=-1)
            with code.loop(0, shape[1]) as row:
                for column, lanes, count in writer.groups(shape[2]):
                    at = self._at(row, column, first)
                    elements = code.value(f"{at.text} v128.load", FLOAT, uses=at.uses)
                    axes = ((group, self.batch), (row, shape[1]), (lanes, shape[2]))
                    writer.store(0, result(row, lanes, elements), axes, count)

    def _at(self, row: Value, column: Whole, first: int) -> Value:
        """Return the address of an element."""
        sum_ = self.writer.code.printer.sum
        base = self.writer.code.value("scratch", INT, 1)
        terms = [(base, 1), (row, self.stride)]
        if isinstance(column, int):
            return sum_(terms, (first + column) * WORD)
        return sum_([*terms, (column, WORD)], first * WORD)

    def _read(self, group: Value, src: int, shape: tuple[int, ...], first: int) -> None:
        """Copy a matrix of an operand to the columns from a number on."""
        code, writer = self.writer.code, self.writer
        with code.loop(0, self.n) as row:
            for column, lanes, count in writer.groups(shape[2]):
                axes = ((group, self.batch), (row, self.n), (lanes, shape[2]))
                value = writer.value(src, writer.index(shape[0] * shape[1] * shape[2], axes))
                at = self._at(row, column, first)
                kept = ",".join(["-1"] * count + ["0"] * (GROUP - count))
                mask = f" i32x4.const:{kept} v128.and" * (count < GROUP)
                code.line(f"{at.text} {value.text}{mask} v128.store", at.uses | value.uses)

    # --- steps ----------------------------------------------------------------------------------

    def address(self, row: str, column: str, name: str) -> str:
        terms = ((row, self.stride), (column, WORD))
        return self.text.let(total("scratch", *terms), name=name)

    def diagonal(self, step: str) -> str:
        """Assign the address of the block on the diagonal at a step."""
        return self.address(step, step, "block")

    def pivot(self, step: str, lane: int) -> None:
        """Exchange a row with that of the largest element in its column; one changes its sign."""
        text = self.text
        number = text.let(total(step, constant=lane), name="number")
        text.add(f"f32.const:-1 .set:d_best {number} .set:d_where")
        with text.loop(_number(self.rows), start=number) as i:
            at = self.address(i, step, "other")
            text.add(f"{at} f32.load:{WORD * lane} f32.abs .tee:d_value d_best f32.gt .if")
            text.add(f"d_value .set:d_best {i} .set:d_where .end")
        text.add(f"d_where {number} i32.ne .if")
        with text.loop(self.width, GROUP) as j:
            one, two = self.address(number, j, "one"), self.address("d_where", j, "two")
            text.add(f"{one} v128.load .set:d_row {one} {two} v128.load v128.store")
            text.add(f"{two} d_row f32x4.neg v128.store")
        text.add(".end")

    def panel(self, step: str, lane: int, *, root: bool = False) -> None:
        """Divide a column of a panel by its pivot, and subtract it from those after it.

        `d_pivot` is then the pivot, or its square root.
        """
        text, block = self.text, "d_block"
        near = lane * self.stride
        pivot = text.let(f"{block} f32.load:{near + WORD * lane}", "f32", name="pivot")
        after = ",".join([str(-(other > lane)) for other in range(GROUP)])
        row = text.let(f"{block} v128.load:{near} i32x4.const:{after} v128.and", "v128", name="own")
        if root:
            text.add(f"{pivot} f32.sqrt .set:{pivot}")
            text.add(f"{row} {pivot} f32x4.splat f32x4.div .set:{row}")
            text.add(f"{block} {pivot} f32.store:{near + WORD * lane}")
        else:
            # All elements below a pivot that is zero are zero, too.
            one = f"f32.const:1 {pivot} {pivot} f32.const:0 f32.eq .select"
            text.add(f"{one} .set:{pivot}")
        number = text.let(total(step, constant=lane + 1), name="number")
        with text.loop(_number(self.rows), start=number) as i:
            at = self.address(i, step, "other")
            text.add(f"{at} v128.load .tee:d_row f32x4.extract_lane:{lane} {pivot} f32.div")
            text.add(f".tee:d_value f32x4.splat .set:d_factor {at}")
            text.add(self._less("d_row", "d_factor", row))
            text.add(f"d_value f32x4.replace_lane:{lane} v128.store")

    def _less(self, value: str, factor: str, row: str) -> str:
        """Return the text of a value minus a product."""
        if self.writer.has_fma:
            return f"{factor} {row} {value} f32x4.relaxed_nmadd"
        return f"{value} {factor} {row} f32x4.mul f32x4.sub"

    def subtract(
        self,
        step: str,
        rows: tuple[str, str],
        columns: tuple[str, str],
        prepare: Callable[[list[list[str]]], None],
    ) -> None:
        """Subtract the products of a panel and its four rows from the columns in some rows.

        `prepare` assigns the four rows, two groups of columns each. If there is no first row, it is
        that with the number of the first column.
        """
        text = self.text
        own = [[f"d_r{p}{half}" for half in range(2)] for p in range(GROUP)]
        text.add(*[f".local:{name}:v128" for names in own for name in names])
        with text.loop(columns[1], WIDE, columns[0]) as j:
            text.let(j, name="column")
            prepare(own)
            first, stop = rows
            with text.loop(stop, start=first or "d_column") as i:
                left, at = self.address(i, step, "left"), self.address(i, "d_column", "target")
                sums = [
                    text.let(f"{at} v128.load:{16 * half}", "v128", name=f"sum{half}")
                    for half in range(2)
                ]
                for p in range(GROUP):
                    text.add(f"{left} v128.load32_splat:{WORD * p} .set:d_factor")
                    for total_, row in zip(sums, own[p], strict=True):
                        text.add(f"{self._less(total_, 'd_factor', row)} .set:{total_}")
                text.add(*[f"{at} {name} v128.store:{16 * half}" for half, name in enumerate(sums)])

    def solve(self, step: str, own: list[list[str]], *, upper: bool) -> None:
        """Solve for the four rows of a panel, with the lower or upper triangle of its block."""
        text = self.text
        at = self.address(step, "d_column", "first")
        for p, names in enumerate(own):
            text.add(
                *[
                    f"{at} v128.load:{p * self.stride + 16 * half} .set:{name}"
                    for half, name in enumerate(names)
                ]
            )
        for p in range(GROUP)[::-1] if upper else range(GROUP):
            before = range(p + 1, GROUP) if upper else range(p)
            for q in before:
                text.add(f"d_block v128.load32_splat:{p * self.stride + WORD * q} .set:d_factor")
                for name, other in zip(own[p], own[q], strict=True):
                    text.add(f"{self._less(name, 'd_factor', other)} .set:{name}")
            for half, name in enumerate(own[p]):
                if upper:
                    pivot = f"d_block v128.load32_splat:{p * (self.stride + WORD)}"
                    text.add(f"{name} {pivot} f32x4.div .set:{name}")
                text.add(f"{at} {name} v128.store:{p * self.stride + 16 * half}")

    def eliminate(self, *, solves: bool) -> None:
        """Write Gaussian elimination with partial pivoting.

        If `solves`, a pivot of zero becomes NaN.
        """
        text = self.text
        with text.loop(self.rows, GROUP) as k:
            step = text.let(k or _number(0), name="step")
            self.diagonal(step)
            for lane in range(GROUP):
                self.pivot(step, lane)
                if solves:
                    at = lane * (self.stride + WORD)
                    text.add(f"d_block f32.load:{at} f32.const:0 f32.eq .if")
                    text.add(f"d_block i32.const:{NAN} i32.store:{at} .end")
                self.panel(step, lane)
            after = text.let(total(step, constant=GROUP), name="after")
            self.subtract(
                step,
                (after, _number(self.rows)),
                (after, _number(self.width)),
                lambda own: self.solve(step, own, upper=False),
            )


def _number(n: int) -> str:
    return f"i32.const:{n}"


def _padded(n: int) -> int:
    return -(-n // GROUP) * GROUP


def _solve(matrices: _Matrices) -> None:
    """Write the solution of systems of equations; it is NaN if a matrix is singular."""
    text = matrices.text
    matrices.eliminate(solves=True)
    last = _number(matrices.rows - GROUP)
    with text.loop(matrices.rows, GROUP) as k:
        step = text.let(f"{last} {k or _number(0)} i32.sub", name="step")
        matrices.diagonal(step)
        matrices.subtract(
            step,
            (_number(0), step),
            (_number(matrices.rows), _number(matrices.width)),
            lambda own: matrices.solve(step, own, upper=True),
        )
    matrices.each(lambda row, lanes, elements: elements, first=matrices.rows)


def _cholesky(matrices: _Matrices) -> None:
    """Write lower factors; they are NaN if a matrix is not positive definite."""
    text, code = matrices.text, matrices.writer.code

    def turn(own: list[list[str]]) -> None:
        """Assign the transposed rows of the panel."""
        at = matrices.address("d_column", "d_step", "first")
        for half in range(2):
            names = [names[half] for names in own]
            for p, name in enumerate(names):
                offset = (GROUP * half + p) * matrices.stride
                text.add(f"{at} v128.load:{offset} .set:{name}")
            text.add(transpose(names))

    with text.loop(matrices.rows, GROUP) as k:
        step = text.let(k or _number(0), name="step")
        matrices.diagonal(step)
        for lane in range(GROUP):
            matrices.panel(step, lane, root=True)
        after = text.let(total(step, constant=GROUP), name="after")
        matrices.subtract(step, ("", _number(matrices.rows)), (after, _number(matrices.rows)), turn)
    last = (matrices.n - 1) * (matrices.stride + WORD)
    text.let(f"scratch v128.load32_splat:{last} f32x4.const:0 f32x4.gt", "v128", name="exists")

    def result(row: Value, lanes: Value, elements: Value) -> Value:
        below = f"{elements.text} {lanes.text} {row.text} i32x4.splat i32x4.le_s v128.and"
        below += f" i32x4.const:{NAN} d_exists v128.bitselect"
        return code.value(below, FLOAT, uses=elements.uses | lanes.uses | row.uses)

    matrices.each(result)


def _pivots(matrices: _Matrices) -> None:
    """Write the pivots, whose product is the determinant."""
    matrices.eliminate(solves=False)
    writer, code = matrices.writer, matrices.writer.code

    def result(row: Value, lanes: Value, elements: Value) -> Value:
        at = matrices.stride + WORD
        first = f"scratch {lanes.text} i32x4.extract_lane:0 {_number(at)} i32.mul i32.add"
        text = code.let(code.value(first, INT, 1, uses=lanes.uses), "p").text
        loads = " ".join(
            [f"{text} f32.load:{at * lane} f32x4.replace_lane:{lane}" for lane in range(1, GROUP)]
        )
        return code.value(f"{text} v128.load32_splat {loads}", FLOAT, uses=-1)

    matrices.each(result)


DECOMPOSITIONS: dict[str, Callable[[_Matrices], None]] = {
    "solve": _solve,
    "cholesky": _cholesky,
    "pivots": _pivots,
}
"""Function that writes each decomposition of real matrices, by the name of the operation."""
