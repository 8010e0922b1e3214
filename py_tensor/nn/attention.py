"""Attention: averages of values, weighted by the match of their keys with each query.

Scores of all queries and keys are stored only if they are few. Otherwise blocks of keys are
computed one after the other, with a running maximum and sum.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .. import functions as F
from ..dtypes import int32
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import flag, floating, integer, number, wide
from ..functions.data_types import lowest_stored
from ..functions.decorators import remembered
from ..tensor import Tensor, as_tensor, operand_of
from ..transforms.autodiff import stop_gradient
from ..transforms.control_flow import scan
from ..typing import ArrayLike
from .dropout import check_rate, dropout as drop

_NAME = "scaled_dot_product_attention"
MOST_SCORES = 1 << 24
"""Number of scores above which they are computed in blocks: 64 MB of float32."""
LEAST_KEYS = 512
"""Least number of keys of a block: gradients keep the sums of values after each block."""


class _Options(NamedTuple):
    """Options by which scores are computed; `window` is 0 for none."""

    scale: Any
    softcap: float
    causal: bool
    window: int


def scaled_dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    /,
    *,
    mask: ArrayLike | None = None,
    causal: bool = False,
    scale: float | None = None,
    dropout: float = 0.0,
    window: int | None = None,
    softcap: float | None = None,
) -> Tensor:
    """Compute softmax(query @ key.mT * scale + mask) @ value.

    Source: Vaswani et al. 2017, arXiv:1706.03762. If the heads of keys and values, which are their
    third axis from the end, are a divisor of the query's heads, neighbouring heads of the query
    share them (Ainslie et al. 2023, arXiv:2305.13245).

    Above 2**24 scores, blocks of keys are computed one after the other, with a running maximum and
    sum (Milakov and Gimelshein 2018, arXiv:1805.02867), and gradients compute the scores again.
    Then float16 is summed in float32, and a dropout rate still stores all scores.

    Args:
        query: Tensor of shape (..., queries, features) and a floating dtype.
        key: Tensor of shape (..., keys, features) and a floating dtype.
        value: Tensor of shape (..., keys, values) and a floating dtype.
        mask: Tensor that broadcasts with (..., queries, keys): bool, True where a query may attend,
            or floating, which is added to the scores. None (default) for no mask.
        causal: Let query i attend to keys 0 .. i only; default False.
        scale: Factor of the scores; None (default) for 1 / sqrt(features).
        dropout: Probability that a weight is dropped, see `dropout`; default 0.0.
        window: Let query i attend to keys at distances below `window` only, on both sides unless
            `causal`; None (default) for all keys.
        softcap: Replace scores s by softcap * tanh(s / softcap) before the mask; None (default) to
            keep them.

    Returns:
        Tensor of shape (..., queries, values). A query that may attend to no key gets the mean of
        all values.

    Raises:
        ArgumentError: If `dropout` is not from 0 to 1, `window` is below 1, or `softcap` is not
            positive.
        DTypeError: If an operand is not floating.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[1.0, 0.0], [0.0, 1.0]])
    >>> pt.nn.scaled_dot_product_attention(x, x, x, causal=True)[0].tolist()
    [1.0, 0.0]
    """
    q, k, v = (floating(_NAME, x) for x in (query, key, value))
    if min(q.ndim, k.ndim, v.ndim) < 2 or (q.shape[-1], k.shape[-2]) != (k.shape[-1], v.shape[-2]):
        raise ShapeError(
            f"scaled_dot_product_attention: shapes are incompatible; got {q.shape}, {k.shape} and "
            f"{v.shape}; query must have shape (..., queries, features), key (..., keys, "
            "features), value (..., keys, values)"
        )
    if scale is None:
        scale = 1 / math.sqrt(q.shape[-1]) if q.shape[-1] else 1.0
    window = 0 if window is None else integer(_NAME, "window", window, 1)
    options = operand_of(_NAME, scale), _softcap(softcap), flag(_NAME, "causal", causal), window
    if check_rate(_NAME, dropout):
        return _attention(q, k, v, mask, *options, dropout)
    rows = max(math.prod(q.shape[:-2]), math.prod(k.shape[:-2])) * q.shape[-2]
    if rows * k.shape[-2] <= MOST_SCORES:
        return _attention(q, k, v, mask, *options, 0.0)
    heads, (q, k, v, mask) = _grouped(q, k, v, mask)
    result = _in_blocks(q, k, v, mask, rows // q.shape[-2], _Options(*options))
    return _ungrouped(result, heads)


def _softcap(softcap: float | None) -> float:
    """Return the bound of the scores, 0 for none."""
    if softcap is None:
        return 0.0
    bound = number(_NAME, "softcap", softcap)
    if not bound > 0:
        raise ArgumentError(
            f"scaled_dot_product_attention: softcap must be positive; got {bound}; pass None "
            "for none"
        )
    return bound


def _attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: ArrayLike | None,
    scale: Any,
    softcap: float,
    causal: bool,
    window: int,
    dropout: float,
) -> Tensor:
    """Compute attention from all scores."""
    heads, (q, k, v, mask) = _grouped(query, key, value, mask)
    options = _Options(scale, softcap, causal, window)
    weights = F.softmax(_scores(q, k, mask, F.arange(q.shape[-2]), F.arange(k.shape[-2]), options))
    return _ungrouped(_product(drop(weights, dropout) if dropout else weights, v), heads)


# Errors begin with the name of the public function.
_attention.__name__ = scaled_dot_product_attention.__name__
_attention = remembered(_attention)


def _grouped(
    q: Tensor, k: Tensor, v: Tensor, mask: ArrayLike | None
) -> tuple[int, tuple[Tensor, Tensor, Tensor, Tensor | None]]:
    """Split the query's heads into groups that share a head of keys: (heads, operands).

    The query gets an axis for the heads of a group. The number of heads is 0 without groups.
    """
    mask = None if mask is None else as_tensor(_NAME, mask)
    if min(q.ndim, k.ndim, v.ndim) < 3 or v.shape[-3] != k.shape[-3] or not k.shape[-3]:
        return 0, (q, k, v, mask)
    heads, shared = q.shape[-3], k.shape[-3]
    if heads <= shared or heads % shared:
        return 0, (q, k, v, mask)

    def split(x: Tensor) -> Tensor:
        groups = (shared, heads // shared) if x.shape[-3] == heads else (1, 1)
        return x.reshape((*x.shape[:-3], *groups, *x.shape[-2:]))

    if mask is not None and mask.ndim > 2:
        mask = split(mask)
    return heads, (split(q), F.expand_dims(k, axis=-3), F.expand_dims(v, axis=-3), mask)


def _ungrouped(result: Tensor, heads: int) -> Tensor:
    """Join the axes of the heads, of which there are so many, if they were split."""
    if not heads:
        return result
    return result.reshape((*result.shape[:-4], heads, *result.shape[-2:]))


def _product(a: Tensor, b: Tensor) -> Tensor:
    """Multiply matrices; rows of a group, which share the second matrix, are those of one."""
    if a.ndim < 4 or a.ndim != b.ndim or b.shape[-3] != 1 or a.shape[-3] == 1:
        plain: Tensor = a @ b
        return plain
    *batch, group, rows, inner = a.shape
    together: Tensor = a.reshape((*batch, group * rows, inner)) @ b.squeeze(-3)
    return together.reshape((*together.shape[:-2], group, rows, b.shape[-1]))


def _scores(
    q: Tensor, k: Tensor, mask: Tensor | None, own: Tensor, other: Tensor, options: _Options
) -> Tensor:
    """Return scores with the mask applied, for positions `own` of queries and `other` of keys."""
    scores: Tensor = _product(q, k.mT) * options.scale
    if options.softcap:
        scores = (scores * (1 / options.softcap)).tanh() * options.softcap
    if mask is not None:
        scores = _masked(scores, mask) if mask.dtype.kind == "b" else scores + mask
    own = own.reshape((-1, 1))
    if options.causal:
        scores = _masked(scores, own >= other)
    if options.window:
        near = own - other < options.window
        near = near if options.causal else near.logical_and(other - own < options.window)
        scores = _masked(scores, near)
    return scores


def _masked(scores: Tensor, visible: Tensor) -> Tensor:
    """Replace hidden scores by the lowest finite number: -inf would give NaN in empty rows."""
    return F.where(visible, scores, lowest_stored(scores.dtype))


def _in_blocks(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, heads: int, options: _Options
) -> Tensor:
    """Compute attention for some queries after the other, if there are many queries.

    `heads` is the number of matrices of scores. Keys that none of the queries sees are left out,
    unless a query may see no key at all and therefore needs the mean of all values.
    """
    queries, keys = q.shape[-2], k.shape[-2]
    count = max(1, MOST_SCORES // (heads * min(LEAST_KEYS, keys)))
    parts = []
    for start in range(0, queries, count):
        end, first, last = min(start + count, queries), 0, keys
        if mask is None and options.causal:
            last = min(end, keys)
            if options.window and end - options.window < keys:
                first = max(0, start + 1 - options.window)
        own = mask
        if mask is not None and mask.ndim > 1 and mask.shape[-2] > 1:
            own = mask[..., start:end, :]
        part = q[..., start:end, :], k[..., first:last, :], v[..., first:last, :], own
        least = (end - start) * heads
        parts.append(_by_keys(*part, start, first, MOST_SCORES // least, options))
    return parts[0] if len(parts) == 1 else F.concat(parts, axis=-2)


def _by_keys(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    start: int,
    first: int,
    most: int,
    options: _Options,
) -> Tensor:
    """Compute attention in blocks of at most so many keys, of which the first has a position."""
    keys = k.shape[-2]
    blocks = -(-keys // max(most, 1))
    size = -(-keys // blocks)
    own = F.arange(start, start + q.shape[-2])
    sequences = [
        F.arange(blocks, dtype=int32) * size,
        *(_split(x, -2, blocks, size) for x in (k, v)),
    ]
    if mask is not None and mask.ndim and mask.shape[-1] > 1:
        sequences.append(_split(mask, -1, blocks, size))

    def block(carry: Any, parts: Any) -> Any:
        highest, total, sums = carry
        at, k, v, *own_mask = parts
        place = at + F.arange(size)
        scores = wide(_scores(q, k, own_mask[0] if own_mask else mask, own, place + first, options))
        if blocks * size > keys:
            scores = _masked(scores, place < keys)
        # The shift cancels out, in the gradient too.
        shift = stop_gradient(highest.maximum(scores.max(axis=-1, keepdims=True)))
        weights = (scores - shift).exp()
        if blocks * size > keys:
            weights = F.where(place < keys, weights, 0.0)
        kept = (highest - shift).exp()
        total = total * kept + weights.sum(axis=-1, keepdims=True)
        return (shift, total, sums * kept + _product(weights, wide(v))), None

    batch = F.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    if mask is not None:
        batch = F.broadcast_shapes(batch, mask.shape[:-2])
    rows = *batch, q.shape[-2]
    lowest = F.full((*rows, 1), lowest_stored(wide(q).dtype))
    carry = lowest, F.zeros((*rows, 1)), F.zeros((*rows, v.shape[-1]))
    (_, total, sums), _ = scan(block, carry, sequences)
    result: Tensor = (sums / total).astype(F.result_type(q, k, v), copy=False)
    return result


def _split(x: Tensor, axis: int, blocks: int, size: int) -> Tensor:
    """Split an axis into blocks, along a new first axis; the last one is padded."""
    axis += x.ndim
    padding = [(0, 0)] * x.ndim
    padding[axis] = 0, blocks * size - x.shape[axis]
    padded = F.pad(x, padding) if padding[axis][1] else x
    shape = (*x.shape[:axis], blocks, size, *x.shape[axis + 1 :])
    return F.moveaxis(padded.reshape(shape), axis, 0)
