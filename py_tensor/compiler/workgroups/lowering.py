"""Rewrites of operations for kernels with workgroups.

Input: an operation and the nodes of its operands. Output: the node that computes it.
"""

from __future__ import annotations

import math

from ...ir.node import OpInstance, op_instance, tensor_spec
from ...ops.contractions import CONVOLVE, DOT, Window
from ...ops.op_def import Reduction
from ...ops.reductions import SUM
from ...ops.views import PAD, PERMUTE, RESHAPE, SLICE
from ..lowered_graph import Constant, LoweredGraph, ScanBlock, SplitReduction
from ..lowering.contractions import (
    cast,
    convolve_by_sum,
    dot_by_sum,
    pixel_major,
    stored_operands,
)
from ..lowering.scans import frame_of, scan_of_chunks
from .convolve_kernel import PANELS, SplitWindow, runs_of
from .direct_kernel import is_direct
from .lane_kernel import is_by_lanes
from .scan_kernel import LINE

BUSY = 1 << 17
"""Invocations that occupy a GPU."""
BUSY_PROCESSOR = 1 << 9
"""Invocations that occupy the processor under a software renderer."""
TEAM = 64
"""Invocations that combine the elements of a result along them."""
LINE_TEAM = 16
"""Invocations that combine the elements of four neighbouring results."""
SHORTEST = 1024
"""Smallest number of elements that a team combines of a part of a split reduction."""
WALK = 16
"""Elements along which an invocation walks at least in a scan that is not along the last axis."""
BLOCK = 32
"""Rows and columns of a small block of a convolution."""
BUSY_BLOCKS = 256
"""Small blocks of a convolution that occupy a GPU."""
SHORTEST_PART = 128
"""Smallest length of a part of a split convolution, which takes longer than adding up the parts."""
FEWEST = 4
"""Smallest number of parts for which a split convolution saves the time of a further kernel."""
LONGEST_SUM = 256
"""Number of products up to which an invocation adds them up alone for each of few results."""
FEW_RESULTS = 1 << 12
"""Results of a convolution up to which teams of invocations compute them, if sums are long."""
LARGEST_GROUPS = 65535
"""Workgroups along an axis of a grid."""


