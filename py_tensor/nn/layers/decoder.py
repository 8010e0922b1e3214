"""Decoder of language models, configured for the families of Llama, Qwen, Gemma, Phi and GPT-2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ... import functions as F
from ...dtypes import float32, int32, wrong_type
from ...errors import ArgumentError
from ...functions.arguments import choice, integer
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike, DTypeLike
from ..activations import silu
from ..module import Module, static_field
from ..rotary import RotaryScaling
from .cache import KeyValueCache
from .feed_forward import FeedForward, MixtureOfExperts
from .grouped_attention import GroupedQueryAttention
from .linear import Dense, Embedding
from .normalization import LayerNorm, RMSNorm
from .rotary import RotaryEmbedding


@dataclass(frozen=True)
class DecoderOptions:
    """Sizes and options of a `CausalDecoder`.

    The defaults are those of Llama and SmolLM2. Qwen2 has `attention_bias`; Qwen3 has `head_norm`.
    Gemma 2 and 3 have `unit_offset`, norm_places="both", `embedding_factor`, gelu and `windows`;
    Gemma 2 also has softcaps, and Gemma 3 has `head_norm` and `local_base`. GPT-2 has norm="layer",
    all biases, `positions`, rotary_base=None, gelu and gated=False.

    Args:
        vocabulary: Number of tokens.
        features: Number of features of each position.
        layers: Number of blocks.
        heads: Number of heads of queries.
        hidden: Number of features between the dense layers of a network.
        key_heads: Number of heads of keys and values; None (default) for `heads`.
        head_features: Number of features of a head; None (default) for features / heads.
        norm: "rms" (default) or "layer".
        epsilon: Number added to the variance; default 1e-6.
        unit_offset: Learn the difference of the scale of `RMSNorm` from 1; default False.
        norm_places: Normalize "before" (default) attention and network, "after" them, or "both".
        head_norm: Normalize queries and keys of each head by `RMSNorm`; default False.
        attention_bias: Add biases to queries, keys and values; default False.
        output_bias: Add a bias to the result of attention; default False.
        network_bias: Add biases in the network; default False.
        activation: Function in the network; default silu.
        gated: Multiply by a gate in the network; default True.
        experts: Number of experts of each network, see `MixtureOfExperts`; default 0 for one
            `FeedForward`.
        expert_hidden: Number of features between the dense layers of an expert; None (default) for
            `hidden`.
        dense_blocks: Numbers of blocks with one `FeedForward` instead of experts; default ().
        chosen_experts: Number of experts for each token; default 2.
        normalize_experts: Divide the weights of experts by their sum; default True.
        rotary_base: Base of the rotary embedding, None for none; default 10000.0.
        local_base: Base in blocks with a window, without `scaling`; None (default) for the same.
        rotary_share: Share of the features of a head that are rotated; default 1.0.
        scaling: Change of the rotary embedding for longer sequences; None (default) for none.
        interleaved: Pair neighbouring features in the rotary embedding; default False.
        positions: Number of learned positions that are added to tokens; default 0 for none.
        windows: Number of keys that a query attends to, None (default) for all; or a tuple of these
            for each block.
        softcap: Bound of the scores of attention; None (default) for none.
        scale: Factor of the scores of attention; None (default) for 1 / sqrt(head_features).
        logit_softcap: Bound of the result; None (default) for none.
        embedding_factor: Factor of embedded tokens; default 1.0.
        tied: Use the embedding for the result, too; default True.
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        ArgumentError: If a choice is unknown, or `windows` has another length than `layers`.

    >>> import py_tensor as pt
    >>> options = pt.nn.DecoderOptions(100, 16, 2, 4, 32, key_heads=2)
    >>> options.head_features is None
    True
    """

    vocabulary: int
    features: int
    layers: int
    heads: int
    hidden: int
    key_heads: int | None = None
    head_features: int | None = None
    norm: str = "rms"
    epsilon: float = 1e-6
    unit_offset: bool = False
    norm_places: str = "before"
    head_norm: bool = False
    attention_bias: bool = False
    output_bias: bool = False
    network_bias: bool = False
    activation: Callable[[Any], Any] = silu
    gated: bool = True
    experts: int = 0
    expert_hidden: int | None = None
    dense_blocks: tuple[int, ...] = ()
    chosen_experts: int = 2
    normalize_experts: bool = True
    rotary_base: float | None = 10000.0
    local_base: float | None = None
    rotary_share: float = 1.0
    scaling: RotaryScaling | None = None
    interleaved: bool = False
    positions: int = 0
    windows: int | tuple[int | None, ...] | None = None
    softcap: float | None = None
    scale: float | None = None
    logit_softcap: float | None = None
    embedding_factor: float = 1.0
    tied: bool = True
    dtype: DTypeLike = float32

    def __post_init__(self) -> None:
        choice("DecoderOptions", "norm", self.norm, ("rms", "layer"))
        choice("DecoderOptions", "norm_places", self.norm_places, ("before", "after", "both"))
        integer("DecoderOptions", "layers", self.layers, 0)
        if isinstance(self.windows, tuple) and len(self.windows) != self.layers:
            raise ArgumentError(
                f"DecoderOptions: windows need one number for each block; got {len(self.windows)} "
                f"for {self.layers}; pass None for blocks without a window"
            )

    def window(self, block: int) -> int | None:
        """Return the window of a block.

        Args:
            block: Number of the block, from 0.

        Returns:
            Number of keys, or None for all.

        >>> import py_tensor as pt
        >>> pt.nn.DecoderOptions(100, 16, 2, 4, 32, windows=(8, None)).window(0)
        8
        """
        return self.windows[block] if isinstance(self.windows, tuple) else self.windows

    def normalization(self, features: int) -> Module:
        """Return a normalization of so many features.

        Args:
            features: Number of features.

        Returns:
            `RMSNorm` or `LayerNorm`.

        >>> import py_tensor as pt
        >>> pt.nn.DecoderOptions(100, 16, 2, 4, 32).normalization(16)
        RMSNorm(16)
        """
        if self.norm == "layer":
            return LayerNorm(features, epsilon=self.epsilon, dtype=self.dtype)
        return self._rms(features)

    def _rms(self, features: int) -> RMSNorm:
        return RMSNorm(
            features, epsilon=self.epsilon, unit_offset=self.unit_offset, dtype=self.dtype
        )

    def attention(self, block: int) -> GroupedQueryAttention:
        """Return the attention of a block.

        Args:
            block: Number of the block, from 0.

        Returns:
            `GroupedQueryAttention`.

        >>> import py_tensor as pt
        >>> pt.nn.DecoderOptions(100, 16, 2, 4, 32, key_heads=2).attention(0).facts()
        '4 heads of 4, 2 of keys'
        """
        window, rotary = self.window(block), None
        size = self.features // self.heads if self.head_features is None else self.head_features
        if self.rotary_base is not None:
            base, scaling = self.rotary_base, self.scaling
            if window is not None and self.local_base is not None:
                base, scaling = self.local_base, None
            rotated = int(size * self.rotary_share)
            make = partial(RotaryEmbedding, rotated, base=base, scaling=scaling)
            rotary = make(interleaved=self.interleaved)
        return GroupedQueryAttention(
            self.features,
            self.heads,
            key_heads=self.key_heads,
            head_features=self.head_features,
            bias=self.attention_bias,
            output_bias=self.output_bias,
            norm=self._rms if self.head_norm else None,
            rotary=rotary,
            window=window,
            softcap=self.softcap,
            scale=self.scale,
            dtype=self.dtype,
        )

    def network(self, block: int = 0) -> Module:
        """Return the network of a block.

        Args:
            block: Number of the block, from 0; default 0.

        Returns:
            `FeedForward`, or `MixtureOfExperts` if the block has experts.

        >>> import py_tensor as pt
        >>> pt.nn.DecoderOptions(100, 16, 2, 4, 32).network()
        FeedForward(16 -> 32 -> 16): 1,536 parameters
          gate Dense(16 -> 32)
          up Dense(16 -> 32)
          down Dense(32 -> 16)
        """
        if self.experts and block not in self.dense_blocks:
            return MixtureOfExperts(
                self.features,
                self.hidden if self.expert_hidden is None else self.expert_hidden,
                self.experts,
                chosen=self.chosen_experts,
                activation=self.activation,
                normalize=self.normalize_experts,
                dtype=self.dtype,
            )
        return FeedForward(
            self.features,
            self.hidden,
            activation=self.activation,
            gated=self.gated,
            bias=self.network_bias,
            dtype=self.dtype,
        )


def _check(operation: str, options: Any) -> None:
    if not isinstance(options, DecoderOptions):
        raise wrong_type(operation, "options", "a DecoderOptions", options)


class DecoderBlock(Module):
    """Apply causal attention and a network, each with a residual connection.

    Calling the layer takes a tensor of shape (batch, length, features), and optionally `mask`,
    `cache`, `count` and `shared` of `GroupedQueryAttention`. It returns a tensor of the same shape,
    and with `cache` (result, cache).

    Args:
        options: Options of the decoder.
        block: Number of the block, from 0; default 0.

    Raises:
        ShapeError: If a number of heads is not a divisor; in a call, if shapes are incompatible.

    >>> import py_tensor as pt
    >>> block = pt.nn.DecoderBlock(pt.nn.DecoderOptions(100, 16, 2, 4, 32, key_heads=2))
    >>> block(pt.ones((2, 5, 16))).shape
    (2, 5, 16)
    """

    attention: GroupedQueryAttention
    network: Module
    attention_before: Module | None
    attention_after: Module | None
    network_before: Module | None
    network_after: Module | None

    def __init__(self, options: DecoderOptions, block: int = 0) -> None:
        _check("DecoderBlock", options)
        block = integer("DecoderBlock", "block", block, 0, max(options.layers - 1, 0))
        self.attention = options.attention(block)
        self.network = options.network(block)
        make = partial(options.normalization, options.features)
        before, after = (options.norm_places in (own, "both") for own in ("before", "after"))
        self.attention_before, self.network_before = (make() if before else None for _ in range(2))
        self.attention_after, self.network_after = (make() if after else None for _ in range(2))

    def forward(
        self,
        x: Tensor,
        *,
        mask: ArrayLike | None = None,
        cache: KeyValueCache | None = None,
        count: int | Tensor | None = None,
        shared: dict[Any, Any] | None = None,
        training: bool = False,
    ) -> Any:
        y = _normalized(self.attention_before, x)
        y = self.attention(y, mask=mask, cache=cache, count=count, shared=shared)
        if cache is not None:
            y, cache = y
        x = x + _normalized(self.attention_after, y)
        y = self.network(_normalized(self.network_before, x))
        x = x + _normalized(self.network_after, y)
        return x if cache is None else (x, cache)


def _normalized(norm: Module | None, x: Tensor) -> Tensor:
    return x if norm is None else norm(x)


@dataclass(frozen=True)
class DecoderCache:
    """Keys and values of all blocks of a `CausalDecoder` at one position.

    `CausalDecoder.empty_cache` makes it; see `KeyValueCache`.

    Args:
        keys: Tensors of shape (batch, heads, length, features), one for each block.
        values: Tensors of the same shapes.
        position: Number of tokens so far, an int32 tensor of shape ().
        windows: Window of each block, None for all positions.
        start: First position of each sequence, see `KeyValueCache`; None (default) for 0. Set it by
            `dataclasses.replace` before the first call, to give sequences of different lengths
            that end together.

    >>> import py_tensor as pt
    >>> model = pt.nn.CausalDecoder(pt.nn.DecoderOptions(100, 16, 2, 4, 32))
    >>> len(model.empty_cache(1, 64).keys)
    2
    """

    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]
    position: Tensor
    windows: tuple[int | None, ...] = field(metadata={"static": True})
    start: Tensor | None = None

    @classmethod
    def of(
        cls, blocks: Sequence[KeyValueCache], position: Tensor, start: Tensor | None = None
    ) -> DecoderCache:
        """Return the cache of blocks at one position."""
        keys, values = (tuple(getattr(b, name) for b in blocks) for name in ("keys", "values"))
        return cls(keys, values, position, tuple(block.window for block in blocks), start)

    @property
    def blocks(self) -> list[KeyValueCache]:
        """Cache of each block."""
        parts = zip(self.keys, self.values, self.windows, strict=True)
        position, start = self.position, self.start
        return [KeyValueCache(keys, values, position, own, start) for keys, values, own in parts]


def last_of(operation: str, x: Tensor, count: int | Tensor | None) -> Tensor:
    """Return the last position of sequences (batch, length, ...) that is not padding."""
    if count is None:
        return x[:, -1:]
    end = as_tensor(operation, count).astype(int32).reshape((1,))
    return F.take(x, end - 1, axis=1)


class CausalDecoder(Module):
    """Predict each next token of sequences: the decoder of language models.

    Calling the model takes integer tokens of shape (batch, length), and optionally `mask`, which
    broadcasts with (batch, heads, length, length). It returns logits of shape (batch, length,
    vocabulary).

    With `cache`, a result of `empty_cache` or of an earlier call, it takes the following tokens
    only, and returns (logits, cache). `count` is the number of tokens that are not padding at the
    end: a number or a tensor, None (default) for all. So a prompt can be given in chunks of one
    length. With `last`, only the logits after the last token that is not padding are computed;
    their shape is (batch, 1, vocabulary).

    Args:
        options: Sizes and options.

    Raises:
        ShapeError: If a number of heads is not a divisor; in a call, if shapes are incompatible.
        DTypeError: In a call, if tokens are not integers.

    >>> import py_tensor as pt
    >>> model = pt.nn.CausalDecoder(pt.nn.DecoderOptions(100, 16, 2, 4, 32, key_heads=2))
    >>> model(pt.asarray([[3, 1, 4]])).shape
    (1, 3, 100)
    >>> logits, cache = model([[3, 1, 4]], cache=model.empty_cache(1, 64), last=True)
    >>> logits.shape, cache.position.item()
    ((1, 1, 100), 3)
    """

    embedding: Embedding
    positions: Embedding | None
    blocks: tuple[DecoderBlock, ...]
    norm: Module
    readout: Dense | None
    options: DecoderOptions = static_field()

    def __init__(self, options: DecoderOptions) -> None:
        _check("CausalDecoder", options)
        self.options = options
        embedding = partial(Embedding, features=options.features, dtype=options.dtype)
        self.embedding = embedding(options.vocabulary)
        self.positions = embedding(options.positions) if options.positions else None
        self.blocks = tuple(DecoderBlock(options, block) for block in range(options.layers))
        self.norm = options.normalization(options.features)
        dense = partial(Dense, options.features, options.vocabulary, bias=False)
        self.readout = None if options.tied else dense(dtype=options.dtype)

    def forward(
        self,
        tokens: ArrayLike,
        *,
        mask: ArrayLike | None = None,
        cache: DecoderCache | None = None,
        count: int | Tensor | None = None,
        last: bool = False,
        training: bool = False,
    ) -> Any:
        tokens = as_tensor("CausalDecoder", tokens)
        x, after = self._decoded(tokens, mask, cache, count)
        logits = self._logits(self.norm(last_of("CausalDecoder", x, count) if last else x))
        return logits if cache is None else (logits, after)

    def _decoded(
        self,
        tokens: Tensor,
        mask: ArrayLike | None,
        cache: DecoderCache | None,
        count: int | Tensor | None,
    ) -> tuple[Tensor, DecoderCache | None]:
        """Return the result of the last block, and the cache after the tokens."""
        x = self.embedding(tokens)
        if self.options.embedding_factor != 1:
            x = x * self.options.embedding_factor
        if self.positions is not None:
            at = F.arange(tokens.shape[-1], dtype=int32)
            if cache is not None:
                at = at + cache.position
                if cache.start is not None:
                    at = F.maximum(at - cache.start.reshape((-1, 1)), 0)
            x = x + self.positions(at)
        after: list[KeyValueCache] = []
        before = [None] * len(self.blocks) if cache is None else cache.blocks
        shared: dict[Any, Any] = {}
        for block, own in zip(self.blocks, before, strict=True):
            x = block(x, mask=mask, cache=own, count=count, shared=shared)
            if own is not None:
                x, new = x
                after.append(new)
        if cache is None:
            return x, None
        position = after[0].position if after else cache.position
        return x, DecoderCache.of(after, position, cache.start)

    def encode(self, tokens: ArrayLike, *, mask: ArrayLike | None = None) -> Tensor:
        """Return the features of which logits are computed.

        Args:
            tokens: Integers of shape (batch, length).
            mask: As in a call; None (default) for none.

        Returns:
            Tensor of shape (batch, length, features).

        Raises:
            DTypeError: If tokens are not integers.

        >>> import py_tensor as pt
        >>> model = pt.nn.CausalDecoder(pt.nn.DecoderOptions(100, 16, 2, 4, 32))
        >>> model.encode([[3, 1, 4]]).shape
        (1, 3, 16)
        """
        x, _ = self._decoded(as_tensor("encode", tokens), mask, None, None)
        features: Tensor = self.norm(x)
        return features

    def _logits(self, x: Tensor) -> Tensor:
        logits = self.embedding.attend(x) if self.readout is None else self.readout(x)
        bound = self.options.logit_softcap
        return logits if bound is None else (logits * (1 / bound)).tanh() * bound

    def empty_cache(self, batch: int, length: int) -> DecoderCache:
        """Return the cache before the first token.

        Args:
            batch: Number of sequences.
            length: Largest number of tokens.

        Returns:
            `DecoderCache`, to be passed as `cache` in a call.

        >>> import py_tensor as pt
        >>> model = pt.nn.CausalDecoder(pt.nn.DecoderOptions(100, 16, 2, 4, 32))
        >>> model.empty_cache(1, 64).keys[0].shape
        (1, 4, 64, 4)
        """
        blocks = [block.attention.empty_cache(batch, length) for block in self.blocks]
        return DecoderCache.of(blocks, F.zeros((), dtype=int32))

    def facts(self) -> str:
        own = self.options
        return f"{own.vocabulary} tokens, {own.layers} blocks of {own.features}"
