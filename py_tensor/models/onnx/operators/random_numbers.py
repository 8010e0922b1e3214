"""Random numbers: seeded nodes give the same numbers in each call, others new ones.

They are those of pt.random, not of another library's generator.
"""

from __future__ import annotations

from .... import random
from ....dtypes import DType, float32, int32
from ....tensor import Tensor
from .shared import Ints, Operator, dtype_or


def _key(seed: float | None) -> random.Key | None:
    return None if seed is None else random.key(int(seed) & 0xFFFFFFFF)


def normal(
    shape: Ints,
    mean: float,
    scale: float,
    seed: float | None,
    dtype: DType,
) -> Tensor:
    return random.normal(shape, mean, scale, key=_key(seed)).astype(dtype)


def random_normal(
    *,
    shape: Ints,
    dtype: int = 1,
    mean: float = 0.0,
    scale: float = 1.0,
    seed: float | None = None,
) -> Tensor:
    return normal(shape, mean, scale, seed, dtype_or(float32, dtype))


def random_normal_like(
    x: Tensor,
    *,
    dtype: int | None = None,
    mean: float = 0.0,
    scale: float = 1.0,
    seed: float | None = None,
) -> Tensor:
    return normal([*x.shape], mean, scale, seed, dtype_or(x.dtype, dtype))


def random_uniform(
    *,
    shape: Ints,
    dtype: int = 1,
    high: float = 1.0,
    low: float = 0.0,
    seed: float | None = None,
) -> Tensor:
    drawn = random.uniform(shape, low, high, key=_key(seed))
    return drawn.astype(dtype_or(float32, dtype))


def random_uniform_like(
    x: Tensor,
    *,
    dtype: int | None = None,
    high: float = 1.0,
    low: float = 0.0,
    seed: float | None = None,
) -> Tensor:
    drawn = random.uniform(x.shape, low, high, key=_key(seed))
    return drawn.astype(dtype_or(x.dtype, dtype))


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
    "RandomNormalLike": Operator(random_normal_like),
    "RandomUniform": Operator(random_uniform),
    "RandomUniformLike": Operator(random_uniform_like),
}
