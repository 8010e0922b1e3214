"""Parts of a kernel's loops in which the lanes of padded and joined values read one operand.

Input: the nodes of a kernel, and the lengths of its loops. Output: the segments, boxes of
coordinates that together are all of them, and expressions that use them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import accumulate, pairwise
from operator import and_
from typing import NamedTuple

from ...ir.node import OpInstance, TensorSpec
from ...language.tree import UINT, Value, Whole
from ...ops.index_map import (
    Shape,
    View,
    broadcast_view,
    follow,
    make_view,
    push,
    row_major,
    steps,
)
from ...ops.op_def import Concat, Elementwise, Pad, ViewOp
from ..codegen import joins
from ..codegen.indices import Index
from ..codegen.positions import total
from ..codegen.types import KIND, converted
from ..codegen.writer import Writer
from ..lowered_graph import LoweredNodes
from .nest import view_along
from .storage import GROUP

MOST = 24
"""Segments of one kernel; each has a copy of the statements."""


class Segment(NamedTuple):
    """Box of coordinates: the first one along each axis, and their numbers."""

    starts: tuple[int, ...]
    lengths: tuple[int, ...]

    def view(self, lengths: Sequence[int]) -> View:
        """Return the map from positions in the segment to positions in the whole value."""
        strides = row_major(tuple(lengths))
        offset = sum(a * b for a, b in zip(self.starts, strides, strict=True))
        return View(self.lengths, strides, offset)

    def divided(self, axis: int | None) -> list[Segment]:
        """Return a part with whole groups of coordinates along an axis, and the rest if any."""
        whole = 0 if axis is None else self.lengths[axis] // GROUP * GROUP
        if axis is None or whole in (0, self.lengths[axis]):
            return [self]
        return self.split(axis, whole)

    def split(self, axis: int, at: int) -> list[Segment]:
        """Return the parts before and from a coordinate of the segment along an axis."""
        parts = []
        for start, length in ((0, at), (at, self.lengths[axis] - at)):
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


def segments_of(nodes: LoweredNodes, at: int, lengths: tuple[int, ...]) -> list[Segment]:
    """Return the segments of the loops over the elements of a node.

    They are divided along the axis of the lanes: the last one, or the one before it in segments of
    one coordinate along the last one.
    """
    last = len(lengths) - 1
    whole = Segment((0,) * len(lengths), lengths)
    segments = _divided(nodes, at, lengths, whole, last, MOST)
    if last == 0 or len(segments) == 1:
        return segments
    most = max(MOST // len(segments), 4)
    parts: list[Segment] = []
    for part in segments:
        is_one = part.lengths[last] == 1
        parts += _divided(nodes, at, lengths, part, last - 1, most) if is_one else [part]
    return parts


def _divided(
    nodes: LoweredNodes,
    at: int,
    lengths: tuple[int, ...],
    whole: Segment,
    lane: int,
    most: int,
) -> list[Segment]:
    """Divide a segment along an axis where its elements enter or leave an operand."""
    done: list[Segment] = []
    rest = [whole]
    while rest and len(done) + len(rest) < most:
        part = rest.pop()
        cut = next(_cuts(nodes, at, lengths, part, lane), None)
        if cut is None or not min(lengths):
            done.append(part)
            continue
        rest += reversed(part.split(lane, cut))
    return done + rest[::-1]


def _cuts(
    nodes: LoweredNodes, output: int, lengths: tuple[int, ...], segment: Segment, lane: int
) -> Iterator[int]:
    """Yield coordinates in a segment, along an axis, from which on another operand is read."""
    stack = [(output, segment.view(lengths))]
    seen: set[tuple[int, View]] = set()
    while stack:
        at, view = state = stack.pop()
        call, srcs = nodes.calls[at], nodes.edges[at]
        if type(call) is not OpInstance or state in seen:
            continue
        seen.add(state)
        if isinstance(call.op, ViewOp):
            stack += _through(srcs[0], view, call.op.view(call.specs[0].shape, call.arg)[1])
        elif isinstance(call.op, Elementwise):
            for src, spec in zip(srcs, call.specs, strict=True):
                stack += _through(src, view, broadcast_view(spec.shape, call.spec.shape))
        elif isinstance(call.op, Pad | Concat) and _is_plain(call):
            reaches = _reaches(view, call.spec.shape)
            for src, spec, starts in _operands(call, srcs) if reaches else ():
                cuts, below = _entered(reaches or [], spec.shape, starts, lane)
                yield from cuts
                stack += [(src, below)] if below else []


def _entered(
    reaches: Sequence[_Reach], shape: Shape, starts: Mapping[int, int], lane: int
) -> tuple[list[int], View | None]:
    """Return where a segment's lanes enter and leave an operand, and the positions in it.

    The operand begins at `starts`. Positions are None if the segment is outside of it.
    """
    cuts: list[int] = []
    own = [*reaches]
    for axis, start in starts.items():
        reach, length = reaches[axis], shape[axis]
        own[axis] = reach._replace(start=reach.start - start)
        if reach.along[lane]:
            ends = [reach.cut(border) for border in (start, start + length)]
            cuts += [cut[1] for cut in ends if cut is not None]
        elif any(reach.along):
            # Lanes are inside or outside together, wherever that is.
            own[axis] = reach._replace(start=0, along=(0,) * len(reach.along))
        low, high = own[axis].ends
        if low < 0 or high >= length:
            return cuts, None
    strides, (_, along, lengths) = row_major(shape), own[0]
    offset = sum(r.start * step for r, step in zip(own, strides, strict=True))
    steps_ = [
        sum(r.along[axis] * step for r, step in zip(own, strides, strict=True))
        for axis in range(len(along))
    ]
    return cuts, View(lengths, tuple(steps_), offset)


def _through(src: int, positions: View, view: View) -> list[tuple[int, View]]:
    """Return an operand with the positions in it, or nothing if they are not affine."""
    if view.is_identity:
        return [(src, positions)]
    found = follow(positions, view)
    return [] if found is None else [(src, View(positions.shape, *found))]


def _operands(
    call: OpInstance, srcs: tuple[int, ...]
) -> Iterator[tuple[int, TensorSpec, dict[int, int]]]:
    """Yield operands of a pad or join, and their starts along the axes along which they end."""
    if isinstance(call.op, Pad):
        sides = enumerate(call.arg)
        yield srcs[0], call.specs[0], {axis: low for axis, (low, high, _) in sides if low or high}
        return
    start = 0
    for src, spec in zip(srcs, call.specs, strict=True):
        yield src, spec, {call.arg: start}
        start += spec.shape[call.arg]


def _is_plain(call: OpInstance) -> bool:
    """Return True if elements of a padded value are neighbours."""
    return not isinstance(call.op, Pad) or not any(interior for _, _, interior in call.arg)


def _shifted(index: Index, view: View, whole: Shape, shape: Shape, back: int) -> Index:
    """Return the index in an operand of a shape, given positions in a whole that it begins in."""
    moved = follow(view, View(whole, row_major(shape), -back))
    assert moved is not None
    return index._replace(stack=push((), make_view(view.shape, *moved)), own=False)


def _inside(
    writer: Writer, index: Index, reach: _Reach, start: int, length: int
) -> Value | bool | None:
    """Return the condition that coordinates are in a range; None if the lanes may differ."""
    low, high = reach.ends
    if start <= low and high < start + length:
        return True
    if high < start or low >= start + length:
        return False
    terms: list[tuple[Whole, int]] = []
    for (c, _), step in zip(index.axes, reach.along, strict=True):
        is_first = index.first is not None and c is index.axes[-1][0]
        if step and (is_first or (isinstance(c, Value) and c.lanes > 1)):
            return None
        terms.append((c, step))
    printer = writer.code.printer
    place = writer.code.let(printer.whole(total(terms, reach.start - start)), "c")
    return printer.converted(place, UINT) < length


def concat(writer: Writer, at: int, index: Index) -> Value:
    """Write elements of a join, whose lanes belong to one operand."""
    nodes, code = writer.nodes, writer.code
    call = nodes.calls[at]
    view = view_along(index.stack, index.axes) if index.axes else None
    reaches = view and _reaches(view, call.spec.shape)
    if not view or not reaches:
        return joins.concat(writer, at, index)
    ends = list(accumulate([spec.shape[call.arg] for spec in call.specs], initial=0))
    tests = [_inside(writer, index, reaches[call.arg], a, b - a) for a, b in pairwise(ends)]
    if None in tests:
        return joins.concat(writer, at, index)
    result: Value | None = None
    for src, start, test in zip(nodes.edges[at], ends, tests, strict=False):
        if test is False or test is None:
            continue
        spec = nodes.spec(src)
        back = start * row_major(spec.shape)[call.arg]
        below = _shifted(index, view, call.spec.shape, spec.shape, back)
        if test is True:
            return converted(code, writer.value(src, below), spec.dtype, call.spec.dtype)
        if result is None:
            result = code.variable(code.vector(KIND[call.spec.dtype.kind], 0))
        with code.when(test):
            value = writer.value(src, below)
            code.assign(result, converted(code, value, spec.dtype, call.spec.dtype))
    assert result is not None
    return result


def pad(writer: Writer, at: int, index: Index) -> Value:
    """Write elements of a padded value, whose lanes are all of the operand or of the padding."""
    nodes, code = writer.nodes, writer.code
    call = nodes.calls[at]
    view = view_along(index.stack, index.axes) if index.axes else None
    reaches = view and _reaches(view, call.spec.shape)
    if not view or not reaches or not _is_plain(call):
        return joins.pad(writer, at, index)
    src, fill = nodes.edges[at]
    shape = call.specs[0].shape
    sides = list(zip(reaches, call.arg, shape, strict=True))
    tests = [_inside(writer, index, reach, low, n) for reach, (low, _, _), n in sides]
    if None in tests and False not in tests:
        return joins.pad(writer, at, index)
    filler = writer.value(fill, writer.only)
    filler = converted(code, filler, nodes.spec(fill).dtype, call.spec.dtype)
    if False in tests:
        return filler
    back = sum(
        low * step for (_, (low, _, _), _), step in zip(sides, row_major(shape), strict=True)
    )
    below = _shifted(index, view, call.spec.shape, shape, back)
    conditions = [test for test in tests if isinstance(test, Value)]
    if not conditions:
        return writer.value(src, below)
    result = code.variable(filler)
    with code.when(reduce(and_, conditions)):
        code.assign(result, writer.value(src, below))
    return result
