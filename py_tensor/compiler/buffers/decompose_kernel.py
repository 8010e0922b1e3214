"""Generate kernels that factorize matrices in place, four columns at once.

Input: a kernel whose root is a decomposition of real matrices. Output: its statements.
Each matrix is copied into scratch memory with padded rows. A step divides a panel of four columns,
and then subtracts its products from the columns after it (Golub and Van Loan, Matrix Computations,
3.2.11, 3.4 and 4.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from ...ir.node import OpInstance
from ...language.tree import FLOAT, INT, Value, Whole
from .body import FunctionText, total
from .buffer_writer import BufferWriter
from .elements import shuffled, transpose
from .storage import GROUP

WORD = 4
"""Bytes of an element."""
WIDE = 2 * GROUP
"""Columns that change in one pass over the rows."""
NEGLIGIBLE = 1e-28
"""Sums of squares up to this limit, relative to a largest element of 1, count as zero."""
ORTHOGONAL = 1e-7
"""Cosine of two rows up to which they are orthogonal."""
SLACK = 12
"""Columns after the last one that passes may change."""
NAN = "0x7fc00000"


def write_decompose(writer: BufferWriter) -> None:
    """Write the statements of a kernel that factorizes."""
    DECOMPOSITIONS[writer.nodes.calls[writer.kernel.root].op.method](writer)


def is_real(call: OpInstance) -> bool:
    """Return True if elements have one part; its number comes first in the static argument."""
    parts = call.arg[0] if isinstance(call.arg, tuple) else call.arg
    return bool(parts == 1)


class _Matrices:
    """Matrices of a stack, one of which is in scratch memory, and operations on it.

    The columns of all operands, or of one and `more` others, are next to each other, each padded.
    Rows of zeros and columns of zeros follow, because passes are wide. `further` bytes are free.
    """

    def __init__(self, writer: BufferWriter, more: int = 0, further: int = 0) -> None:
        nodes, root = writer.nodes, writer.kernel.root
        self.writer = writer
        self.call = nodes.calls[root]
        self.operands = nodes.edges[root]
        shapes = [spec.shape for spec in self.call.specs]
        self.batch, self.n, columns = shapes[0]
        self.rows, self.columns = _padded(self.n), _padded(columns)
        self.width = self.columns + _padded(more or sum(shape[2] for shape in shapes[1:]))
        # Without the last columns, rows often would be in the same part of a cache.
        self.stride = WORD * (self.width + SLACK)
        self.size = (self.rows + GROUP) * self.stride
        writer.scratch = self.size + further
        self.text = FunctionText("d")
        self.text.add(".local:d_factor:v128 .local:d_row:v128 .local:d_value:f32")
        self.text.add(".local:d_best:f32 .local:d_where:i32")

    # --- reads and stores -----------------------------------------------------------------------

    @contextmanager
    def each(self, *, is_square: bool = True) -> Iterator[Value]:
        """Write a loop over the matrices: read one, run the text, then the statements of the block.

        Square matrices are padded with the identity.
        """
        code = self.writer.code
        with code.loop(0, self.batch) as group:
            with code.loop(0, self.size, WORD * GROUP) as k:
                code.line(f"scratch {k.text} i32.add f32x4.const:0 v128.store", k.uses)
            for number in range(self.n, self.rows) if is_square else ():
                at = f"f32.const:1 f32.store:{number * (self.stride + WORD)}"
                code.line(f"scratch {at}")
            for number, src in enumerate(self.operands):
                self._read(group, src, self.call.specs[number].shape, number * self.columns)
            code.line(self.text.text, uses=-1)
            yield group

    def store(
        self,
        group: Value,
        rows: int,
        columns: int,
        first: int = 0,
        start: tuple[int, int] = (0, 0),
        result: Callable[[Value, Value, Value], Value] = lambda row, lanes, elements: elements,
    ) -> None:
        """Store rows of columns from the first one on, at a start in the result.

        `result` gets the row, the columns of the lanes, and the elements there.
        """
        code, writer, shape = self.writer.code, self.writer, self.call.spec.shape
        with code.loop(0, rows) as row:
            for column, lanes, count in writer.groups(columns):
                at = self._at(row, column, first)
                elements = code.value(f"{at.text} v128.load", FLOAT, uses=at.uses)
                value = result(row, lanes, elements)
                if start[1]:
                    lanes = writer.neighbours(writer.code.printer.whole(column + start[1]))
                place = ((group, shape[0]), (row + start[0], shape[1]), (lanes, shape[2]))
                writer.store(0, value, place, count)

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

    def scaled(self) -> str:
        """Divide by the largest absolute element of the first operand; return it in all lanes."""
        text = self.text
        text.let("f32x4.const:0", "v128", name="largest")
        for is_last in (False, True):
            with text.loop(self.n) as i, text.loop(self.columns, GROUP) as j:
                at = self.address(i, j, "target")
                text.add(
                    f"{at} {at} v128.load d_largest f32x4.div v128.store"
                    if is_last
                    else f"d_largest {at} v128.load f32x4.abs f32x4.max .set:d_largest"
                )
            for order in () if is_last else ((2, 3, 0, 1), (1, 0, 3, 2)):
                turned = shuffled("d_largest", "d_largest", order)
                text.add(f"d_largest {turned} f32x4.max .set:d_largest")
            if not is_last:
                one = "f32x4.const:1 d_largest f32x4.const:0 f32x4.gt v128.bitselect"
                text.add(f"d_largest {one} .set:d_largest")
        return "d_largest"

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


def _solve(writer: BufferWriter) -> None:
    """Write the solution of systems of equations; it is NaN if a matrix is singular."""
    matrices = _Matrices(writer)
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
    with matrices.each() as group:
        rows, columns = matrices.call.spec.shape[1:]
        matrices.store(group, rows, columns, matrices.columns)


def _cholesky(writer: BufferWriter) -> None:
    """Write lower factors; they are NaN if a matrix is not positive definite."""
    matrices = _Matrices(writer)
    text, code = matrices.text, writer.code

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

    with matrices.each() as group:
        matrices.store(group, matrices.n, matrices.n, result=result)


def _pivots(writer: BufferWriter) -> None:
    """Write the pivots, whose product is the determinant."""
    matrices, code = _Matrices(writer), writer.code
    matrices.eliminate(solves=False)

    def result(row: Value, lanes: Value, elements: Value) -> Value:
        at = matrices.stride + WORD
        first = f"scratch {lanes.text} i32x4.extract_lane:0 {_number(at)} i32.mul i32.add"
        text = code.let(code.value(first, INT, 1, uses=lanes.uses), "p").text
        loads = " ".join(
            [f"{text} f32.load:{at * lane} f32x4.replace_lane:{lane}" for lane in range(1, GROUP)]
        )
        return code.value(f"{text} v128.load32_splat {loads}", FLOAT, uses=-1)

    with matrices.each() as group:
        matrices.store(group, 1, matrices.n, result=result)


class _Reflections:
    """Writer of Householder reflections 1 - t v v^T, with the signs of LAPACK's `sgeqrf`.

    The vectors follow the matrix in scratch memory, each with its t after it.
    """

    def __init__(self, matrices: _Matrices, start: int, length: int) -> None:
        self.matrices = matrices
        self.text = matrices.text
        self.length = length
        """Elements of a vector."""
        self.start = start
        self.text.add(".local:d_squares:f32 .local:d_head:f32 .local:d_length:f32")

    def vector(self, step: str) -> None:
        """Assign the address of the vector of a step."""
        offset = total("scratch", (step, reflection_bytes(self.length)), constant=self.start)
        self.text.let(offset, name="vector")

    def each_row(self, first: str) -> AbstractContextManager[str]:
        return self.text.loop(_number(self.length), start=first)

    def reflect(self, step: str, columns: tuple[str, str]) -> None:
        """Apply the reflection of a step to columns."""
        text, matrices = self.text, self.matrices
        sums = [f"d_w{part}" for part in range(GROUP)]
        with text.loop(columns[1], GROUP * GROUP, columns[0]) as j:
            for name in sums:
                text.let("f32x4.const:0", "v128", name=name.removeprefix("d_"))
            for is_last in (False, True):
                with self.each_row(step) as i:
                    at = matrices.address(i, j, "target")
                    text.add(f"{total('d_vector', (i, WORD))} v128.load32_splat .set:d_factor")
                    for part, name in enumerate(sums):
                        own = f"{at} v128.load:{16 * part}"
                        less = f"{own} d_factor {name} f32x4.mul f32x4.sub"
                        text.add(
                            f"{at} {less} v128.store:{16 * part}"
                            if is_last
                            else f"{name} {own} d_factor f32x4.mul f32x4.add .set:{name}"
                        )
                scale = f"d_vector v128.load32_splat:{WORD * self.length}"
                for name in sums if not is_last else ():
                    text.add(f"{name} {scale} f32x4.mul .set:{name}")

    def eliminate(self, step: str) -> None:
        """Choose the reflection that makes a column zero below the diagonal, and apply it."""
        text, matrices = self.text, self.matrices
        self.vector(step)
        block = matrices.diagonal(step)
        below = text.let(total(step, constant=1), name="below")
        text.add(f"f32.const:0 .set:d_squares {block} f32.load .set:d_head")
        place = total("d_vector", ("{}", WORD))
        with self.each_row(below) as i:
            at = matrices.address(i, step, "other")
            text.add(f"{place.format(i)} {at} f32.load .tee:d_value f32.store")
            text.add("d_squares d_value d_value f32.mul f32.add .set:d_squares")
        text.add(f"d_vector f32.const:0 f32.store:{WORD * self.length}")
        text.add(f"d_squares f32.const:{NEGLIGIBLE} f32.gt .if")
        text.add("d_head d_head f32.mul d_squares f32.add f32.sqrt d_head f32.neg f32.copysign")
        text.add(".set:d_best d_head d_best f32.sub .set:d_length d_vector")
        text.add(f"d_length d_best f32.div f32.neg f32.store:{WORD * self.length}")
        with self.each_row(below) as i:
            at = place.format(i)
            text.add(f"{at} {at} f32.load d_length f32.div f32.store")
        text.add(f"d_best .set:d_head .end {place.format(step)} f32.const:1 f32.store")
        first = text.let(f"{step} i32.const:-4 i32.and", name="aligned")
        self.reflect(step, (first, _number(matrices.columns)))
        text.add(f"{block} d_head f32.store")
        with self.each_row(below) as i:
            text.add(f"{matrices.address(i, step, 'other')} f32.const:0 f32.store")


def reflection_bytes(length: int) -> int:
    return WORD * _padded(length + 1)


def _qr(writer: BufferWriter) -> None:
    """Write Q and R, one below the other, or next to each other if complete."""
    call = writer.nodes.calls[writer.kernel.root]
    _, rows, columns = call.specs[0].shape
    count, is_complete = min(rows, columns), call.arg[1]
    more = rows if is_complete else columns
    matrices = _Matrices(writer, more, count * reflection_bytes(rows))
    reflections, text, code = (
        _Reflections(matrices, matrices.size, rows),
        matrices.text,
        writer.code,
    )
    largest = matrices.scaled()
    with text.loop(count) as k:
        reflections.eliminate(text.let(k or _number(0), name="step"))
    with text.loop(rows) as i:
        at = matrices.address(i, _number(matrices.columns), "other")
        with text.loop(WORD * (matrices.width - matrices.columns), WORD * GROUP) as j:
            text.add(f"{total(at, (j, 1))} f32x4.const:0 v128.store")
        text.add(f"{i or _number(0)} {_number(more)} i32.lt_s .if {total(at, (i, WORD))}")
        text.add("f32.const:1 f32.store .end")
    with text.loop(count) as k:
        step = text.let(f"{_number(count - 1)} {k or _number(0)} i32.sub", name="step")
        reflections.vector(step)
        aligned = f"{step} i32.const:-4 i32.and {_number(matrices.columns)} i32.add"
        first = text.let(aligned, name="aligned")
        reflections.reflect(step, (first, _number(matrices.width)))

    def result(row: Value, lanes: Value, elements: Value) -> Value:
        return code.value(f"{elements.text} {largest} f32x4.mul", FLOAT, uses=elements.uses)

    start = (0, rows) if is_complete else (rows, 0)
    with matrices.each(is_square=False) as group:
        matrices.store(group, rows, more, matrices.columns)
        matrices.store(group, rows if is_complete else columns, columns, 0, start, result)


def _rotations(writer: BufferWriter) -> None:
    """Write one-sided Jacobi rotations of all pairs of rows, until a sweep changes none.

    Golub and Van Loan, 8.6.3. The longer row of a pair becomes the first (de Rijk, 1989), and
    rotations preserve lengths (Rutishauser, 1966).
    """
    matrices = _Matrices(writer)
    text, n = matrices.text, matrices.n
    text.add(".local:d_changed:i32 .block:d_done")
    with text.loop(4 + (n - 1).bit_length()):
        text.add("i32.const:0 .set:d_changed")
        with text.loop(_number(n - 1), start=_number(0)) as p:
            after = text.let(total(p, constant=1), name="after")
            with text.loop(_number(n), start=after) as q:
                _rotate(matrices, p, q)
        text.add("d_changed i32.eqz .br_if:d_done")
    text.add(".end")
    with matrices.each(is_square=False) as group:
        matrices.store(group, *matrices.call.spec.shape[1:])


def _rotate(matrices: _Matrices, p: str, q: str) -> None:
    """Rotate two rows if the first columns of these are not orthogonal yet."""
    text, (_, width) = matrices.text, matrices.call.arg
    one, two = matrices.address(p, "", "one"), matrices.address(q, "", "two")
    products = {"a": "d_x d_x", "b": "d_y d_y", "c": "d_x d_y"}
    text.add(".local:d_x:v128 .local:d_y:v128")
    for name in products:
        text.let("f32x4.const:0", "v128", name=f"{name}s")
    with text.loop(WORD * width, WORD * GROUP) as j:
        text.add(f"{total(one, (j, 1))} v128.load .set:d_x")
        text.add(f"{total(two, (j, 1))} v128.load .set:d_y")
        for name, factors in products.items():
            text.add(f"d_{name}s {factors} f32x4.mul f32x4.add .set:d_{name}s")
    for name in products:
        own = f"d_{name}s"
        for order in ((2, 3, 0, 1), (1, 0, 3, 2)):
            text.add(f"{own} {shuffled(own, own, order)} f32x4.add .set:{own}")
        text.let(f"{own} f32x4.extract_lane:0", "f32", name=name)
    text.add(f"d_c f32.abs d_a f32.sqrt d_b f32.sqrt f32.mul f32.const:{ORTHOGONAL} f32.mul")
    text.add("f32.gt .if i32.const:1 .set:d_changed")
    ratio = text.let("d_b d_a f32.sub d_c d_c f32.add f32.div", "f32", name="ratio")
    root = f"{ratio} {ratio} f32.mul f32.const:1 f32.add f32.sqrt"
    tangent = f"f32.const:1 {ratio} f32.abs {root} f32.add f32.div {ratio} f32.copysign"
    t = text.let(tangent, "f32", name="t")
    cosine = f"f32.const:1 {t} {t} f32.mul f32.const:1 f32.add f32.sqrt f32.div"
    text.let(cosine, "f32", name="cos")
    text.let(f"d_cos {t} f32.mul", "f32", name="sin")
    text.add("d_a d_b f32.lt .if d_cos f32.neg d_sin .set:d_cos .set:d_sin .end")
    sine = text.let("d_sin f32x4.splat", "v128", name="sine")
    scaled = "d_sin d_cos f32.const:1 f32.add f32.div f32x4.splat"
    slope = text.let(scaled, "v128", name="slope")
    with text.loop(WORD * matrices.columns, WORD * GROUP) as j:
        at, other = total(one, (j, 1)), total(two, (j, 1))
        text.add(f"{at} v128.load .set:d_x {other} v128.load .set:d_y")
        text.add(f"{at} d_x {sine} d_y {slope} d_x f32x4.mul f32x4.add f32x4.mul f32x4.sub")
        text.add(f"v128.store {other} d_y {sine} d_x {slope} d_y f32x4.mul f32x4.sub")
        text.add("f32x4.mul f32x4.add v128.store")
    text.add(".end")


DECOMPOSITIONS: dict[str, Callable[[BufferWriter], None]] = {
    "solve": _solve,
    "cholesky": _cholesky,
    "pivots": _pivots,
    "qr": _qr,
    "rotations": _rotations,
}
"""Function that writes each decomposition of real matrices, by its method."""
