"""Loops of a kernel: the axes of a value, split so that each view steps along whole axes.

Input: the nodes of a kernel and one of them. Output: lengths of axes, outermost first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

from ...ir.node import OpInstance
from ...ops.index_map import Shape, ViewStack, broadcast_view, push
from ...ops.op_def import Elementwise, ViewOp
from ..lowered_graph import LoweredNodes


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


def _shapes(nodes: LoweredNodes, at: int) -> list[Shape]:
    """Return the shapes of the views by which a kernel reads at the positions of a node."""
    shapes: list[Shape] = []
    seen: set[tuple[int, ViewStack]] = set()
    stack: list[tuple[int, ViewStack]] = [(at, ())]
    while stack:
        node, views = key = stack.pop()
        call = nodes.calls[node]
        if key in seen:
            continue
        seen.add(key)
        if views:
            shapes.append(views[0].shape)
        if type(call) is not OpInstance:
            continue
        if isinstance(call.op, ViewOp):
            view = call.op.view(call.specs[0].shape, call.arg)[1]
            stack.append((nodes.edges[node][0], push(views, view)))
        elif isinstance(call.op, Elementwise):
            for src, spec in zip(nodes.edges[node], call.specs, strict=True):
                same = spec.shape == call.spec.shape
                view = broadcast_view(spec.shape, call.spec.shape)
                stack.append((src, views if same else push(views, view)))
        elif not views:
            shapes.append(call.spec.shape)
    return shapes
