"""Attention: averages of values, weighted by the match of their keys with each query."""

from __future__ import annotations

import math

from .. import functions as F
from ..errors import ShapeError
from ..functions.arguments import flag, floating
from ..functions.data_types import lowest_stored
from ..functions.decorators import remembered
from ..tensor import Tensor, as_tensor, operand_of
from ..typing import ArrayLike
from .dropout import check_rate, dropout as drop


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
) -> Tensor:
    """Compute softmax(query @ key.mT * scale + mask) @ value.

    Source: Vaswani et al. 2017, arXiv:1706.03762.

    Args:
        query: Tensor of shape (..., queries, features) and a floating dtype.
        key: Tensor of shape (..., keys, features) and a floating dtype.
        value: Tensor of shape (..., keys, values) and a floating dtype.
        mask: Tensor that broadcasts with (..., queries, keys): bool, True where a query may attend,
            or floating, which is added to the scores. None (default) for no mask.
        causal: Let query i attend to keys 0 .. i only; default False.
        scale: Factor of the scores; None (default) for 1 / sqrt(features).
        dropout: Probability that a weight is dropped, see `dropout`; default 0.0.

    Returns:
        Tensor of shape (..., queries, values). A query that may attend to no key gets the mean of
        all values.

    Raises:
        ArgumentError: If `dropout` is not from 0 to 1.
        DTypeError: If an operand is not floating.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[1.0, 0.0], [0.0, 1.0]])
    >>> pt.nn.scaled_dot_product_attention(x, x, x, causal=True)[0].tolist()
    [1.0, 0.0]
    """
    if check_rate("scaled_dot_product_attention", dropout):
        weights = _attention(query, key, value, mask, causal, scale, only_weights=True)
        return drop(weights, dropout) @ as_tensor("scaled_dot_product_attention", value)
    return _attention(query, key, value, mask, causal, scale, only_weights=False)


def _attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    mask: ArrayLike | None,
    causal: bool,
    scale: float | None,
    *,
    only_weights: bool,
) -> Tensor:
    q, k, v = (floating("scaled_dot_product_attention", x) for x in (query, key, value))
    if min(q.ndim, k.ndim, v.ndim) < 2 or (q.shape[-1], k.shape[-2]) != (k.shape[-1], v.shape[-2]):
        raise ShapeError(
            f"scaled_dot_product_attention: shapes are incompatible; got {q.shape}, {k.shape} and "
            f"{v.shape}; query must have shape (..., queries, features), key (..., keys, "
            "features), value (..., keys, values)"
        )
    if scale is None:
        scale = 1 / math.sqrt(q.shape[-1]) if q.shape[-1] else 1.0
    scores = (q @ k.mT) * operand_of("scaled_dot_product_attention", scale)
    if mask is not None:
        mask = as_tensor("scaled_dot_product_attention", mask)
        scores = _masked(scores, mask) if mask.dtype.kind == "b" else scores + mask
    if flag("scaled_dot_product_attention", "causal", causal):
        at_query = F.arange(q.shape[-2]).reshape((-1, 1))
        scores = _masked(scores, at_query >= F.arange(k.shape[-2]))
    weights = F.softmax(scores)
    return weights if only_weights else weights @ v


# Errors begin with the name of the public function.
_attention.__name__ = scaled_dot_product_attention.__name__
_attention = remembered(_attention)


def _masked(scores: Tensor, visible: Tensor) -> Tensor:
    """Replace hidden scores by the lowest finite number: -inf would give NaN in empty rows."""
    return F.where(visible, scores, lowest_stored(scores.dtype))
