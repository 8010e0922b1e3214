"""Layers without parameters that resize, pad, crop and rearrange images and sequences."""

from __future__ import annotations

from typing import Any

from ... import functions as F
from ...dtypes import wrong_type
from ...errors import ShapeError
from ...functions import creation
from ...functions.arguments import choice
from ...functions.indexing import selected
from ...functions.sliding_windows import explicit_padding, per_axis
from ...tensor import Tensor
from ...typing import PaddingLike, PerAxis
from ..dropout import check_rate, dropout
from ..module import Module, static_field
from ..patches import pixel_shuffle
from ..resize import resize_bicubic, resize_bilinear, resize_nearest_neighbor
from .windowed import Sized


class Upsample(Module):
    """Enlarge images by whole factors.

    Calling the layer takes images of shape (batch, height, width, channels) and returns (batch,
    height * factor, width * factor, channels). Pixels are squares: `half_pixel_centers`.

    Args:
        factor: Factor of height and width, or one for each.
        method: "nearest" (default), "bilinear" or "bicubic".

    Raises:
        ArgumentError: If the factor is below 1, or the method is unknown.
        ShapeError: In a call, if the input is no image.

    >>> import py_tensor as pt
    >>> pt.nn.Upsample(2)(pt.asarray([[[[1.0], [2.0]]]]))[0, :, :, 0].tolist()
    [[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]
    """

    factor: tuple[int, ...] = static_field()
    method: str = static_field()

    def __init__(self, factor: PerAxis, *, method: str = "nearest") -> None:
        self.factor = per_axis("Upsample", "factor", factor, 1, 2)
        self.method = choice("Upsample", "method", method, _RESIZES)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        if x.ndim != 4:
            raise _no_axes("upsample", x, 4)
        size = (x.shape[1] * self.factor[0], x.shape[2] * self.factor[1])
        result: Tensor = _RESIZES[self.method](x, size, half_pixel_centers=True)
        return result

    def facts(self) -> str:
        return f"{'x'.join(map(str, self.factor))}, {self.method}"


_RESIZES: dict[str, Any] = {
    "nearest": resize_nearest_neighbor,
    "bilinear": resize_bilinear,
    "bicubic": resize_bicubic,
}


class PixelShuffle(Module):
    """Move groups of channels to blocks of pixels, as `pixel_shuffle`.

    Calling the layer takes images of shape (batch, height, width, channels * factor**2) and returns
    (batch, height * factor, width * factor, channels).

    Args:
        factor: Height and width of a block.

    Raises:
        ShapeError: In a call, if the number of channels does not fit.

    >>> import py_tensor as pt
    >>> pt.nn.PixelShuffle(2)(pt.ones((1, 3, 3, 8))).shape
    (1, 6, 6, 2)
    """

    factor: int = static_field()

    def __init__(self, factor: int) -> None:
        self.factor = factor

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return pixel_shuffle(x, self.factor)

    def facts(self) -> str:
        return str(self.factor)


class _Edges(Sized):
    widths: tuple[tuple[int, int], ...] = static_field()

    def __init__(self, widths: PaddingLike = 1) -> None:
        self.widths = explicit_padding(type(self).__name__, widths, self.count)

    def _checked(self, x: Tensor) -> Tensor:
        if x.ndim != self.count + 2:
            raise _no_axes(type(self).__name__, x, self.count + 2)
        return x

    def facts(self) -> str:
        return str(self.widths if self.count > 1 else self.widths[0])


class _ZeroPadding(_Edges):
    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return F.pad(self._checked(x), ((0, 0), *self.widths, (0, 0)))


class _Cropping(_Edges):
    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        lengths = self._checked(x).shape[1:-1]
        pairs = list(zip(self.widths, lengths, strict=True))
        if any(before + after > length for (before, after), length in pairs):
            raise ShapeError(
                f"{type(self).__name__}: more is cropped than there is; got {self.widths} for "
                f"shape {x.shape}; crop less"
            )
        inner = [slice(before, length - after) for (before, after), length in pairs]
        return selected(x, (slice(None), *inner))


class ZeroPadding1D(_ZeroPadding, count=1):
    """Add zeros before and after sequences of shape (batch, time, channels).

    Args:
        widths: Number of zeros on both sides, or (before, after); default 1.

    Raises:
        ShapeError: In a call, if the input does not have 3 axes.

    >>> import py_tensor as pt
    >>> pt.nn.ZeroPadding1D(((1, 2),))(pt.ones((1, 2, 1)))[0, :, 0].tolist()
    [0.0, 1.0, 1.0, 0.0, 0.0]
    """


