"""Computations of speech to text on the device: features, the encoder, and one token after another.

Each has tensors of fixed shapes, so that one plan serves all windows of all sounds.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ... import functions as F
from ...dtypes import int32
from ...nn.layers.cache import KeyValueCache
from ...nn.layers.decoder import DecoderCache
from ...nn.layers.speech import SpeechCache, SpeechToText
from ...nn.softmax import logsumexp
from ...tensor import Tensor
from ...text.generation.sampling import choose
from ...transforms.jit.api import jit
from ..sounds import SILENCE, band_logarithms, scaled_logarithms


class TimeRules(NamedTuple):
    """Numbers of the rules of timestamps."""

    first: int
    """Timestamp of 0 seconds."""
    end: int
    """Token that ends a text."""
    latest: int
    """Largest timestamp at the start of a text."""


def _cut(samples: Tensor, start: Tensor, *, count: int) -> Tensor:
    return F.take(samples, start + F.arange(count, dtype=int32))


def _listen(
    samples: Tensor, frames: Tensor, highest: Tensor, *, bands: int
) -> tuple[Tensor, Tensor]:
    """Return logarithms of bands in frames, with silence from `frames` on, and the highest."""
    values = band_logarithms(samples, bands, center=False)
    is_sound = F.arange(values.shape[0], dtype=int32).reshape((-1, 1)) < frames
    values = F.where(is_sound, values, SILENCE)
    return values, F.maximum(highest, F.max(values))


def _hear(
    model: SpeechToText,
    first: Tensor,
    second: Tensor,
    offset: Tensor,
    frames: Tensor,
    highest: Tensor,
) -> tuple[KeyValueCache, ...]:
    """Return the keys and values of the frames from `offset` on in two neighbouring parts."""
    places = F.arange(first.shape[0], dtype=int32)
    values = F.take(F.concat([first, second]), offset + places, axis=0)
    features = scaled_logarithms(values, highest)
    features = F.where((places < frames).reshape((-1, 1)), features, 0.0)
    memory = model.encode(features.reshape((1, *features.shape)))
    return tuple(layer.cross_attention.project(memory) for layer in model.decoder)


def _probe(
    model: SpeechToText,
    tokens: Tensor,
    count: Tensor,
    written: DecoderCache,
    sound: tuple[KeyValueCache, ...],
    languages: Tensor,
    *,
    no_speech: int,
) -> tuple[Tensor, Tensor]:
    """Return the most probable language after the token that starts a text, and no speech."""
    logits, _ = model(tokens, cache=SpeechCache(written, sound), count=count, last=True)
    logits = logits[0, 0]
    language = F.argmax(F.where(languages, logits, -math.inf)).astype(int32)
    return language, F.exp(logits[no_speech] - logsumexp(logits))


def _write(
    model: SpeechToText,
    tokens: Tensor,
    count: Tensor | None,
    written: DecoderCache,
    sound: tuple[KeyValueCache, ...],
    state: Tensor,
    total: Tensor,
    allowed: Tensor,
    allowed_first: Tensor,
    key: Tensor,
    factor: Any,
    *,
    times: TimeRules | None,
    samples: bool,
) -> tuple[Tensor, DecoderCache, Tensor, Tensor]:
    """Return the next token, and what the one after it needs.

    `state` has the last token, the one before, the latest timestamp and the number of tokens;
    `total` is the sum of the logarithms of the tokens' probabilities.
    """
    logits, cache = model(tokens, cache=SpeechCache(written, sound), count=count, last=True)
    logits = logits[:, 0]
    last, _, latest, made = (state[at] for at in range(4))
    is_allowed = allowed.logical_and(allowed_first.logical_or(made > 0))
    if times is not None:
        is_allowed = is_allowed.logical_and(_in_order(logits.shape[-1], state, times))
    logits = F.where(is_allowed, logits, -math.inf)
    if times is not None:
        is_time = F.arange(logits.shape[-1], dtype=int32) >= times.first
        of_times = logsumexp(F.where(is_time, logits, -math.inf), axis=-1, keepdims=True)
        of_texts = F.max(F.where(is_time, -math.inf, logits), axis=-1, keepdims=True)
        logits = F.where(F.logical_and(of_times > of_texts, ~is_time), -math.inf, logits)
    kind = (False, samples, False, False, False)
    token = choose(logits, None, key, made, kind, (1.0, factor, 0.0, 1.0, 0.0))
    chosen = F.take_along_axis(logits, token.reshape((-1, 1)), axis=-1)[:, 0]
    total = total + (chosen - logsumexp(logits, axis=-1))
    if times is not None:
        latest = F.where(token[0] >= times.first, token[0], latest)
    state = F.stack([token[0], last, latest, made + 1])
    return token, cache.tokens, state, total


def _in_order(vocabulary: int, state: Tensor, times: TimeRules) -> Tensor:
    """Return the tokens that may follow: timestamps come in pairs, and do not decrease.

    Source: `WhisperTimeStampLogitsProcessor` of https://github.com/huggingface/transformers, and
    `ApplyTimestampRules` of https://github.com/openai/whisper.
    """
    last, before, latest, made = (state[at] for at in range(4))
    is_first = made == 0
    was_time = F.logical_and(made > 0, last >= times.first)
    was_pair = F.logical_and(was_time, F.logical_or(made < 2, before >= times.first))
    was_single = F.logical_and(was_time, ~was_pair)
    least_text = F.where(is_first, times.first, F.where(was_single, times.end, 0))
    least_time = F.where(was_pair, vocabulary, F.where(was_single, latest, latest + 1))
    most_time = F.where(is_first, times.latest, vocabulary)
    tokens = F.arange(vocabulary, dtype=int32)
    is_text = F.logical_and(tokens < times.first, tokens >= least_text)
    is_time = F.logical_and(tokens >= times.first, tokens >= least_time)
    return F.logical_or(is_text, F.logical_and(is_time, tokens <= most_time))


class SpeechSteps:
    """Compiled computations of one model, which are freed with it."""

    def __init__(self) -> None:
        self.cut = jit(_cut, static_argnames="count")
        self.listen = jit(_listen, static_argnames="bands")
        self.hear = jit(_hear)
        self.probe = jit(_probe, static_argnames="no_speech")
        self.write = jit(_write, static_argnames=("times", "samples"), donate_argnums=3)
