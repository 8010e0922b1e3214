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
    # Boxes that differ in inner axes alone are written in turn, while a row is in the cache.
    shared = 0
    first = min(box.lane for box in boxes)
    while shared < first and len({box.spans[shared] for box in boxes}) == 1:
        shared += 1
    with ExitStack() as loops:
        around = [_counter(writer, loops, lengths, boxes[0], axis) for axis in range(shared)]
        for box in boxes:
            _write_box(writer, lengths, box, around)


def _counter(
    writer: BufferWriter, loops: ExitStack, lengths: tuple[int, ...], box: Box, axis: int
) -> Value:
    """Return the coordinate along an axis of a box, in a loop over all of them."""
    start, stop = box.spans[axis]
    if stop - start == 1 and lengths[axis] > 1:
        counter = writer.code.variable(start, "d")
    else:
        counter = loops.enter_context(writer.code.loop(start, stop))
    writer.ranges[counter.text] = start, stop - 1
    return counter


def _write_box(
    writer: BufferWriter, lengths: tuple[int, ...], box: Box, around: list[Value]
) -> None:
    """Write the loops over a part of the elements, inside of those over the first axes."""
    with ExitStack() as loops:
        counters = dict(enumerate(around))
        for axis in range(len(around), len(lengths)):
            if axis != box.lane:
                counters[axis] = _counter(writer, loops, lengths, box, axis)
        for count, lanes in _groups(writer, *box.spans[box.lane]):
            known = {**counters, box.lane: lanes}
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
