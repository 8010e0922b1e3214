"""Pooling layers, channels last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ...functions.windows import per_axis
from ...tensor import Tensor
from .. import pooling
from ..module import Module, static_field
from .windowed import Windowed


class _Pool(Windowed):
    function: ClassVar[Callable[..., Tensor]]

    def __init__(
        self, size: Any, *, stride: Any = None, padding: Any = "valid", dilation: Any = 1
    ) -> None:
        self.place(size, stride, padding, dilation)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return type(self).function(x, self.size, **self.options())

    def facts(self) -> str:
        return ", ".join(self.window_facts(self.size))


class MaxPool1D(_Pool):
    """`max_pool1d`: the largest element of each window of sequences, by channel.

    (batch, width, channels) to the same with shorter axes. `stride` is the size where None. Raises
    ArgumentError for sizes below 1, ShapeError for windows larger than the sequence.

    >>> import py_tensor as pt
    >>> pt.nn.MaxPool1D(2)(pt.ones((1, 8, 3))).shape
    (1, 4, 3)
    """

    count = 1
    function = staticmethod(pooling.max_pool1d)


class MaxPool2D(_Pool):
    """`max_pool2d`: the largest element of each window of images, by channel.

    (batch, height, width, channels) to the same with shorter axes. `stride` is the size where None.
    Raises ArgumentError for sizes below 1, ShapeError for windows larger than the image.

    >>> import py_tensor as pt
    >>> pt.nn.MaxPool2D(2)(pt.ones((1, 8, 8, 3))).shape
    (1, 4, 4, 3)
    """

    count = 2
    function = staticmethod(pooling.max_pool2d)


class MaxPool3D(_Pool):
    """`max_pool3d`: the largest element of each window of volumes, by channel.

    (batch, depth, height, width, channels) to the same with shorter axes. `stride` is the size
    where None. Raises ArgumentError for sizes below 1, ShapeError for windows larger than the
    volume.

    >>> import py_tensor as pt
    >>> pt.nn.MaxPool3D(2)(pt.ones((1, 8, 8, 8, 3))).shape
    (1, 4, 4, 4, 3)
    """

    count = 3
    function = staticmethod(pooling.max_pool3d)


class AvgPool1D(_Pool):
    """`avg_pool1d`: the mean of each window of sequences, by channel.

    (batch, width, channels) to the same with shorter axes. `stride` is the size where None. Raises
    ArgumentError for sizes below 1, ShapeError for windows larger than the sequence.

    >>> import py_tensor as pt
    >>> pt.nn.AvgPool1D(3, stride=1)(pt.ones((1, 8, 3))).shape
    (1, 6, 3)
    """

    count = 1
    function = staticmethod(pooling.avg_pool1d)


class AvgPool2D(_Pool):
    """`avg_pool2d`: the mean of each window of images, by channel.

    (batch, height, width, channels) to the same with shorter axes. `stride` is the size where None.
    Raises ArgumentError for sizes below 1, ShapeError for windows larger than the image.

    >>> import py_tensor as pt
    >>> pt.nn.AvgPool2D(3, stride=1)(pt.ones((1, 8, 8, 3))).shape
    (1, 6, 6, 3)
    """

    count = 2
    function = staticmethod(pooling.avg_pool2d)


class AvgPool3D(_Pool):
    """`avg_pool3d`: the mean of each window of volumes, by channel.

    (batch, depth, height, width, channels) to the same with shorter axes. `stride` is the size
    where None. Raises ArgumentError for sizes below 1, ShapeError for windows larger than the
    volume.

    >>> import py_tensor as pt
    >>> pt.nn.AvgPool3D(3, stride=1)(pt.ones((1, 8, 8, 8, 3))).shape
    (1, 6, 6, 6, 3)
    """

    count = 3
    function = staticmethod(pooling.avg_pool3d)


class _Adaptive(Module):
    out: tuple[int, ...] = static_field()
    count: ClassVar[int]
    function: ClassVar[Callable[..., Tensor]]

    def __init__(self, out: Any) -> None:
        self.out = per_axis(type(self).__name__, "size of the result", out, 1, self.count)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return type(self).function(x, self.out)

    def facts(self) -> str:
        return "x".join(map(str, self.out))


class AdaptiveMaxPool1D(_Adaptive):
    """`adaptive_max_pool1d`: the largest element of each of `out` parts of sequences.

    Raises ArgumentError for `out` below 1, ShapeError for empty axes.

    >>> import py_tensor as pt
    >>> pt.nn.AdaptiveMaxPool1D(2)(pt.ones((1, 7, 3))).shape
    (1, 2, 3)
    """

    count = 1
    function = staticmethod(pooling.adaptive_max_pool1d)


class AdaptiveMaxPool2D(_Adaptive):
    """`adaptive_max_pool2d`: the largest element of each of `out` parts of images.

    Raises ArgumentError for `out` below 1, ShapeError for empty axes.

    >>> import py_tensor as pt
    >>> pt.nn.AdaptiveMaxPool2D(2)(pt.ones((1, 7, 7, 3))).shape
    (1, 2, 2, 3)
    """

    count = 2
    function = staticmethod(pooling.adaptive_max_pool2d)


class AdaptiveMaxPool3D(_Adaptive):
    """`adaptive_max_pool3d`: the largest element of each of `out` parts of volumes.

    Raises ArgumentError for `out` below 1, ShapeError for empty axes.

    >>> import py_tensor as pt
    >>> pt.nn.AdaptiveMaxPool3D(2)(pt.ones((1, 7, 7, 7, 3))).shape
    (1, 2, 2, 2, 3)
    """

    count = 3
    function = staticmethod(pooling.adaptive_max_pool3d)


class AdaptiveAvgPool1D(_Adaptive):
    """`adaptive_avg_pool1d`: the mean of each of `out` parts of sequences.

    Raises ArgumentError for `out` below 1, ShapeError for empty axes.

    >>> import py_tensor as pt
    >>> pt.nn.AdaptiveAvgPool1D(2)(pt.ones((1, 7, 3))).shape
    (1, 2, 3)
    """

    count = 1
    function = staticmethod(pooling.adaptive_avg_pool1d)


class AdaptiveAvgPool2D(_Adaptive):
    """`adaptive_avg_pool2d`: the mean of each of `out` parts of images.

    Raises ArgumentError for `out` below 1, ShapeError for empty axes.

    >>> import py_tensor as pt
    >>> pt.nn.AdaptiveAvgPool2D(2)(pt.ones((1, 7, 7, 3))).shape
    (1, 2, 2, 3)
    """

    count = 2
    function = staticmethod(pooling.adaptive_avg_pool2d)


class AdaptiveAvgPool3D(_Adaptive):
    """`adaptive_avg_pool3d`: the mean of each of `out` parts of volumes.

    Raises ArgumentError for `out` below 1, ShapeError for empty axes.

    >>> import py_tensor as pt
    >>> pt.nn.AdaptiveAvgPool3D(2)(pt.ones((1, 7, 7, 7, 3))).shape
    (1, 2, 2, 2, 3)
    """

    count = 3
    function = staticmethod(pooling.adaptive_avg_pool3d)


class GlobalMaxPool(Module):
    """`global_max_pool`: the largest element of each channel.

    (batch, ..., channels) to (batch, channels). Raises ShapeError for other numbers of axes.

    >>> import py_tensor as pt
    >>> pt.nn.GlobalMaxPool()(pt.ones((1, 7, 7, 3))).shape
    (1, 3)
    """

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return pooling.global_max_pool(x)


class GlobalAvgPool(Module):
    """`global_avg_pool`: the mean of each channel.

    (batch, ..., channels) to (batch, channels). Raises ShapeError for other numbers of axes.

    >>> import py_tensor as pt
    >>> pt.nn.GlobalAvgPool()(pt.ones((1, 7, 7, 3))).shape
    (1, 3)
    """

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return pooling.global_avg_pool(x)
