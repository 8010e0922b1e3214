"""Elements in linear memory: instructions that load and store them, by dtype.

Input: a dtype. Output: its instructions, and the size of a buffer.
Narrow types are stored narrow, and are computed in 32 bits. Truth values are stored as 0 and 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...dtypes import DType
from ...language.tree import FLOAT, INT, MASK, UINT, ValueKind

GROUP = 4
"""Elements that a kernel computes at once."""
ALIGNMENT = 16
"""Sizes of buffers are multiples of it, so that whole groups may be loaded and stored."""


class ElementForm(NamedTuple):
    """Instructions that load and store elements of a dtype.

    The instructions after a load take the loaded vector from the stack.
    """

    size: int
    kind: ValueKind
    load_splat: str
    load_four: str
    four: str = ""
    """Instructions after `load_four` and `load_splat`."""
    packed: str = ""
    """Instructions before a store."""
    store_four: str = "v128.store"
    store_lane: str = "v128.store32_lane"
    eight: str = ""
    """Instruction that loads eight elements of one byte, widened to 16 bits, if they are."""
    halves: tuple[str, ...] = ()
    """Instructions that widen the first four of them, and the others."""

    def splat(self, address: str, start: int = 0) -> str:
        """Return the text of a vector of four times the element at an address."""
        return f"{address} {self.load_splat}:{start} {self.four}".strip()

    def load(self, address: str, start: int = 0) -> str:
        """Return the text of a vector of the four elements from an address on."""
        return f"{address} {self.load_four}:{start} {self.four}".strip()

    def each(self, places: Sequence[tuple[str, int]], start: str = "i32x4.const:0") -> str:
        """Return the text of a vector of elements, given the address of each and bytes to add.

        The other lanes are those of `start`.
        """
        text, lane_of = start, self.load_splat.replace("splat", "lane")
        for lane, (address, offset) in enumerate(places):
            text = f"{address} {text} {lane_of}:{lane}:{offset}"
        return f"{text} {self.four}".strip()

    def store(self, address: str, start: int, value: str) -> str:
        """Return the text that stores four neighbouring elements."""
        first = ":0" if self.store_four.endswith("lane") else ""
        return f"{address} {value} {self.packed} {self.store_four}{first}:{start}"


def _narrow(kind: ValueKind, size: int, four: str = "", packed: str = "") -> ElementForm:
    """Return the instructions of a type of one or two bytes."""
    sign = "s" if kind == INT else "u"
    bits = 8 * size
    widened = f"i16x8.extend_low_i8x16_{sign} " * (size == 1) + f"i32x4.extend_low_i16x8_{sign}"
    narrowed = f"i32x4.const:{(1 << bits) - 1} v128.and i32x4.const:0 i16x8.narrow_i32x4_u"
    narrowed += " i32x4.const:0 i8x16.narrow_i16x8_u" * (size == 1)
    is_byte = size == 1 and kind != MASK
    return ElementForm(
        size,
        kind,
        f"v128.load{bits}_splat",
        f"v128.load{4 * bits}_zero",
        f"{widened} {four}".strip(),
        f"{packed} {narrowed}".strip(),
        f"v128.store{4 * bits}_lane",
        f"v128.store{bits}_lane",
        f"v128.load8x8_{sign}" if is_byte else "",
        tuple([f"i32x4.extend_{half}_i16x8_{sign}" for half in ("low", "high")]),
    )


_WORD = ("v128.load32_splat", "v128.load")
STORED = {
    "float32": ElementForm(4, FLOAT, *_WORD),
    "complex64": ElementForm(4, FLOAT, *_WORD),
    "int32": ElementForm(4, INT, *_WORD),
    "uint32": ElementForm(4, UINT, *_WORD),
    "int16": _narrow(INT, 2),
    "uint16": _narrow(UINT, 2),
    "int8": _narrow(INT, 1),
    "uint8": _narrow(UINT, 1),
    "bool": _narrow(MASK, 1, "i32x4.neg", "i32x4.const:1 v128.and"),
    "float16": _narrow(UINT, 2, ".call:pt_from_half_bits", ".call:pt_half_bits")._replace(
        kind=FLOAT
    ),
}
"""Instructions for each dtype."""


def stored(dtype: DType) -> ElementForm:
    """Return the instructions for a dtype."""
    return STORED[dtype.name]


def padded(nbytes: int) -> int:
    """Return the size of a buffer that holds so many bytes in whole groups."""
    return max(ALIGNMENT, -(-nbytes // ALIGNMENT) * ALIGNMENT)
