"""Generate kernels without loops, whose elements are expressions of their operands."""

from __future__ import annotations

from .texture_writer import TextureWriter


def write_map(writer: TextureWriter) -> None:
    """Write the statements of a map kernel."""
    writer.result(writer.own_texel())
