"""Random numbers with a key first, and the parameters and numbers of `jax.random`.

`pt.random` calls these functions if the first argument is a key. The numbers equal JAX's for keys,
`uniform`, `normal`, `randint`, `permutation`, `choice` and others that are made of one draw; those
of `gamma` and the distributions made of it have JAX's distribution only.
"""

from __future__ import annotations

import math
from typing import Any

from .. import functions as F, random
from ..dtypes import float32
from ..errors import ShapeError
from ..functions.arguments import a_shape, flag, one_axis
from ..functions.decorators import named
from ..random import Key
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, DTypeLike, ShapeLike
from .arithmetic import as_floating
from .distributions import lengths_of
from .generator import Generator


class _KeyedGenerator(Generator):
    """Generator whose draws use keys that are derived from one key, which may be traced."""

    def __init__(self, key: Key) -> None:
        self._rest: Any = random.checked_key("random", key)

    def _draw(self) -> Key:
        self._rest, drawn = random.halves(self._rest)
        return drawn

    def loggamma(self, shape: ArrayLike, size: ShapeLike | None) -> Tensor:
        a = as_floating("loggamma", shape)
        return self._log_gamma(a, lengths_of(size, a))


@named
def PRNGKey(seed: ArrayLike) -> Tensor:
    """Make a key from a seed; the same as `key`.

    Args:
        seed: Integer.

    Returns:
        uint32 tensor of shape (2,).

    >>> import py_tensor as pt
    >>> pt.random.PRNGKey(7).tolist()
    [0, 7]
    """
    return random.key(seed)


@named
def key_data(keys: ArrayLike) -> Tensor:
    """Return the words of keys, which are the keys themselves here.

    Args:
        keys: Keys.

    Returns:
        The same tensor.

    >>> import py_tensor as pt
    >>> pt.random.key_data(pt.random.key(7)).tolist()
    [0, 7]
    """
    return as_tensor("key_data", keys)


@named
def wrap_key_data(key_bits_array: ArrayLike) -> Tensor:
    """Return words as keys.

    Args:
        key_bits_array: Array of uint32 whose last axis has the two words of each key.

    Returns:
        uint32 tensor of that shape.

    >>> import py_tensor as pt
    >>> pt.random.wrap_key_data([0, 7]).dtype
    uint32
    """
    return F.asarray(key_bits_array, dtype="uint32")


@named
def uniform(
    key: Key,
    shape: ShapeLike = (),
    dtype: DTypeLike = float32,
    minval: ArrayLike = 0.0,
    maxval: ArrayLike = 1.0,
) -> Tensor:
    """Draw uniformly distributed numbers from [minval, maxval)."""
    if isinstance(minval, int | float) and isinstance(maxval, int | float):
        return random.uniform(shape, low=minval, high=maxval, dtype=dtype, key=key)
    low = as_floating("uniform", minval)
    drawn = random.uniform(shape, key=key) * (as_floating("uniform", maxval) - low) + low
    return F.astype(drawn, dtype)


@named
def normal(key: Key, shape: ShapeLike = (), dtype: DTypeLike = float32) -> Tensor:
    """Draw numbers of the standard normal distribution."""
    return random.normal(shape, dtype=dtype, key=key)


@named
def gumbel(key: Key, shape: ShapeLike = (), dtype: DTypeLike = float32) -> Tensor:
    """Draw numbers of the standard Gumbel distribution."""
    return random.gumbel(shape, dtype=dtype, key=key)


@named
def randint(
    key: Key, shape: ShapeLike, minval: int, maxval: int, dtype: DTypeLike = "int32"
) -> Tensor:
    """Draw uniformly distributed integers from [minval, maxval)."""
    return random.integers(minval, maxval, shape, dtype=dtype, key=key)


@named
def bernoulli(key: Key, p: ArrayLike = 0.5, shape: ShapeLike | None = None) -> Tensor:
    """Draw True with a probability."""
    return random.bernoulli(p, shape, key=key)


@named
def categorical(
    key: Key, logits: ArrayLike, axis: int = -1, shape: ShapeLike | None = None
) -> Tensor:
    """Draw positions with probabilities softmax(logits)."""
    return random.categorical(logits, axis, shape, key=key)


@named
def truncated_normal(
    key: Key,
    lower: ArrayLike,
    upper: ArrayLike,
    shape: ShapeLike | None = None,
    dtype: DTypeLike = float32,
) -> Tensor:
    """Draw normally distributed numbers between two limits."""
    return random.truncated_normal(lower, upper, shape, dtype=dtype, key=key)


