"""Lower convolutions to the kernels that compute them.

Input: a convolution and the nodes of its operands. Output: the node that computes it.
"""

from __future__ import annotations

import math

from ...ir.node import OpInstance, op_instance, tensor_spec
from ...ops.contractions import CONVOLVE, DOT, Window
from ...ops.index_map import ViewStack, push
from ...ops.views import PAD, PERMUTE, RESHAPE, SLICE
from ..lowered_graph import Constant, LoweredGraph
from ..lowering.contractions import cast, convolve_by_sum, pixel_major
from .convolve_kernel import PANELS, SplitWindow, runs_of
from .direct_kernel import is_direct
from .lane_kernel import is_by_lanes
from .lowering import added_up, lower_dot, parts_of

LONGEST_SUM = 256
"""Number of products up to which an invocation adds them up alone for each of few results."""
FEW_RESULTS = 1 << 12
"""Results of a convolution up to which teams of invocations compute them, if sums are long."""


def lower_contraction(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Lower a matrix product or a convolution."""
    if call.op is CONVOLVE:
        return _convolve(lowered, call, *srcs)
    assert call.op is DOT
    return lower_dot(lowered, call, *srcs)


def _convolve(lowered: LoweredGraph, call: OpInstance, x: int, w: int) -> int:
    dilated = _dilated(lowered, call, x, w)
    if dilated is not None:
        return dilated
    x, call = _without_padding(lowered, call, x)
    window: Window = call.arg
    kernel = call.specs[1].shape
    inputs, outs = kernel[2:]
    columns = outs // window.groups
    direct, by_lanes = is_direct(window, kernel), is_by_lanes(window, kernel)
    if by_lanes and math.prod(kernel[:3]) > LONGEST_SUM and call.spec.size < FEW_RESULTS:
        return convolve_by_sum(lowered, call, x, w)
    if window.groups == 1 and window == Window((1, 1), (1, 1), (0, 0), (1, 1), window.out, 1):
        _, pixels, _ = call.spec.shape
        if math.prod(lowered.spec(x).shape[:3]) == pixels and inputs >= 4:
            x = lowered.add(RESHAPE, (x,), (1, pixels, inputs))
            w = lowered.add(RESHAPE, (w,), (1, inputs, outs))
            return lower_dot(lowered, op_instance(DOT, (lowered.spec(x), lowered.spec(w))), x, w)
    more = -columns % 4
    if more and not (direct or by_lanes) and call.spec.size:
        zero = lowered.constant(0, lowered.spec(w).dtype)
        w = lowered.add(PAD, (w, zero), ((0, 0, 0), (0, 0, 0), (0, 0, 0), (0, more, 0)))
        wide = op_instance(CONVOLVE, (lowered.spec(x), lowered.spec(w)), window)
        at = _convolve(lowered, wide, x, w)
        return lowered.add(SLICE, (at,), tuple((0, n, 1) for n in call.spec.shape))
    srcs = _image(lowered, x), _whole(lowered, w)
    lowered.materialized.update(lowered.view(at)[0] for at in srcs)
    parts = (
        1 if direct or by_lanes or window.groups > 1 else _parts_of_window(lowered, call, srcs[0])
    )
    if parts > 1:
        spec = tensor_spec((parts, *call.spec.shape[1:]), call.spec.dtype)
        sums = lowered.rewritten(call, srcs, SplitWindow(window, parts), spec)
        total = cast(lowered, added_up(lowered, sums), call)
        return lowered.add(RESHAPE, (total,), call.spec.shape)
    return pixel_major(lowered, call, srcs)


def _dilated(lowered: LoweredGraph, call: OpInstance, x: int, w: int) -> int | None:
    """Convolve images that are places of blocks, as `space_to_batch` makes them, before that.

    The result is that of a dilated convolution, of which views are taken. Networks that were
    written before there was dilation take them apart again, so that nothing is copied.
    """
    base, stack = lowered.view(x)
    window: Window = call.arg
    shape, (batch, *image, channels) = lowered.spec(base).shape, lowered.spec(x).shape
    if len(shape) != 4 or shape[3] != channels or not call.spec.size or len(stack) != 1:
        return None
    blocks = [whole // n for whole, n in zip(shape[1:3], image, strict=True)]
    down, across = blocks
    lengths = (shape[0], image[0], down, image[1], across, channels)
    is_plain = window[1:4] == ((1, 1), (0, 0), (1, 1)) and batch == shape[0] * down * across
    if not is_plain or batch == shape[0] or math.prod(lengths) != lowered.spec(base).size:
        return None
    if stack != _places(shape, lengths, lowered.spec(x).shape):
        return None
    out = window.out[0] * down, window.out[1] * across
    wide = window._replace(dilation=(down, across), out=out)
    specs = lowered.spec(base), lowered.spec(w)
    at = _convolve(lowered, op_instance(CONVOLVE, specs, wide), base, w)
    groups, _, columns = call.spec.shape
    split = (groups, shape[0], window.out[0], down, window.out[1], across, columns)
    at = lowered.add(PERMUTE, (lowered.add(RESHAPE, (at,), split),), (0, 3, 5, 1, 2, 4, 6))
    return lowered.add(RESHAPE, (at,), call.spec.shape)


def _places(shape: tuple[int, ...], blocks: tuple[int, ...], result: tuple[int, ...]) -> ViewStack:
    """Return the views of an image that give each place in a block its own images."""
    stack: ViewStack = ()
    for op, arg in ((RESHAPE, blocks), (PERMUTE, (2, 4, 0, 1, 3, 5)), (RESHAPE, result)):
        shape, view = op.view(shape, arg)
        stack = push(stack, view)
    return stack


def _without_padding(lowered: LoweredGraph, call: OpInstance, x: int) -> tuple[int, OpInstance]:
    """Return a convolution whose window has the padding by zeros of an image, and the image."""
    at, shape = x, lowered.spec(x).shape
    if lowered.op(at) is RESHAPE:
        (at,) = lowered.edges[at]
    if lowered.op(at) is not PAD or not call.spec.size:
        return x, call
    src, fill = lowered.edges[at]
    value, lengths = lowered.calls[fill], lowered.spec(at).shape
    if type(value) is not Constant or value.value or not lowered.spec(src).size:
        return x, call
    # Reshaping may have added axes of length 1.
    axes, own = ([axis for axis, n in enumerate(sizes) if n > 1] for sizes in (shape, lengths))
    if [shape[axis] for axis in axes] != [lengths[axis] for axis in own]:
        return x, call
    widths = [(0, 0, 0)] * 4
    for axis, width in zip(axes, (lowered.calls[at].arg[axis] for axis in own), strict=True):
        widths[axis] = width
    if any((*widths[0], *widths[3], *(interior for _, _, interior in widths))):
        return x, call
    image = tuple(n - low - high for n, (low, high, _) in zip(shape, widths, strict=True))
    if lowered.spec(src).shape != image:
        src = lowered.add(RESHAPE, (src,), image)
    window: Window = call.arg
    pad = window.pad[0] + widths[1][0], window.pad[1] + widths[2][0]
    specs = lowered.spec(src), call.specs[1]
    return src, op_instance(CONVOLVE, specs, window._replace(pad=pad))


def _image(lowered: LoweredGraph, x: int) -> int:
    """Return an image that kernels read through one view, whose channels are neighbours."""
    _, strides, _ = lowered.strides(x)
    if strides is None or (strides[3] != 1 and lowered.spec(x).shape[3] > 1):
        return lowered.copied(x)
    return x


def _whole(lowered: LoweredGraph, w: int) -> int:
    at = lowered.whole(w)
    return lowered.copied(at) if lowered.view(at)[1] else at


def _parts_of_window(lowered: LoweredGraph, call: OpInstance, x: int) -> int:
    """Return into how many parts to split the inner axis of a convolution with few results."""
    window: Window = call.arg
    inputs = call.specs[1].shape[2]
    _, _, width, _ = lowered.spec(x).shape
    _, strides, _ = lowered.strides(x)
    runs = runs_of(window, inputs, width == 1 or (strides is not None and strides[2] == inputs))
    if runs.length % 4 or lowered.target.on_processor:
        return 1
    _, pixels, columns = call.spec.shape
    return parts_of(runs.inner, pixels, columns, PANELS)
