"""Layers of several inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_, mul, or_

from .... import functions as F
from ....nn.layers.merging import MERGES, folded
from ....tensor import Tensor
from .shared import LayerRow, MaskRule, leading


def _alike(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Give tensors of different ranks the same one, with new axes after the batch."""
    rank = max(x.ndim for x in tensors)
    return [
        x.reshape((*x.shape[:1], *(1,) * (rank - x.ndim), *x.shape[1:])) if x.ndim else x
        for x in tensors
    ]


def _merge(name: str, inputs: int | None = None) -> LayerRow:
    def merged(*tensors: Tensor) -> Tensor:
        return MERGES[name](*_alike(tensors))

    return LayerRow(merged, inputs=inputs, mask=MaskRule.MERGE)


def masked_product(*values: Tensor) -> Tensor:
    """Multiply, with 1 for masked elements; the values are factors, and a mask or None for each.

    The product is 0 where all are masked, if all have masks.
    """
    half = len(values) // 2
    factors = [
        x if mask is None else F.where(leading(mask, x), x, 1.0)
        for x, mask in zip(values[:half], values[half:], strict=True)
    ]
    product = reduce(mul, _alike(factors))
    masks = values[half:]
    if any(mask is None for mask in masks):
        return product
    return F.where(leading(reduce(or_, masks), product), product, 0.0)


def concatenate(*tensors: Tensor, axis: int = -1) -> Tensor:
    return F.concat(tensors, axis=axis)


def dot(x: Tensor, y: Tensor, *, axes: int | Sequence[int], normalize: bool = False) -> Tensor:
    at, other = (axes, axes) if isinstance(axes, int) else axes
    at, other = at % x.ndim, other % y.ndim
    if not at or not other:
        raise ValueError(f"axes {axes}; the first axis is the batch")
    if normalize:
        x, y = unit(x, axis=at), unit(y, axis=other)
    # Letters of the axes of both: the batch is "a", the common one "b".
    first = ["a", *"cdefgh"[: x.ndim - 1]]
    second = ["a", *"ijklmn"[: y.ndim - 1]]
    first[at] = second[other] = "b"
    left = "".join(letter for letter in first + second if letter not in "ab")
    result = F.einsum(f"{''.join(first)},{''.join(second)}->a{left}", x, y)
    return result[:, None] if result.ndim == 1 else result


def unit(x: Tensor, *, axis: int | Sequence[int] = -1) -> Tensor:
    """Divide by the Euclidean length along axes."""
    along = axis if isinstance(axis, int) else tuple(axis)
    squares = F.sum(F.square(x), axis=along, keepdims=True)
    return x * F.rsqrt(F.maximum(squares, 1e-24))


def joined_mask(*values: Tensor, axis: int, every: bool) -> Tensor:
    """Join the masks of `Concatenate`; the values are its inputs, and a mask or None for each."""
    half = len(values) // 2
    parts = []
    for x, mask in zip(values[:half], values[half:], strict=True):
        valid = F.ones(x.shape, dtype="bool") if mask is None else mask
        if valid.ndim < x.ndim:
            # Keras 2 does not repeat the mask, so its last axis has length 1.
            valid = valid[..., None]
            valid = valid if every else F.broadcast_to(valid, x.shape)
        parts.append(valid)
    joined = F.concat(parts, axis=axis)
    return F.all(joined, axis=-1) if every else F.any(joined, axis=-1)


def logical_or(x: Tensor, y: Tensor) -> Tensor:
    return x.astype("bool") | y.astype("bool")


def logical_and(x: Tensor, y: Tensor) -> Tensor:
    return x.astype("bool") & y.astype("bool")


def any_of(x: Tensor, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    along = tuple(axis) if isinstance(axis, list) else axis
    return F.any(x, axis=along, keepdims=keepdims)


def expand_dims(x: Tensor, *, axis: int = -1) -> Tensor:
    return F.expand_dims(x, axis=axis)


def squeeze(x: Tensor, *, axis: int = -1) -> Tensor:
    return F.squeeze(x, axis=axis)


LAYERS = {
    **{name: _merge(name) for name in ("Add", "Average", "Maximum", "Minimum", "Multiply")},
    "Concatenate": LayerRow(concatenate, inputs=None, mask=MaskRule.CONCATENATE),
    "Divide": _merge("Divide", 2),
    "Dot": LayerRow(dot, inputs=2),
    # Operations that Keras 3 writes for arithmetic and for masks.
    "Any": LayerRow(any_of),
    "ExpandDims": LayerRow(expand_dims),
    "LogicalAnd": LayerRow(logical_and, inputs=2),
    "LogicalOr": LayerRow(logical_or, inputs=2),
    "NotEqual": LayerRow(F.not_equal, inputs=2),
    "OnesLike": LayerRow(F.ones_like),
    "Squeeze": LayerRow(squeeze),
    "ZerosLike": LayerRow(F.zeros_like),
    "Subtract": _merge("Subtract", 2),
    "TrueDivide": _merge("Divide", 2),
}
INTERNAL: dict[str, Callable[..., Tensor]] = {
    "any mask": folded(or_),
    "every mask": folded(and_),
    "mask of Concatenate": joined_mask,
    "product of masked": masked_product,
}
