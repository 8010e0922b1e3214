"""Rewrite contractions as sums of products, which fuse with what computes their operands.

Input: a contraction and the nodes of its operands. Output: the node that computes it.
"""

from __future__ import annotations

from ...ir.node import OpInstance, Scalar, op_instance, tensor_spec
from ...ops.contractions import CONVOLVE
from ...ops.elementwise import CAST, MULTIPLY
from ...ops.reductions import SUM
from ...ops.views import PAD, PERMUTE, RESHAPE, SLICE, WINDOW
from ..lowered_graph import LoweredGraph
from .lower import lower_node


def sum_of_products(
    lowered: LoweredGraph, a: int, b: int, axes: tuple[int, ...], call: OpInstance
) -> int:
    """Return the sum of `a * b` along axes, in the result dtype of `call`."""
    product = lowered.add(MULTIPLY, (cast(lowered, a, call), cast(lowered, b, call)))
    total = op_instance(SUM, (lowered.spec(product),), axes)
    return cast(lowered, lower_node(lowered, total, (product,)), call)


def cast(lowered: LoweredGraph, at: int, call: OpInstance) -> int:
    """Convert a node to the result dtype of `call`."""
    dtype = call.spec.dtype
    return at if lowered.spec(at).dtype is dtype else lowered.add(CAST, (at,), dtype)


def dot_by_sum(lowered: LoweredGraph, call: OpInstance, a: int, b: int) -> int:
    """Compute a matrix product as a sum."""
    groups, rows, columns = call.spec.shape
    inner = call.specs[0].shape[2]
    left = lowered.add(RESHAPE, (a,), (groups, rows, inner, 1))
    right = lowered.add(RESHAPE, (b,), (groups, 1, inner, columns))
    total = sum_of_products(lowered, left, right, (2,), call)
    return lowered.add(RESHAPE, (total,), call.spec.shape)


def convolve_by_sum(lowered: LoweredGraph, call: OpInstance, x: int, w: int) -> int:
    """Convolve groups of few channels as a sum over windows."""
    (kh, kw), (sh, sw), _, (dh, dw), (oh, ow), groups = call.arg
    batch, _, _, channels = call.specs[0].shape
    inputs, columns = channels // groups, call.specs[1].shape[3] // groups
    zero = lowered.constant(0, lowered.spec(x).dtype)
    x = lowered.add(PAD, (x, zero), call.arg.borders(call.specs[0].shape))
    x = lowered.add(WINDOW, (x,), ((1, kh, sh, dh), (2, kw, sw, dw)))
    full = lowered.spec(x).shape
    if full[1:3] != (oh, ow):
        x = lowered.add(SLICE, (x,), tuple((0, n, 1) for n in (batch, oh, ow, channels, kh, kw)))
    x = lowered.add(RESHAPE, (x,), (batch, oh, ow, groups, 1, inputs, kh, kw))
    x = lowered.add(PERMUTE, (x,), (0, 1, 2, 6, 7, 5, 3, 4))
    w = lowered.add(RESHAPE, (w,), (1, 1, 1, kh, kw, inputs, groups, columns))
    total = sum_of_products(lowered, x, w, (3, 4, 5), call)
    total = lowered.add(RESHAPE, (total,), (batch * oh * ow, groups, columns))
    return lowered.add(PERMUTE, (total,), (1, 0, 2))


def pixel_major(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Keep a contraction whose results of groups of a convolution are channels of the pixels."""
    if call.op is not CONVOLVE or call.spec.shape[0] == 1:
        return lowered.rewritten(call, srcs, call.arg, call.spec)
    groups, pixels, columns = call.spec.shape
    spec = tensor_spec((pixels, groups, columns), call.spec.dtype)
    return lowered.add(PERMUTE, (lowered.rewritten(call, srcs, call.arg, spec),), (1, 0, 2))


def stored_operands(lowered: LoweredGraph, srcs: tuple[int, ...]) -> tuple[int, ...]:
    """Store the operands of a contraction, which reads them through one view each."""
    whole = [src if _is_stored(lowered, src) else lowered.copied(src) for src in srcs]
    lowered.materialized.update(lowered.view(src)[0] for src in whole)
    return tuple(whole)


def _is_stored(lowered: LoweredGraph, src: int) -> bool:
    """Return True if an operand can be read through one view of a stored value.

    A scalar is not stored. A view of it may be, for other readers, in another order.
    """
    base, strides, _ = lowered.strides(src)
    return strides is not None and type(lowered.calls[base]) is not Scalar
