"""Generate kernels whose elements are expressions of their operands: loops over their axes.

Input: a map kernel. Output: its statements, repeated for each segment.
"""

from __future__ import annotations

from contextlib import ExitStack

from ...ops.index_map import View
from ..codegen.positions import Axes
from .buffer_writer import WHOLE, BufferWriter
from .nest import axes_of, crossed_axis
from .segments import segments_of
from .storage import GROUP
from .update_kernel import updated_input, write_update

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
    crossed = crossed_axis(nodes, kernel.output, lengths)
    segments = [*segments_of(nodes, kernel.output, lengths)]
    if len(segments) == 1 and crossed is None:
        updated = updated_input(nodes, lengths)
        if updated is not None:
            write_update(writer, lengths, updated)
            return
    for segment in segments:
        for part in segment.divided(crossed):
            view = WHOLE if part.lengths == lengths else part.view(lengths)
            if part.lengths[-1] == 1 < len(lengths):
                view = View(view.shape[:-1], view.strides[:-1], view.offset)
            own = part.lengths[: len(view.shape)] or lengths
            _write_part(writer, own, view, crossed if crossed != len(own) - 1 else None)


def _write_part(
    writer: BufferWriter, lengths: tuple[int, ...], view: View, crossed: int | None
) -> None:
    """Write the loops over a part of the output, which the view maps to positions in it.

    Along the crossed axis there are four coordinates in an iteration, if that axis has so many.
    """
    code, (*outer, length) = writer.code, lengths
    steps = [GROUP if axis == crossed and n >= GROUP else 1 for axis, n in enumerate(outer)]
    with ExitStack() as loops:
        counters = [
            loops.enter_context(code.loop(0, n, step)) for n, step in zip(outer, steps, strict=True)
        ]
        rows: list[Axes] = [tuple(zip(counters, outer, strict=True))]
        if crossed is not None and steps[crossed] > 1:
            before, after = rows[0][:crossed], rows[0][crossed + 1 :]
            places = writer.crossing(counters[crossed])
            rows = [(*before, (place, outer[crossed]), *after) for place in places]
        if length >= GROUP:
            with writer.whole_groups(length) as k:
                lanes = writer.neighbours(k)
                for axes in rows:
                    writer.result((*axes, (lanes, length)), view=view)
        if rest := length % GROUP:
            last = writer.last_ones(length - rest, length)
            for axes in rows:
                writer.result((*axes, (last, length)), rest, view)
