"""Rewrites of sorts for kernels with workgroups: sorted blocks, then merges of them.

Input: an operation and the nodes of its operands. Output: the node that computes it.
"""

from __future__ import annotations

import math

from ...dtypes import int32, uint32
from ...ir.node import OpInstance, op_instance, tensor_spec
from ...ops.sorts import ARGSORT
from ...ops.views import PERMUTE, SLICE
from ..lowered_graph import LoweredGraph
from ..lowering.formulas import Formula
from .sort_kernel import BLOCK, MergedBlocks, SortedBlocks


def lower_sort(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Lower a sort along an axis to a sort of the rows of a matrix."""
    if not call.spec.size:
        return lowered.append(call, srcs)
    axis, descending = call.arg
    shape = call.spec.shape
    order = [*(a for a in range(len(shape)) if a != axis), axis]
    permuted = Formula(lowered, *srcs).by(PERMUTE, tuple(order))
    rows = permuted.reshape(math.prod(shape) // shape[axis], shape[axis])
    places = sorted_rows(rows, descending, has_pairs=False).reshape(*permuted.shape)
    return places.by(PERMUTE, tuple(order.index(a) for a in range(len(shape)))).at


def sorted_rows(rows: Formula, descending: bool, has_pairs: bool) -> Formula:
    """Return the positions that sort each row of a matrix, or pairs of keys and positions.

    Pairs have the shape (lines, padded length, 2).
    """
    lines, length = rows.shape
    block = min(BLOCK, max(4, 1 << (length - 1).bit_length()))
    padded = -(-length // block) * block
    call = op_instance(ARGSORT, (rows.graph.spec(rows.at),), (1, descending))
    pairs = tensor_spec((lines, padded, 2), uint32)
    # Buffers end with whole groups of four.
    places = tensor_spec((lines, length if lines == 1 else length + -length % 4), int32)
    stored = has_pairs or padded > block
    at = rows.graph.rewritten(
        call, (rows.at,), SortedBlocks(block, descending, stored), pairs if stored else places
    )
    while block < padded:
        stored = has_pairs or 2 * block < padded
        width = rows.graph.implicit_uniform(block, int32)
        again = MergedBlocks(stored)
        at = rows.graph.rewritten(call, (at, width), again, pairs if stored else places)
        block *= 2
    result = Formula(rows.graph, at)
    if has_pairs or result.shape == rows.shape:
        return result
    return result.by(SLICE, ((0, lines, 1), (0, length, 1)))
