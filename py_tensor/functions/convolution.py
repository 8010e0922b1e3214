"""Convolution of images with kernels, and its transpose, which enlarges images.

The 1-d and 3-d convolutions of `pt.nn` are computed as 2-d ones. A transposed convolution is
computed as one convolution for each residue of a position modulo the stride.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..dtypes import shown
from ..errors import ArgumentError, ShapeError
from ..ir.node import OpNode, node_of, scalar_node
from ..ops.contractions import CONVOLVE, Window
from ..ops.elementwise import ADD
from ..ops.views import BROADCAST, PAD, PERMUTE, RESHAPE, SLICE, WINDOW
from ..runtime.executor import backend
from ..tensor import Tensor, as_tensor, node_behind
from ..typing import ArrayLike, PaddingLike, PerAxis
from .arguments import MOST_STEPS, integer
from .decorators import remembered
from .joining import concat
from .precision import contraction
from .sliding_windows import (
    AxisPair,
    Lengths,
    SlidingWindows,
    axes_of,
    batched,
    explicit_padding,
    images_convolved,
    in_layout,
    per_axis,
    windows_of,
)


@remembered
@images_convolved
def conv2d(
    x: ArrayLike,
    w: ArrayLike,
    /,
    *,
    stride: PerAxis = 1,
    padding: PaddingLike = "valid",
    dilation: PerAxis = 1,
    groups: int = 1,
    data_format: str = "NHWC",
) -> Tensor:
    """2-d convolution; as in other machine-learning libraries, a cross-correlation.

    Args:
        w: Kernel of shape (kernel height, kernel width, channels / groups, outputs).

    Returns:
        Tensor of shape (batch, height', width', outputs) in the promoted dtype; no batch axis if x
        has none. On a GPU an infinity or NaN may also make up to three adjacent outputs NaN, if
        there are few channels or outputs.

    Raises:
        ShapeError: If the shapes are incompatible, or the kernel is larger than the padded image.

    >>> import py_tensor as pt
    >>> pt.conv2d(pt.ones((1, 4, 4, 1)), pt.ones((3, 3, 1, 2))).shape
    (1, 2, 2, 2)
    """

    def convolved(images: Tensor) -> Tensor:
        return general_convolution("conv2d", images, w, 2, stride, padding, dilation, groups)

    return in_layout("conv2d", data_format, convolved, x)


def general_convolution(
    operation: str,
    x: ArrayLike,
    w: ArrayLike,
    count: int,
    stride: PerAxis,
    padding: PaddingLike,
    dilation: PerAxis,
    groups: int,
) -> Tensor:
    """Convolve images of `count` spatial axes; `operation` names the caller in error messages."""
    x, w = as_tensor(operation, x), as_tensor(operation, w)
    images = an_image(operation, x, w, count, "channels / groups, outputs")
    channels, (*size, per_group, outs) = images.shape[-1], w.shape
    groups = integer(operation, "groups", groups)
    if groups < 1 or channels != per_group * groups or outs % groups:
        raise ShapeError(
            f"{operation}: wrong number of channels; got {channels} in x, {per_group} in w, {outs} "
            f"outputs, {groups} groups; x must have the channels of w times groups, and outputs "
            "must be a multiple of groups"
        )
    image = images.shape[1:-1]
    windows = windows_of(operation, "kernel", image, tuple(size), stride, padding, dilation)
    node, kernel = images._node, node_behind(operation, w)
    if count == 3:
        node, kernel = _folded(node, kernel, windows, groups)
    elif count == 1:
        node, kernel = upright(node, 1), upright(kernel, 0)
    out = windows.out
    if count == 2 and _is_column(image, out):
        node, kernel, windows = _turned(node, 1), _turned(kernel, 0), windows.turned()
    window = Window(
        kernel=_plane(windows.size, 1),
        stride=_plane(windows.stride, 1),
        pad=_plane(tuple(before for before, _ in windows.pads), 0),
        dilation=_plane(windows.dilation, 1),
        out=_plane(windows.out, 1),
        groups=groups,
    )
    result = contraction(CONVOLVE, (node, kernel), window)
    if groups > 1:
        result = node_of(PERMUTE, (result,), (1, 0, 2))
    batch = () if x.ndim == count + 1 else x.shape[:1]
    return Tensor(node_of(RESHAPE, (result,), (*batch, *out, outs)))


def _is_column(image: Lengths, out: Lengths) -> bool:
    """Return True for images of one column. They are turned, because kernels go along rows."""
    return image[1] == out[1] == 1 < image[0]


def _turned(node: OpNode, axis: int) -> OpNode:
    """Swap an axis and the next one, which takes no copy if one of them has length 1."""
    shape = node.spec.shape
    order = (*range(axis), axis + 1, axis, *range(axis + 2, len(shape)))
    if 1 in shape[axis : axis + 2]:
        return node_of(RESHAPE, (node,), tuple(shape[at] for at in order))
    return node_of(PERMUTE, (node,), order)


def an_image(operation: str, x: Tensor, w: Tensor, count: int, last: str) -> Tensor:
    """Return x with a batch axis; raise ShapeError if x is not an image or w not a kernel."""
    if x.ndim not in (count + 1, count + 2) or w.ndim != count + 2:
        axes = axes_of(count)
        raise ShapeError(
            f"{operation}: inputs must have {count + 2} axes each; got shapes {x.shape} and "
            f"{w.shape}; x must have shape (batch, {axes}, channels) and w ({axes}, {last})"
        )
    return batched(operation, x, count)


def _plane(values: Lengths, filler: int) -> AxisPair:
    """Return the values of the last two spatial axes; `filler` is for a missing height."""
    height, width = (filler, *values)[-2:]
    return height, width


def upright(node: OpNode, axis: int) -> OpNode:
    """Insert an axis of height 1."""
    shape = node.spec.shape
    return node_of(RESHAPE, (node,), (*shape[:axis], 1, *shape[axis:]))


def _folded(x: OpNode, w: OpNode, windows: SlidingWindows, groups: int) -> tuple[OpNode, OpNode]:
    """Move the taps along the depth to the channels, and each depth to the batch axis."""
    if any(windows.pads[0]):
        around = ((0, 0, 0), (*windows.pads[0], 0), *((0, 0, 0),) * 3)
        x = node_of(PAD, (x, scalar_node(0, x.spec.dtype)), around)
    depth, *size, per_group, outs = w.spec.shape
    taps = ((1, depth, windows.stride[0], windows.dilation[0]),)
    x = node_of(WINDOW, (x,), taps)
    batch, places, height, width, _, _ = x.spec.shape
    x = node_of(RESHAPE, (x,), (batch, places, height, width, groups, per_group, depth))
    x = node_of(PERMUTE, (x,), (0, 1, 2, 3, 4, 6, 5))
    x = node_of(RESHAPE, (x,), (batch * places, height, width, groups * depth * per_group))
    w = node_of(PERMUTE, (w,), (1, 2, 0, 3, 4))
    return x, node_of(RESHAPE, (w,), (*size, depth * per_group, outs))


class _Phase(NamedTuple):
    """Adjacent residues modulo the stride whose positions use the same number of taps.

    Tap k of the kernel adds x[i] to position i * stride + k * dilation. So position q * stride + r
    uses, for j = 0 .. taps - 1, tap `first + j * every` of x[q - lag - j * dilation].
    """

    residues: int
    first: int
    taps: int
    every: int
    dilation: int
    lag: int

    @property
    def reach(self) -> int:
        """Distance from q back to the first element that is read."""
        return self.lag + (self.taps - 1) * self.dilation


def _phases(size: int, stride: int, dilation: int) -> list[_Phase]:
    common = math.gcd(stride, dilation)
    every = stride // common
    phases: list[_Phase] = []
    for residue in range(stride):
        hits = (k for k in range(min(size, every)) if k * dilation % stride == residue)
        first = next(hits, size)
        taps = len(range(first, size, every))
        if dilation == 1 and phases and phases[-1].taps == taps:
            phases[-1] = phases[-1]._replace(residues=phases[-1].residues + 1)
        else:
            lag = (first * dilation - residue) // stride
            phases.append(_Phase(1, first, taps, every, dilation // common, lag))
    return phases


class _Axis(NamedTuple):
    """One spatial axis: `steps` values of q from `low`; `out` positions kept, from `start`."""

    phases: list[_Phase]
    low: int
    steps: int
    start: int
    out: int


def _axis(size: int, stride: int, dilation: int, pad: int, out: int) -> _Axis:
    phases = _phases(size, stride, dilation)
    low = min(pad // stride, *(phase.reach for phase in phases if phase.taps))
    return _Axis(phases, low, -(-(pad + out) // stride) - low, pad - low * stride, out)


@remembered
@images_convolved
def conv2d_transpose(
    x: ArrayLike,
    w: ArrayLike,
    /,
    *,
    stride: PerAxis = 1,
    padding: PaddingLike = "valid",
    output_padding: PerAxis = 0,
    dilation: PerAxis = 1,
    groups: int = 1,
    data_format: str = "NHWC",
) -> Tensor:
    """Transposed 2-d convolution: the gradient of `conv2d` with respect to its first operand.

    The height of the result is height * stride for "same" padding. Otherwise it is (height - 1) *
    stride + dilation * (kernel height - 1) + 1 - padding on both sides + `output_padding`.

    Args:
        w: Kernel of shape (kernel height, kernel width, outputs / groups, channels): the kernel of
            the `conv2d` whose gradient this is.
        padding: "valid" (default), "same", a number, or ((top, bottom), (left, right)).
        output_padding: Number of rows and columns to add at the end, a number or (height, width); 0
            by default. Not allowed with "same".

    Raises:
        ShapeError: If the shapes are incompatible, or the result would be empty.

    >>> import py_tensor as pt
    >>> pt.conv2d_transpose(pt.ones((1, 4, 4, 3)), pt.ones((2, 2, 8, 3)), stride=2).shape
    (1, 8, 8, 8)
    """

    def convolved(images: Tensor) -> Tensor:
        return convolution_transpose(
            "conv2d_transpose", images, w, 2, stride, padding, output_padding, dilation, groups
        )

    return in_layout("conv2d_transpose", data_format, convolved, x)


def convolution_transpose(
    operation: str,
    x: ArrayLike,
    w: ArrayLike,
    count: int,
    stride: PerAxis,
    padding: PaddingLike,
    output_padding: PerAxis,
    dilation: PerAxis,
    groups: int,
) -> Tensor:
    """Transposed convolution with `count` spatial axes; `operation` is for error messages."""
    x, w = as_tensor(operation, x), as_tensor(operation, w)
    groups = integer(operation, "groups", groups)
    images = an_image(operation, x, w, count, "outputs / groups, channels")
    channels, (*size, per_group, inputs) = images.shape[-1], w.shape
    if groups < 1 or channels != inputs or channels % groups:
        raise ShapeError(
            f"{operation}: wrong number of channels; got {channels} in x, {inputs} in w, {groups} "
            "groups; x must have as many channels as the last axis of w, a multiple of groups"
        )
    image = images.shape[1:-1]
    steps = per_axis(operation, "stride", stride, 1, count)
    spread = per_axis(operation, "dilation", dilation, 1, count)
    more = per_axis(operation, "output_padding", output_padding, 0, count)
    pads, out = _placement(operation, image, tuple(size), steps, padding, more, spread)
    if min(*image, *size, *out) < 1:
        raise ShapeError(
            f"{operation}: the result would be empty; got image {image}, kernel {tuple(size)} and "
            f"result {out}; use non-empty inputs and less padding"
        )
    if max(steps) > MOST_STEPS:
        raise ArgumentError(
            f"{operation}: stride is too large; got {shown(steps)}; use at most {MOST_STEPS}"
        )
    backend().check_size(operation, (*out, per_group * groups), images.dtype)
    node, kernel = images._node, node_behind(operation, w)
    if count == 3:
        node, kernel = _apart(node, kernel)
    elif count == 1:
        node, kernel = upright(node, 1), upright(kernel, 0)
    numbers = [tuple(size), steps, spread, pads, out]
    if count == 2 and _is_column(image, out):
        node, kernel = _turned(node, 1), _turned(kernel, 0)
        numbers = [lengths[::-1] for lengths in numbers]
    axes = [_axis(*of_axis) for of_axis in zip(*numbers, strict=True)]
    rows, columns = (_ONE_ROW, *axes)[-2:]
    node = _transposed(node, kernel, rows, columns, groups)
    if count == 3:
        node = _added_up(node, (image[0], size[0]), steps[0], spread[0], pads[0], out[0], groups)
    batch = () if x.ndim == count + 1 else x.shape[:1]
    return Tensor(node_of(RESHAPE, (node,), (*batch, *out, per_group * groups)))


_ONE_ROW = _axis(size=1, stride=1, dilation=1, pad=0, out=1)


def _transposed(x: OpNode, w: OpNode, rows: _Axis, columns: _Axis, groups: int) -> OpNode:
    """Return the transposed convolution of images of two spatial axes."""
    # Each part has shape (batch, rows, residues, columns, residues, groups, outputs / groups).
    bands = [
        _joined([_part(x, w, rows, columns, a, b, groups) for b in columns.phases], 4)
        for a in rows.phases
    ]
    batch, outs = x.spec.shape[0], w.spec.shape[2] * groups
    height = rows.steps * sum(phase.residues for phase in rows.phases)
    width = columns.steps * sum(phase.residues for phase in columns.phases)
    result = node_of(RESHAPE, (_joined(bands, 2),), (batch, height, width, outs))
    parts = (
        (0, batch, 1),
        (rows.start, rows.out, 1),
        (columns.start, columns.out, 1),
        (0, outs, 1),
    )
    return node_of(SLICE, (result,), parts)


def _apart(x: OpNode, w: OpNode) -> tuple[OpNode, OpNode]:
    """Move each depth to the batch axis, and the taps along the depth to the outputs."""
    batch, depth, *image = x.spec.shape
    x = node_of(RESHAPE, (x,), (batch * depth, *image))
    w = node_of(PERMUTE, (w,), (1, 2, 0, 3, 4))
    height, width, taps, per_group, channels = w.spec.shape
    return x, node_of(RESHAPE, (w,), (height, width, taps * per_group, channels))


def _added_up(
    planes: OpNode, lengths: AxisPair, stride: int, dilation: int, front: int, out: int, groups: int
) -> OpNode:
    """Sum the planes that the taps contribute to each of `out` depths, from `front` on."""
    depth, taps = lengths
    images, height, width, outs = planes.spec.shape
    per_group = outs // (groups * taps)
    shape = (images // depth, depth, height, width, groups, taps, per_group)
    planes = node_of(RESHAPE, (planes,), shape)
    last = (depth - 1) * stride
    end = max(last + dilation * (taps - 1) + 1, front + out)
    total: OpNode | None = None
    for tap in range(taps):
        low = tap * dilation
        parts = (*((0, n, 1) for n in shape[:5]), (tap, 1, 1), (0, per_group, 1))
        term = node_of(
            RESHAPE, (node_of(SLICE, (planes,), parts),), (*shape[:4], groups * per_group)
        )
        widths = ((0, 0, 0), (low, end - last - low - 1, stride - 1), *((0, 0, 0),) * 3)
        term = node_of(PAD, (term, scalar_node(0, term.spec.dtype)), widths)
        total = term if total is None else node_of(ADD, (total, term))
    assert total is not None
    batch, _, *plane = total.spec.shape
    parts = ((0, batch, 1), (front, out, 1), *((0, n, 1) for n in plane))
    return node_of(SLICE, (total,), parts)


def _placement(
    operation: str,
    image: Lengths,
    size: Lengths,
    stride: Lengths,
    padding: PaddingLike,
    more: Lengths,
    dilation: Lengths,
) -> tuple[Lengths, Lengths]:
    """Return the number of positions cropped before the result, and the lengths of the result."""
    if isinstance(padding, str) and padding == "same":
        if any(more):
            raise ArgumentError(
                f'{operation}: output_padding cannot be combined with "same"; got {more}; omit it, '
                "or pass padding as numbers"
            )
        return (
            tuple(
                max(0, d * (k - 1) + 1 - step) // 2
                for k, step, d in zip(size, stride, dilation, strict=True)
            ),
            tuple(n * step for n, step in zip(image, stride, strict=True)),
        )
    pads: tuple[AxisPair, ...] = ((0, 0),) * len(image)
    if not isinstance(padding, str) or padding != "valid":
        pads = explicit_padding(operation, padding, len(image))
    out = tuple(
        (n - 1) * step + d * (k - 1) + 1 - sum(around) + extra
        for n, k, step, d, around, extra in zip(
            image, size, stride, dilation, pads, more, strict=True
        )
    )
    return tuple(before for before, _ in pads), out


def _part(
    x: OpNode, w: OpNode, rows: _Axis, columns: _Axis, a: _Phase, b: _Phase, groups: int
) -> OpNode:
    """Compute the positions of one phase per axis by convolving x with the phase's taps."""
    batch, channels = x.spec.shape[0], x.spec.shape[3]
    kh, kw, outs, _ = w.spec.shape
    places = (batch, rows.steps, a.residues, columns.steps, b.residues, groups, outs)
    if not a.taps or not b.taps:
        return node_of(BROADCAST, (scalar_node(0, x.spec.dtype),), places)
    whole = ((0, outs, 1), (0, channels, 1))
    w = node_of(SLICE, (w,), ((a.first, kh - a.first, 1), (b.first, kw - b.first, 1), *whole))
    w = node_of(WINDOW, (w,), ((0, a.residues, a.every, 1), (1, b.residues, b.every, 1)))
    backward = ((a.taps - 1, a.taps, -1), (b.taps - 1, b.taps, -1))
    w = node_of(SLICE, (w,), (*backward, *whole, (0, a.residues, 1), (0, b.residues, 1)))
    inputs = channels // groups
    w = node_of(RESHAPE, (w,), (a.taps, b.taps, outs, groups, inputs, a.residues, b.residues))
    w = node_of(PERMUTE, (w,), (0, 1, 4, 3, 5, 6, 2))
    w = node_of(RESHAPE, (w,), (a.taps, b.taps, inputs, groups * a.residues * b.residues * outs))
    window = Window(
        kernel=(a.taps, b.taps),
        stride=(1, 1),
        pad=(a.reach - rows.low, b.reach - columns.low),
        dilation=(a.dilation, b.dilation),
        out=(rows.steps, columns.steps),
        groups=groups,
    )
    node = contraction(CONVOLVE, (x, w), window)
    shape = (groups, batch, rows.steps, columns.steps, a.residues, b.residues, outs)
    return node_of(PERMUTE, (node_of(RESHAPE, (node,), shape),), (1, 2, 4, 3, 5, 0, 6))


def _joined(nodes: list[OpNode], axis: int) -> OpNode:
    return (
        nodes[0] if len(nodes) == 1 else concat([Tensor(node) for node in nodes], axis=axis)._node
    )
