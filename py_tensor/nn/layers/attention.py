"""Attention layers."""

from __future__ import annotations

from functools import partial
from typing import Any

from ... import functions as F
from ...dtypes import float32, int32
from ...errors import ShapeError
from ...functions.arguments import integer
from ...tensor import Tensor
from ...typing import ArrayLike, DTypeLike
from ..attention import scaled_dot_product_attention
from ..dropout import check_rate
from ..module import Module, static_field
from .cache import KeyValueCache
from .linear import Dense, dtype_of


class MultiHeadAttention(Module):
    """Attend with several heads of features / heads each.

    Source: Vaswani et al. 2017, arXiv:1706.03762. Calling the layer takes a query of shape (batch,
    queries, features) and, optionally, a key of shape (batch, keys, key_inputs) and a value of
    shape (batch, keys, value_inputs). The key defaults to the query, and the value to the key.
    `mask` and `causal` are those of `scaled_dot_product_attention`, with scores of shape (batch,
    heads, queries, keys). The call returns a tensor of shape (batch, queries, features).

    With `cache`, a result of `empty_cache` or of an earlier call, keys and values are written after
    those of earlier positions, and the call returns (result, cache). With `causal`, a query attends
    to the keys before it and its own, so that a sequence can be given in parts. Keys of the mask
    are all positions of the cache; those that are not written yet are masked. `count` is the number
    of new positions that are not padding at the end: a number or a tensor, None (default) for all.

    The key may also be a result of `project`, whose keys and values are not computed again.

    Args:
        features: Number of features of the query and of the result.
        heads: Number of heads, a divisor of `features`.
        key_inputs: Number of features of the key; None (default) for `features`.
        value_inputs: Number of features of the value; None (default) for `features`.
        bias: Add biases in the four dense layers; default True.
        dropout: Probability that a weight of the attention is dropped in training; default 0.0.
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        ArgumentError: If `dropout` is not from 0 to 1.
        ShapeError: If `heads` does not divide `features`; in a call, if shapes are incompatible.

    >>> import py_tensor as pt
    >>> attention = pt.nn.MultiHeadAttention(16, 4)
    >>> attention(pt.ones((2, 5, 16)), causal=True).shape
    (2, 5, 16)
    """

    query: Dense
    key: Dense
    value: Dense
    output: Dense
    features: int = static_field()
    heads: int = static_field()
    dropout: float = static_field()

    def __init__(
        self,
        features: int,
        heads: int,
        *,
        key_inputs: int | None = None,
        value_inputs: int | None = None,
        bias: bool = True,
        dropout: float = 0.0,
        dtype: DTypeLike = float32,
    ) -> None:
        self.dropout = check_rate("MultiHeadAttention", dropout)
        heads = integer("MultiHeadAttention", "heads", heads)
        features = integer("MultiHeadAttention", "features", features, 0)
        if heads < 1 or features % heads:
            raise ShapeError(
                "MultiHeadAttention: number of heads must divide the number of features; got "
                f"{heads} for {features} features; use a divisor"
            )
        self.features, self.heads = features, heads
        dense = partial(Dense, outputs=features, bias=bias, dtype=dtype)
        self.query = dense(features)
        self.key = dense(features if key_inputs is None else key_inputs)
        self.value = dense(features if value_inputs is None else value_inputs)
        self.output = dense(features)

    def forward(
        self,
        query: Tensor,
        key: Tensor | KeyValueCache | None = None,
        value: Tensor | None = None,
        *,
        mask: ArrayLike | None = None,
        causal: bool = False,
        cache: KeyValueCache | None = None,
        count: int | Tensor | None = None,
        training: bool = False,
    ) -> Any:
        q = split_heads(self.query(query), self.heads)
        key = query if key is None else key
        projected = key if isinstance(key, KeyValueCache) else self.project(key, value)
        k, v = projected.keys, projected.values
        if cache is not None:
            cache, k, v, mask = cache.attending(k, v, mask, causal, count)
            causal = False
        rate = self.dropout if training else 0.0
        heads = scaled_dot_product_attention(q, k, v, mask=mask, causal=causal, dropout=rate)
        result: Tensor = self.output(joined_heads(heads))
        return result if cache is None else (result, cache)

    def project(self, key: Tensor, value: Tensor | None = None) -> KeyValueCache:
        """Return keys and values for several calls, for example of an encoder's result.

        Args:
            key: Tensor of shape (batch, keys, key_inputs).
            value: Tensor of shape (batch, keys, value_inputs); None (default) for the key.

        Returns:
            `KeyValueCache`, to be passed as the key of a call.

        Raises:
            ShapeError: If a shape is not as above.

        >>> import py_tensor as pt
        >>> attention = pt.nn.MultiHeadAttention(16, 4)
        >>> memory = attention.project(pt.ones((2, 5, 16)))
        >>> attention(pt.ones((2, 1, 16)), memory).shape
        (2, 1, 16)
        """
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(key if value is None else value), self.heads)
        return KeyValueCache(k, v, F.asarray(k.shape[2], dtype=int32))

    def empty_cache(self, batch: int, length: int) -> KeyValueCache:
        """Return the cache before the first position.

        Args:
            batch: Number of sequences.
            length: Largest number of positions.

        Returns:
            `KeyValueCache`, to be passed as `cache` in a call.

        >>> import py_tensor as pt
        >>> attention = pt.nn.MultiHeadAttention(16, 4)
        >>> x = pt.ones((2, 1, 16))
        >>> y, cache = attention(x, causal=True, cache=attention.empty_cache(2, 10))
        >>> y, cache = attention(x, causal=True, cache=cache)
        >>> cache.position.item()
        2
        """
        size = self.features // self.heads
        dtype = dtype_of(self.output)
        return KeyValueCache.empty(batch, self.heads, length, size, dtype=dtype)

    def facts(self) -> str:
        return f"{self.features}, {self.heads} heads"


def check_axes(x: Tensor) -> None:
    """Raise ShapeError unless a tensor has the axes (batch, length, features)."""
    if x.ndim != 3:
        raise ShapeError(
            f"attention: input must have 3 axes; got shape {x.shape}; x must have shape "
            "(batch, length, features)"
        )


def split_heads(x: Tensor, heads: int) -> Tensor:
    """Reshape (batch, length, features) to (batch, heads, length, features / heads)."""
    check_axes(x)
    batch, length, features = x.shape
    split = x.reshape((batch, length, heads, features // heads))
    return split.permute_dims((0, 2, 1, 3))


def joined_heads(x: Tensor) -> Tensor:
    """Reshape (batch, heads, length, size) to (batch, length, heads * size)."""
    batch, heads, length, size = x.shape
    return x.permute_dims((0, 2, 1, 3)).reshape((batch, length, heads * size))
