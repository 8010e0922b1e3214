"""Attention: values averaged by how well their keys fit each query."""

from __future__ import annotations

import math
from typing import Any

from ..dtypes import float16
from ..errors import ShapeError
from ..functions.creation import PUBLIC as CREATION
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.floating import floating
from ..functions.neural import softmax
from ..functions.remembering import remembered
from ..tensor import Tensor, as_tensor


@remembered
def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    /,
    *,
    mask: Any = None,
    causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """softmax(query @ key.mT * scale + mask) @ value. (Vaswani et al. 2017, arXiv:1706.03762.)

    `query` has shape (..., queries, features), `key` (..., keys, features), `value` (..., keys,
    values); the result has shape (..., queries, values). `scale` is 1 / sqrt(features) where None.
    `mask` broadcasts against (..., queries, keys): bool, true where a query may look, or floating,
    added. With `causal`, query i may look at keys 0 .. i. A query that may look nowhere gets the
    mean of all values. Raises ShapeError and DTypeError where operands do not fit.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[1.0, 0.0], [0.0, 1.0]])
    >>> pt.nn.scaled_dot_product_attention(x, x, x, causal=True)[0].tolist()
    [1.0, 0.0]
    """
    q, k, v = (floating("scaled_dot_product_attention", x) for x in (query, key, value))
    if min(q.ndim, k.ndim, v.ndim) < 2 or (q.shape[-1], k.shape[-2]) != (k.shape[-1], v.shape[-2]):
        raise ShapeError(
            f"scaled_dot_product_attention: shapes do not fit; got {q.shape}, {k.shape} and "
            f"{v.shape}; query is (..., queries, features), key (..., keys, features), "
            "value (..., keys, values)"
        )
    if scale is None:
        scale = 1 / math.sqrt(q.shape[-1]) if q.shape[-1] else 1.0
    scores = (q @ k.mT) * scale
    if mask is not None:
        mask = as_tensor("scaled_dot_product_attention", mask)
        scores = _hidden(scores, mask) if mask.dtype.kind == "b" else scores + mask
    if causal:
        at_query = CREATION["arange"](q.shape[-2]).reshape((-1, 1))
        scores = _hidden(scores, at_query >= CREATION["arange"](k.shape[-2]))
    return softmax(scores) @ v


def _hidden(scores: Tensor, seen: Tensor) -> Tensor:
    """Scores where they are seen, else the lowest: infinity would make an empty row NaN."""
    lowest = -65504.0 if scores.dtype is float16 else -3.4028234663852886e38
    return ELEMENTWISE["where"](seen, scores, lowest)
