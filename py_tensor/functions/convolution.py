"""Convolution of images with kernels.

Sequences and volumes, which `pt.nn` has functions for, become images of two axes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ShapeError
from ..nodes import Node, node_of, scalar_node
from ..ops.contractions import CONVOLVE, Window
from ..ops.views import PAD, PERMUTE, RESHAPE, WINDOW
from ..tensor import Tensor, as_tensor, node_behind
from .remembering import remembered
from .windows import Lengths, Pair, Windows, axes_of, batched, windows_of


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
    return convolution("conv2d", x, w, 2, stride, padding, dilation, groups)


def convolution(
    operation: str,
    x: Any,
    w: Any,
    count: int,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Tensor:
    """What `operation`, a convolution of images of `count` axes, gives."""
    x, w = as_tensor(operation, x), as_tensor(operation, w)
    images = an_image(operation, x, w, count, "channels / groups, outputs")
    channels, (*size, each, outs) = images.shape[-1], w.shape
    if groups < 1 or channels != each * groups or outs % groups:
        raise ShapeError(
            f"{operation}: channels do not fit; got {channels} in x, {each} in w, {outs} outputs, "
            f"{groups} groups; "
            "x needs w's channels times groups, outputs a multiple of groups"
        )
    image = images.shape[1:-1]
    found = windows_of(operation, "kernel", image, tuple(size), stride, padding, dilation)
    node, kernel = images._node, node_behind(operation, w)
    if count == 3:
        node, kernel = _folded(node, kernel, found, groups)
    elif count == 1:
        node, kernel = upright(node, 1), upright(kernel, 0)
    window = Window(
        kernel=_plane(found.size, 1),
        stride=_plane(found.stride, 1),
        pad=_plane(tuple(before for before, _ in found.pads), 0),
        dilation=_plane(found.dilation, 1),
        out=_plane(found.out, 1),
        groups=groups,
    )
    result = node_of(CONVOLVE, (node, kernel), window)
    if groups > 1:
        result = node_of(PERMUTE, (result,), (1, 0, 2))
    batch = () if x.ndim == count + 1 else x.shape[:1]
    return Tensor(node_of(RESHAPE, (result,), (*batch, *found.out, outs)))


def an_image(operation: str, x: Tensor, w: Tensor, count: int, last: str) -> Tensor:
    """x with a batch axis. Raises ShapeError where x is no image or w no kernel."""
    if x.ndim not in (count + 1, count + 2) or w.ndim != count + 2:
        axes = axes_of(count)
        raise ShapeError(
            f"{operation}: needs {count + 2} axes each; got shapes {x.shape} and {w.shape}; "
            f"x is (batch, {axes}, channels), w is ({axes}, {last})"
        )
    return batched(operation, x, count)


def _plane(values: Lengths, filler: int) -> Pair:
    """What holds for the last two axes of an image, which may have only one."""
    height, width = (filler, *values)[-2:]
    return height, width


def upright(node: Node, axis: int) -> Node:
    """With an axis of height 1 there."""
    shape = node.spec.shape
    return node_of(RESHAPE, (node,), (*shape[:axis], 1, *shape[axis:]))


def _folded(x: Node, w: Node, found: Windows, groups: int) -> tuple[Node, Node]:
    """The planes under each tap of the depth as further channels, and each depth as an image."""
    if any(found.pads[0]):
        around = ((0, 0, 0), (*found.pads[0], 0), *((0, 0, 0),) * 3)
        x = node_of(PAD, (x, scalar_node(0, x.spec.dtype)), around)
    depth, *size, each, outs = w.spec.shape
    taps = ((1, depth, found.stride[0], found.dilation[0]),)
    x = node_of(WINDOW, (x,), taps)
    batch, places, height, width, _, _ = x.spec.shape
    x = node_of(RESHAPE, (x,), (batch, places, height, width, groups, each, depth))
    x = node_of(PERMUTE, (x,), (0, 1, 2, 3, 4, 6, 5))
    x = node_of(RESHAPE, (x,), (batch * places, height, width, groups * depth * each))
    w = node_of(PERMUTE, (w,), (1, 2, 0, 3, 4))
    return x, node_of(RESHAPE, (w,), (*size, depth * each, outs))


PUBLIC: dict[str, Callable[..., Tensor]] = {"conv2d": conv2d}
