"""Parts of a kernel's loops in which padded and joined values come from one operand each.

Input: the nodes of a kernel, and the lengths of its loops. Output: the segments, boxes of
coordinates that together are all of them, and expressions that use them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Any, NamedTuple

from ...ir.node import OpInstance
from ...language.tree import Value
from ...ops.index_map import (
    Shape,
    View,
    follow,
    make_view,
    push,
    row_major,
    steps,
)
from ...ops.op_def import Concat, Pad
from ..codegen import joins
from ..codegen.indices import Index
from ..codegen.types import converted
from ..codegen.writer import Writer
from ..lowered_graph import LoweredNodes
from .nest import places_of, view_along
from .storage import GROUP

MOST = 12
"""Segments of one kernel; each has a copy of the statements."""


class Segment(NamedTuple):
    """Box of coordinates: the first one along each axis, and their numbers."""

    starts: tuple[int, ...]
    lengths: tuple[int, ...]

    def view(self, lengths: Sequence[int]) -> View:
        """Return the map from the segment's positions to those of the whole value."""
        strides = row_major(tuple(lengths))
        offset = sum(a * b for a, b in zip(self.starts, strides, strict=True))
        return View(self.lengths, strides, offset)

    def divided(self, axis: int | None) -> list[Segment]:
        """Return a part with whole groups of coordinates along an axis, and the rest if any."""
        whole = 0 if axis is None else self.lengths[axis] // GROUP * GROUP
        if axis is None or whole in (0, self.lengths[axis]):
            return [self]
        ends = (0, whole), (whole, self.lengths[axis] - whole)
        parts = []
        for start, length in ends:
            starts, lengths = [*self.starts], [*self.lengths]
            starts[axis] += start
            lengths[axis] = length
            parts.append(Segment(tuple(starts), tuple(lengths)))
        return parts


class _Reach(NamedTuple):
    """Coordinates along one axis of a value at which a kernel reads it."""

    start: int
    along: tuple[int, ...]
    """Distance for each axis of the loops."""
    lengths: tuple[int, ...]

    @property
    def ends(self) -> tuple[int, int]:
        """First and last coordinate."""
        reach = [step * (n - 1) for step, n in zip(self.along, self.lengths, strict=True)]
        low, high = (sum(limit(r, 0) for r in reach) for limit in (min, max))
        return self.start + low, self.start + high

    def cut(self, at: int) -> tuple[int, int] | None:
        """Return the axis of the loops, and its first coordinate that reads from `at` on."""
        moving = [axis for axis, step in enumerate(self.along) if step]
        if len(moving) != 1 or self.along[moving[0]] < 0:
            return None
        place = -((self.start - at) // self.along[moving[0]])
        return (moving[0], place) if 0 < place < self.lengths[moving[0]] else None


def _reaches(view: View, shape: Shape) -> list[_Reach] | None:
    """Return the coordinates in a shape that a view reads, or None if they are not affine."""
    split = steps(view, shape)
    if split is None:
        return None
    start, along = split
    return [
        _Reach(start[axis], tuple([step[axis] for step in along]), view.shape)
        for axis in range(len(shape))
    ]


def _borders(call: OpInstance) -> Iterator[tuple[int, int]]:
    """Yield the axes and coordinates at which another operand of a join, or padding, begins."""
    if isinstance(call.op, Concat):
        end = 0
        for spec in call.specs[:-1]:
            end += spec.shape[call.arg]
            yield call.arg, end
        return
    for axis, (low, _, _) in enumerate(call.arg):
        yield axis, low
        yield axis, low + call.specs[0].shape[axis]


def segments_of(nodes: LoweredNodes, at: int, lengths: tuple[int, ...]) -> list[Segment]:
    """Return the segments of the loops over the elements of a node."""
    cuts: list[set[int]] = [{0, n} for n in lengths]
    axes: Any = tuple(enumerate(lengths))
    for node, views in places_of(nodes, at):
        call, op = nodes.calls[node], nodes.op(node)
        if isinstance(op, Concat | Pad) and _is_plain(call):
            view = view_along(views, axes)
            reaches = view and _reaches(view, call.spec.shape)
            for axis, border in _borders(call):
                cut = reaches[axis].cut(border) if reaches else None
                if cut is not None:
                    cuts[cut[0]].add(cut[1])
    whole = Segment((0,) * len(lengths), lengths)
    if not 1 < math.prod(len(places) - 1 for places in cuts) <= MOST:
        return [whole]
    parts = [[*pairwise(sorted(places))] for places in cuts]
    return [
        Segment(tuple([low for low, _ in box]), tuple([high - low for low, high in box]))
        for box in product(*parts)
    ]


def _is_plain(call: OpInstance) -> bool:
    """Return True if elements of a padded value are neighbours."""
    return not isinstance(call.op, Pad) or not any(interior for _, _, interior in call.arg)


def _shifted(index: Index, view: View, whole: Shape, shape: Shape, back: int) -> Index:
    """Return the index in an operand of a shape, given positions in a whole that it begins in."""
    moved = follow(view, View(whole, row_major(shape), -back))
    assert moved is not None
    return index._replace(stack=push((), make_view(view.shape, *moved)), own=False)


def concat(writer: Writer, at: int, index: Index) -> Value:
    """Write elements of a join, of one operand if all of them are its own."""
    nodes = writer.nodes
    call = nodes.calls[at]
    view = view_along(index.stack, index.axes) if index.axes else None
    reaches = view and _reaches(view, call.spec.shape)
    if not view or not reaches:
        return joins.concat(writer, at, index)
    low, high = reaches[call.arg].ends
    start = 0
    for src, spec in zip(nodes.edges[at], call.specs, strict=True):
        length = spec.shape[call.arg]
        if start <= low and high < start + length:
            back = start * row_major(spec.shape)[call.arg]
            below = _shifted(index, view, call.spec.shape, spec.shape, back)
            return converted(writer.code, writer.value(src, below), spec.dtype, call.spec.dtype)
        start += length
    return joins.concat(writer, at, index)


def pad(writer: Writer, at: int, index: Index) -> Value:
    """Write elements of a padded value: of the operand or of the padding, if all are either."""
    nodes = writer.nodes
    call = nodes.calls[at]
    view = view_along(index.stack, index.axes) if index.axes else None
    reaches = view and _reaches(view, call.spec.shape)
    if not view or not reaches or not _is_plain(call):
        return joins.pad(writer, at, index)
    src, fill = nodes.edges[at]
    shape = call.specs[0].shape
    ends = [reach.ends for reach in reaches]
    sides = list(zip(ends, shape, call.arg, strict=True))
    if any(high < low_ or low >= low_ + n for (low, high), n, (low_, _, _) in sides):
        filler = writer.value(fill, writer.only)
        return converted(writer.code, filler, nodes.spec(fill).dtype, call.spec.dtype)
    if all(low >= low_ and high < low_ + n for (low, high), n, (low_, _, _) in sides):
        strides = row_major(shape)
        back = sum(low_ * step for (low_, _, _), step in zip(call.arg, strides, strict=True))
        return writer.value(src, _shifted(index, view, call.spec.shape, shape, back))
    return joins.pad(writer, at, index)
