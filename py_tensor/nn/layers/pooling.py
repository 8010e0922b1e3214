"""Pooling layers, channels last."""

from __future__ import annotations

from ...functions.sliding_windows import per_axis
from ...tensor import Tensor
from ...typing import PaddingLike, PerAxis
from .. import pooling
from ..contracts import ADAPTIVE_LAYER, POOLING_LAYER
from ..module import Module, static_field
from .windowed import Sized, Windowed

_AVG = "The mean is over the elements of the input alone."
_MAX = "Padding counts as the lowest number."


class _Pool(Windowed):
    contracts = POOLING_LAYER

    def __init__(
        self,
        size: PerAxis,
        *,
        stride: PerAxis | None = None,
        padding: PaddingLike = "valid",
        dilation: PerAxis = 1,
    ) -> None:
        self.set_windows(size, stride, padding, dilation)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return type(self).function(x, self.size, **self.options())

    def facts(self) -> str:
        return ", ".join(self.window_facts(self.size))


class MaxPool1D(_Pool, count=1, function=pooling.max_pool1d, padded=_MAX):
    """Return the largest element of each window, as `max_pool1d`.

    Calling the layer takes a tensor of shape (batch, width, channels) and a numeric dtype. It
    returns one of shape (batch, width', channels) and the same dtype.

    >>> import py_tensor as pt
    >>> pt.nn.MaxPool1D(2)(pt.ones((1, 8, 3))).shape
    (1, 4, 3)
    >>> x = pt.asarray([[[1.0], [5.0], [2.0], [4.0]]])
    >>> pt.nn.MaxPool1D(2)(x).tolist()
    [[[5.0], [4.0]]]
    """


class MaxPool2D(_Pool, count=2, function=pooling.max_pool2d, padded=_MAX):
    """Return the largest element of each window, as `max_pool2d`.

    Calling the layer takes a tensor of shape (batch, height, width, channels) and a numeric dtype.
    It returns one of shape (batch, height', width', channels) and the same dtype.

    >>> import py_tensor as pt
    >>> pt.nn.MaxPool2D(2)(pt.ones((1, 8, 8, 3))).shape
    (1, 4, 4, 3)
    >>> x = pt.asarray([[[[1.0], [5.0], [2.0], [4.0]]]])
    >>> pt.nn.MaxPool2D((1, 2))(x).tolist()
    [[[[5.0], [4.0]]]]
    """


class MaxPool3D(_Pool, count=3, function=pooling.max_pool3d, padded=_MAX):
    """Return the largest element of each window, as `max_pool3d`.

    Calling the layer takes a tensor of shape (batch, depth, height, width, channels) and a numeric
    dtype. It returns one of shape (batch, depth', height', width', channels) and the same dtype.

    >>> import py_tensor as pt
    >>> pt.nn.MaxPool3D(2)(pt.ones((1, 8, 8, 8, 3))).shape
    (1, 4, 4, 4, 3)
    >>> x = pt.asarray([[[[[1.0], [5.0], [2.0], [4.0]]]]])
    >>> pt.nn.MaxPool3D((1, 1, 2))(x).tolist()
    [[[[[5.0], [4.0]]]]]
    """


class AvgPool1D(_Pool, count=1, function=pooling.avg_pool1d, padded=_AVG):
    """Return the mean of each window, as `avg_pool1d`.

    Calling the layer takes a tensor of shape (batch, width, channels) and a floating dtype. It
    returns one of shape (batch, width', channels) and the same dtype.

    >>> import py_tensor as pt
    >>> pt.nn.AvgPool1D(3, stride=1)(pt.ones((1, 8, 3))).shape
    (1, 6, 3)
    >>> x = pt.asarray([[[1.0], [5.0], [2.0], [4.0]]])
    >>> pt.nn.AvgPool1D(2)(x).tolist()
    [[[3.0], [3.0]]]
    """


