"""Transposed convolution, which makes images larger, as decoders do.

It is computed as a convolution for each residue of a place modulo the stride.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import ArgumentError, ShapeError
from ..nodes import Node, node_of, scalar_node
from ..ops.contractions import CONVOLVE, Window
from ..ops.elementwise import ADD
from ..ops.views import BROADCAST, PAD, PERMUTE, RESHAPE, SLICE, WINDOW
from ..tensor import Tensor, as_tensor, node_behind
from .convolution import an_image, upright
from .joining import concat
from .remembering import remembered
from .windows import Lengths, Pair, explicit_padding, per_axis


class _Phase(NamedTuple):
    """Neighbouring residues modulo the stride whose places in the result take as many taps.

    A tap k of the kernel adds x[i] to place i * stride + k * dilation. So place q * stride + r
    takes, for j = 0 .. taps - 1, tap `first + j * every` of x[q - lag - j * dilation].
    """

    residues: int
    first: int
    taps: int
    every: int
    dilation: int
    lag: int

    @property
    def reach(self) -> int:
        """How far before q it reads."""
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
    """One axis: `steps` values of q from `low` on; `out` of their places are kept, from `start`."""

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
def conv2d_transpose(
    x: Any,
    w: Any,
    /,
    *,
    stride: Any = 1,
    padding: Any = "valid",
    output_padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Transposed 2-d convolution: the gradient of `conv2d` with respect to its first operand.

    `x` has shape (batch, height, width, channels), or (height, width, channels); `w` has shape
    (kernel height, kernel width, outputs / groups, channels), as the `conv2d` whose gradient this
    is takes it. The result has shape (batch, height', width', outputs), where height' is height *
    stride for "same", else (height - 1) * stride + dilation * (kernel height - 1) + 1 less the
    padding on both sides plus `output_padding`. Raises ShapeError where shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.conv2d_transpose(pt.ones((1, 4, 4, 3)), pt.ones((2, 2, 8, 3)), stride=2).shape
    (1, 8, 8, 8)
    """
    return convolution_transpose(
        "conv2d_transpose", x, w, 2, stride, padding, output_padding, dilation, groups
    )


def convolution_transpose(
    operation: str,
    x: Any,
    w: Any,
    count: int,
    stride: Any,
    padding: Any,
    output_padding: Any,
    dilation: Any,
    groups: int,
) -> Tensor:
    """What `operation`, a transposed convolution of images of `count` axes, gives."""
    x, w = as_tensor(operation, x), as_tensor(operation, w)
    images = an_image(operation, x, w, count, "outputs / groups, channels")
    channels, (*size, each, inputs) = images.shape[-1], w.shape
    if groups < 1 or channels != inputs or channels % groups:
        raise ShapeError(
            f"{operation}: channels do not fit; got {channels} in x, {inputs} in w, "
            f"{groups} groups; x needs as many as the last axis of w, a multiple of groups"
        )
    image = images.shape[1:-1]
    steps = per_axis(operation, "stride", stride, 1, count)
    spread = per_axis(operation, "dilation", dilation, 1, count)
    more = per_axis(operation, "output_padding", output_padding, 0, count)
    pads, out = _placement(operation, image, tuple(size), steps, padding, more, spread)
    if min(*image, *size, *out) < 1:
        raise ShapeError(
            f"{operation}: nothing would be left; got image {image}, kernel "
            f"{tuple(size)} and result {out}; give elements, and less padding"
        )
    node, kernel = images._node, node_behind(operation, w)
    if count == 3:
        node, kernel = _apart(node, kernel)
    elif count == 1:
        node, kernel = upright(node, 1), upright(kernel, 0)
    axes = [_axis(*numbers) for numbers in zip(size, steps, spread, pads, out, strict=True)]
    rows, columns = (_ONE_ROW, *axes)[-2:]
    node = _transposed(node, kernel, rows, columns, groups)
    if count == 3:
        node = _added_up(node, (image[0], size[0]), steps[0], spread[0], pads[0], out[0], groups)
    batch = () if x.ndim == count + 1 else x.shape[:1]
    return Tensor(node_of(RESHAPE, (node,), (*batch, *out, each * groups)))


_ONE_ROW = _axis(size=1, stride=1, dilation=1, pad=0, out=1)


def _transposed(x: Node, w: Node, rows: _Axis, columns: _Axis, groups: int) -> Node:
    """The image of two axes that x and w give."""
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


def _apart(x: Node, w: Node) -> tuple[Node, Node]:
    """Each depth as an image, and what each tap of the depth makes of it as further outputs."""
    batch, depth, *image = x.spec.shape
    x = node_of(RESHAPE, (x,), (batch * depth, *image))
    w = node_of(PERMUTE, (w,), (1, 2, 0, 3, 4))
    height, width, taps, each, channels = w.spec.shape
    return x, node_of(RESHAPE, (w,), (height, width, taps * each, channels))


def _added_up(
    planes: Node, lengths: Pair, stride: int, dilation: int, front: int, out: int, groups: int
) -> Node:
    """`out` places of the depth from `front` on: sums of the planes that the taps put there."""
    depth, taps = lengths
    images, height, width, outs = planes.spec.shape
    each = outs // (groups * taps)
    shape = (images // depth, depth, height, width, groups, taps, each)
    planes = node_of(RESHAPE, (planes,), shape)
    last = (depth - 1) * stride
    end = max(last + dilation * (taps - 1) + 1, front + out)
    total: Node | None = None
    for tap in range(taps):
        low = tap * dilation
        parts = (*((0, n, 1) for n in shape[:5]), (tap, 1, 1), (0, each, 1))
        term = node_of(RESHAPE, (node_of(SLICE, (planes,), parts),), (*shape[:4], groups * each))
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
    padding: Any,
    more: Lengths,
    dilation: Lengths,
) -> tuple[Lengths, Lengths]:
    """What is cut off before the first place of the result, and how many places it has."""
    if padding == "same":
        if any(more):
            raise ArgumentError(
                f'{operation}: output_padding does not go with "same"; got {more}; '
                "leave it out, or give padding in numbers"
            )
        return (
            tuple(
                max(0, d * (k - 1) + 1 - step) // 2
                for k, step, d in zip(size, stride, dilation, strict=True)
            ),
            tuple(n * step for n, step in zip(image, stride, strict=True)),
        )
    pads: tuple[Pair, ...] = ((0, 0),) * len(image)
    if padding != "valid":
        pads = explicit_padding(operation, padding, len(image))
    out = tuple(
        (n - 1) * step + d * (k - 1) + 1 - sum(around) + extra
        for n, k, step, d, around, extra in zip(
            image, size, stride, dilation, pads, more, strict=True
        )
    )
    return tuple(before for before, _ in pads), out


def _part(x: Node, w: Node, rows: _Axis, columns: _Axis, a: _Phase, b: _Phase, groups: int) -> Node:
    """The places of one phase of each axis: a convolution of x with the taps that hit them."""
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
    node = node_of(CONVOLVE, (x, w), window)
    shape = (groups, batch, rows.steps, columns.steps, a.residues, b.residues, outs)
    return node_of(PERMUTE, (node_of(RESHAPE, (node,), shape),), (1, 2, 4, 3, 5, 0, 6))


def _joined(nodes: list[Node], axis: int) -> Node:
    return (
        nodes[0] if len(nodes) == 1 else concat([Tensor(node) for node in nodes], axis=axis)._node
    )


PUBLIC: dict[str, Callable[..., Tensor]] = {"conv2d_transpose": conv2d_transpose}
