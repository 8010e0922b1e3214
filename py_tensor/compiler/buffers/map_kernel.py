"""Generate kernels whose elements are expressions of their operands: loops over their axes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

from ...language.tree import Value
from .boxes import Box, boxes_of
from .buffer_writer import BufferWriter
from .nest import axes_of
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
    boxes = boxes_of(nodes, kernel.outputs, lengths)
    if len(boxes) == 1 and lengths[-1] < SHORT:
        lengths = (size,)
        boxes = boxes_of(nodes, (), lengths)
    for box in boxes:
        _write_box(writer, lengths, box)


def _write_box(writer: BufferWriter, lengths: tuple[int, ...], box: Box) -> None:
    """Write the loops over a part of the elements."""
    code, lane = writer.code, box.lane
    with ExitStack() as loops:
        counters: dict[int, Value] = {}
        for axis, (start, stop) in enumerate(box.spans):
            if axis != lane:
                if stop - start == 1 and lengths[axis] > 1:
                    counter = code.variable(start, "d")
                else:
                    counter = loops.enter_context(code.loop(start, stop))
                writer.ranges[counter.text] = start, stop - 1
                counters[axis] = counter
        for count, lanes in _groups(writer, *box.spans[lane]):
            known = {**counters, lane: lanes}
            writer.result(tuple([(known[axis], n) for axis, n in enumerate(lengths)]), count)


def _groups(writer: BufferWriter, start: int, stop: int) -> Iterator[tuple[int, Value]]:
    """Write statements in a loop over a part of an axis, first for whole groups, then for the rest.

    Yield the number of lanes and their coordinates.
    """
    rest = (stop - start) % GROUP
    if stop - rest > start:
        with writer.code.loop(start, stop - rest, GROUP) as k:
            lanes = writer.neighbours(k)
            if start % GROUP:
                writer.unaligned.add(lanes.text)
            writer.ranges[k.text] = writer.ranges[lanes.text] = start, stop - 1
            yield GROUP, lanes
    if rest:
        lanes = writer.last_ones(stop - rest, stop)
        writer.ranges[lanes.text] = stop - rest, stop - 1
        yield rest, lanes
