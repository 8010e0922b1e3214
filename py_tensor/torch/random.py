"""Random numbers: values drawn from the generator of `pt.random`, and generators of their own."""

from __future__ import annotations

from typing import Any

from .. import functions as F, random
from ..tensor import Tensor as Value


class Generator:
    """A key of its own, which `manual_seed` sets and each call splits."""

    def __init__(self, device: Any = None) -> None:
        self.manual_seed(0)

    def manual_seed(self, seed: int) -> Generator:
        """Start again from a seed."""
        self._key = random.key(int(seed) & 0xFFFFFFFF)
        return self

    def next_key(self) -> Any:
        """Return a key for the next numbers."""
        self._key, key = random.split(self._key)
        return key


def manual_seed(seed: int) -> None:
    """Seed the numbers that are drawn without a generator."""
    random.seed(int(seed) & 0xFFFFFFFF)


def _key(generator: Generator | None) -> Any:
    return None if generator is None else generator.next_key()


def uniform(shape: Any, generator: Generator | None = None) -> Value:
    """Return numbers from 0 to below 1."""
    return random.uniform(tuple(shape), key=_key(generator))


def normal(shape: Any, generator: Generator | None = None) -> Value:
    """Return numbers of the standard normal distribution."""
    return random.normal(tuple(shape), key=_key(generator))


def uniform_like(x: Value, generator: Generator | None = None) -> Value:
    """Return numbers from 0 to below 1 in the shape and dtype of a value."""
    return F.astype(uniform(x.shape, generator), x.dtype, copy=False)


def normal_like(x: Value, generator: Generator | None = None) -> Value:
    """Return numbers of the standard normal distribution in the shape and dtype of a value."""
    return F.astype(normal(x.shape, generator), x.dtype, copy=False)


def integers(low: int, high: int, shape: Any, generator: Generator | None = None) -> Value:
    """Return integers from `low` to below `high`."""
    return random.integers(low, high, tuple(shape), key=_key(generator))


def permutation(n: int, generator: Generator | None = None) -> Value:
    """Return the integers below n in a random order."""
    return F.argsort(uniform((n,), generator))


def multinomial(
    weights: Value, num_samples: int, replacement: bool = False, *, generator: Any = None
) -> Value:
    """Return positions that are drawn with the probabilities of weights along the last axis."""
    # The largest of log(weight) plus Gumbel noise is a sample; the largest ones are one each.
    if not replacement and num_samples > 1:
        return F.topk(F.log(weights) + _gumbel(weights.shape, generator), num_samples)[1]
    shape = (*weights.shape[:-1], num_samples, weights.shape[-1])
    return F.argmax(F.expand_dims(F.log(weights), axis=-2) + _gumbel(shape, generator), axis=-1)


def _gumbel(shape: Any, generator: Generator | None) -> Value:
    # 0 would give infinite noise.
    return -F.log(-F.log(uniform(shape, generator).maximum(2.0**-25)))
