"""Generate kernels whose elements are expressions of their operands: loops over their axes."""

from __future__ import annotations

from contextlib import ExitStack

from ...ops.index_map import View
from .buffer_writer import WHOLE, BufferWriter
from .nest import axes_of
from .segments import segments_of
from .storage import GROUP

SHORT = 8
"""Length of the last axis below which groups of elements cross its ends."""


def write_map(writer: BufferWriter) -> None:
    """Write the statements of a map kernel."""
    nodes, kernel = writer.nodes, writer.kernel
    size = nodes.spec(kernel.output).size
    lengths = axes_of(nodes, kernel.output, (size,))
    for other in kernel.outputs[1:]:
        if axes_of(nodes, other, (size,)) != lengths:
            lengths = (size,)
    if lengths[-1] < SHORT:
        lengths = (size,)
    for segment in segments_of(nodes, kernel.output, lengths):
        view = WHOLE if segment.lengths == lengths else segment.view(lengths)
        _write_segment(writer, segment.lengths, view)


def _write_segment(writer: BufferWriter, lengths: tuple[int, ...], view: View) -> None:
    """Write the loops over a part of the output, which the view maps to positions in it."""
    code, (*outer, length) = writer.code, lengths
    with ExitStack() as loops:
        axes = tuple([(loops.enter_context(code.loop(0, n)), n) for n in outer])
        if length >= GROUP:
            with writer.whole_groups(length) as k:
                writer.result((*axes, (writer.neighbours(k), length)), view=view)
        if rest := length % GROUP:
            last = writer.last_ones(length - rest, length)
            writer.result((*axes, (last, length)), rest, view)
