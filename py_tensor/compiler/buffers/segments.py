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
    ViewStack,
    broadcast_view,
    contiguous,
    follow,
    make_view,
    push,
    row_major,
    steps,
)
from ...ops.op_def import Concat, Elementwise, Pad, ViewOp
from ..codegen import joins
from ..codegen.indices import Index
from ..codegen.positions import by_axes
from ..codegen.types import converted
from ..codegen.writer import Writer
from ..lowered_graph import LoweredNodes

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
    seen: set[tuple[int, ViewStack]] = set()
    stack: list[tuple[int, ViewStack]] = [(at, ())]
    while stack:
        node, views = key = stack.pop()
        call = nodes.calls[node]
        if key in seen or type(call) is not OpInstance or len(views) > 1:
            continue
        seen.add(key)
        if isinstance(call.op, ViewOp):
            view = call.op.view(call.specs[0].shape, call.arg)[1]
            stack.append((nodes.edges[node][0], push(views, view)))
        elif isinstance(call.op, Elementwise):
            for src, spec in zip(nodes.edges[node], call.specs, strict=True):
                spread = broadcast_view(spec.shape, call.spec.shape)
                same = spec.shape == call.spec.shape
                stack.append((src, views if same else push(views, spread)))
        elif isinstance(call.op, Concat | Pad) and _is_plain(call):
            view = _along(views[0] if views else contiguous(lengths), axes)
            reaches = view and _reaches(view, call.spec.shape)
            for axis, border in _borders(call) if reaches else ():
                cut = reaches[axis].cut(border)
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


def _along(view: View, axes: Any) -> View | None:
    """Return a view with the axes of the loops, in their order, or None if they do not match."""
    if view.is_constant:
        known: Any = []
    else:
        known = by_axes(view, axes)
        if known is None:
            return None
    by_axis = dict(known)
    return View(
        tuple([n for _, n in axes]), tuple([by_axis.get(axis, 0) for axis, _ in axes]), view.offset
    )


def _view_of(index: Index) -> View | None:
    if len(index.stack) > 1 or not index.axes:
        return None
    view = index.stack[0] if index.stack else contiguous(tuple([n for _, n in index.axes]))
    return _along(view, index.axes)


def _shifted(index: Index, view: View, whole: Shape, shape: Shape, back: int) -> Index:
    """Return the index in an operand of a shape, given positions in a whole that it begins in."""
    moved = follow(view, View(whole, row_major(shape), -back))
    assert moved is not None
    return index._replace(stack=push((), make_view(view.shape, *moved)), own=False)


def concat(writer: Writer, at: int, index: Index) -> Value:
    """Write elements of a join, of one operand if all of them are its own."""
    nodes = writer.nodes
    call, view = nodes.calls[at], _view_of(index)
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
    call, view = nodes.calls[at], _view_of(index)
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
