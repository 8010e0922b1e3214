"""Attention layers."""

from __future__ import annotations

from typing import Any

from ...dtypes import float32
from ...errors import ShapeError
from ...tensor import Tensor
from ..attention import scaled_dot_product_attention
from ..module import Module, static_field
from .linear import Dense


class MultiHeadAttention(Module):
    """Attention in several heads of features / heads each. (Vaswani et al. 2017, arXiv:1706.03762.)

    Called with a query of shape (batch, queries, features), and a key (batch, keys, key_inputs) and
    value (batch, keys, value_inputs) where they are not the query, gives (batch, queries,
    features). `mask` and `causal` are as in `scaled_dot_product_attention`, where the scores have
    shape (batch, heads, queries, keys). Raises ShapeError where heads do not divide features.

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

    def __init__(
        self,
        features: int,
        heads: int,
        *,
        key_inputs: int | None = None,
        value_inputs: int | None = None,
        bias: bool = True,
        dtype: Any = float32,
    ) -> None:
        if heads < 1 or features % heads:
            raise ShapeError(
                f"MultiHeadAttention: heads do not fit; got {heads} for {features} features; "
                "give a number that divides them"
            )
        self.features, self.heads = features, heads
        self.query = Dense(features, features, bias=bias, dtype=dtype)
        self.key = Dense(key_inputs or features, features, bias=bias, dtype=dtype)
        self.value = Dense(value_inputs or features, features, bias=bias, dtype=dtype)
        self.output = Dense(features, features, bias=bias, dtype=dtype)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        *,
        mask: Any = None,
        causal: bool = False,
        training: bool = False,
    ) -> Tensor:
        key = query if key is None else key
        value = key if value is None else value
        q, k, v = (
            self._split(projected)
            for projected in (self.query(query), self.key(key), self.value(value))
        )
        heads = scaled_dot_product_attention(q, k, v, mask=mask, causal=causal)
        batch, _, queries, _ = heads.shape
        together = heads.permute_dims((0, 2, 1, 3)).reshape((batch, queries, self.features))
        return self.output(together)  # type: ignore[no-any-return]

    def _split(self, x: Tensor) -> Tensor:
        """(batch, length, features) as (batch, heads, length, features / heads)."""
        if x.ndim != 3:
            raise ShapeError(
                f"attention: needs 3 axes; got shape {x.shape}; x is (batch, length, features)"
            )
        batch, length, _ = x.shape
        split = x.reshape((batch, length, self.heads, self.features // self.heads))
        return split.permute_dims((0, 2, 1, 3))

    def facts(self) -> str:
        return f"{self.features}, {self.heads} heads"
