"""Compute tokens with a decoder: prompts in parts, then one token after another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from ... import functions as F
from ...dtypes import bool_, int32
from ...errors import ArgumentError
from ...nn.layers.decoder import CausalDecoder, DecoderCache
from ...random import key as key_of, random_seed
from ...tensor import Tensor, realize
from ...transforms.jit.api import jit
from .sampling import Processor, Sampling, choose

PARTS = (16, 64, 256)
"""Lengths of the parts in which a prompt is computed; each has a plan of its own."""
SHORTEST = 512
"""Smallest number of positions of a cache."""


class KnownTokens:
    """Tokens whose keys and values are in a cache, so that a longer prompt continues from there."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.length = 0
        self.cache: DecoderCache | None = None

    def keep(self, decoding: Decoding, tokens: Sequence[int]) -> None:
        """Take over the cache of a prompt and of the tokens that were made after it."""
        self.tokens = [*decoding.prompts[0], *tokens[: decoding.steps - 1]]
        self.length, self.cache = decoding.length, decoding.cache

    def taken(self, prompt: Sequence[int], length: int) -> tuple[DecoderCache | None, int]:
        """Return the cache, if it can be used, and the number of tokens it shares with a prompt."""
        cache, self.cache = self.cache, None
        # The last token of the prompt is computed in any case, because its logits are needed.
        pairs = zip(self.tokens, prompt[:-1], strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if cache is None or not shared or self.length < length:
            return None, 0
        # A window has lost what it needs to go back.
        if shared < len(self.tokens) and any(window is not None for window in cache.windows):
            return None, 0
        return replace(cache, position=F.asarray(shared, dtype=int32)), shared


class Decoding:
    """Tokens that follow some prompts: `next` computes one for each prompt."""

    def __init__(
        self,
        model: CausalDecoder,
        compiled: Steps,
        prompts: Sequence[Sequence[int]],
        most: int,
        sampling: Sampling,
        processors: Sequence[Processor],
        known: KnownTokens | None = None,
    ) -> None:
        self._model = model
        self._compiled = compiled
        self._sampling = sampling
        self._processors = tuple(processors)
        seed = random_seed() if sampling.seed is None else sampling.seed
        self._key = key_of(seed % (1 << 32))
        self.steps = 0
        self._known = known
        self.prompts = prompts
        longest = max(map(len, prompts))
        self.length = max(SHORTEST, 1 << (longest + most - 1).bit_length())
        self._prepare(longest)

    def _prepare(self, longest: int) -> None:
        """Compute all of the prompts but their last part."""
        cache, done = None, 0
        if self._known is not None:
            cache, done = self._known.taken(self.prompts[0], self.length)
        if cache is None:
            cache = self._model.empty_cache(len(self.prompts), self.length)
        starts = [longest - len(prompt) for prompt in self.prompts]
        if any(starts):
            cache = replace(cache, start=F.asarray(starts, dtype=int32))
        rows = [[0] * start + [*own] for start, own in zip(starts, self.prompts, strict=True)]
        while longest - done > PARTS[-1]:
            part = F.asarray([row[done : done + PARTS[-1]] for row in rows], dtype=int32)
            cache = self._compiled.extended(self._model, part, cache)
            done += PARTS[-1]
        rest = longest - done
        size = next(size for size in PARTS if size >= rest)
        last = [[*row[done:], *[0] * (size - rest)] for row in rows]
        self._tokens = F.asarray(last, dtype=int32)
        self._count: Tensor | None = F.asarray(rest, dtype=int32)
        self.cache = cache
        vocabulary = self._model.options.vocabulary
        self._seen = self._history = None
        if self._sampling.repetition_penalty != 1:
            self._seen = _seen(self.prompts, vocabulary)
        if self._processors:
            padding = [-1] * (self.length - longest)
            history = [
                [-1] * start + [*own] + padding
                for start, own in zip(starts, self.prompts, strict=True)
            ]
            self._history = F.asarray(history, dtype=int32)

    def next(self, mask: Tensor | None = None) -> Tensor:
        """Submit the computation of the next tokens, of shape (batch,); `mask` allows some."""
        token: Tensor
        token, self.cache, self._seen, self._history = self._compiled.next(
            self._model,
            self._tokens,
            self.cache,
            self._count,
            self._seen,
            self._history,
            mask,
            self._key,
            self.steps,
            self._sampling.numbers(),
            kind=self._sampling.kind(),
            processors=self._processors,
        )
        realize(token)
        self._tokens, self._count = token.reshape((-1, 1)), None
        self.steps += 1
        return token


def _seen(prompts: Sequence[Sequence[int]], vocabulary: int) -> Tensor:
    """Return True for the tokens of each prompt."""
    seen = bytearray(len(prompts) * vocabulary)
    for row, prompt in enumerate(prompts):
        for token in prompt:
            seen[row * vocabulary + token] = 1
    return F.asarray(memoryview(seen)).reshape((len(prompts), vocabulary)).astype(bool_)


def _extend(model: CausalDecoder, tokens: Tensor, cache: DecoderCache) -> DecoderCache:
    result: DecoderCache = model(tokens, cache=cache, last=True)[1]
    return result


def _choose_next(
    model: CausalDecoder,
    tokens: Tensor,
    cache: DecoderCache,
    count: Any,
    seen: Tensor | None,
    history: Tensor | None,
    mask: Tensor | None,
    key: Tensor,
    step: Any,
    numbers: tuple[Any, ...],
    *,
    kind: tuple[bool, ...],
    processors: tuple[Processor, ...],
) -> Any:
    logits, cache = model(tokens, cache=cache, count=count, last=True)
    logits = logits[:, 0]
    for processor in processors:
        assert history is not None
        logits = processor(logits, history)
    if mask is not None:
        logits = F.where(mask, logits, -math.inf)
    token = choose(logits, seen, key, step, kind, numbers)
    if seen is not None:
        places = F.arange(seen.shape[-1], dtype=int32)
        seen = F.logical_or(seen, places == token.reshape((-1, 1)))
    if history is not None:
        places = F.arange(history.shape[-1], dtype=int32)
        history = F.where(places == cache.position, token.reshape((-1, 1)), history)
    return token, cache, seen, history


class Steps:
    """Compiled steps of one model, which are freed with it."""

    def __init__(self) -> None:
        self.extended = jit(_extend, donate_argnums=2)
        self.next = jit(
            _choose_next, static_argnames=("kind", "processors"), donate_argnums=(2, 4, 5)
        )


def check_prompts(operation: str, model: CausalDecoder, prompts: Sequence[Sequence[int]]) -> None:
    """Raise ArgumentError for prompts without tokens, and tokens that the model does not have."""
    vocabulary = model.options.vocabulary
    for prompt in prompts:
        if not prompt:
            raise ArgumentError(
                f"{operation}: prompt has no tokens; got an empty one; give at least one token"
            )
        wrong = next((token for token in prompt if not 0 <= token < vocabulary), None)
        if wrong is not None:
            raise ArgumentError(
                f"{operation}: token is not in the vocabulary; got {wrong} for {vocabulary} "
                "tokens; use the model's own tokenizer"
            )
