"""Random numbers: seeded nodes give the same numbers in each call, others new ones.

They are those of pt.random, not of another library's generator.
"""

from __future__ import annotations

from collections.abc import Sequence

from .... import random
from ....dtypes import DType, float32, int32
from ....tensor import Tensor
from .shared import Ints, Operator, dtype_or


def _key(seed: float | None) -> random.Key | None:
    return None if seed is None else random.key(int(seed) & 0xFFFFFFFF)


def random_normal(
    x: Tensor | None = None,
    *,
    shape: Ints | None = None,
    dtype: int | None = None,
    mean: float = 0.0,
    scale: float = 1.0,
    seed: float | None = None,
) -> Tensor:
    lengths, usual = _form(x, shape)
    return random.normal(lengths, mean, scale, key=_key(seed)).astype(dtype_or(usual, dtype))


def random_uniform(
    x: Tensor | None = None,
    *,
    shape: Ints | None = None,
    dtype: int | None = None,
    high: float = 1.0,
    low: float = 0.0,
    seed: float | None = None,
) -> Tensor:
    lengths, usual = _form(x, shape)
    return random.uniform(lengths, low, high, key=_key(seed)).astype(dtype_or(usual, dtype))


def _form(x: Tensor | None, shape: Ints | None) -> tuple[Sequence[int], DType]:
    """Return shape and default dtype of the result: those of a tensor, or float32."""
    if x is not None:
        return x.shape, x.dtype
    if shape is None:
        raise ValueError("neither a tensor nor a shape is given")
    return shape, float32


def bernoulli(x: Tensor, *, dtype: int | None = None, seed: float | None = None) -> Tensor:
    return random.bernoulli(x, key=_key(seed)).astype(dtype_or(x.dtype, dtype))


def multinomial(
    x: Tensor, *, dtype: int = 6, sample_size: int = 1, seed: float | None = None
) -> Tensor:
    drawn = random.categorical(x, shape=(sample_size, x.shape[0]), key=_key(seed))
    return drawn.mT.astype(dtype_or(int32, dtype))


OPERATORS = {
    "Bernoulli": Operator(bernoulli),
    "Multinomial": Operator(multinomial),
    "RandomNormal": Operator(random_normal),
    "RandomNormalLike": Operator(random_normal),
    "RandomUniform": Operator(random_uniform),
    "RandomUniformLike": Operator(random_uniform),
}
