"""Generate kernels without loops, whose elements are expressions of their operands."""

from __future__ import annotations

from .workgroup_writer import WorkgroupWriter


def write_map(writer: WorkgroupWriter) -> None:
    """Write the statements of a map kernel."""
    writer.result(writer.own_group())
