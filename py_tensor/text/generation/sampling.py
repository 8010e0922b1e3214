"""Choose the next token from logits, on the device."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ... import functions as F
from ...dtypes import float32, int32
from ...errors import ArgumentError
from ...functions.arguments import integer, number
from ...random import fold_in, gumbel
from ...tensor import Tensor

Processor = Callable[[Tensor, Tensor], Tensor]
"""Called as processor(logits, tokens), of shapes (batch, vocabulary) and (batch, length)."""

LOWEST = -32.0
"""Smallest logit, relative to the largest one, that can matter: its probability is below 2e-14."""
PARTS = 8
ROUNDS = 8
"""A threshold is searched in so many rounds of so many parts: to 32 / 8**8 = 2e-6."""


@dataclass(frozen=True)
class Sampling:
    """Options of the choice of the next token.

    The options are applied in the order of their names below, as in transformers. Greedy choice is
    temperature=0.

    Args:
        repetition_penalty: Logits of tokens that occur in the prompt or the result are divided by
            it if they are positive, and multiplied if they are negative (arXiv:1909.05858);
            default 1.0.
        temperature: Divisor of the logits; default 0.0, the most probable token.
        top_k: Choose among so many tokens, and others with equal logits; default 0 for all.
        top_p: Choose among the most probable tokens whose probabilities sum to at least this
            (arXiv:1904.09751); default 1.0.
        min_p: Choose among tokens with at least this share of the largest probability
            (arXiv:2407.01082); default 0.0.
        seed: Seed of the random numbers; None (default) for a random one.

    Raises:
        ArgumentError: If a number is outside of its range.

    >>> import py_tensor as pt
    >>> pt.text.Sampling(temperature=0.7, top_k=40).top_p
    1.0
    """

    repetition_penalty: float = 1.0
    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    seed: int | None = None

    def __post_init__(self) -> None:
        integer("Sampling", "top_k", self.top_k, 0)
        if self.seed is not None:
            integer("Sampling", "seed", self.seed)
        for name, lowest, highest in (
            ("repetition_penalty", 1e-3, 1e3),
            ("temperature", 0.0, 1e3),
            ("top_p", 0.0, 1.0),
            ("min_p", 0.0, 1.0),
        ):
            value = number("Sampling", name, getattr(self, name), finite=True)
            if not lowest <= value <= highest:
                raise ArgumentError(
                    f"Sampling: {name} is outside of its range; got {value}; use a number from "
                    f"{lowest} to {highest}"
                )

    def kind(self) -> tuple[bool, ...]:
        """Return which of the options are in use: each combination has a plan of its own."""
        return (
            self.repetition_penalty != 1,
            self.temperature > 0,
            self.top_k > 0,
            self.top_p < 1,
            self.min_p > 0,
        )

    def numbers(self) -> tuple[float, ...]:
        """Return the options that may change from call to call without a new plan."""
        factor = 1 / self.temperature if self.temperature else 1.0
        return self.repetition_penalty, factor, float(self.top_k), self.top_p, self.min_p


def choose(
    logits: Tensor,
    seen: Tensor | None,
    key: Tensor,
    step: Any,
    kind: tuple[bool, ...],
    numbers: tuple[Any, ...],
) -> Tensor:
    """Return a token for each row of logits; `seen` is True for tokens that occur before."""
    penalizes, samples, limits_count, limits_sum, limits_share = kind
    penalty, factor, count, total, share = numbers
    logits = logits.astype(float32)
    if penalizes and seen is not None:
        penalized = F.where(logits > 0, logits / penalty, logits * penalty)
        logits = F.where(seen, penalized, logits)
    if not samples:
        return F.argmax(logits, axis=-1).astype(int32)
    logits = logits * factor
    logits = logits - F.max(logits, axis=-1, keepdims=True)
    lowest: Any = LOWEST
    if limits_count:
        lowest = _threshold(logits, 1.0, count)
    if limits_sum:
        kept = F.where(logits >= lowest, F.exp(logits), 0.0)
        least = total * F.sum(kept, axis=-1, keepdims=True)
        lowest = F.maximum(lowest, _threshold(logits, kept, least))
    if limits_share:
        lowest = F.maximum(lowest, F.log(share))
    noise = gumbel(logits.shape, key=fold_in(key, step))
    return F.argmax(F.where(logits >= lowest, logits + noise, -math.inf), axis=-1).astype(int32)


def _threshold(logits: Tensor, weights: Any, goal: Any) -> Tensor:
    """Return the largest number such that weights of logits from it on have a sum of `goal`.

    A search in rounds reads the logits a few times, which is faster on a GPU than sorting them.
    """
    low = F.full((*logits.shape[:-1], 1), LOWEST)
    width = -LOWEST
    if isinstance(weights, Tensor):
        weights = F.expand_dims(weights, -2)
    for _ in range(ROUNDS):
        width /= PARTS
        at = low + width * F.arange(1, PARTS, dtype=float32)
        is_above = F.expand_dims(logits, -2) >= F.expand_dims(at, -1)
        sums = F.sum(F.where(is_above, weights, 0.0), axis=-1)
        low = low + width * F.sum((sums >= goal).astype(float32), axis=-1, keepdims=True)
    return low