def _order(key: Key, count: int) -> Tensor:
    """Return 0 .. count - 1 in random order: sorted by bits until collisions are improbable."""
    order = F.arange(count)
    for _ in range(math.ceil(3 * math.log(max(count, 2)) / math.log(0xFFFFFFFF))):
        key, drawn = random.split(key)
        order = F.take(order, F.argsort(random.bits(drawn, (count,))))
    return order


@named
def permutation(key: Key, x: int | ArrayLike, axis: int = 0, independent: bool = False) -> Tensor:
    """Return the slices of x along an axis in random order; of `arange(x)` for an integer."""
    values = F.arange(x) if isinstance(x, int) else as_tensor("permutation", x)
    axis = one_axis("permutation", axis, values.ndim)
    if flag("permutation", "independent", independent):
        return _KeyedGenerator(key).permuted(values, axis=axis)
    return F.take(values, _order(key, values.shape[axis]), axis=axis)


@named
def choice(
    key: Key,
    a: int | ArrayLike,
    shape: ShapeLike = (),
    replace: bool = True,
    p: ArrayLike | None = None,
    axis: int = 0,
) -> Tensor:
    """Draw slices of a tensor along an axis, or of `arange(a)`."""
    values = F.arange(a) if isinstance(a, int) else as_tensor("choice", a)
    axis = one_axis("choice", axis, values.ndim)
    length, lengths = values.shape[axis], a_shape("choice", shape)
    count = math.prod(lengths)
    if count and (not length or (not replace and count > length)):
        raise ShapeError(f"choice: too few slices; got {length} to draw {count} from")
    chances = None if p is None else as_floating("choice", p)
    if chances is None:
        drawn = randint(key, lengths, 0, length) if replace else _order(key, length)[:count]
        indices = F.reshape(drawn, lengths)
    elif replace:
        limits = F.cumulative_sum(chances)
        u = limits[-1] * (1.0 - random.uniform(lengths, key=key))
        indices = F.minimum(F.searchsorted(limits, u), length - 1)
    else:
        noise = random.gumbel((length,), key=key) + F.log(chances)
        indices = F.reshape(F.argsort(noise, descending=True)[:count], lengths)
    return F.take(values, indices, axis=axis)


@named
def exponential(key: Key, shape: ShapeLike = (), dtype: DTypeLike = float32) -> Tensor:
    """Draw numbers of the exponential distribution."""
    return F.astype(-F.log1p(-random.uniform(shape, key=key)), dtype)


@named
def laplace(key: Key, shape: ShapeLike = (), dtype: DTypeLike = float32) -> Tensor:
    """Draw numbers of the Laplace distribution."""
    u = random.uniform(shape, key=key) * 2.0 - (1.0 - 2.0**-24)
    return F.astype(F.sign(u) * F.log1p(-F.abs(u)), dtype)


@named
def logistic(key: Key, shape: ShapeLike = (), dtype: DTypeLike = float32) -> Tensor:
    """Draw numbers of the logistic distribution."""
    u = random.uniform(shape, key=key).maximum(2.0**-126)
    return F.astype(F.log(u) - F.log1p(-u), dtype)


@named
def cauchy(key: Key, shape: ShapeLike = (), dtype: DTypeLike = float32) -> Tensor:
    """Draw numbers of the Cauchy distribution.

    Args:
        key: Key.
        shape: Shape of the result; () by default.
        dtype: Floating dtype; float32 by default.

    Returns:
        Tensor of that shape and dtype.

    >>> import py_tensor as pt
    >>> pt.random.cauchy(pt.random.key(0), (3,)).shape
    (3,)
    """
    u = random.uniform(shape, key=key) * (1.0 - 2.0**-23) + 2.0**-23
    return F.astype(F.tan(math.pi * (u - 0.5)), dtype)


@named
def rademacher(key: Key, shape: ShapeLike = (), dtype: DTypeLike = "int32") -> Tensor:
    """Draw -1 and 1 with equal probability.

    Args:
        key: Key.
        shape: Shape of the result; () by default.
        dtype: Dtype; int32 by default.

    Returns:
        Tensor of that shape and dtype.

    >>> import py_tensor as pt
    >>> pt.random.rademacher(pt.random.key(0), (3,)).shape
    (3,)
    """
    return F.astype(random.bernoulli(0.5, shape, key=key), dtype) * 2 - 1


@named
def gamma(key: Key, a: ArrayLike, shape: ShapeLike | None = None) -> Tensor:
    """Draw numbers of the gamma distribution of scale 1."""
    return _KeyedGenerator(key).standard_gamma(a, shape)


