"""A kernel whose every element is an expression of its operands: no loop."""

from __future__ import annotations

import re

from ..schedule.kernel import Kernel
from ..schedule.program import Program
from .expressions import Index, Writer
from .tiles import Tiling

_NAMES_E = re.compile(r"\be\b")


def write_map(program: Program, kernel: Kernel, tilings: dict[int, Tiling]) -> Writer:
    """The statements of a map kernel; the result is in y0."""
    writer = Writer(program, kernel, tilings)
    spec = program.spec(kernel.output)
    value = writer.value(kernel.output, Index(spec.size, first="e", own=True))
    writer.line(f"y0 = {value};")
    writer.prune()
    writer.prune()
    if any(map(_NAMES_E.search, writer.lines)):
        writer.lines.insert(0, f"  {own(program.texture_row(kernel.output))}")
    return writer


def own(row: int) -> str:
    """GLSL for the position of the fragment's first element, in rows of so many texels."""
    shift = row.bit_length() - 1
    texel = f"P.y * {row} + P.x" if row & (row - 1) else f"(P.y << {shift}) | P.x"
    return f"int e = ({texel}) << 2;"
