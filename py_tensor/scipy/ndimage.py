"""Images at any position under the names of `jax.scipy.ndimage`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from ..errors import ArgumentError
from ..functions.elementwise import (
    clip,
    floor,
    greater_equal,
    less,
    logical_and,
    remainder,
    round,
    where,
)
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike

__all__ = ["map_coordinates"]


def map_coordinates(
    input: ArrayLike,
    coordinates: Sequence[ArrayLike],
    order: int,
    mode: str = "constant",
    cval: float = 0.0,
) -> Tensor:
    """Return the values of an image at positions between its elements.

    Args:
        input: Image.
        coordinates: Positions along each axis, tensors of one shape.
        order: 0 for the nearest element, 1 for linear interpolation.
        mode: "constant" (default) for `cval` beyond the borders, "nearest" for the border's value,
            "wrap" to repeat the image.
        cval: See `mode`.

    Raises:
        ArgumentError: If the order or the mode is not supported.

    >>> import py_tensor as pt
    >>> at = [pt.asarray([0.5])]
    >>> pt.scipy.ndimage.map_coordinates(pt.asarray([1.0, 3.0]), at, 1).tolist()
    [2.0]
    """
    if order not in (0, 1) or mode not in ("constant", "nearest", "wrap"):
        raise ArgumentError(
            f"map_coordinates: not supported; got order {order}, mode {mode!r}; use order 0 or 1 "
            "and mode constant, nearest or wrap"
        )
    image = as_tensor("map_coordinates", input)
    positions = [as_tensor("map_coordinates", at).astype("float32") for at in coordinates]
    choices: list[list[tuple[Any, Any, Any]]] = []
    for at, length in zip(positions, image.shape, strict=True):
        neighbours: list[tuple[Any, Any]]
        if order == 0:
            neighbours = [(round(at), 1.0)]
        else:
            low = floor(at)
            neighbours = [(low, 1.0 - (at - low)), (low + 1.0, at - low)]
        parts: list[tuple[Any, Any, Any]] = []
        for place, weight in neighbours:
            inside: Any = True
            if mode == "constant":
                inside = logical_and(greater_equal(place, 0.0), less(place, length))
            place = remainder(place, length) if mode == "wrap" else clip(place, 0, length - 1)
            parts.append((place.astype("int32"), weight, inside))
        choices.append(parts)
    total: Any = 0.0
    for chosen in product(*choices):
        value: Any = image[tuple(place for place, _, _ in chosen)]
        for _, weight, inside in chosen:
            value = where(inside, value, cval) * weight if mode == "constant" else value * weight
        total = total + value
    return as_tensor("map_coordinates", total).astype(image.dtype)
