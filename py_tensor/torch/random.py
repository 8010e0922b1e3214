"""Random numbers: values drawn from the generator of `pt.random`, and generators of their own."""

from __future__ import annotations

from collections.abc import Callable
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


def _drawn(function: Callable[..., Value]) -> Callable[..., Value]:
    """Return a function that takes its key of a generator, which is the last argument."""

    def draw(*args: Any, generator: Generator | None = None, **kwargs: Any) -> Value:
        return function(*args, **kwargs, key=None if generator is None else generator.next_key())

    return draw


uniform, normal, integers = map(_drawn, (random.uniform, random.normal, random.integers))
gumbel = _drawn(random.gumbel)


def uniform_like(x: Value, generator: Generator | None = None) -> Value:
    """Return numbers from 0 to below 1 in the shape and dtype of a value."""
    return F.astype(uniform(x.shape, generator=generator), x.dtype, copy=False)


def normal_like(x: Value, generator: Generator | None = None) -> Value:
    """Return numbers of the standard normal distribution in the shape and dtype of a value."""
    return F.astype(normal(x.shape, generator=generator), x.dtype, copy=False)


def permutation(n: int, generator: Generator | None = None) -> Value:
    """Return the integers below n in a random order."""
    return F.argsort(uniform((n,), generator=generator))


def multinomial(
    weights: Value, num_samples: int, replacement: bool = False, *, generator: Any = None
) -> Value:
    """Return positions that are drawn with the probabilities of weights along the last axis."""
    # The largest of log(weight) plus Gumbel noise is a sample; the largest ones are one each.
    if not replacement and num_samples > 1:
        noise = gumbel(weights.shape, generator=generator)
        return F.topk(F.log(weights) + noise, num_samples)[1]
    shape = (*weights.shape[:-1], num_samples, weights.shape[-1])
    noise = gumbel(shape, generator=generator)
    return F.argmax(F.expand_dims(F.log(weights), axis=-2) + noise, axis=-1)
