"""Checks of images, sizes, boxes, points and matrices that functions are given."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ArgumentError, DTypeError, ShapeError
from ..functions.arguments import converted, items, lengths_of, number
from ..functions.sliding_windows import batched
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike


def images_of(operation: str, x: ArrayLike) -> Tensor:
    """Convert images of shape (batch, height, width, channels), which are not empty."""
    images = as_tensor(operation, x)
    if images.ndim != 4 or not images.size:
        raise ShapeError(
            f"{operation}: input must be images; got shape {images.shape}; x must have shape "
            "(batch, height, width, channels)"
        )
    return _numeric(operation, images)


def pictures_of(operation: str, x: ArrayLike) -> tuple[Tensor, tuple[int, ...]]:
    """Convert one image or several; also return the lengths before the height: () or (batch,)."""
    tensor = as_tensor(operation, x)
    images = _numeric(operation, batched(operation, tensor, 2))
    if not images.size:
        raise ShapeError(
            f"{operation}: image is empty; got shape {tensor.shape}; pass an image with pixels"
        )
    return images, tensor.shape[:-3]


def _numeric(operation: str, images: Tensor) -> Tensor:
    if images.dtype.kind not in "iuf":
        raise DTypeError(
            f'{operation}: dtype {images.dtype} is not numeric; use x.astype("float32")'
        )
    return images


def height_and_width(operation: str, name: str, value: Sequence[int]) -> tuple[int, int]:
    """Return two lengths of at least 1; raise ArgumentError for others."""
    lengths = lengths_of(operation, value, name)
    if len(lengths) != 2 or min(lengths) < 1:
        raise ArgumentError(
            f"{operation}: {name} is invalid; got {lengths}; use two lengths of at least 1"
        )
    return lengths[0], lengths[1]


def floats_of(operation: str, name: str, values: Sequence[float]) -> list[float]:
    """Return the items of a sequence as floats."""
    return [number(operation, name, value) for value in items(operation, name, values)]


def numbers_of(operation: str, name: str, x: ArrayLike, *shapes: tuple[int | str, ...]) -> Tensor:
    """Convert numbers to floats of one of several shapes; a name stands for any length.

    "..." as the first length stands for any number of axes.
    """
    tensor = converted(operation, x)
    for shape in shapes:
        tail = shape[1:] if shape[:1] == ("...",) else shape
        lengths = tensor.shape[tensor.ndim - len(tail) :]
        enough = tensor.ndim >= len(tail) if tail is not shape else tensor.ndim == len(tail)
        pairs = zip(tail, lengths, strict=False)
        if enough and all(isinstance(want, str) or want == n for want, n in pairs):
            return tensor
    wanted = " or ".join(
        f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})" for shape in shapes
    )
    raise ShapeError(
        f"{operation}: {name} have a wrong shape; got {tensor.shape}; use shape {wanted}"
    )


def counted(operation: str, *named: tuple[str, Tensor]) -> int:
    """Return the first length of tensors; raise ShapeError if they differ."""
    counts = {tensor.shape[0] for _, tensor in named}
    if len(counts) != 1:
        shapes = " and ".join(str(tensor.shape) for _, tensor in named)
        names = " and ".join(name for name, _ in named)
        raise ShapeError(
            f"{operation}: {names} do not fit; got shapes {shapes}; pass as many of each"
        )
    return counts.pop()
