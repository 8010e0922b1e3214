"""Loops of a kernel: the axes of a value, split so that each view steps along whole axes.

Input: the nodes of a kernel and one of them. Output: lengths of axes, outermost first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from ...ops.index_map import Shape, View, ViewStack, broadcast_view, contiguous, push
from ...ops.op_def import Elementwise, ViewOp
from ..codegen.positions import by_axes
from ..lowered_graph import LoweredNodes
from .storage import GROUP


def axes_of(nodes: LoweredNodes, at: int, shape: Shape) -> tuple[int, ...]:
    """Return the lengths of axes of a node whose row-major elements have this shape, or finer ones.

    Views that the kernel reads through at the node's positions step along them. Views that do not
    fit are left to arithmetic with positions.
    """
    size = math.prod(shape)
    inner = {1, size, *_inner(shape)}
    for other in _shapes(nodes, at):
        together = sorted(inner.union(_inner(other)))
        # A view may read the first elements of a longer value at their own positions.
        if together[-1] == size and all(b % a == 0 for a, b in pairwise(together)):
            inner = {*together}
    steps = sorted(inner)
    return tuple([b // a for a, b in pairwise(steps)])[::-1] or (1,)


def _inner(shape: Iterable[int]) -> list[int]:
    """Return the number of elements inside of each axis."""
    sizes = [1]
    for length in reversed([*shape]):
        sizes.append(sizes[-1] * length)
    return sizes


def _shapes(nodes: LoweredNodes, at: int) -> Iterator[Shape]:
    """Yield the shapes of the views by which a kernel reads at the positions of a node."""
    for node, views in places_of(nodes, at):
        op = nodes.op(node)
        if views:
            yield views[0].shape
        elif op is not None and not isinstance(op, ViewOp | Elementwise):
            yield nodes.spec(node).shape


def places_of(
    nodes: LoweredNodes, at: int, shown: ViewStack = ()
) -> Iterator[tuple[int, ViewStack]]:
    """Yield the nodes that a kernel reads or computes for a node, and the views to its positions.

    `shown` are views through which the node itself is read.

    Operands of operations that are neither views nor elementwise are left out.
    """
    seen: set[tuple[int, ViewStack]] = set()
    stack: list[tuple[int, ViewStack]] = [(at, shown)]
    while stack:
        node, views = key = stack.pop()
        if key in seen:
            continue
        seen.add(key)
        yield key
        call, op = nodes.calls[node], nodes.op(node)
        if isinstance(op, ViewOp):
            view = op.view(call.specs[0].shape, call.arg)[1]
            stack.append((nodes.edges[node][0], push(views, view)))
        elif isinstance(op, Elementwise):
            for src, spec in zip(nodes.edges[node], call.specs, strict=True):
                same = spec.shape == call.spec.shape
                view = broadcast_view(spec.shape, call.spec.shape)
                stack.append((src, views if same else push(views, view)))


def along(view: View, axes: Any) -> View | None:
    """Return a view with the given axes, in their order, or None if they do not match.

    Axes are pairs of a coordinate, or anything that stands for it, and a length.
    """
    known: Any = [] if view.is_constant else by_axes(view, axes)
    if known is None:
        return None
    by_axis = dict(known)
    lengths = tuple([length for _, length in axes])
    return View(lengths, tuple([by_axis.get(axis, 0) for axis, _ in axes]), view.offset)


def view_along(views: ViewStack, axes: Any) -> View | None:
    """Return a stack of at most one view with the given axes, or None."""
    if len(views) > 1:
        return None
    return along(views[0] if views else contiguous(tuple([n for _, n in axes])), axes)


def crossed_axis(nodes: LoweredNodes, at: int, lengths: tuple[int, ...]) -> int | None:
    """Return the axis along which elements are neighbours that are apart along the last one."""
    last = len(lengths) - 1
    for node, views in places_of(nodes, at):
        view = view_along(views, tuple(enumerate(lengths)))
        if nodes.is_buffer(node) and view and abs(view.strides[last]) > 1:
            for axis, step in enumerate(view.strides):
                if step == 1 and lengths[axis] >= GROUP:
                    return axis
    return None
