"""Parts of a map kernel's elements, in each of which lanes belong to one operand of pads and joins.

Input: the nodes of a kernel, its outputs and the lengths of its axes. Output: `Box`es.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import mul
from typing import NamedTuple

from ...ir.node import OpInstance, TensorSpec
from ...ops.index_map import View, broadcast_view, follow, row_major, steps
from ...ops.op_def import Concat, Elementwise, Pad, ViewOp
from ..lowered_graph import LoweredNodes
from .storage import GROUP

MOST = 32
"""Number of boxes into which a kernel may be divided, since its statements are repeated in each."""
LONG = 8
"""Length of an axis from which lanes run along it instead of along the short part of another."""


class Box(NamedTuple):
    """Part of the elements: first coordinate along each axis, and the one after the last."""

    spans: tuple[tuple[int, int], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple([stop - start for start, stop in self.spans])

    @property
    def lane(self) -> int:
        """Axis along which the lanes run: the last one, unless it is short and another is not."""
        *_, last = shape = self.shape
        if last >= GROUP:
            return len(shape) - 1
        long = (axis for axis in range(len(shape) - 1, -1, -1) if shape[axis] >= LONG)
        return next(long, len(shape) - 1)


def boxes_of(nodes: LoweredNodes, outputs: Sequence[int], lengths: tuple[int, ...]) -> list[Box]:
    """Divide the elements where pads and joins begin and end along the axis of the lanes."""
    last = len(lengths) - 1
    boxes = [Box(tuple([(0, n) for n in lengths]))]
    boxes = _divided(nodes, outputs, lengths, boxes, last)
    if len(boxes) == 1:
        return boxes
    return [
        part
        for box in boxes
        for part in (
            [box]
            if box.lane == last
            else _divided(nodes, outputs, lengths, [box], box.lane, max(4, MOST // len(boxes)))
        )
    ]


def _divided(
    nodes: LoweredNodes,
    outputs: Sequence[int],
    lengths: tuple[int, ...],
    boxes: list[Box],
    lane: int,
    most: int = MOST,
) -> list[Box]:
    """Divide boxes along an axis, which is that of the lanes."""
    done: list[Box] = []
    rest = boxes
    while rest and len(done) + len(rest) < most:
        box = rest.pop()
        cut = next((cut for at in outputs for cut in _cuts(nodes, at, lengths, box, lane)), None)
        if cut is None or not min(box.shape):
            done.append(box)
            continue
        start, stop = box.spans[lane]
        for span in ((cut, stop), (start, cut)):
            rest.append(Box((*box.spans[:lane], span, *box.spans[lane + 1 :])))
    return done + rest[::-1]


def _cuts(
    nodes: LoweredNodes, output: int, lengths: tuple[int, ...], box: Box, lane: int
) -> Iterator[int]:
    """Yield coordinates along the lanes' axis at which they enter or leave an operand."""
    strides = row_major(lengths)
    corner = sum([step * start for step, (start, _) in zip(strides, box.spans, strict=True)])
    stack = [(output, View(box.shape, strides, corner))]
    seen: set[tuple[int, View]] = set()
    while stack:
        at, view = state = stack.pop()
        call = nodes.calls[at]
        if type(call) is not OpInstance or state in seen:
            continue
        seen.add(state)
        srcs = nodes.edges[at]
        if isinstance(call.op, ViewOp):
            stack += _through(srcs[0], view, call.op.view(call.specs[0].shape, call.arg)[1])
        elif isinstance(call.op, Elementwise):
            for src, spec in zip(srcs, call.specs, strict=True):
                stack += _through(src, view, broadcast_view(spec.shape, call.spec.shape))
        elif isinstance(call.op, (Pad, Concat)):
            split = steps(view, call.spec.shape)
            for src, spec, lows in _parts(call, srcs) if split is not None else ():
                start, *along = map(list, (split[0], *split[1]))
                is_outside = False
                for axis, low in lows.items():
                    start[axis] -= low
                    own, length = along[lane][axis], spec.shape[axis]
                    moves = sum([abs(step[axis]) for step in along])
                    if own == moves == 1:
                        edges = [box.spans[lane][0] - start[axis] + n for n in (0, length)]
                        yield from [n for n in edges if box.spans[lane][0] < n < box.spans[lane][1]]
                    if own == moves <= 1:
                        is_outside |= not 0 <= start[axis] < length
                    elif own:
                        is_outside = True
                    else:
                        # The lanes are inside or outside together, wherever that is.
                        for step in (start, *along):
                            step[axis] = 0
                if not is_outside:
                    onto = row_major(spec.shape)
                    offset, *steps_ = [sum(map(mul, step, onto)) for step in (start, *along)]
                    stack.append((src, View(box.shape, tuple(steps_), offset)))


def _through(src: int, positions: View, view: View) -> list[tuple[int, View]]:
    """Return an operand with the positions in it, or nothing if they are not affine."""
    if view.is_identity:
        return [(src, positions)]
    found = follow(positions, view)
    return [] if found is None else [(src, View(positions.shape, *found))]


def _parts(
    call: OpInstance, srcs: tuple[int, ...]
) -> Iterator[tuple[int, TensorSpec, dict[int, int]]]:
    """Yield operands of a pad or join, and their starts along the axes along which they end."""
    if isinstance(call.op, Pad):
        if any(interior for *_, interior in call.arg):
            return
        lows = {axis: low for axis, (low, high, _) in enumerate(call.arg) if low or high}
        yield srcs[0], call.specs[0], lows
        return
    start = 0
    for src, spec in zip(srcs, call.specs, strict=True):
        yield src, spec, {call.arg: start}
        start += spec.shape[call.arg]
