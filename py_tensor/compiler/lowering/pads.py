"""Rewrite padded maxima into maxima of padded operands.

Input: a padding and the nodes of its operands. Output: the node that computes it.
"""

from __future__ import annotations

from ...ir.node import OpInstance
from ...ops.reductions import MAX, MIN
from ...ops.views import PAD, RESHAPE
from ..lowered_graph import LoweredGraph


def lower_pad(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, int]) -> int:
    """Lower a padding; a padded maximum becomes the maximum of a padded operand.

    An elementwise consumer can then be the epilogue of the reduction. Pooled images whose channels
    are padded are thus added to other images in one draw.
    """
    src, fill = srcs
    base, stack = lowered.view(src)
    if stack or lowered.op(base) not in (MAX, MIN) or not _is_read_once(lowered, (src, base)):
        return lowered.append(call, srcs)
    pooled, size = lowered.calls[base], call.specs[0].size
    axes, shape = pooled.arg, pooled.specs[0].shape
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    if call.specs[0].shape != tuple(shape[axis] for axis in kept) or call.spec.size > 4 * size:
        return lowered.append(call, srcs)
    borders = dict(zip(kept, call.arg, strict=True))
    arg = tuple(borders.get(axis, (0, 0, 0)) for axis in range(len(shape)))
    padded = lowered.add(PAD, (lowered.edges[base][0], fill), arg)
    return lowered.add(RESHAPE, (lowered.add(pooled.op, (padded,), axes),), call.spec.shape)


def _is_read_once(lowered: LoweredGraph, nodes: tuple[int, int]) -> bool:
    """Return True if only one node of the graph reads the value of these nodes."""
    graph = lowered.graph
    origins = {position for position, at in lowered.origin.items() if at in nodes}
    readers = [at for at, edges in enumerate(graph.edges) if not origins.isdisjoint(edges)]
    return len(set(readers) - origins) == 1 and origins.isdisjoint({*graph.outputs, *graph.shared})