class AvgPool2D(_Pool, count=2, function=pooling.avg_pool2d, padded=_AVG):
    """Return the mean of each window, as `avg_pool2d`.

    Calling the layer takes a tensor of shape (batch, height, width, channels) and a floating dtype.
    It returns one of shape (batch, height', width', channels) and the same dtype.

    >>> import py_tensor as pt
    >>> pt.nn.AvgPool2D(3, stride=1)(pt.ones((1, 8, 8, 3))).shape
    (1, 6, 6, 3)
    >>> x = pt.asarray([[[[1.0], [5.0], [2.0], [4.0]]]])
    >>> pt.nn.AvgPool2D((1, 2))(x).tolist()
    [[[[3.0], [3.0]]]]
    """


class AvgPool3D(_Pool, count=3, function=pooling.avg_pool3d, padded=_AVG):
    """Return the mean of each window, as `avg_pool3d`.

    Calling the layer takes a tensor of shape (batch, depth, height, width, channels) and a floating
    dtype. It returns one of shape (batch, depth', height', width', channels) and the same dtype.

    >>> import py_tensor as pt
    >>> pt.nn.AvgPool3D(3, stride=1)(pt.ones((1, 8, 8, 8, 3))).shape
    (1, 6, 6, 6, 3)
    >>> x = pt.asarray([[[[[1.0], [5.0], [2.0], [4.0]]]]])
    >>> pt.nn.AvgPool3D((1, 1, 2))(x).tolist()
    [[[[[3.0], [3.0]]]]]
    """


class _Adaptive(Sized):
    contracts = ADAPTIVE_LAYER
    out: tuple[int, ...] = static_field()

    def __init__(self, out: PerAxis) -> None:
        self.out = per_axis(type(self).__name__, "size of the result", out, 1, self.count)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return type(self).function(x, self.out)

    def facts(self) -> str:
        return "x".join(map(str, self.out))


class AdaptiveMaxPool1D(_Adaptive, count=1, function=pooling.adaptive_max_pool1d):
    """Return the maximum of each of `out` parts per axis, as `adaptive_max_pool1d`.

    Calling the layer takes a tensor of shape (batch, width, channels) and a numeric dtype. It
    returns one with length `out` and the same dtype.

    >>> import py_tensor as pt
    >>> pt.nn.AdaptiveMaxPool1D(2)(pt.ones((1, 7, 3))).shape
    (1, 2, 3)
    >>> x = pt.asarray([[[1.0], [5.0], [2.0], [4.0]]])
    >>> pt.nn.AdaptiveMaxPool1D(2)(x).tolist()
    [[[5.0], [4.0]]]
    """


class AdaptiveMaxPool2D(_Adaptive, count=2, function=pooling.adaptive_max_pool2d):
    """Return the maximum of each of `out` parts per axis, as `adaptive_max_pool2d`.

    Calling the layer takes a tensor of shape (batch, height, width, channels) and a numeric dtype.
    It returns one with lengths `out` and the same dtype.

    >>> import py_tensor as pt
    >>> pt.nn.AdaptiveMaxPool2D(2)(pt.ones((1, 7, 7, 3))).shape
    (1, 2, 2, 3)
    >>> x = pt.asarray([[[[1.0], [5.0], [2.0], [4.0]]]])
    >>> pt.nn.AdaptiveMaxPool2D((1, 2))(x).tolist()
    [[[[5.0], [4.0]]]]
    """


class AdaptiveMaxPool3D(_Adaptive, count=3, function=pooling.adaptive_max_pool3d):
    """Return the maximum of each of `out` parts per axis, as `adaptive_max_pool3d`.

    Calling the layer takes a tensor of shape (batch, depth, height, width, channels) and a numeric
    dtype. It returns one with lengths `out` and the same dtype.

    >>> import py_tensor as pt
    >>> pt.nn.AdaptiveMaxPool3D(2)(pt.ones((1, 7, 7, 7, 3))).shape
    (1, 2, 2, 2, 3)
    >>> x = pt.asarray([[[[[1.0], [5.0], [2.0], [4.0]]]]])
    >>> pt.nn.AdaptiveMaxPool3D((1, 1, 2))(x).tolist()
    [[[[[5.0], [4.0]]]]]
    """


