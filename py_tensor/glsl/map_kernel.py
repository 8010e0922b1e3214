"""A kernel whose every element is an expression of its operands: no loop."""

from __future__ import annotations

from ..schedule.kernel import Kernel
from ..schedule.program import Program
from .expressions import Index, Writer
from .tiles import Tiling
from .types import kept


def write_map(program: Program, kernel: Kernel, tilings: dict[int, Tiling]) -> Writer:
    """The statements of a map kernel; the result is in y0."""
    writer = Writer(program, kernel, tilings)
    writer.own_texel()
    spec = program.spec(kernel.output)
    value = writer.value(kernel.output, Index(spec.size, first="e", own=True))
    writer.line(f"y0 = {kept(value, spec.dtype)};")
    writer.prune()
    return writer
