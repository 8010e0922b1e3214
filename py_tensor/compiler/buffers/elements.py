"""Reads and stores of four elements at any stride, and arrangements of four lanes.

Input: an address and a dtype. Output: the text of a vector of four 32-bit lanes, or of a store.
Float dtypes are vectors of float32, others of 32-bit integers. Texts of addresses are repeated:
pass locals.
"""

from __future__ import annotations

from typing import NamedTuple

from ...dtypes import DType, uint8
from ...language.wasm_operations import shuffle
from .body import FunctionText, total
from .storage import GROUP, ElementForm, stored


class Matrix(NamedTuple):
    """Matrix in memory: address of its first element, and strides in elements."""

    base: str
    dtype: DType
    row: int
    column: int
    panel: int = 0
    """Bytes from a panel of packed columns to the next one; 0 if not packed."""

    @property
    def down(self) -> int:
        """Bytes from a row to the next one."""
        return self.row * self.dtype.itemsize

    @property
    def across(self) -> int:
        """Bytes from a column to the next one."""
        return self.column * self.dtype.itemsize

    def address(self, row: str = "", column: str = "") -> str:
        return total(self.base, (row, self.down), (column, self.across))

    def part(self, body: FunctionText, row: str = "", column: str = "") -> Matrix:
        """Return the matrix from a row and a column on, whose address is a local."""
        return self._replace(base=body.let(self.address(row, column), of="m"))

    @property
    def transposed(self) -> Matrix:
        return self._replace(row=self.column, column=self.row)


class Operand(NamedTuple):
    """View of a tensor in memory."""

    base: str
    """Local with the address of the buffer."""
    dtype: DType
    strides: tuple[int, ...]
    """Elements from one index to the next, for each axis."""
    offset: int = 0
    """Elements before the first one of the view."""

    @property
    def steps(self) -> tuple[int, ...]:
        """Strides in bytes."""
        return tuple(step * self.dtype.itemsize for step in self.strides)

    def address(self, *indices: tuple[str, int]) -> str:
        """Return the text of an address, given indices along axes."""
        terms = [(text, self.steps[axis]) for text, axis in indices]
        return total(self.base, *terms, constant=self.offset * self.dtype.itemsize)

    def matrix(
        self, body: FunctionText, *indices: tuple[str, int], row: int = 1, column: int = 2
    ) -> Matrix:
        """Return the matrix along two axes at indices along the others."""
        base = body.let(self.address(*indices), of="m")
        return Matrix(base, self.dtype, self.strides[row], self.strides[column])


def _placed(address: str, offset: int) -> tuple[str, int]:
    """Return an address and an offset that is not negative."""
    return (address, offset) if offset >= 0 else (f"{address} i32.const:{offset} i32.add", 0)


def _form(dtype: DType) -> ElementForm:
    """Return the instructions for a dtype, whose truth values are 0 and 1 as in memory."""
    return stored(uint8 if dtype.kind == "b" else dtype)


def _converted(text: str, dtype: DType, kind: str) -> str:
    if kind != "f" or dtype.kind == "f":
        return text
    return f"{text} f32x4.convert_i32x4_{'s' if dtype.kind == 'i' else 'u'}"


def splat(address: str, offset: int, dtype: DType, kind: str) -> str:
    """Return the text of a vector of four times the element at an address.

    `kind` is "f" to convert to float32.
    """
    return _converted(_form(dtype).splat(*_placed(address, offset)), dtype, kind)


def load(
    address: str,
    offset: int,
    dtype: DType,
    kind: str,
    stride: int = 1,
    lanes: int = GROUP,
    exact: bool = False,
) -> str:
    """Return the text of a vector of four elements with a stride in elements.

    Only `lanes` of them exist; the others are 0 if `exact`, else anything.
    """
    form = _form(dtype)
    if stride == 0 and not exact:
        return splat(address, offset, dtype, kind)
    if stride == 1 and (lanes == GROUP or not exact):
        return _converted(form.load(*_placed(address, offset)), dtype, kind)
    step = stride * form.size
    places = [_placed(address, offset + lane * step) for lane in range(lanes)]
    return _converted(form.each(places), dtype, kind)


def store(
    address: str, offset: int, dtype: DType, value: str, stride: int, lanes: int, name: str
) -> str:
    """Return the text that stores the first lanes of a vector. Integers are wrapped."""
    form = stored(dtype)
    if stride == 1 and lanes == GROUP:
        where, offset = _placed(address, offset)
        return form.store(where, offset, value)
    text = f".local:{name}:v128 {value} {form.packed} .set:{name}"
    for lane in range(lanes):
        where, near = _placed(address, offset + lane * stride * form.size)
        text += f" {where} {name} {form.store_lane}:{lane}:{near}"
    return text


def shuffled(a: str, b: str, lanes: tuple[int, ...]) -> str:
    """Return four lanes of two vectors: 0 to 3 are lanes of `a`, 4 to 7 lanes of `b`."""
    return f"{a} {b} {shuffle(lanes)}"


def transpose(vectors: list[str]) -> str:
    """Return the text that transposes four local vectors in place."""
    a, b, c, d = vectors
    low, high = (0, 4, 1, 5), (2, 6, 3, 7)
    pairs = [shuffled(a, b, low), shuffled(a, b, high), shuffled(c, d, low), shuffled(c, d, high)]
    text = " ".join(pairs) + "".join(f" .set:{name}" for name in (d, c, b, a))
    # Now a and b hold the first two vectors, interleaved; c and d hold the last two.
    rows = [
        shuffled(p, q, half) for p, q in ((a, c), (b, d)) for half in ((0, 1, 4, 5), (2, 3, 6, 7))
    ]
    return text + " " + " ".join(rows) + "".join(f" .set:{name}" for name in (d, c, b, a))
