"""Contraction rows: matrix products and convolutions, one kernel with an index rule each."""

from __future__ import annotations

from typing import Any, NamedTuple

from .rows import Contraction, Shape


class Window(NamedTuple):
    """Where a 2-D convolution reads: kernel, stride, low padding, dilation, output size, groups."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    pad: tuple[int, int]
    dilation: tuple[int, int]
    out: tuple[int, int]
    groups: int


def _dot(a: Shape, b: Shape, arg: Any) -> Shape:
    """a (groups, rows, inner) by b (groups, inner, columns)."""
    return (a[0], a[1], b[2])


def _convolve(x: Shape, w: Shape, window: Window) -> Shape:
    """x (batch, height, width, channels) by w (kernel height, kernel width, channels / groups, out)."""
    pixels = x[0] * window.out[0] * window.out[1]
    return (window.groups, pixels, w[3] // window.groups)


def _reference_convolve(xp: Any, x: Any, w: Any, window: Window) -> Any:
    (kh, kw), (sh, sw), (ph, pw), (dh, dw), (oh, ow), groups = window
    batch, height, width, channels = x.shape
    bottom = max(0, (oh - 1) * sh + (kh - 1) * dh + 1 - height - ph)
    right = max(0, (ow - 1) * sw + (kw - 1) * dw + 1 - width - pw)
    x = xp.pad(x, ((0, 0), (ph, bottom), (pw, right), (0, 0)))
    total = 0
    each = channels // groups
    for i in range(kh):
        for j in range(kw):
            part = x[
                :,
                i * dh : i * dh + (oh - 1) * sh + 1 : sh,
                j * dw : j * dw + (ow - 1) * sw + 1 : sw,
            ]
            part = part.reshape(batch * oh * ow, groups, each).transpose(1, 0, 2)
            tap = w[i, j].reshape(each, groups, -1).transpose(1, 0, 2)
            total = total + part @ tap
    return total


# fmt: off
DOT = Contraction(name="dot", rule=_dot, reference=lambda xp, a, b, arg: xp.matmul(a, b), public=False, doc="Batched matrix product.")
CONVOLVE = Contraction(name="convolve", rule=_convolve, reference=_reference_convolve, public=False, doc="2-D convolution (cross-correlation) of NHWC by HWIO.")

ROWS = (DOT, CONVOLVE)
