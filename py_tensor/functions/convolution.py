"""Convolutions of images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ShapeError
from ..graph import node_of
from ..ops.contractions import CONVOLVE, Window
from ..ops.views import PERMUTE, RESHAPE
from ..tensor import Tensor, asarray, node_behind
from .windows import windows_of


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


PUBLIC: dict[str, Callable[..., Tensor]] = {"conv2d": conv2d}