@named
def loggamma(key: Key, a: ArrayLike, shape: ShapeLike | None = None) -> Tensor:
    """Draw logarithms of numbers of the gamma distribution of scale 1.

    They stay exact where the numbers underflow: for shapes below 0.1, many are below 1e-38.

    Args:
        key: Key of the random numbers.
        a: Shape parameter.
        shape: Shape of the result; None (default) for that of the parameter.

    Returns:
        Tensor of that shape; float32.

    >>> import py_tensor as pt
    >>> pt.random.loggamma(pt.random.key(0), 0.01, (3,)).shape
    (3,)
    """
    return _KeyedGenerator(key).loggamma(a, shape)


@named
def beta(key: Key, a: ArrayLike, b: ArrayLike, shape: ShapeLike | None = None) -> Tensor:
    """Draw numbers of the beta distribution."""
    return _KeyedGenerator(key).beta(a, b, shape)


@named
def dirichlet(key: Key, alpha: ArrayLike, shape: ShapeLike = ()) -> Tensor:
    """Draw vectors of the Dirichlet distribution."""
    return _KeyedGenerator(key).dirichlet(alpha, shape)


@named
def poisson(key: Key, lam: ArrayLike, shape: ShapeLike | None = None) -> Tensor:
    """Draw numbers of events."""
    return _KeyedGenerator(key).poisson(lam, shape)


@named
def binomial(key: Key, n: ArrayLike, p: ArrayLike, shape: ShapeLike | None = None) -> Tensor:
    """Draw numbers of successes in n trials."""
    return _KeyedGenerator(key).binomial(n, p, shape)


@named
def geometric(key: Key, p: ArrayLike, shape: ShapeLike | None = None) -> Tensor:
    """Draw the number of trials up to the first success."""
    return _KeyedGenerator(key).geometric(p, shape)


@named
def chisquare(key: Key, df: ArrayLike, shape: ShapeLike | None = None) -> Tensor:
    """Draw numbers of the chi-square distribution."""
    return _KeyedGenerator(key).chisquare(df, shape)


@named
def pareto(key: Key, b: ArrayLike, shape: ShapeLike | None = None) -> Tensor:
    """Draw numbers of the Pareto distribution, which begins at 1."""
    return _KeyedGenerator(key).pareto(b, shape) + 1.0


@named
def rayleigh(key: Key, scale: ArrayLike, shape: ShapeLike | None = None) -> Tensor:
    """Draw numbers of the Rayleigh distribution."""
    return _KeyedGenerator(key).rayleigh(scale, shape)


@named
def lognormal(key: Key, sigma: ArrayLike = 1.0, shape: ShapeLike | None = None) -> Tensor:
    """Draw numbers whose logarithms are normally distributed."""
    return _KeyedGenerator(key).lognormal(0.0, sigma, shape)


@named
def triangular(
    key: Key, left: ArrayLike, mode: ArrayLike, right: ArrayLike, shape: ShapeLike | None = None
) -> Tensor:
    """Draw numbers of a triangular distribution."""
    return _KeyedGenerator(key).triangular(left, mode, right, shape)


@named
def t(key: Key, df: ArrayLike, shape: ShapeLike | None = None) -> Tensor:
    """Draw numbers of Student's t distribution.

    Args:
        key: Key.
        df: Degrees of freedom.
        shape: Shape of the result; None (default) for that of the parameter.

    Returns:
        Tensor; float32.

    >>> import py_tensor as pt
    >>> pt.random.t(pt.random.key(0), 4.0, (3,)).shape
    (3,)
    """
    return _KeyedGenerator(key).standard_t(df, shape)


@named
def multivariate_normal(
    key: Key, mean: ArrayLike, cov: ArrayLike, shape: ShapeLike | None = None
) -> Tensor:
    """Draw vectors of a normal distribution."""
    return _KeyedGenerator(key).multivariate_normal(mean, cov, shape)


__all__ = [
    *("PRNGKey", "bernoulli", "beta", "binomial", "categorical", "cauchy", "chisquare", "choice"),
    *("dirichlet", "exponential", "gamma", "geometric", "gumbel", "key_data", "laplace"),
    *("loggamma", "logistic", "lognormal", "multivariate_normal", "normal", "pareto"),
    *("permutation", "poisson", "rademacher", "randint", "rayleigh", "t", "triangular"),
    *("truncated_normal", "uniform"),
    "wrap_key_data",
]
