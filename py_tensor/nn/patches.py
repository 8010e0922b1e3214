"""Rearrangement of images: patches, blocks of pixels, and samples at given positions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import inf, prod
from typing import Any

from .. import functions as F
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import MOST_ELEMENTS, choice, flag, floating, integer, items, wide
from ..functions.decorators import named, remembered
from ..functions.sliding_windows import (
    SlidingWindows,
    batched,
    explicit_padding,
    per_axis,
    windows_of,
)
from ..tensor import Tensor, as_tensor
from ..transforms.autodiff import vjp
from ..typing import ArrayLike, PaddingLike, PerAxis


@remembered
def pixel_shuffle(x: ArrayLike, factor: int, /) -> Tensor:
    """Move groups of factor**2 channels to blocks of factor x factor pixels.

    Source: Shi et al. 2016, arXiv:1609.05158. As in torch.nn.PixelShuffle, channel c of the result
    consists of the channels c * factor**2 to (c + 1) * factor**2 - 1 of `x`.

    Args:
        x: Images of shape (batch, height, width, channels * factor**2) and any dtype.
        factor: Height and width of a block.

    Returns:
        Tensor of shape (batch, height * factor, width * factor, channels) and the dtype of `x`.

    Raises:
        ShapeError: If the shape does not fit.

    >>> import py_tensor as pt
    >>> pt.nn.pixel_shuffle(pt.arange(4).reshape((1, 1, 1, 4)), 2)[0, :, :, 0].tolist()
    [[0, 1], [2, 3]]
    """
    x, r = as_tensor("pixel_shuffle", x), integer("pixel_shuffle", "factor", factor)
    return _to_space("pixel_shuffle", x, r, channels_first=True)


def _to_space(operation: str, x: Tensor, r: int, *, channels_first: bool) -> Tensor:
    """Move channels to blocks of r x r pixels; `channels_first` is their order in the channels."""
    if x.ndim != 4 or r < 1 or x.shape[3] % (r * r):
        raise ShapeError(
            f"{operation}: channels do not fit the factor; got shape {x.shape} and factor {r}; x "
            "must have shape (batch, height, width, channels * factor**2)"
        )
    batch, height, width, channels = x.shape
    outputs = channels // (r * r)
    inner, order = (
        ((outputs, r, r), (0, 1, 4, 2, 5, 3))
        if channels_first
        else ((r, r, outputs), (0, 1, 3, 2, 4, 5))
    )
    blocks = x.reshape((batch, height, width, *inner)).permute_dims(order)
    return blocks.reshape((batch, height * r, width * r, outputs))


@remembered
def depth_to_space(x: ArrayLike, factor: int, /) -> Tensor:
    """Move groups of channels to blocks of factor x factor pixels, as tf.depthToSpace.

    The first channels / factor**2 channels go to the first pixel of each block, the next ones to
    the second; `pixel_shuffle` orders them differently.

    Args:
        x: Images of shape (batch, height, width, channels * factor**2) and any dtype.
        factor: Height and width of a block.

    Returns:
        Tensor of shape (batch, height * factor, width * factor, channels) and the dtype of `x`.

    Raises:
        ShapeError: If the shape does not fit.

    >>> import py_tensor as pt
    >>> pt.nn.depth_to_space(pt.arange(4).reshape((1, 1, 1, 4)), 2)[0, :, :, 0].tolist()
    [[0, 1], [2, 3]]
    """
    x = as_tensor("depth_to_space", x)
    r = integer("depth_to_space", "factor", factor, most=MOST_ELEMENTS)
    return _to_space("depth_to_space", x, r, channels_first=False)


@remembered
def space_to_depth(x: ArrayLike, factor: int, /) -> Tensor:
    """Move the pixels of blocks of factor x factor pixels to channels; inverse of `depth_to_space`.

    Args:
        x: Images of shape (batch, height * factor, width * factor, channels) and any dtype.
        factor: Height and width of a block.

    Returns:
        Tensor of shape (batch, height, width, channels * factor**2) and the dtype of `x`.

    Raises:
        ShapeError: If the shape does not fit.

    >>> import py_tensor as pt
    >>> pt.nn.space_to_depth(pt.arange(4).reshape((1, 2, 2, 1)), 2).tolist()
    [[[[0, 1, 2, 3]]]]
    """
    x = as_tensor("space_to_depth", x)
    r = integer("space_to_depth", "factor", factor, most=MOST_ELEMENTS)
    if x.ndim != 4 or r < 1 or x.shape[1] % r or x.shape[2] % r:
        raise ShapeError(
            f"space_to_depth: images do not fit the factor; got shape {x.shape} and factor {r}; x "
            "must have shape (batch, height * factor, width * factor, channels)"
        )
    batch, height, width, channels = x.shape
    blocks = x.reshape((batch, height // r, r, width // r, r, channels))
    moved = blocks.permute_dims((0, 1, 3, 2, 4, 5))
    return moved.reshape((batch, height // r, width // r, channels * r * r))


def per_divided_axis(operation: str, name: str, values: Any) -> list[int]:
    """Return integers, one for each axis that is divided into blocks."""
    numbers = items(operation, name, values)
    return [integer(operation, name, value, most=MOST_ELEMENTS) for value in numbers]


def pairs_of(operation: str, name: str, pairs: Any, count: int) -> list[tuple[int, ...]]:
    """Return pairs of integers; None stands for zeros."""
    if pairs is None:
        return [(0, 0)] * count
    checked = [
        tuple(per_divided_axis(operation, name, pair)) for pair in items(operation, name, pairs)
    ]
    if any(len(pair) != 2 or min(pair) < 0 for pair in checked):
        raise ArgumentError(
            f"{operation}: {name} must be pairs of numbers of at least 0; got {checked}; pass "
            "(before, after) for each axis"
        )
    return checked


@remembered
def space_to_batch(
    x: ArrayLike, block: Sequence[int], padding: Sequence[Sequence[int]] | None = None, /
) -> Tensor:
    """Divide the axes after the first into blocks, and give each place in a block its own images.

    Args:
        x: Tensor of shape (batch, *lengths, ...) and any dtype.
        block: Length of the blocks for each of the divided axes.
        padding: Numbers of zeros (before, after) for each of these axes; None (default) for none.

    Returns:
        Tensor of shape (batch * product of `block`, *padded lengths / block, ...) and the dtype of
        `x`. The images of the first place come first.

    Raises:
        ShapeError: If blocks do not fit the padded lengths.

    >>> import py_tensor as pt
    >>> pt.nn.space_to_batch([[1, 2, 3, 4]], [2]).tolist()
    [[1, 3], [2, 4]]
    """
    x, sizes = as_tensor("space_to_batch", x), per_divided_axis("space_to_batch", "block", block)
    around = pairs_of("space_to_batch", "padding", padding, len(sizes))
    fits = 0 < len(sizes) < x.ndim and len(around) == len(sizes) and min(sizes, default=0) > 0
    lengths = x.shape[1 : len(sizes) + 1]
    if not fits or any(
        (n + sum(pair)) % size for n, pair, size in zip(lengths, around, sizes, strict=True)
    ):
        raise ShapeError(
            f"space_to_batch: blocks do not fit; got shape {x.shape}, block {sizes} and padding "
            f"{around}; padded lengths must be multiples of the blocks"
        )
    rest = x.ndim - len(sizes) - 1
    padded = F.pad(x, ((0, 0), *around, *((0, 0),) * rest))
    counts = [n // size for n, size in zip(padded.shape[1:], sizes, strict=False)]
    pairs = [length for both in zip(counts, sizes, strict=True) for length in both]
    last = padded.shape[len(sizes) + 1 :]
    blocks = padded.reshape((x.shape[0], *pairs, *last))
    inner, outer = range(2, len(pairs) + 1, 2), range(1, len(pairs) + 1, 2)
    moved = blocks.permute_dims((*inner, 0, *outer, *range(len(pairs) + 1, blocks.ndim)))
    return moved.reshape((x.shape[0] * prod(sizes), *counts, *last))


@remembered
def batch_to_space(
    x: ArrayLike, block: Sequence[int], crops: Sequence[Sequence[int]] | None = None, /
) -> Tensor:
    """Put the images of each place in a block together; inverse of `space_to_batch`.

    Args:
        x: Tensor of shape (batch * product of `block`, *lengths, ...) and any dtype.
        block: Length of the blocks for each of the axes after the first.
        crops: Numbers of elements (before, after) to cut off from each of these axes; None
            (default) for none.

    Returns:
        Tensor of shape (batch, *lengths * block - crops, ...) and the dtype of `x`.

    Raises:
        ShapeError: If the blocks do not fit the shape, or crops are too large.

    >>> import py_tensor as pt
    >>> pt.nn.batch_to_space([[1, 3], [2, 4]], [2]).tolist()
    [[1, 2, 3, 4]]
    """
    x, sizes = as_tensor("batch_to_space", x), per_divided_axis("batch_to_space", "block", block)
    cuts = pairs_of("batch_to_space", "crops", crops, len(sizes))
    count = len(sizes)
    fits = 0 < count < x.ndim and len(cuts) == count and min(sizes, default=0) > 0
    full = [n * size for n, size in zip(x.shape[1:], sizes, strict=False)]
    if (
        not fits
        or x.shape[0] % prod(sizes)
        or any(min(cut) < 0 or sum(cut) > n for cut, n in zip(cuts, full, strict=True))
    ):
        raise ShapeError(
            f"batch_to_space: blocks do not fit; got shape {x.shape}, block {sizes} and crops "
            f"{cuts}; the batch must be a multiple of the block's size"
        )
    blocks = x.reshape((*sizes, x.shape[0] // prod(sizes), *x.shape[1:]))
    pairs = [axis for at in range(count) for axis in (count + 1 + at, at)]
    moved = blocks.permute_dims((count, *pairs, *range(2 * count + 1, blocks.ndim)))
    joined = moved.reshape((moved.shape[0], *full, *x.shape[count + 1 :]))
    parts = [slice(a, n - b) for (a, b), n in zip(cuts, full, strict=True)]
    return joined[(slice(None), *parts)]


def taps_of(padded: Tensor, windows: SlidingWindows) -> list[Tensor]:
    """Return, for each element of a window, a tensor with that element of every window."""
    reach = [(n - 1) * step + 1 for n, step in zip(windows.out, windows.stride, strict=True)]
    return [
        padded[
            :, top : top + reach[0] : windows.stride[0], left : left + reach[1] : windows.stride[1]
        ]
        for top in range(0, windows.size[0] * windows.dilation[0], windows.dilation[0])
        for left in range(0, windows.size[1] * windows.dilation[1], windows.dilation[1])
    ]


@remembered
def dilation2d(
    x: ArrayLike,
    w: ArrayLike,
    /,
    *,
    stride: PerAxis = 1,
    padding: PaddingLike = "valid",
    dilation: PerAxis = 1,
) -> Tensor:
    """Return the largest sum of a window and a kernel: the grayscale dilation of images.

    Args:
        x: Images of shape (batch, height, width, channels) or (height, width, channels), and a
            floating dtype.
        w: Kernel of shape (kernel height, kernel width, channels).
        stride: Step of the windows in elements; a number, or (height, width); default 1.
        padding: "valid" (default) for none, "same" to keep the length at stride 1, a number, or
            (before, after) for each axis; padding is never the largest.
        dilation: Distance between the elements of a window; a number, or (height, width); default
            1.

    Returns:
        Tensor of shape (batch, height', width', channels), without the batch if `x` has none, and
        the promoted dtype.

    Raises:
        ArgumentError: If an option is out of range.
        DTypeError: If a dtype is not floating.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[[1.0], [5.0], [2.0]]])
    >>> pt.nn.dilation2d(x, pt.zeros((1, 2, 1))).tolist()
    [[[5.0], [5.0]]]
    """
    x, w = floating("dilation2d", x), floating("dilation2d", w)
    images = batched("dilation2d", x, 2)
    if w.ndim != 3 or w.shape[2] != images.shape[3]:
        raise ShapeError(
            f"dilation2d: kernel does not fit; got shapes {x.shape} and {w.shape}; w must have "
            "shape (height, width, channels)"
        )
    windows = windows_of(
        "dilation2d", "kernel", images.shape[1:3], w.shape[:2], stride, padding, dilation
    )
    padded = F.pad(images, ((0, 0), *windows.pads, (0, 0)), constant_values=-inf)
    sums = [
        tap + w[at // windows.size[1], at % windows.size[1]]
        for at, tap in enumerate(taps_of(padded, windows))
    ]
    result = reduce(F.maximum, sums)
    return result if x.ndim == 4 else result[0]


@remembered
def unfold(
    x: ArrayLike,
    size: PerAxis,
    /,
    *,
    stride: PerAxis = 1,
    padding: PaddingLike = 0,
    dilation: PerAxis = 1,
) -> Tensor:
    """Return all patches of images, such as those that a convolution reads.

    Args:
        x: Images of shape (batch, height, width, channels) and any dtype.
        size: Height and width of a patch; one number for both.
        stride: Distance between patches; default 1.
        padding: Number of zeros on all sides, or (before, after) for each axis; default 0.
        dilation: Distance between the pixels of a patch; default 1.

    Returns:
        Tensor of shape (batch, rows, columns, size * size * channels) and the dtype of `x`, with
        the pixels of each patch row by row, as tf.image.extract_patches.

    Raises:
        ArgumentError: If a number is out of range.
        ShapeError: If `x` is no image, or is smaller than a patch.

    >>> import py_tensor as pt
    >>> x = pt.arange(9).reshape((1, 3, 3, 1))
    >>> pt.nn.unfold(x, 2)[0, 1, 1].tolist()
    [4, 5, 7, 8]
    """
    x = as_tensor("unfold", x)
    if x.ndim != 4:
        raise ShapeError(
            f"unfold: input must be images; got shape {x.shape}; x must have shape (batch, height, "
            "width, channels)"
        )
    sizes = per_axis("unfold", "size", size, 1, 2)
    strides = per_axis("unfold", "stride", stride, 1, 2)
    gaps = per_axis("unfold", "dilation", dilation, 1, 2)
    padded = F.pad(x, ((0, 0), *explicit_padding("unfold", padding, 2), (0, 0)))
    spans = [(k - 1) * d + 1 for k, d in zip(sizes, gaps, strict=True)]
    if any(n < span for n, span in zip(padded.shape[1:3], spans, strict=True)):
        raise ShapeError(
            f"unfold: images are smaller than a patch; got shape {padded.shape} with padding and "
            f"patches of {spans[0]} x {spans[1]}; pad more"
        )
    out = tuple(
        (n - span) // step + 1
        for n, span, step in zip(padded.shape[1:3], spans, strides, strict=True)
    )
    pixels = taps_of(padded, SlidingWindows(sizes, strides, gaps, (), out))
    patches = F.stack(pixels, axis=3)
    return patches.reshape((*patches.shape[:3], len(pixels) * x.shape[3]))


@named
def fold(
    patches: ArrayLike,
    output_size: PerAxis,
    size: PerAxis,
    /,
    *,
    stride: PerAxis = 1,
    padding: PaddingLike = 0,
    dilation: PerAxis = 1,
) -> Tensor:
    """Add up patches at their places in images: the transpose of `unfold`.

    Args:
        patches: Tensor of shape (batch, rows, columns, size * size * channels) and a floating
            dtype.
        output_size: Height and width of the images; one number for both.
        size: Height and width of a patch, as for `unfold`; so for the other arguments.
        stride: Distance between patches; default 1.
        padding: Number of pixels on all sides that are cut off; default 0.
        dilation: Distance between the pixels of a patch; default 1.

    Returns:
        Tensor of shape (batch, height, width, channels) and the dtype of `patches`.

    Raises:
        ArgumentError: If a number is out of range.
        DTypeError: If `patches` is not floating.
        ShapeError: If the shape does not fit the arguments.

    >>> import py_tensor as pt
    >>> x = pt.ones((1, 3, 3, 1))
    >>> pt.nn.fold(pt.nn.unfold(x, 2), 3, 2)[0, :, :, 0].tolist()
    [[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]
    """
    p = floating("fold", patches)
    height, width = per_axis("fold", "output_size", output_size, 1, 2)
    area = per_axis("fold", "size", size, 1, 2)
    channels = p.shape[-1] // (area[0] * area[1]) if p.ndim == 4 else 0
    images = F.zeros((p.shape[0] if p.ndim else 0, height, width, channels), dtype=p.dtype)

    def unfolded(x: Tensor) -> Tensor:
        result: Tensor = unfold(x, size, stride=stride, padding=padding, dilation=dilation)
        return result

    expected, backward = vjp(unfolded, images)
    if p.shape != expected.shape:
        raise ShapeError(
            f"fold: patches do not fit the images; got shape {p.shape} for {expected.shape}; use "
            "the shape and the arguments of unfold"
        )
    result: Tensor = backward(p)[0]
    return result


@remembered
def grid_sample(
    x: ArrayLike,
    grid: ArrayLike,
    /,
    *,
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Tensor:
    """Read images at given positions, with linear interpolation between the four nearest pixels.

    Positions are pairs (x, y), from -1 at the left and upper edge of the image to 1 at the right
    and lower edge. Source: Jaderberg et al. 2015, arXiv:1506.02025, as
    torch.nn.functional.grid_sample.

    Args:
        x: Images of shape (batch, height, width, channels) and a floating dtype.
        grid: Positions of shape (batch, rows, columns, 2) and a floating dtype.
        padding_mode: Value of pixels outside the image: "zeros" (default), or "border" for the
            nearest pixel.
        align_corners: Positions -1 and 1 are the centers of the outer pixels instead of their
            outer edges; default False.

    Returns:
        Tensor of shape (batch, rows, columns, channels) and the dtype of `x`.

    Raises:
        ArgumentError: If `padding_mode` is unknown.
        DTypeError: If an operand is not floating.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[[[0.0], [4.0]]]])
    >>> grid = pt.asarray([[[[0.0, 0.0], [0.5, 0.0], [1.0, 0.0]]]])
    >>> pt.nn.grid_sample(x, grid)[0, 0, :, 0].tolist()
    [2.0, 4.0, 2.0]
    """
    choice("grid_sample", "padding_mode", padding_mode, ("zeros", "border"))
    x, grid = floating("grid_sample", x), wide(floating("grid_sample", grid))
    if x.ndim != 4 or grid.ndim != 4 or grid.shape[3] != 2 or x.shape[0] != grid.shape[0]:
        raise ShapeError(
            f"grid_sample: shapes are incompatible; got {x.shape} and {grid.shape}; x must have "
            "shape (batch, height, width, channels), grid (batch, rows, columns, 2)"
        )
    batch, height, width, _ = x.shape
    lengths = (width, height)
    positions = []
    for axis, n in enumerate(lengths):
        edge = n - 1 if flag("grid_sample", "align_corners", align_corners) else n
        position = (grid[..., axis] + 1.0) * (edge / 2) - (0.0 if align_corners else 0.5)
        positions.append(position.clip(0.0, n - 1.0) if padding_mode == "border" else position)
    first = F.arange(batch).reshape((batch, 1, 1))
    return sampled(wide(x), first, positions[0], positions[1]).astype(x.dtype, copy=False)


def sampled(
    x: Tensor,
    image: Tensor,
    column: Tensor,
    row: Tensor,
    *,
    nearest: bool = False,
    fill: ArrayLike = 0.0,
) -> Tensor:
    """Read pixels of images at given positions; pixels outside have the value `fill`.

    Args:
        x: Images of shape (batch, height, width, channels); floating unless `nearest`.
        image: Number of the image for each position; shapes broadcast.
        column: Positions along the width, in pixels.
        row: Positions along the height, in pixels.
        nearest: Read the nearest pixel instead of interpolating linearly between four.
        fill: Number, or one for each channel.

    Returns:
        Tensor of the positions' shape with the channels as additional axis.
    """
    batch, height, width, channels = x.shape
    pixels = x.reshape((batch * height * width, channels))
    positions = [position + 0.5 if nearest else position for position in (column, row)]
    lows = [position.floor() for position in positions]
    parts = [position - low for position, low in zip(positions, lows, strict=True)]
    result: Tensor | None = None
    for down in (0,) if nearest else (0, 1):
        for right in (0,) if nearest else (0, 1):
            u, v = lows[0] + float(right), lows[1] + float(down)
            inside = (u >= 0).logical_and(u <= width - 1)
            inside = inside.logical_and(v >= 0).logical_and(v <= height - 1)
            at = image * (height * width) + v.clip(0.0, height - 1.0).astype("int32") * width
            at = at + u.clip(0.0, width - 1.0).astype("int32")
            values = F.take(pixels, at.flatten(), axis=0).reshape((*at.shape, channels))
            term = F.where(inside.reshape((*inside.shape, 1)), values, fill)
            if not nearest:
                share = parts[0] if right else 1.0 - parts[0]
                share = share * (parts[1] if down else 1.0 - parts[1])
                term = term * share.reshape((*share.shape, 1))
            result = term if result is None else result + term
    assert result is not None
    return result
