"""Reads and stores of four elements of any dtype and stride, and arrangements of four lanes.

Input: an address and a dtype. Output: the text of a vector of four 32-bit lanes, or of a store.
Float dtypes are vectors of float32, others of 32-bit integers; float16 is converted exactly, and
rounded to the nearest even when it is stored. Texts of addresses are repeated: pass locals.
"""

from __future__ import annotations

from typing import NamedTuple

from ...dtypes import DType
from .body import FunctionText, total


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


_HALF_TO_FLOAT = (
    # The exponent of a sign-extended float16, moved into its place, is too small by 112.
    "i32.const:13 i32x4.shl i32x4.const:0x8fffe000 v128.and f32x4.const:5.192296858534828e33 "
    ".local:{n}:v128 f32x4.mul .tee:{n} "
    "{n} f32x4.abs f32x4.const:65536.0 f32x4.ge i32x4.const:0x7f800000 v128.and v128.or"
)
_FLOAT_TO_HALF = (
    ".local:{n}:v128 .local:{n}a:v128 .tee:{n} f32x4.abs .set:{n}a "
    # Numbers below 2**-14: adding 0.5 rounds to multiples of 2**-24.
    "{n}a f32x4.const:0.5 f32x4.add i32x4.const:0x3f000000 i32x4.sub "
    "{n}a i32x4.const:-939520001 i32x4.add {n}a i32.const:13 i32x4.shr_u i32x4.const:1 v128.and "
    "i32x4.add i32.const:13 i32x4.shr_u {n}a i32x4.const:0x38800000 i32x4.lt_s v128.bitselect "
    # Numbers from 65520 on are infinite.
    "i32x4.const:0x7c00 i32x4.min_s "
    "i32x4.const:0x7e00 {n}a {n}a f32x4.eq v128.bitselect "
    "{n} i32.const:16 i32x4.shr_u i32x4.const:0x8000 v128.and v128.or"
)


def _placed(address: str, offset: int) -> tuple[str, int]:
    """Return an address and an offset that is not negative."""
    return (address, offset) if offset >= 0 else (f"{address} i32.const:{offset} i32.add", 0)


def _sign(dtype: DType) -> str:
    return "s" if dtype.kind in "if" else "u"


def _converted(dtype: DType, kind: str, name: str) -> str:
    if dtype.kind == "f":
        return _HALF_TO_FLOAT.format(n=name) if dtype.itemsize == 2 else ""
    return f"f32x4.convert_i32x4_{_sign(dtype)}" if kind == "f" else ""


def splat(address: str, offset: int, dtype: DType, kind: str, name: str = "half") -> str:
    """Return the text of a vector of four times the element at an address.

    `kind` is "f" to convert to float32.
    """
    address, offset = _placed(address, offset)
    sign = _sign(dtype)
    load = f"{address} i32.load{dtype.bits}_{sign}:{offset} i32x4.splat"
    if dtype.itemsize == 4:
        load = f"{address} v128.load32_splat:{offset}"
    return f"{load} {_converted(dtype, kind, name)}"


def load(
    address: str,
    offset: int,
    dtype: DType,
    kind: str,
    stride: int = 1,
    lanes: int = 4,
    exact: bool = False,
    name: str = "half",
) -> str:
    """Return the text of a vector of four elements with a stride in elements.

    Only `lanes` of them exist; the others are 0 if `exact`, else anything.
    """
    if stride == 0 and not exact:
        return splat(address, offset, dtype, kind, name)
    size, sign = dtype.itemsize, _sign(dtype)
    if stride == 1 and (lanes == 4 or not exact):
        where, offset = _placed(address, offset)
        words = {
            4: f"v128.load:{offset}",
            2: f"v128.load16x4_{sign}:{offset}",
            1: f"v128.load32_zero:{offset} i16x8.extend_low_i8x16_{sign} "
            f"i32x4.extend_low_i16x8_{sign}",
        }[size]
        return f"{where} {words} {_converted(dtype, kind, name)}"
    text = "i32x4.const:0"
    for lane in range(lanes):
        where, near = _placed(address, offset + lane * stride * size)
        text = f"{where} {text} v128.load{dtype.bits}_lane:{lane * 4 // size}:{near}"
    if sign == "s" and size < 4:
        text += f" i32.const:{32 - dtype.bits} i32x4.shl i32.const:{32 - dtype.bits} i32x4.shr_s"
    return f"{text} {_converted(dtype, kind, name)}"


def store(
    address: str,
    offset: int,
    dtype: DType,
    value: str,
    stride: int = 1,
    lanes: int = 4,
    name: str = "out",
) -> str:
    """Return the text that stores the first lanes of a vector. Integers are wrapped."""
    size = dtype.itemsize
    if dtype.kind == "f" and size == 2:
        value = f"{value} {_FLOAT_TO_HALF.format(n=name + 'half')}"
    if stride == 1 and lanes == 4 and size == 4:
        where, offset = _placed(address, offset)
        return f"{where} {value} v128.store:{offset}"
    text = f".local:{name}:v128 {value} .set:{name}"
    if stride == 1 and lanes == 4:
        kept = [4 * lane + byte for lane in range(4) for byte in range(size)] * (4 // size)
        where, offset = _placed(address, offset)
        order = f"{name} {name} i8x16.shuffle:{','.join(map(str, kept))}"
        return f"{text} {where} {order} v128.store{size * 32}_lane:0:{offset}"
    for lane in range(lanes):
        where, near = _placed(address, offset + lane * stride * size)
        text += f" {where} {name} v128.store{dtype.bits}_lane:{lane * 4 // size}:{near}"
    return text


def shuffled(a: str, b: str, lanes: tuple[int, ...]) -> str:
    """Return four lanes of two vectors; those of the second one are numbered from 4 on."""
    order = ",".join(str(4 * lane + byte) for lane in lanes for byte in range(4))
    return f"{a} {b} i8x16.shuffle:{order}"


def transpose(vectors: list[str]) -> str:
    """Return the text that transposes four local vectors in place."""
    a, b, c, d = vectors
    low, high = (0, 4, 1, 5), (2, 6, 3, 7)
    pairs = [shuffled(a, b, low), shuffled(a, b, high), shuffled(c, d, low), shuffled(c, d, high)]
    text = " ".join(pairs) + "".join(f" .set:{name}" for name in (d, c, b, a))
    # Now a, b have the halves of the first two vectors and c, d those of the last two.
    rows = [
        shuffled(p, q, half) for p, q in ((a, c), (b, d)) for half in ((0, 1, 4, 5), (2, 3, 6, 7))
    ]
    return text + " " + " ".join(rows) + "".join(f" .set:{name}" for name in (d, c, b, a))
