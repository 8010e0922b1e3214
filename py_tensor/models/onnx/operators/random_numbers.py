"""Random numbers: seeded nodes give the same numbers in each call, others new ones.

They are those of pt.random, not of another library's generator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from .... import random
from ....dtypes import float32, int32
from ....tensor import Tensor
from .shared import Ints, Operator, dtype_or


def _key(seed: float | None) -> random.Key | None:
    return None if seed is None else random.key(int(seed) & 0xFFFFFFFF)


class Normal(NamedTuple):
    """Parameters of a normal distribution."""

    mean: float = 0.0
    scale: float = 1.0


class Uniform(NamedTuple):
    """Limits of a uniform distribution."""

    low: float = 0.0
    high: float = 1.0


def drawn(
    draw: Callable[..., Tensor],
    x: Tensor | None = None,
    *,
    options: Normal | Uniform,
    shape: Ints | None = None,
    dtype: int | None = None,
    seed: float | None = None,
) -> Tensor:
    """Draw numbers with the shape and dtype of a tensor, or of the attributes."""
    lengths = shape if x is None else x.shape
    if lengths is None:
        raise ValueError("neither a tensor nor a shape is given")
    usual = float32 if x is None else x.dtype
    return draw(lengths, **options._asdict(), key=_key(seed)).astype(dtype_or(usual, dtype))


def bernoulli(x: Tensor, *, dtype: int | None = None, seed: float | None = None) -> Tensor:
    return random.bernoulli(x, key=_key(seed)).astype(dtype_or(x.dtype, dtype))


def multinomial(
    x: Tensor, *, dtype: int = 6, sample_size: int = 1, seed: float | None = None
) -> Tensor:
    drawn = random.categorical(x, shape=(sample_size, x.shape[0]), key=_key(seed))
    return drawn.mT.astype(dtype_or(int32, dtype))


def normal(shape: Sequence[int], *, scale: float, **options: Any) -> Tensor:
    return random.normal(shape, std=scale, **options)


_NORMAL = Operator(partial(drawn, normal), options=Normal)
_UNIFORM = Operator(partial(drawn, random.uniform), options=Uniform)
OPERATORS = {
    "Bernoulli": Operator(bernoulli),
    "Multinomial": Operator(multinomial),
    "RandomNormal": _NORMAL,
    "RandomNormalLike": _NORMAL,
    "RandomUniform": _UNIFORM,
    "RandomUniformLike": _UNIFORM,
}