class AdaptiveAvgPool1D(_Adaptive, count=1, function=pooling.adaptive_avg_pool1d):
    """Return the mean of each of `out` parts per axis, as `adaptive_avg_pool1d`.

    Calling the layer takes a tensor of shape (batch, width, channels) and a floating dtype. It
    returns one with length `out` and the same dtype.

    >>> import py_tensor as pt
    >>> pt.nn.AdaptiveAvgPool1D(2)(pt.ones((1, 7, 3))).shape
    (1, 2, 3)
    >>> x = pt.asarray([[[1.0], [5.0], [2.0], [4.0]]])
    >>> pt.nn.AdaptiveAvgPool1D(2)(x).tolist()
    [[[3.0], [3.0]]]
    """


class AdaptiveAvgPool2D(_Adaptive, count=2, function=pooling.adaptive_avg_pool2d):
    """Return the mean of each of `out` parts per axis, as `adaptive_avg_pool2d`.

    Calling the layer takes a tensor of shape (batch, height, width, channels) and a floating dtype.
    It returns one with lengths `out` and the same dtype.

    >>> import py_tensor as pt
    >>> pt.nn.AdaptiveAvgPool2D(2)(pt.ones((1, 7, 7, 3))).shape
    (1, 2, 2, 3)
    >>> x = pt.asarray([[[[1.0], [5.0], [2.0], [4.0]]]])
    >>> pt.nn.AdaptiveAvgPool2D((1, 2))(x).tolist()
    [[[[3.0], [3.0]]]]
    """


class AdaptiveAvgPool3D(_Adaptive, count=3, function=pooling.adaptive_avg_pool3d):
    """Return the mean of each of `out` parts per axis, as `adaptive_avg_pool3d`.

    Calling the layer takes a tensor of shape (batch, depth, height, width, channels) and a floating
    dtype. It returns one with lengths `out` and the same dtype.

    >>> import py_tensor as pt
    >>> pt.nn.AdaptiveAvgPool3D(2)(pt.ones((1, 7, 7, 7, 3))).shape
    (1, 2, 2, 2, 3)
    >>> x = pt.asarray([[[[[1.0], [5.0], [2.0], [4.0]]]]])
    >>> pt.nn.AdaptiveAvgPool3D((1, 1, 2))(x).tolist()
    [[[[[3.0], [3.0]]]]]
    """


class GlobalMaxPool(Module):
    """Return the largest element of each channel, as `global_max_pool`.

    Calling the layer takes a tensor of shape (batch, ..., channels) with 3 to 5 axes, and a numeric
    dtype. It returns one of shape (batch, channels) and the same dtype.

    Raises:
        ShapeError: In a call, if the input has another number of axes.

    >>> import py_tensor as pt
    >>> pt.nn.GlobalMaxPool()(pt.asarray([[[1.0, 5.0], [3.0, 7.0]]])).tolist()
    [[3.0, 7.0]]
    """

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return pooling.global_max_pool(x)


class GlobalAvgPool(Module):
    """Return the mean of each channel, as `global_avg_pool`.

    Calling the layer takes a tensor of shape (batch, ..., channels) with 3 to 5 axes, and a
    floating dtype. It returns one of shape (batch, channels) and the same dtype.

    Raises:
        ShapeError: In a call, if the input has another number of axes.

    >>> import py_tensor as pt
    >>> pt.nn.GlobalAvgPool()(pt.asarray([[[1.0, 5.0], [3.0, 7.0]]])).tolist()
    [[2.0, 6.0]]
    """

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return pooling.global_avg_pool(x)
