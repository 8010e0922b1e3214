"""Split long reductions with few results into parts, to occupy the GPU.

Input: a reduction and the node of its operand. Output: the node that computes it.
"""

from __future__ import annotations

import math

from ....ir.node import OpInstance, op_instance, tensor_spec
from ....ops.elementwise import EITHER, EQUAL, ISNAN, WHERE
from ....ops.op_def import Reduction
from ....ops.reductions import MIN
from ....ops.sources import IOTA
from ....ops.views import PERMUTE, RESHAPE
from ...lowered_graph import LoweredGraph, SplitReduction
from ..texture_layout import row_of

FEW_RESULTS = 8192
"""Number of results below which a reduction leaves most of a GPU idle."""
LONG = 512
"""Number of elements per result above which a reduction with few results is split."""
SHORTEST = 32
"""Smallest number of elements or products that one part of a split reduction combines."""


def lower_reduction(lowered: LoweredGraph, op: Reduction, src: int, axes: tuple[int, ...]) -> int:
    """Lower the reduction `op` of the node `src` along `axes`, which keep length 1."""
    call = op_instance(op, (lowered.spec(src),), axes)
    results, length = call.spec.size, math.prod(call.specs[0].shape[axis] for axis in axes)
    if results >= FEW_RESULTS or length <= LONG or results == 0:
        return lowered.append(call, (src,))
    if op.extreme is not None:
        return _position(lowered, op, src, call)
    # Enough parts for all lanes of a GPU, but not more than a second pass can reduce at once.
    most = min(4 * FEW_RESULTS // results, 2 * FEW_RESULTS)
    parts = max(4, min(length // SHORTEST, most) // 4 * 4)
    last = axes == tuple(range(len(call.specs[0].shape)))[-len(axes) :]
    frame = _frame(results, length, parts) if last else None
    if frame is not None:
        reordered = lowered.add(RESHAPE, (src,), (*frame, length))
        reordered = lowered.add(PERMUTE, (reordered,), REORDER)
        # Views of the operand, for example reversed axes, may prevent another order.
        frame = frame if lowered.along(reordered, (4,)) else None

    def split(src: int, axes: tuple[int, ...], *shape: int) -> int:
        spec = tensor_spec(shape, call.spec.dtype)
        return lowered.rewritten(call, (src,), SplitReduction(axes, parts), spec)

    if not lowered.along(src, axes):
        rest = lower_reduction(lowered, op, split(src, axes, parts, results), (0,))
    elif frame is None:
        rest = lower_reduction(lowered, op, split(src, axes, results, parts), (1,))
    else:
        partial = split(reordered, (4,), results, parts)
        order = tuple(frame[axis] for axis in REORDER[:4])
        partial = lowered.add(RESHAPE, (partial,), (*order, parts))
        rest = lower_reduction(lowered, op, lowered.add(PERMUTE, (partial,), REORDER), (4,))
    return lowered.add(RESHAPE, (rest,), call.spec.shape)


REORDER = (0, 2, 1, 3, 4)
"""Permutation of the axes of `_frame` that gives the better order; it is its own inverse."""


def _frame(results: int, length: int, parts: int) -> tuple[int, int, int, int] | None:
    """Return axes of the results for a faster order of split sums, or None if they do not divide.

    A GPU fetches fastest if vertical neighbours among fragments read vertical neighbours among
    texels. Elements of results at a distance of `below` are such texels, and the parts of `across`
    results fill a row of the texture.
    """
    row = 4 * row_of(results * length)
    below, across = row // length, row // parts
    fits = row % length == row % parts == 0 and below > 0
    if not fits or across % below or results % (2 * across):
        return None
    return results // (2 * across), across // below, 2, below


def _position(lowered: LoweredGraph, op: Reduction, src: int, call: OpInstance) -> int:
    """Find the first position of the extreme element by two reductions, which can be split."""
    assert op.extreme is not None
    (axis,) = call.arg
    shape = call.specs[0].shape
    extreme = lower_reduction(lowered, op.extreme, src, call.arg)
    lowered.loop_invariant.add(lowered.view(extreme)[0])
    wins = lowered.add(EQUAL, (src, extreme))
    if call.operands[0].kind == "f":
        wins = lowered.add(EITHER, (wins, lowered.add(ISNAN, (src,))))
    positions = lowered.add(IOTA, (), tuple(n if a == axis else 1 for a, n in enumerate(shape)))
    nowhere = lowered.constant(shape[axis], call.spec.dtype)
    return lower_reduction(lowered, MIN, lowered.add(WHERE, (wins, positions, nowhere)), call.arg)
