"""Definitions of contractions: matrix products and convolutions, which share the tiled kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

from .op_def import Contraction, Shape, complex_rules
from .rule_types import Array, ArrayNamespace, Functions
from .views import PAD, WINDOW


class Window(NamedTuple):
    """Geometry of a 2-D convolution; `pad` is the padding at the low end, `out` the output size."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    pad: tuple[int, int]
    dilation: tuple[int, int]
    out: tuple[int, int]
    groups: int

    @property
    def reach(self) -> tuple[int, int]:
        """Height and width that the kernel covers, with the low padding."""
        rows, columns = (
            (out - 1) * stride + (size - 1) * dilation + 1
            for out, stride, size, dilation in zip(
                self.out, self.stride, self.kernel, self.dilation, strict=True
            )
        )
        return rows, columns

    def borders(self, image: Shape) -> tuple[tuple[int, int, int], ...]:
        """Return the padding of an NHWC image that the kernel reads, as the argument of PAD."""
        sides = zip(self.pad, self.reach, image[1:3], strict=True)
        rows, columns = ((low, max(0, reach - low - n), 0) for low, reach, n in sides)
        return (0, 0, 0), rows, columns, (0, 0, 0)


def _dot(a: Shape, b: Shape, arg: Any) -> Shape:
    """Return the shape of a (groups, rows, inner) times b (groups, inner, columns)."""
    return (a[0], a[1], b[2])


def _convolve(x: Shape, w: Shape, window: Window) -> Shape:
    """Return the shape of the convolution of x (NHWC) with w (HWIO) as (groups, pixels, channels)."""
    pixels = x[0] * window.out[0] * window.out[1]
    return (window.groups, pixels, w[3] // window.groups)


def _reference_convolve(xp: ArrayNamespace, x: Any, w: Any, window: Window) -> Any:
    (kh, kw), (sh, sw), _, (dh, dw), (oh, ow), groups = window
    batch, _, _, channels = x.shape
    x = xp.pad(x, [(low, high) for low, high, _ in window.borders(x.shape)])
    total = 0
    inputs = channels // groups
    for i in range(kh):
        for j in range(kw):
            part = x[
                :,
                i * dh : i * dh + (oh - 1) * sh + 1 : sh,
                j * dw : j * dw + (ow - 1) * sw + 1 : sw,
            ]
            part = part.reshape(batch * oh * ow, groups, inputs).transpose(1, 0, 2)
            tap = w[i, j].reshape(inputs, groups, -1).transpose(1, 0, 2)
            total = total + part @ tap
    return total


def _transposed(pt: Functions, x: Array) -> Array:
    return pt.permute_dims(x, (0, 2, 1))


def _dot_to_left(pt: Functions, g: Array, y: Array, a: Array, b: Array, arg: Any) -> Array:
    return pt.apply(DOT, (g, _transposed(pt, b)))


def _dot_to_right(pt: Functions, g: Array, y: Array, a: Array, b: Array, arg: Any) -> Array:
    return pt.apply(DOT, (_transposed(pt, a), g))


def _convolve_to_image(
    pt: Functions, g: Array, y: Array, x: Array, w: Array, window: Window
) -> Array:
    """Return the transposed convolution of the cotangent, in the size of x."""
    batch, *image, _ = x.shape
    outs = w.shape[3] // window.groups
    g = pt.reshape(g, (window.groups, batch, *window.out, outs))
    g = pt.reshape(pt.permute_dims(g, (1, 2, 3, 0, 4)), (batch, *window.out, w.shape[3]))
    beyond = [reach - n for reach, n in zip(window.reach, image, strict=True)]
    return pt.conv2d_transpose(
        g,
        w,
        stride=window.stride,
        padding=tuple((low, max(n - low, 0)) for low, n in zip(window.pad, beyond, strict=True)),
        output_padding=tuple(max(low - n, 0) for low, n in zip(window.pad, beyond, strict=True)),
        dilation=window.dilation,
        groups=window.groups,
    )


def _convolve_to_kernel(
    pt: Functions, g: Array, y: Array, x: Array, w: Array, window: Window
) -> Array:
    """Return, for each tap of the kernel, the sum over pixels of g times the elements it read."""
    (kh, kw), groups = window.kernel, window.groups
    batch, _, _, channels = x.shape
    inputs = channels // groups
    windows = pt.apply(PAD, (x, 0.0), window.borders(x.shape))
    windows = windows[:, : window.reach[0], : window.reach[1]]
    taps = zip((1, 2), window.kernel, window.stride, window.dilation, strict=True)
    windows = pt.apply(WINDOW, (windows,), tuple(taps))
    windows = pt.reshape(windows, (batch, *window.out, groups, inputs, kh, kw))
    windows = pt.reshape(
        pt.permute_dims(windows, (3, 5, 6, 4, 0, 1, 2)), (groups, kh * kw * inputs, -1)
    )
    result = pt.reshape(pt.apply(DOT, (windows, g)), (groups, kh, kw, inputs, -1))
    return pt.reshape(pt.permute_dims(result, (1, 2, 3, 0, 4)), w.shape)


# fmt: off
DOT = Contraction(name="dot", complex=complex_rules.dot, rule=_dot, reference=lambda xp, a, b, arg: xp.matmul(a, b), gradient=(_dot_to_left, _dot_to_right), public=False, doc="Return the batched matrix product.")
CONVOLVE = Contraction(name="convolve", complex=complex_rules.convolve, rule=_convolve, jax="convolve", reference=_reference_convolve, gradient=(_convolve_to_image, _convolve_to_kernel), public=False, doc="Return the 2-D convolution (cross-correlation) of NHWC input and HWIO weights.")

OP_DEFS = (DOT, CONVOLVE)
