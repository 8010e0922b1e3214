"""Building blocks of neural networks: softmax and convolution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

from ..errors import ArgumentError, DTypeError, ShapeError
from ..graph import node_of
from ..ops.contractions import CONVOLVE, Window
from ..ops.views import PERMUTE, RESHAPE
from ..tensor import Tensor, asarray, node_behind
from .axes import one_axis
from .elementwise import PUBLIC as ELEMENTWISE
from .statistical import PUBLIC as STATISTICAL


def softmax(x: Any, /, *, axis: int = -1) -> Tensor:
    """exp(x) over its sum along an axis, shifted by the maximum so that nothing overflows.

    >>> import py_tensor as pt
    >>> pt.softmax(pt.asarray([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    given = asarray(x)
    if given.dtype.kind != "f":
        raise DTypeError(f'softmax: dtype {given.dtype} is not floating; use x.astype("float32")')
    place = one_axis("softmax", axis, given.ndim)
    if given.shape[place] == 0:
        return given
    powers = ELEMENTWISE["exp"](given - STATISTICAL["max"](given, axis=place, keepdims=True))
    return powers / STATISTICAL["sum"](powers, axis=place, keepdims=True)


def _pair(name: str, value: Any, low: int) -> tuple[int, int]:
    pair = tuple(index(v) for v in value) if isinstance(value, Sequence) else (index(value),) * 2
    if len(pair) != 2 or min(pair) < low:
        raise ArgumentError(
            f"conv2d: {name} does not fit; got {value}; give a number or two, from {low} on"
        )
    return pair


def _padding(padding: Any, sizes: list[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
    """(before, after) for both axes; `sizes` are (input, kernel, stride, dilation)."""
    if padding == "valid":
        return [(0, 0), (0, 0)]
    if padding == "same":
        pairs = []
        for n, kernel, stride, dilation in sizes:
            total = max(0, (-(-n // stride) - 1) * stride + dilation * (kernel - 1) + 1 - n)
            pairs.append((total // 2, total - total // 2))
        return pairs
    if isinstance(padding, int):
        return [(padding, padding)] * 2
    if isinstance(padding, Sequence) and not isinstance(padding, str) and len(padding) == 2:
        return [(p, p) if isinstance(p, int) else (index(p[0]), index(p[1])) for p in padding]
    raise ArgumentError(
        f'conv2d: padding does not fit; got {padding!r}; give "valid", "same", a number or '
        "((top, bottom), (left, right))"
    )


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
    sh, sw = _pair("stride", stride, 1)
    dh, dw = _pair("dilation", dilation, 1)
    pads = _padding(padding, [(height, kh, sh, dh), (width, kw, sw, dw)])
    oh = (height + sum(pads[0]) - dh * (kh - 1) - 1) // sh + 1
    ow = (width + sum(pads[1]) - dw * (kw - 1) - 1) // sw + 1
    if min(oh, ow) < 1 or min(kh, kw) < 1:
        raise ShapeError(
            f"conv2d: kernel larger than the image; got kernel {(kh, kw)} and image "
            f'{(height, width)} with padding {pads}; use padding="same"'
        )
    window = Window((kh, kw), (sh, sw), (pads[0][0], pads[1][0]), (dh, dw), (oh, ow), groups)
    node = node_behind("conv2d", x)
    if single:
        node = node_of(RESHAPE, (node,), shape)
    result = node_of(CONVOLVE, (node, node_behind("conv2d", w)), window)
    if groups > 1:
        result = node_of(PERMUTE, (result,), (1, 0, 2))
    return Tensor(node_of(RESHAPE, (result,), (oh, ow, outs) if single else (batch, oh, ow, outs)))


PUBLIC: dict[str, Callable[..., Tensor]] = {"softmax": softmax, "conv2d": conv2d}
