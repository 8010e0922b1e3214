"""Speech to text: the model of Whisper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ... import functions as F
from ...dtypes import int32
from ...errors import ArgumentError, ShapeError
from ...functions.arguments import flag, integer
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike
from ..activations import gelu
from ..module import Module
from .cache import KeyValueCache
from .convolution import Conv1D
from .decoder import DecoderCache, last_of
from .encoders import EncoderOptions, check_options, check_positions
from .linear import Dense, Embedding
from .normalization import LayerNorm
from .transformer import TransformerDecoderLayer, TransformerEncoderLayer


@dataclass(frozen=True)
class SpeechCache:
    """Keys and values of all blocks of the decoder of `SpeechToText`.

    `SpeechToText.empty_cache` makes it; see `KeyValueCache`.

    Args:
        tokens: Keys and values of the tokens so far.
        sound: Keys and values of the encoded sound, for each block.

    >>> import py_tensor as pt
    >>> model = pt.nn.SpeechToText(pt.nn.EncoderOptions(16, 2, 4, 32), 100, positions=50)
    >>> cache = model.empty_cache(model.encode(pt.ones((1, 100, 80))), 20)
    >>> cache.position.item(), cache.sound[0].keys.shape
    (0, (1, 4, 50, 4))
    """

    tokens: DecoderCache
    sound: tuple[KeyValueCache, ...]

    @property
    def position(self) -> Tensor:
        """Number of tokens so far, an int32 tensor of shape ()."""
        return self.tokens.position


class SpeechToText(Module):
    """Predict each next token of the text of a sound: the model of Whisper.

    Source: Radford et al. 2022, arXiv:2212.04356. `encode` takes features of sounds, those of
    `pt.audio.whisper_features` for Whisper. Calling the model takes integer tokens of shape (batch,
    length) and `memory`, the result of `encode`. It returns logits of shape (batch, length,
    vocabulary).

    With `cache`, a result of `empty_cache` or of an earlier call, it takes the following tokens
    only, and returns (logits, cache). `memory` is left out then, since the cache has it. `count` is
    the number of tokens that are not padding at the end: a number or a tensor, None (default) for
    all. With `last`, only the logits after the last token that is not padding are computed; their
    shape is (batch, 1, vocabulary).

    Args:
        options: Sizes and options of the encoder's blocks; `norm_first` is always True.
        vocabulary: Number of tokens.
        decoder: Sizes and options of the decoder's blocks, with the same number of features; None
            (default) for `options`.
        bands: Number of features of a frame of sound; default 80.
        positions: Number of positions of the encoder, half of the frames; default 1500.
        tokens: Number of positions of the decoder; default 448.
        tied: Use the embedding for the result, too; default True.

    Raises:
        ArgumentError: If a number is out of range.
        ShapeError: If `heads` does not divide `features`; in a call, if shapes are incompatible, or
            there are too many frames or tokens.
        DTypeError: In a call, if tokens are not integers.

    >>> import py_tensor as pt
    >>> model = pt.nn.SpeechToText(pt.nn.EncoderOptions(16, 2, 4, 32), 100, positions=50)
    >>> memory = model.encode(pt.ones((1, 100, 80)))
    >>> model([[3, 1, 4]], memory).shape
    (1, 3, 100)
    >>> logits, cache = model([[3, 1]], cache=model.empty_cache(memory, 20), last=True)
    >>> logits.shape, cache.position.item()
    ((1, 1, 100), 2)
    """

    first: Conv1D
    second: Conv1D
    sound_positions: Embedding
    encoder: tuple[TransformerEncoderLayer, ...]
    encoder_norm: LayerNorm
    embedding: Embedding
    positions: Embedding
    decoder: tuple[TransformerDecoderLayer, ...]
    norm: LayerNorm
    readout: Dense | None

    def __init__(
        self,
        options: EncoderOptions,
        vocabulary: int,
        *,
        decoder: EncoderOptions | None = None,
        bands: int = 80,
        positions: int = 1500,
        tokens: int = 448,
        tied: bool = True,
    ) -> None:
        name = "SpeechToText"
        check_options(name, options)
        own = options if decoder is None else decoder
        check_options(name, own)
        features = options.features
        if own.features != features:
            raise ShapeError(
                f"{name}: encoder and decoder must have the same features; got {features} and "
                f"{own.features}; pass equal numbers"
            )
        options, own = (replace(part, norm_first=True) for part in (options, own))
        convolution = partial(Conv1D, outputs=features, size=3, padding=1, dtype=options.dtype)
        self.first = convolution(integer(name, "bands", bands, 1))
        self.second = convolution(features, stride=2)
        embedding = partial(Embedding, features=features, dtype=options.dtype)
        self.sound_positions = embedding(integer(name, "positions", positions, 1))
        self.encoder = tuple(options.layer(TransformerEncoderLayer) for _ in range(options.layers))
        self.encoder_norm = options.normalization()
        self.embedding = embedding(integer(name, "vocabulary", vocabulary, 1))
        self.positions = embedding(integer(name, "tokens", tokens, 1))
        self.decoder = tuple(own.layer(TransformerDecoderLayer) for _ in range(own.layers))
        self.norm = own.normalization()
        is_tied = flag(name, "tied", tied)
        dense = partial(Dense, features, vocabulary, bias=False, dtype=options.dtype)
        self.readout = None if is_tied else dense()
        # A bias of keys adds the same to all scores of a query, so Whisper has none.
        for layer in (*self.encoder, *self.decoder):
            layer.attention.key.bias = None
        for layer in self.decoder:
            layer.cross_attention.key.bias = None

    def encode(self, features: ArrayLike) -> Tensor:
        """Encode the features of sounds.

        Args:
            features: Tensor of shape (batch, frames, bands).

        Returns:
            Tensor of shape (batch, ceil(frames / 2), features).

        Raises:
            ShapeError: If the shape is not as above, or there are too many frames.

        >>> import py_tensor as pt
        >>> model = pt.nn.SpeechToText(pt.nn.EncoderOptions(16, 2, 4, 32), 100, positions=50)
        >>> model.encode(pt.ones((1, 100, 80))).shape
        (1, 50, 16)
        """
        x = gelu(self.second(gelu(self.first(as_tensor("encode", features)))))
        check_positions("encode", x.shape[1], self.sound_positions.rows)
        x = x + self.sound_positions(F.arange(x.shape[1], dtype=int32))
        for layer in self.encoder:
            x = layer(x)
        result: Tensor = self.encoder_norm(x)
        return result

    def forward(
        self,
        tokens: ArrayLike,
        memory: Tensor | None = None,
        *,
        cache: SpeechCache | None = None,
        count: int | Tensor | None = None,
        last: bool = False,
        training: bool = False,
    ) -> Any:
        if (memory is None) == (cache is None):
            raise ArgumentError(
                "SpeechToText: call needs either memory or a cache; got "
                f"{'neither' if memory is None else 'both'}; pass the result of encode, or a cache"
            )
        tokens = as_tensor("SpeechToText", tokens)
        check_positions("SpeechToText", tokens.shape[-1], self.positions.rows)
        at = F.arange(tokens.shape[-1], dtype=int32)
        if cache is not None:
            # Padding may reach beyond the last position.
            at = F.minimum(at + cache.position, self.positions.rows - 1)
        x = self.embedding(tokens) + self.positions(at)
        after: list[KeyValueCache] = []
        for number, layer in enumerate(self.decoder):
            if cache is None:
                x = layer(x, memory)
            else:
                own = cache.tokens.blocks[number]
                x, new = layer(x, cache.sound[number], cache=own, count=count)
                after.append(new)
        x = self.norm(last_of("SpeechToText", x, count) if last else x)
        logits = self.embedding.attend(x) if self.readout is None else self.readout(x)
        if cache is None:
            return logits
        position = after[0].position if after else cache.position
        return logits, SpeechCache(DecoderCache.of(after, position), cache.sound)

    def empty_cache(self, memory: Tensor, length: int) -> SpeechCache:
        """Return the cache before the first token of the text of sounds.

        Args:
            memory: Result of `encode`.
            length: Largest number of tokens, at most the number of positions of the decoder.

        Returns:
            `SpeechCache`, to be passed as `cache` in a call.

        Raises:
            ArgumentError: If there are more tokens than positions.

        >>> import py_tensor as pt
        >>> model = pt.nn.SpeechToText(pt.nn.EncoderOptions(16, 2, 4, 32), 100, positions=50)
        >>> model.empty_cache(model.encode(pt.ones((1, 100, 80))), 20).tokens.keys[0].shape
        (1, 4, 20, 4)
        """
        length = integer("empty_cache", "length", length, 0, self.positions.rows)
        batch = memory.shape[0]
        blocks = [layer.attention.empty_cache(batch, length) for layer in self.decoder]
        sound = tuple(layer.cross_attention.project(memory) for layer in self.decoder)
        return SpeechCache(DecoderCache.of(blocks, F.zeros((), dtype=int32)), sound)

    def facts(self) -> str:
        blocks = f"{len(self.encoder)} + {len(self.decoder)} blocks"
        return f"{self.embedding.rows} tokens, {blocks} of {self.embedding.features}"
