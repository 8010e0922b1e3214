"""Attention of language models: heads that share keys, rotary positions, and windows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ... import functions as F
from ...dtypes import float32
from ...errors import ShapeError
from ...functions.arguments import function_of, integer
from ...tensor import Tensor
from ...typing import ArrayLike, DTypeLike
from ..attention import scaled_dot_product_attention
from ..module import Module, static_field
from .attention import check_axes, joined_heads, split_heads
from .cache import KeyValueCache
from .linear import Dense, dtype_of
from .rotary import RotaryEmbedding


class GroupedQueryAttention(Module):
    """Attend causally with several heads, of which groups share keys and values.

    Source: Ainslie et al. 2023, arXiv:2305.13245. Calling the layer takes a tensor of shape (batch,
    length, features), and optionally `mask` and `causal` of `scaled_dot_product_attention`. It
    returns a tensor of the same shape.

    With `cache`, a result of `empty_cache` or of an earlier call, it takes the following positions
    only, and returns (result, cache); see `MultiHeadAttention`. `count` is the number of positions
    that are not padding at the end. `shared` is an empty dict at first, in which layers that are
    called at one position keep what they have in common.

    Args:
        features: Number of features of the input and of the result.
        heads: Number of heads of the query.
        key_heads: Number of heads of keys and values, a divisor of `heads`; None (default) for
            `heads`.
        head_features: Number of features of a head; None (default) for features / heads.
        bias: Add biases to queries, keys and values, as Qwen2 does; default False.
        output_bias: Add a bias to the result; default False.
        norm: Function of a number of features that makes the normalization of each head's queries
            and keys, for example `pt.nn.RMSNorm`, as in Qwen3 and Gemma 3; None (default) for none.
        rotary: Rotary embedding of queries and keys; None (default) for none.
        window: Number of keys that a query attends to, its own included; None (default) for all.
        softcap: Bound of the scores, as in Gemma 2; None (default) for none.
        scale: Factor of the scores; None (default) for 1 / sqrt(head_features).
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        ShapeError: If a number of heads is not a divisor; in a call, if shapes are incompatible.

    >>> import py_tensor as pt
    >>> attention = pt.nn.GroupedQueryAttention(16, 4, key_heads=2, rotary=pt.nn.RotaryEmbedding(4))
    >>> attention(pt.ones((2, 5, 16))).shape
    (2, 5, 16)
    >>> y, cache = attention(pt.ones((2, 5, 16)), cache=attention.empty_cache(2, 100))
    >>> cache.keys.shape
    (2, 2, 100, 4)
    """

    query: Dense
    key: Dense
    value: Dense
    output: Dense
    query_norm: Module | None
    key_norm: Module | None
    rotary: RotaryEmbedding | None
    heads: int = static_field()
    key_heads: int = static_field()
    head_features: int = static_field()
    window: int | None = static_field()
    softcap: float | None = static_field()
    scale: float | None = static_field()

    def __init__(
        self,
        features: int,
        heads: int,
        *,
        key_heads: int | None = None,
        head_features: int | None = None,
        bias: bool = False,
        output_bias: bool = False,
        norm: Callable[[int], Module] | None = None,
        rotary: RotaryEmbedding | None = None,
        window: int | None = None,
        softcap: float | None = None,
        scale: float | None = None,
        dtype: DTypeLike = float32,
    ) -> None:
        name = "GroupedQueryAttention"
        features = integer(name, "features", features, 0)
        heads = integer(name, "heads", heads, 1)
        shared = heads if key_heads is None else integer(name, "key_heads", key_heads, 1)
        if heads % shared or (head_features is None and features % heads):
            raise ShapeError(
                f"{name}: heads of keys must divide the heads, and these the features; got "
                f"{shared}, {heads} and {features}; use divisors"
            )
        size = features // heads if head_features is None else head_features
        self.heads, self.key_heads = heads, shared
        self.head_features = integer(name, "head_features", size, 1)
        dense = partial(Dense, features, bias=bias, dtype=dtype)
        self.query = dense(heads * size)
        self.key, self.value = (dense(shared * size) for _ in range(2))
        self.output = Dense(heads * size, features, bias=output_bias, dtype=dtype)
        self.query_norm = self.key_norm = None
        if norm is not None:
            make = function_of(name, "norm", norm)
            self.query_norm, self.key_norm = make(size), make(size)
        self.rotary = rotary
        self.window = None if window is None else integer(name, "window", window, 1)
        self.softcap, self.scale = softcap, scale

    def forward(
        self,
        x: Tensor,
        *,
        mask: ArrayLike | None = None,
        causal: bool = True,
        cache: KeyValueCache | None = None,
        count: int | Tensor | None = None,
        shared: dict[Any, Any] | None = None,
        training: bool = False,
    ) -> Any:
        check_axes(x)
        shared = {} if shared is None else shared
        q = split_heads(self.query(x), self.heads)
        k, v = (split_heads(part(x), self.key_heads) for part in (self.key, self.value))
        if self.query_norm is not None and self.key_norm is not None:
            q, k = self.query_norm(q), self.key_norm(k)
        if self.rotary is not None:
            position = 0 if cache is None else cache.position
            if x.shape[-2] == 1:
                # One kernel for both takes less time than two small ones.
                both = self.rotary.turned(F.concat([q, k], axis=-3), position, shared)
                q, k = both[..., : self.heads, :, :], both[..., self.heads :, :, :]
            else:
                q, k = (self.rotary.turned(part, position, shared) for part in (q, k))
        window = self.window
        if cache is not None:
            cache, k, v, mask = cache.attending(k, v, mask, causal, count, window, shared)
            causal, window = False, None
        heads = scaled_dot_product_attention(
            q,
            k,
            v,
            mask=mask,
            causal=causal,
            scale=self.scale,
            window=window,
            softcap=self.softcap,
        )
        result: Tensor = self.output(joined_heads(heads))
        return result if cache is None else (result, cache)

    def empty_cache(self, batch: int, length: int) -> KeyValueCache:
        """Return the cache before the first position; with a window, it has no more positions.

        Args:
            batch: Number of sequences.
            length: Largest number of positions.

        Returns:
            `KeyValueCache`, to be passed as `cache` in a call.

        >>> import py_tensor as pt
        >>> pt.nn.GroupedQueryAttention(16, 4, window=8).empty_cache(2, 100).keys.shape
        (2, 4, 8, 4)
        """
        return KeyValueCache.empty(
            batch,
            self.key_heads,
            length,
            self.head_features,
            window=self.window,
            dtype=dtype_of(self.output),
        )

    def facts(self) -> str:
        return f"{self.heads} heads of {self.head_features}, {self.key_heads} of keys"