def lower_reduction(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Split a long reduction with few results into parts, to occupy the device."""
    assert isinstance(call.op, Reduction)
    (src,) = srcs
    axes, results = call.arg, call.spec.size
    length = call.specs[0].size // max(results, 1)
    along = lowered.along(src, axes)
    own = results * min(TEAM, length // 4) if along else -(-results // 4) * min(LINE_TEAM, length)
    busy = BUSY_PROCESSOR if lowered.target.on_processor else BUSY
    shortest = SHORTEST if along else 4 * LINE_TEAM
    parts = min(busy // max(own, 1), length // shortest) // 4 * 4
    if parts < 4 or not results or call.op.index:
        return lowered.append(call, srcs)
    shape = (results, parts) if along else (parts, results)
    spec = tensor_spec(shape, call.spec.dtype)
    partial = lowered.rewritten(call, srcs, SplitReduction(axes, parts), spec)
    again = op_instance(call.op, (spec,), (1,) if along else (0,))
    rest = lowered.append(again, (partial,))
    return lowered.add(RESHAPE, (rest,), call.spec.shape)


def lower_scan(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Lower a scan to scans of chunks."""
    if not call.spec.size:
        return lowered.append(call, srcs)
    _, initial = call.arg
    outer, length, inner = frame_of(call)
    frame, axis = ((1, outer, length), 2) if inner == 1 else ((outer, length, inner), 1)
    at = lowered.add(RESHAPE, srcs, frame)
    at = _chunked(lowered, call, at, ScanBlock(axis, initial, 0, alone=False))
    return lowered.add(RESHAPE, (at,), call.spec.shape)


def _chunked(lowered: LoweredGraph, call: OpInstance, src: int, block: ScanBlock) -> int:
    """Scan an operand (groups, rows, columns): in chunks if that occupies more of the device."""
    if block.alone:
        return _scan_of_block(lowered, call, src, block)
    outer, _, columns = lowered.spec(src).shape
    length = lowered.spec(src).shape[block.axis] + block.initial
    chunk = LINE
    if block.axis == 1:
        busy = BUSY_PROCESSOR if lowered.target.on_processor else BUSY
        own = outer * -(-columns // 4)
        chunk = length if 4 * own >= busy else max(WALK, math.isqrt(length))
    if length <= chunk:
        return _scan_of_block(lowered, call, src, block._replace(chunk=length + -length % 4))
    return scan_of_chunks(lowered, call, src, block._replace(chunk=chunk, alone=True), _chunked)


def _scan_of_block(lowered: LoweredGraph, call: OpInstance, src: int, block: ScanBlock) -> int:
    """Append the scan of chunks, whose results are stored in lines of whole groups of four."""
    shape = list(lowered.spec(src).shape)
    shape[block.axis] += block.initial
    wide = (*shape[:2], shape[2] + -shape[2] % 4)
    spec = tensor_spec(wide, call.spec.dtype)
    at = lowered.rewritten(call, (src,), block._replace(alone=True), spec)
    if wide[2] == shape[2]:
        return at
    lowered.materialized.add(at)
    return lowered.add(SLICE, (at,), tuple((0, n, 1) for n in shape))


def lower_contraction(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Lower a contraction: to a blocked one, or to a sum of products if it is narrow."""
    if call.op is CONVOLVE:
        return _convolve(lowered, call, *srcs)
    assert call.op is DOT
    return _dot(lowered, call, *srcs)


def _dot(lowered: LoweredGraph, call: OpInstance, a: int, b: int) -> int:
    groups, rows, columns = call.spec.shape
    inner = call.specs[0].shape[2]
    if inner < 4 or min(rows, columns) < 2 or groups > LARGEST_GROUPS:
        return dot_by_sum(lowered, call, a, b)
    if groups == 1:
        parts = _parts(lowered, inner, rows * columns)
        if parts > 1:
            a = lowered.add(RESHAPE, (a,), (rows, parts, inner // parts))
            a = lowered.add(PERMUTE, (a,), (1, 0, 2))
            b = lowered.add(RESHAPE, (b,), (parts, inner // parts, columns))
            sums = _blocked(lowered, op_instance(DOT, (lowered.spec(a), lowered.spec(b))), a, b)
            return cast(lowered, _total(lowered, sums), call)
    return _blocked(lowered, call, a, b)


def _total(lowered: LoweredGraph, parts: int) -> int:
    return lower_reduction(lowered, op_instance(SUM, (lowered.spec(parts),), (0,)), (parts,))


def _parts(lowered: LoweredGraph, inner: int, results: int) -> int:
    """Return into how many parts to split the inner axis of a product with few results."""
    busy = BUSY_PROCESSOR if lowered.target.on_processor else BUSY
    wanted = min(inner // 64, math.isqrt(inner // 4), busy // max(1, results // 16))
    return next((n for n in range(wanted, 1, -1) if inner % (4 * n) == 0), 1)


def _blocked(lowered: LoweredGraph, call: OpInstance, a: int, b: int) -> int:
    """Append a blocked product; results are stored in rows of whole groups of four."""
    groups, rows, columns = call.spec.shape
    a, b = stored_operands(lowered, (a, b))
    more = -columns % 4
    if not more or not call.spec.size:
        return lowered.rewritten(call, (a, b), call.arg, call.spec)
    spec = tensor_spec((groups, rows, columns + more), call.spec.dtype)
    at = lowered.rewritten(call, (a, b), call.arg, spec)
    return lowered.add(SLICE, (at,), tuple((0, n, 1) for n in call.spec.shape))


def _convolve(lowered: LoweredGraph, call: OpInstance, x: int, w: int) -> int:
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
            return _dot(lowered, op_instance(DOT, (lowered.spec(x), lowered.spec(w))), x, w)
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
        return lowered.add(RESHAPE, (_total(lowered, sums),), call.spec.shape)
    return pixel_major(lowered, call, srcs)


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
    blocks = -(-pixels // BLOCK) * -(-columns // BLOCK)
    wanted = min(runs.inner // SHORTEST_PART, BUSY_BLOCKS // max(blocks, 1))
    return next((n for n in range(wanted, FEWEST - 1, -1) if runs.inner % (PANELS * n) == 0), 1)