class ZeroPadding2D(_ZeroPadding, count=2):
    """Add zeros around images of shape (batch, height, width, channels).

    Args:
        widths: Number of zeros on all sides, or for each axis (before, after); default 1.

    Raises:
        ShapeError: In a call, if the input does not have 4 axes.

    >>> import py_tensor as pt
    >>> pt.nn.ZeroPadding2D(((0, 1), (2, 0)))(pt.ones((1, 2, 2, 3))).shape
    (1, 3, 4, 3)
    """


class Cropping1D(_Cropping, count=1):
    """Cut off both ends of sequences of shape (batch, time, channels).

    Args:
        widths: Number of steps on both sides, or (before, after); default 1.

    Raises:
        ShapeError: In a call, if the input does not have 3 axes, or is shorter.

    >>> import py_tensor as pt
    >>> pt.nn.Cropping1D(((1, 2),))(pt.arange(6).reshape((1, 6, 1)))[0, :, 0].tolist()
    [1, 2, 3]
    """


class Cropping2D(_Cropping, count=2):
    """Cut off the edges of images of shape (batch, height, width, channels).

    Args:
        widths: Number of pixels on all sides, or for each axis (before, after); default 1.

    Raises:
        ShapeError: In a call, if the input does not have 4 axes, or is smaller.

    >>> import py_tensor as pt
    >>> pt.nn.Cropping2D(((0, 1), (2, 0)))(pt.ones((1, 4, 4, 3))).shape
    (1, 3, 2, 3)
    """


class SpatialDropout(Module):
    """Drop whole channels of each sample at random in training.

    Calling the layer takes a tensor of shape (batch, ..., channels) and a floating dtype. With
    `training=True` a channel of a sample is dropped everywhere or nowhere. Source: Tompson et al.
    2015, arXiv:1411.4280.

    Args:
        rate: Probability from 0 to 1 that a channel becomes 0.

    Raises:
        ArgumentError: If `rate` is not from 0 to 1.

    >>> import py_tensor as pt
    >>> y = pt.nn.SpatialDropout(0.5)(pt.ones((2, 4, 4, 3)), training=True)
    >>> bool((y == y[:, :1, :1]).all())
    True
    """

    rate: float = static_field()

    def __init__(self, rate: float) -> None:
        self.rate = check_rate("SpatialDropout", rate)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        if not training or not self.rate:
            return x
        if x.ndim < 2:
            raise ShapeError(
                f"spatial_dropout: input needs channels; got shape {x.shape}; x must have shape "
                "(batch, ..., channels)"
            )
        shape = (x.shape[0], *(1,) * (x.ndim - 2), x.shape[-1])
        return x * dropout(creation.ones(shape, dtype=x.dtype), self.rate)

    def facts(self) -> str:
        return f"{self.rate:g}"


class TimeDistributed(Module):
    """Apply a layer to each step of a sequence.

    Calling the layer takes a tensor of shape (batch, time, ...) and returns one of shape (batch,
    time, ...), with what the inner layer returns for each step.

    Args:
        layer: Module for inputs of shape (batch, ...) without the time axis.

    Raises:
        ShapeError: In a call, if the input has fewer than 2 axes.

    >>> import py_tensor as pt
    >>> layer = pt.nn.TimeDistributed(pt.nn.Conv2D(1, 4, 3))
    >>> layer(pt.ones((2, 5, 8, 8, 1))).shape
    (2, 5, 6, 6, 4)
    """

    layer: Module

    def __init__(self, layer: Module) -> None:
        if not isinstance(layer, Module):
            raise wrong_type("TimeDistributed", "layer", "a module", layer)
        self.layer = layer

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        if x.ndim < 2:
            raise ShapeError(
                f"time_distributed: input needs a time axis; got shape {x.shape}; x must have "
                "shape (batch, time, ...)"
            )
        batch, steps, *rest = x.shape
        result: Tensor = self.layer(x.reshape((batch * steps, *rest)), training=training)
        return result.reshape((batch, steps, *result.shape[1:]))


def _no_axes(operation: str, x: Tensor, count: int) -> ShapeError:
    return ShapeError(
        f"{operation}: input has the wrong number of axes; got shape {x.shape}; use {count} axes "
        "with the channels last"
    )
