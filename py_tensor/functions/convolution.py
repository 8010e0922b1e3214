"""Convolutions of images, and their transposes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import ArgumentError, ShapeError
from ..nodes import Node, node_of, scalar_node
from ..ops.contractions import CONVOLVE, Window
from ..ops.views import BROADCAST, PERMUTE, RESHAPE, SLICE, WINDOW
from ..tensor import Tensor, asarray, node_behind
from .joining import concat
from .remembering import remembered
from .windows import Pair, a_pair, explicit_padding, windows_of


@remembered
def conv2d(
    x: Any,
    w: Any,
    /,
    *,
    stride: Any = 1,
    padding: Any = "valid",
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """2-d convolution (cross-correlation, as all machine-learning libraries mean it).

    `x` has shape (batch, height, width, channels), or (height, width, channels); `w` has shape
    (kernel height, kernel width, channels / groups, outputs). The result has shape (batch, height',
    width', outputs). "same" pads with zeros such that height' = ceil(height / stride), the extra
    row last. Raises ShapeError where shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.conv2d(pt.ones((1, 4, 4, 1)), pt.ones((3, 3, 1, 2))).shape
    (1, 2, 2, 2)
    """
    x, w = asarray(x), asarray(w)
    single = x.ndim == 3
    if x.ndim not in (3, 4) or w.ndim != 4:
        raise ShapeError(
            f"conv2d: needs 4 axes each; got shapes {x.shape} and {w.shape}; "
            "x is (batch, height, width, channels), "
            "w is (height, width, channels / groups, outputs)"
        )
    shape = (1, *x.shape) if single else x.shape
    batch, height, width, channels = shape
    kh, kw, each, outs = w.shape
    if groups < 1 or channels != each * groups or outs % groups:
        raise ShapeError(
            f"conv2d: channels do not fit; got {channels} in x, {each} in w, {outs} outputs, "
            f"{groups} groups; "
            "x needs w's channels times groups, outputs a multiple of groups"
        )
    found = windows_of("conv2d", "kernel", (height, width), (kh, kw), stride, padding, dilation)
    (top, _), (left, _) = found.pads
    window = Window(found.size, found.stride, (top, left), found.dilation, found.out, groups)
    node = node_behind("conv2d", x)
    if single:
        node = node_of(RESHAPE, (node,), shape)
    result = node_of(CONVOLVE, (node, node_behind("conv2d", w)), window)
    if groups > 1:
        result = node_of(PERMUTE, (result,), (1, 0, 2))
    full = (*found.out, outs) if single else (batch, *found.out, outs)
    return Tensor(node_of(RESHAPE, (result,), full))


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
    x, w = asarray(x), asarray(w)
    single = x.ndim == 3
    if x.ndim not in (3, 4) or w.ndim != 4:
        raise ShapeError(
            f"conv2d_transpose: needs 4 axes each; got shapes {x.shape} and {w.shape}; "
            "x is (batch, height, width, channels), "
            "w is (height, width, outputs / groups, channels)"
        )
    batch, height, width, channels = shape = (1, *x.shape) if single else x.shape
    kh, kw, each, inputs = w.shape
    if groups < 1 or channels != inputs or channels % groups:
        raise ShapeError(
            f"conv2d_transpose: channels do not fit; got {channels} in x, {inputs} in w, "
            f"{groups} groups; x needs as many as the last axis of w, a multiple of groups"
        )
    steps = a_pair("conv2d_transpose", "stride", stride, 1)
    spread = a_pair("conv2d_transpose", "dilation", dilation, 1)
    (top, left), out = _placement(
        (height, width),
        (kh, kw),
        steps,
        padding,
        a_pair("conv2d_transpose", "output_padding", output_padding, 0),
        spread,
    )
    if min(height, width, kh, kw, *out) < 1:
        raise ShapeError(
            f"conv2d_transpose: nothing would be left; got image {(height, width)}, kernel "
            f"{(kh, kw)} and result {out}; give elements, and less padding"
        )
    rows = _axis(kh, steps[0], spread[0], top, out[0])
    columns = _axis(kw, steps[1], spread[1], left, out[1])
    node, kernel = node_behind("conv2d_transpose", x), node_behind("conv2d_transpose", w)
    if single:
        node = node_of(RESHAPE, (node,), shape)
    # Each part has shape (batch, rows, residues, columns, residues, groups, outputs / groups).
    bands = [
        _joined([_part(node, kernel, rows, columns, a, b, groups) for b in columns.phases], 4)
        for a in rows.phases
    ]
    outs = each * groups
    full = (batch, rows.steps * steps[0], columns.steps * steps[1], outs)
    result = node_of(RESHAPE, (_joined(bands, 2),), full)
    parts = (
        (0, batch, 1),
        (rows.start, rows.out, 1),
        (columns.start, columns.out, 1),
        (0, outs, 1),
    )
    result = node_of(SLICE, (result,), parts)
    return Tensor(node_of(RESHAPE, (result,), (*out, outs)) if single else result)


def _placement(
    image: Pair, size: Pair, stride: Pair, padding: Any, more: Pair, dilation: Pair
) -> tuple[Pair, Pair]:
    """What is cut off before the first place of the result, and how many places it has."""
    if padding == "same":
        if any(more):
            raise ArgumentError(
                f'conv2d_transpose: output_padding does not go with "same"; got {more}; '
                "leave it out, or give padding in numbers"
            )
        (top, height), (left, width) = (
            (max(0, d * (k - 1) + 1 - step) // 2, n * step)
            for n, k, step, d in zip(image, size, stride, dilation, strict=True)
        )
        return (top, left), (height, width)
    pads = ((0, 0), (0, 0))
    if padding != "valid":
        pads = explicit_padding("conv2d_transpose", padding)
    height, width = (
        (n - 1) * step + d * (k - 1) + 1 - sum(around) + extra
        for n, k, step, d, around, extra in zip(
            image, size, stride, dilation, pads, more, strict=True
        )
    )
    return (pads[0][0], pads[1][0]), (height, width)


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


PUBLIC: dict[str, Callable[..., Tensor]] = {
    "conv2d": conv2d,
    "conv2d_transpose": conv2d_transpose,
}
