"""Transformer layers: attention and a dense network, each with a residual connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...dtypes import float32
from ...functions.arguments import flag, function_of
from ...tensor import Tensor
from ...typing import ArrayLike, DTypeLike
from ..activations import relu
from ..dropout import check_rate, dropout
from ..module import Module, static_field
from .attention import MultiHeadAttention
from .cache import KeyValueCache
from .linear import Dense
from .normalization import LayerNorm


class _TransformerLayer(Module):
    attention: MultiHeadAttention
    first: Dense
    second: Dense
    norms: tuple[LayerNorm, ...]
    activation: Callable[[Any], Any] = static_field()
    dropout: float = static_field()
    norm_first: bool = static_field()
    norm_count = 2

    def __init__(
        self,
        features: int,
        heads: int,
        *,
        hidden: int = 2048,
        dropout: float = 0.1,
        activation: Callable[[Any], Any] = relu,
        norm_first: bool = False,
        epsilon: float = 1e-5,
        dtype: DTypeLike = float32,
    ) -> None:
        self.attention = MultiHeadAttention(features, heads, dtype=dtype)
        self.first = Dense(features, hidden, dtype=dtype)
        self.second = Dense(hidden, features, dtype=dtype)
        self.norms = tuple(
            LayerNorm(features, epsilon=epsilon, dtype=dtype) for _ in range(self.norm_count)
        )
        self.activation = function_of(type(self).__name__, "activation", activation)
        self.dropout = check_rate(type(self).__name__, dropout)
        self.norm_first = flag(type(self).__name__, "norm_first", norm_first)
        self._add_parts(features, heads, dtype)

    def _add_parts(self, features: int, heads: int, dtype: DTypeLike) -> None:
        """Create the parts that a subclass adds."""

    def _residual(
        self, x: Tensor, norm: LayerNorm, function: Callable[[Tensor], Tensor], training: bool
    ) -> Tensor:
        """Add the function of x to x, and normalize before or after."""
        if self.norm_first:
            return x + dropout(function(norm(x)), self.dropout, training=training)
        result: Tensor = norm(x + dropout(function(x), self.dropout, training=training))
        return result

    def _network(self, x: Tensor, training: bool) -> Tensor:
        hidden = dropout(self.activation(self.first(x)), self.dropout, training=training)
        result: Tensor = self.second(hidden)
        return result

    def _attending(
        self,
        mask: ArrayLike | None,
        causal: bool,
        cache: KeyValueCache | None,
        count: int | Tensor | None = None,
    ) -> tuple[Callable[[Tensor], Tensor], list[KeyValueCache]]:
        """Return the self-attention as a function, and a list to which it adds the new cache."""
        caches: list[KeyValueCache] = []

        def attend(x: Tensor) -> Tensor:
            result: Any = self.attention(x, mask=mask, causal=causal, cache=cache, count=count)
            if cache is None:
                attended: Tensor = result
                return attended
            attended, new = result
            caches.append(new)
            return attended

        return attend, caches

    def facts(self) -> str:
        return self.attention.facts()


class TransformerEncoderLayer(_TransformerLayer):
    """Apply self-attention and a dense network, each with a residual connection.

    Source: Vaswani et al. 2017, arXiv:1706.03762; options as torch.nn.TransformerEncoderLayer.

    Calling the layer takes a tensor of shape (batch, length, features), and optionally `mask` and
    `causal` of the attention. It returns a tensor of the same shape. With `cache`, a result of
    `layer.attention.empty_cache(...)` or of an earlier call, it takes the following positions only,
    and returns (result, cache); use it with `causal=True`.

    Args:
        features: Number of features of each position.
        heads: Number of heads, a divisor of `features`.
        hidden: Number of features between the two dense layers; default 2048.
        dropout: Rate of dropout in training; default 0.1.
        activation: Function between the dense layers; default relu.
        norm_first: Normalize before attention and network instead of after the sums; default False.
        epsilon: Number added to the variance in `LayerNorm`; default 1e-5.
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        ArgumentError: If `dropout` is not from 0 to 1.
        ShapeError: If `heads` does not divide `features`; in a call, if shapes are incompatible.

    >>> import py_tensor as pt
    >>> layer = pt.nn.TransformerEncoderLayer(16, 4, hidden=32)
    >>> layer(pt.ones((2, 5, 16)), causal=True).shape
    (2, 5, 16)
    """

    def forward(
        self,
        x: Tensor,
        *,
        mask: ArrayLike | None = None,
        causal: bool = False,
        cache: KeyValueCache | None = None,
        training: bool = False,
    ) -> Any:
        attend, caches = self._attending(mask, causal, cache)

        x = self._residual(x, self.norms[0], attend, training)
        x = self._residual(x, self.norms[1], lambda x: self._network(x, training), training)
        return (x, caches[0]) if caches else x


class TransformerDecoderLayer(_TransformerLayer):
    """Apply causal self-attention, attention to an encoder's result, and a dense network.

    Each has a residual connection. Source: Vaswani et al. 2017, arXiv:1706.03762; options as
    torch.nn.TransformerDecoderLayer, except that self-attention is causal by default.

    Calling the layer takes a tensor of shape (batch, length, features), the encoder's result
    `memory` of shape (batch, positions, features), and optionally `mask` and `causal` of the
    self-attention and `memory_mask`. It returns a tensor of the first one's shape. With `cache`, it
    takes the following positions only, and returns (result, cache); `count` is that of the
    attention. `memory` may also be a result of `layer.cross_attention.project(memory)`, which
    several calls share.

    Args:
        features: Number of features of each position.
        heads: Number of heads, a divisor of `features`.
        hidden: Number of features between the two dense layers; default 2048.
        dropout: Rate of dropout in training; default 0.1.
        activation: Function between the dense layers; default relu.
        norm_first: Normalize before attention and network instead of after the sums; default False.
        epsilon: Number added to the variance in `LayerNorm`; default 1e-5.
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        ArgumentError: If `dropout` is not from 0 to 1.
        ShapeError: If `heads` does not divide `features`; in a call, if shapes are incompatible.

    >>> import py_tensor as pt
    >>> layer = pt.nn.TransformerDecoderLayer(16, 4, hidden=32)
    >>> layer(pt.ones((2, 3, 16)), pt.ones((2, 5, 16))).shape
    (2, 3, 16)
    """

    cross_attention: MultiHeadAttention
    norm_count = 3

    def _add_parts(self, features: int, heads: int, dtype: DTypeLike) -> None:
        self.cross_attention = MultiHeadAttention(features, heads, dtype=dtype)

    def forward(
        self,
        x: Tensor,
        memory: Tensor | KeyValueCache,
        *,
        mask: ArrayLike | None = None,
        causal: bool = True,
        memory_mask: ArrayLike | None = None,
        cache: KeyValueCache | None = None,
        count: int | Tensor | None = None,
        training: bool = False,
    ) -> Any:
        attend, caches = self._attending(mask, causal, cache, count)

        def crossed(x: Tensor) -> Tensor:
            result: Tensor = self.cross_attention(x, memory, mask=memory_mask)
            return result

        x = self._residual(x, self.norms[0], attend, training)
        x = self._residual(x, self.norms[1], crossed, training)
        x = self._residual(x, self.norms[2], lambda x: self._network(x, training), training)
        return (x, caches[0]) if caches else x
