"""A kernel whose every element is an expression of its operands: no loop."""

from __future__ import annotations

from ..schedule.kernel import Kernel
from ..schedule.program import Program
from .expressions import Writer
from .tiles import Tiling


def write_map(program: Program, kernel: Kernel, tilings: dict[int, Tiling]) -> Writer:
    """The statements of a map kernel; the result is in y0."""
    writer = Writer(program, kernel, tilings)
    writer.own_texel()
    writer.result()
    return writer
