"""Generate kernels without loops, whose elements are expressions of their operands."""

from __future__ import annotations

from .writer import Writer


def write_map(writer: Writer) -> None:
    """Write the statements of a map kernel."""
    writer.result(writer.own_texel())
