"""NumPy's random generators, on the counter-based numbers of `py_tensor.random`.

The numbers differ from NumPy's for the same seed; their distributions are the same. Each call draws
new keys, also in each call of a function under `pt.jit`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, MutableSequence
from typing import Any

from .. import functions as F, random
from ..dtypes import shown, wrong_type
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import MOST_STEPS, a_shape, flag, integer, one_axis
from ..functions.decorators import named
from ..linalg import cholesky
from ..random import Key
from ..runtime.scopes import state
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, DTypeLike, ShapeLike
from .arithmetic import as_floating

_ROUNDS = 8
"""Candidates of rejection methods: the probability that all are rejected is below 1e-10."""
_WIDE = 1e4
"""Standard deviation from which discrete distributions are rounded normal ones."""


def _lengths(size: Any, *parameters: Tensor) -> tuple[int, ...]:
    """Return the shape of the result: `size`, or the shape of the parameters."""
    if size is None:
        return F.broadcast_shapes(*(x.shape for x in parameters)) if parameters else ()
    return a_shape("random", size)


class Generator:
    """Generator of random numbers with NumPy's methods, made by `pt.random.default_rng`.

    Parameters may be tensors, and broadcast; `size` is the shape of the result.

    >>> import py_tensor as pt
    >>> rng = pt.random.default_rng(0)
    >>> rng.normal(size=(2, 3)).shape
    (2, 3)
    """

    def __init__(self, seed: int | None = None) -> None:
        if seed is None:
            seed = int.from_bytes(os.urandom(8), "little")
        self._key = random.key(integer(type(self).__name__, "seed", seed))

    def _advance(self) -> int:
        self._key, (high, low) = random.split(self._key)
        return high << 32 | low

    def _draw(self) -> Key:
        """Return a new key; inside `jit`, the key that each call draws."""
        if state.trace is not None:
            drawn: Any = state.trace.tape.record(int, self._advance)
            return random.key(drawn)
        return random.key(self._advance())

    def _unit(self, shape: tuple[int, ...]) -> Tensor:
        """Return numbers in [0, 1)."""
        return random.uniform(shape, key=self._draw())

    def _open(self, shape: tuple[int, ...]) -> Tensor:
        """Return numbers in (0, 1]."""
        return 1.0 - self._unit(shape)

    def _scaled(
        self,
        draw: Callable[[tuple[int, ...]], Tensor],
        loc: Any,
        scale: Any,
        size: Any,
    ) -> Tensor:
        """Return standard numbers times a scale plus a location."""
        shift, factor = as_floating("random", loc), as_floating("random", scale)
        return draw(_lengths(size, shift, factor)) * factor + shift

    def _normal(self, shape: tuple[int, ...]) -> Tensor:
        return random.normal(shape, key=self._draw())

    def _exponential(self, shape: tuple[int, ...]) -> Tensor:
        return -F.log(self._open(shape))

    def _logit(self, shape: tuple[int, ...]) -> Tensor:
        u = self._unit(shape) + 2.0**-24
        return F.log(u) - F.log1p(-u)

    # --- simple -------------------------------------------------------------------------------

    @named
    def random(self, size: ShapeLike | None = None, dtype: DTypeLike = "float32") -> Tensor:
        """Draw uniformly distributed numbers from [0, 1).

        Args:
            size: Shape; None (default) for a number.
            dtype: float32 (default) or float16.

        Returns:
            Tensor of that shape and dtype.
        """
        return random.uniform(_lengths(size), dtype=dtype, key=self._draw())

    @named
    def integers(
        self,
        low: int,
        high: int | None = None,
        size: ShapeLike | None = None,
        dtype: DTypeLike = "int32",
        endpoint: bool = False,
    ) -> Tensor:
        """Draw uniformly distributed integers from [low, high).

        Args:
            low: Lower limit, included; the upper limit if `high` is None.
            high: Upper limit, excluded; None (default) draws from [0, low).
            size: Shape; None (default) for a number.
            dtype: Integer dtype; int32 by default.
            endpoint: Include `high`; False by default.

        Returns:
            Tensor of that shape and dtype.
        """
        if high is None:
            low, high = 0, low
        low, high = integer("integers", "low", low), integer("integers", "high", high)
        high += flag("integers", "endpoint", endpoint)
        return random.integers(low, high, _lengths(size), dtype=dtype, key=self._draw())

    @named
    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: ShapeLike | None = None) -> Tensor:
        """Draw uniformly distributed numbers from [low, high).

        Args:
            low: Lower limit; 0 by default.
            high: Upper limit; 1 by default.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; float32.
        """
        first = as_floating("uniform", low)
        return self._scaled(self._unit, first, as_floating("uniform", high) - first, size)

    @named
    def normal(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> Tensor:
        """Draw normally distributed numbers.

        Args:
            loc: Mean; 0 by default.
            scale: Standard deviation; 1 by default.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; float32.
        """
        return self._scaled(self._normal, loc, scale, size)

    @named
    def standard_normal(self, size: ShapeLike | None = None) -> Tensor:
        """Draw normally distributed numbers of mean 0 and standard deviation 1.

        Args:
            size: Shape; None (default) for a number.

        Returns:
            Tensor; float32.
        """
        return self._normal(_lengths(size))

    @named
    def bytes(self, length: int) -> bytes:
        """Draw random bytes.

        Args:
            length: Number of bytes.

        Returns:
            bytes.
        """
        length = integer("bytes", "length", length, 0)
        return bytes(random.bits(self._draw(), (-(-length // 4),)))[:length]

    # --- continuous distributions -------------------------------------------------------------

    @named
    def exponential(self, scale: ArrayLike = 1.0, size: ShapeLike | None = None) -> Tensor:
        """Draw exponentially distributed numbers.

        Args:
            scale: Mean; 1 by default.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; float32.
        """
        return self._scaled(self._exponential, 0.0, scale, size)

    @named
    def standard_exponential(self, size: ShapeLike | None = None) -> Tensor:
        """Draw exponentially distributed numbers of mean 1.

        Args:
            size: Shape; None (default) for a number.

        Returns:
            Tensor; float32.
        """
        return self._exponential(_lengths(size))

    @named
    def laplace(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> Tensor:
        """Draw Laplace distributed numbers.

        Args:
            loc: Mean; 0 by default.
            scale: Scale; 1 by default.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; float32.
        """

        def draw(shape: tuple[int, ...]) -> Tensor:
            return self._exponential(shape) - self._exponential(shape)

        return self._scaled(draw, loc, scale, size)

    @named
    def logistic(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> Tensor:
        """Draw numbers of the logistic distribution.

        Args:
            loc: Mean; 0 by default.
            scale: Scale; 1 by default.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; float32.
        """
        return self._scaled(self._logit, loc, scale, size)

    @named
    def lognormal(
        self, mean: ArrayLike = 0.0, sigma: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> Tensor:
        """Draw numbers whose logarithms are normally distributed.

        Args:
            mean: Mean of the logarithms; 0 by default.
            sigma: Standard deviation of the logarithms; 1 by default.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; float32.
        """
        return F.exp(self._scaled(self._normal, mean, sigma, size))

    @named
    def gumbel(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> Tensor:
        """Draw numbers of the Gumbel distribution.

        Args:
            loc: Mode; 0 by default.
            scale: Scale; 1 by default.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; float32.
        """
        return self._scaled(self._gumbel, loc, scale, size)

    def _gumbel(self, shape: tuple[int, ...]) -> Tensor:
        return -F.log(-F.log(self._unit(shape) + 2.0**-25))

    @named
    def rayleigh(self, scale: ArrayLike = 1.0, size: ShapeLike | None = None) -> Tensor:
        """Draw numbers of the Rayleigh distribution.

        Args:
            scale: Mode; 1 by default.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; float32.
        """

        def draw(shape: tuple[int, ...]) -> Tensor:
            return F.sqrt(2.0 * self._exponential(shape))

        return self._scaled(draw, 0.0, scale, size)

    @named
    def weibull(self, a: ArrayLike, size: ShapeLike | None = None) -> Tensor:
        """Draw numbers of the Weibull distribution.

        Args:
            a: Shape parameter.
            size: Shape; None (default) for that of the parameter.

        Returns:
            Tensor; float32.
        """
        power = as_floating("weibull", a)
        return F.pow(self._exponential(_lengths(size, power)), 1.0 / power)

    @named
    def pareto(self, a: ArrayLike, size: ShapeLike | None = None) -> Tensor:
        """Draw numbers of the Lomax distribution, that is Pareto's less 1.

        Args:
            a: Shape parameter.
            size: Shape; None (default) for that of the parameter.

        Returns:
            Tensor; float32.
        """
        power = as_floating("pareto", a)
        return F.expm1(self._exponential(_lengths(size, power)) / power)

    @named
    def power(self, a: ArrayLike, size: ShapeLike | None = None) -> Tensor:
        """Draw numbers from [0, 1] with density a * x**(a - 1).

        Args:
            a: Shape parameter.
            size: Shape; None (default) for that of the parameter.

        Returns:
            Tensor; float32.
        """
        exponent = as_floating("power", a)
        return F.pow(self._open(_lengths(size, exponent)), 1.0 / exponent)

    @named
    def triangular(
        self, left: ArrayLike, mode: ArrayLike, right: ArrayLike, size: ShapeLike | None = None
    ) -> Tensor:
        """Draw numbers of a triangular distribution.

        Args:
            left: Lower limit.
            mode: Most probable number.
            right: Upper limit.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; float32.
        """
        low, middle, high = (as_floating("triangular", each) for each in (left, mode, right))
        u = self._unit(_lengths(size, low, middle, high))
        share = (middle - low) / (high - low)
        rising = low + F.sqrt(u * (high - low) * (middle - low))
        falling = high - F.sqrt((1.0 - u) * (high - low) * (high - middle))
        return F.where(u < share, rising, falling)

    @named
    def standard_cauchy(self, size: ShapeLike | None = None) -> Tensor:
        """Draw numbers of the Cauchy distribution.

        Args:
            size: Shape; None (default) for a number.

        Returns:
            Tensor; float32.
        """
        return F.tan((self._unit(_lengths(size)) - 0.5) * math.pi)

    @named
    def standard_gamma(self, shape: ArrayLike, size: ShapeLike | None = None) -> Tensor:
        """Draw numbers of the gamma distribution of scale 1.

        The method is that of Marsaglia and Tsang (2000).

        Args:
            shape: Shape parameter.
            size: Shape; None (default) for that of the parameter.

        Returns:
            Tensor; float32.
        """
        a = as_floating("standard_gamma", shape)
        lengths = _lengths(size, a)
        small = a < 1.0
        d = F.where(small, a + 1.0, a) - 1.0 / 3.0
        c = 1.0 / F.sqrt(9.0 * d)
        found: Any = F.ones(lengths)
        # The first candidate that is accepted remains: later ones are drawn first.
        for _ in range(_ROUNDS):
            x = self._normal(lengths)
            v = F.pow(F.maximum(1.0 + c * x, 0.0), 3.0)
            safe = F.where(v > 0, v, 1.0)
            accepted = F.log(self._open(lengths)) < 0.5 * x * x + d - d * v + d * F.log(safe)
            found = F.where(accepted & (v > 0), v, found)
        boost = F.exp(F.log(self._open(lengths)) / F.where(small, a, 1.0))
        return F.multiply(d * found, F.where(small, boost, 1.0))

    @named
    def gamma(
        self, shape: ArrayLike, scale: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> Tensor:
        """Draw numbers of the gamma distribution.

        Args:
            shape: Shape parameter.
            scale: Scale; 1 by default.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; float32.
        """
        a, factor = as_floating("gamma", shape), as_floating("gamma", scale)
        return self.standard_gamma(a, _lengths(size, a, factor)) * factor

    @named
    def chisquare(self, df: ArrayLike, size: ShapeLike | None = None) -> Tensor:
        """Draw numbers of the chi-square distribution.

        Args:
            df: Degrees of freedom.
            size: Shape; None (default) for that of the parameter.

        Returns:
            Tensor; float32.
        """
        return 2.0 * self.standard_gamma(as_floating("chisquare", df) * 0.5, size)

    @named
    def standard_t(self, df: ArrayLike, size: ShapeLike | None = None) -> Tensor:
        """Draw numbers of Student's t distribution.

        Args:
            df: Degrees of freedom.
            size: Shape; None (default) for that of the parameter.

        Returns:
            Tensor; float32.
        """
        freedom = as_floating("standard_t", df)
        lengths = _lengths(size, freedom)
        return self._normal(lengths) / F.sqrt(self.chisquare(freedom, lengths) / freedom)

    @named
    def f(self, dfnum: ArrayLike, dfden: ArrayLike, size: ShapeLike | None = None) -> Tensor:
        """Draw numbers of the F distribution.

        Args:
            dfnum: Degrees of freedom of the numerator.
            dfden: Degrees of freedom of the denominator.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; float32.
        """
        first, second = as_floating("f", dfnum), as_floating("f", dfden)
        lengths = _lengths(size, first, second)
        return (self.chisquare(first, lengths) / first) / (self.chisquare(second, lengths) / second)

    @named
    def beta(self, a: ArrayLike, b: ArrayLike, size: ShapeLike | None = None) -> Tensor:
        """Draw numbers of the beta distribution.

        Args:
            a: First shape parameter.
            b: Second shape parameter.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; float32.
        """
        first, second = as_floating("beta", a), as_floating("beta", b)
        lengths = _lengths(size, first, second)
        x = self.standard_gamma(first, lengths)
        return x / (x + self.standard_gamma(second, lengths))

    @named
    def dirichlet(self, alpha: ArrayLike, size: ShapeLike | None = None) -> Tensor:
        """Draw vectors of the Dirichlet distribution.

        Args:
            alpha: Vector of parameters.
            size: Shape; None (default) for one vector.

        Returns:
            Tensor with the vectors along the last axis; float32.
        """
        parameters = as_floating("dirichlet", alpha)
        x = self.standard_gamma(parameters, (*_lengths(size), *parameters.shape))
        return x / F.sum(x, axis=-1, keepdims=True)

    @named
    def multivariate_normal(
        self, mean: ArrayLike, cov: ArrayLike, size: ShapeLike | None = None
    ) -> Tensor:
        """Draw vectors of a normal distribution.

        Args:
            mean: Vector of means.
            cov: Covariance matrix, which is positive definite.
            size: Shape; None (default) for one vector.

        Returns:
            Tensor with the vectors along the last axis; float32.
        """
        middle = as_floating("multivariate_normal", mean)
        root = cholesky(as_floating("multivariate_normal", cov))
        z = self._normal((*_lengths(size), *middle.shape))
        return F.matmul(F.expand_dims(z, axis=-2), root.T)[..., 0, :] + middle

    # --- discrete distributions ---------------------------------------------------------------

    @named
    def geometric(self, p: ArrayLike, size: ShapeLike | None = None) -> Tensor:
        """Draw the number of trials up to the first success.

        Args:
            p: Probability of success, above 0.
            size: Shape; None (default) for that of the parameter.

        Returns:
            Tensor; int32.
        """
        chance = as_floating("geometric", p)
        tries = F.ceil(-self._exponential(_lengths(size, chance)) / F.log1p(-chance))
        return F.astype(F.where(chance >= 1, 1.0, F.maximum(tries, 1.0)), "int32")

    @named
    def poisson(self, lam: ArrayLike = 1.0, size: ShapeLike | None = None) -> Tensor:
        """Draw numbers of events; parameters that are tensors are read back.

        Args:
            lam: Mean number of events; 1 by default.
            size: Shape; None (default) for that of the parameter.

        Returns:
            Tensor; int32.
        """

        def log_probability(k: int, mean: float) -> float:
            return k * math.log(mean) - mean - math.lgamma(k + 1) if mean else -math.inf * k

        return self._counted(
            size, (lam,), lambda mean: (mean, math.sqrt(mean), math.inf), log_probability
        )

    @named
    def binomial(self, n: ArrayLike, p: ArrayLike, size: ShapeLike | None = None) -> Tensor:
        """Draw numbers of successes in n trials; parameters that are tensors are read back.

        Args:
            n: Number of trials.
            p: Probability of success.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; int32.
        """

        def moments(count: float, chance: float) -> tuple[float, float, float]:
            return count * chance, math.sqrt(count * chance * (1 - chance)), count

        def log_probability(k: int, count: float, chance: float) -> float:
            if chance in (0.0, 1.0):
                return 0.0 if k == count * chance else -math.inf
            ways = math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
            return ways + k * math.log(chance) + (count - k) * math.log1p(-chance)

        return self._counted(size, (n, p), moments, log_probability)

    def _counted(
        self,
        size: Any,
        parameters: tuple[Any, ...],
        moments: Callable[..., tuple[float, float, float]],
        log_probability: Callable[..., float],
    ) -> Tensor:
        """Invert the distribution of counts, which Python computes for each set of parameters."""
        rows: list[tuple[Any, ...]] = [parameters]
        shape: tuple[int, ...] = ()
        if not all(isinstance(value, int | float) for value in parameters):
            arrays = F.broadcast_arrays(*parameters)
            shape = arrays[0].shape
            rows = list(zip(*(F.flatten(x).tolist() for x in arrays), strict=True))
        lengths = _lengths(size) if size is not None else shape
        u = self._unit(lengths)
        kinds = list(dict.fromkeys(rows))
        number = F.broadcast_to(
            F.reshape(F.asarray([kinds.index(row) for row in rows], dtype="int32"), shape),
            lengths,
        )
        result = F.zeros(lengths, dtype="int32")
        for at, kind in enumerate(kinds):
            try:
                mean, deviation, most = moments(*kind)
            except (TypeError, ValueError, OverflowError):
                raise ArgumentError(
                    f"random: parameters do not fit; got {shown(kind)}; check their range"
                ) from None
            if not (mean >= 0 and deviation >= 0):
                raise ArgumentError(
                    f"random: parameters do not fit; got {shown(kind)}; check their range"
                )
            if deviation > _WIDE:
                rounded = F.round(self._normal(lengths) * deviation + mean)
                found = F.astype(F.clip(rounded, 0.0, min(most, 2.0**31 - 128)), "int32")
            else:
                first = max(0, math.floor(mean - 12 * deviation - 30))
                last = math.floor(min(most, mean + 12 * deviation + 30))
                chances = [math.exp(log_probability(k, *kind)) for k in range(first, last + 1)]
                sums = [math.fsum(chances[:1])]
                for chance in chances[1:-1]:
                    sums.append(sums[-1] + chance)
                limits = F.asarray(sums, dtype="float32")
                found = F.searchsorted(limits[: last - first], u, side="right") + first
            result = found if len(kinds) == 1 else F.where(number == at, found, result)
        return result

    @named
    def multinomial(self, n: int, pvals: ArrayLike, size: ShapeLike | None = None) -> Tensor:
        """Draw how often each of several outcomes occurs in n trials.

        Args:
            n: Number of trials.
            pvals: Vector of the outcomes' probabilities.
            size: Shape; None (default) for one experiment.

        Returns:
            Tensor with the counts along the last axis; int32.
        """
        chances = as_floating("multinomial", pvals)
        # The last outcome gets the rest, as in NumPy.
        limits = F.cumulative_sum(chances)[:-1]
        outcome = F.searchsorted(limits, self._unit((*_lengths(size), n)), side="right")
        each = F.expand_dims(outcome, axis=-1) == F.arange(chances.size)
        return F.sum(each, axis=-2)

    # --- permutations -------------------------------------------------------------------------

    def _order(self, shape: tuple[int, ...], axis: int) -> Tensor:
        return F.argsort(random.bits(self._draw(), shape), axis=axis)

    @named
    def permutation(self, x: int | ArrayLike, axis: int = 0) -> Tensor:
        """Return the slices along an axis in random order.

        Args:
            x: Tensor or array-like, or an integer for `arange(x)`.
            axis: Axis; 0 by default.

        Returns:
            Tensor of the shape and dtype of x.
        """
        values = F.arange(x) if isinstance(x, int) else as_tensor("permutation", x)
        place = one_axis("permutation", axis, values.ndim)
        return F.take(values, self._order((values.shape[place],), 0), axis=place)

    @named
    def shuffle(self, x: ArrayLike, axis: int = 0) -> None:
        """Put the slices of a tensor along an axis in random order, in place.

        Args:
            x: Tensor, or mutable sequence.
            axis: Axis; 0 by default.
        """
        if isinstance(x, Tensor):
            x[...] = self.permutation(x, axis)
        elif not isinstance(x, MutableSequence):
            raise wrong_type("shuffle", "x", "a tensor or a list", x)
        else:
            x[:] = [x[at] for at in self.permutation(len(x)).tolist()]

    @named
    def permuted(self, x: ArrayLike, *, axis: int | None = None) -> Tensor:
        """Return the elements along an axis in random order, another one for each vector.

        Args:
            x: Tensor or array-like.
            axis: Axis; None (default) for the flattened tensor.

        Returns:
            Tensor of the shape and dtype of x.
        """
        values = as_tensor("permuted", x)
        if axis is None:
            flat = F.flatten(values)
            return F.reshape(self.permutation(flat), values.shape) if flat.size else values
        place = one_axis("permuted", axis, values.ndim)
        return F.take_along_axis(values, self._order(values.shape, place), axis=place)

    @named
    def choice(
        self,
        a: int | ArrayLike,
        size: ShapeLike | None = None,
        replace: bool = True,
        p: ArrayLike | None = None,
        axis: int = 0,
    ) -> Tensor:
        """Draw slices of a tensor along an axis.

        Args:
            a: Tensor or array-like, or an integer for `arange(a)`.
            size: Shape; None (default) for one slice.
            replace: Allow a slice to be drawn several times; True by default.
            p: Vector of probabilities; None (default) for equal ones.
            axis: Axis; 0 by default.

        Returns:
            Tensor of the dtype of a.

        Raises:
            ShapeError: If there are too few slices to draw from, or p does not fit.
        """
        values = F.arange(a) if isinstance(a, int) else as_tensor("choice", a)
        place = one_axis("choice", axis, values.ndim)
        length, shape = values.shape[place], _lengths(size)
        count = math.prod(shape)
        replace = flag("choice", "replace", replace)
        chances = None if p is None else as_floating("choice", p)
        if chances is not None and chances.shape != (length,):
            raise ShapeError(
                f"choice: probabilities do not fit; got {chances.shape} for {length} slices"
            )
        if count and (not length or (not replace and count > length)):
            raise ShapeError(f"choice: too few slices; got {length} to draw {count} from")
        if not replace:
            if chances is None:
                order = self._order((length,), 0)
            else:
                # Orders by Gumbel noise are those of drawing one after the other.
                order = F.argsort(F.log(chances) + self._gumbel((length,)), descending=True)
            places = F.reshape(order[:count], shape)
        elif chances is None:
            places = random.integers(0, length, shape, key=self._draw())
        else:
            limits = F.cumulative_sum(chances)
            u = self._unit(shape) * limits[-1]
            places = F.minimum(F.searchsorted(limits, u, side="right"), length - 1)
        return F.take(values, places, axis=place)

    @named
    def spawn(self, n_children: int) -> list[Generator]:
        """Return new independent generators.

        Args:
            n_children: Number of generators.

        Returns:
            List of generators.
        """
        return [
            Generator(self._advance())
            for _ in range(integer("spawn", "n_children", n_children, 0, MOST_STEPS))
        ]


class RandomState(Generator):
    """Generator that also has the methods of NumPy's older interface.

    >>> import py_tensor as pt
    >>> pt.random.RandomState(0).rand(2, 3).shape
    (2, 3)
    """

    @named
    def seed(self, seed: int) -> None:
        """Start again from a seed.

        Args:
            seed: Integer.
        """
        self._key = random.key(seed)

    @named
    def rand(self, *shape: int) -> Tensor:
        """Draw uniformly distributed numbers from [0, 1).

        Args:
            shape: Lengths.

        Returns:
            Tensor; float32.
        """
        return self.random(shape)

    @named
    def randn(self, *shape: int) -> Tensor:
        """Draw normally distributed numbers.

        Args:
            shape: Lengths.

        Returns:
            Tensor; float32.
        """
        return self.standard_normal(shape)

    @named
    def randint(
        self,
        low: int,
        high: int | None = None,
        size: ShapeLike | None = None,
        dtype: DTypeLike = "int32",
    ) -> Tensor:
        """Draw uniformly distributed integers from [low, high).

        Args:
            low: Lower limit, included; the upper limit if `high` is None.
            high: Upper limit, excluded; None (default) draws from [0, low).
            size: Shape; None (default) for a number.
            dtype: Integer dtype; int32 by default.

        Returns:
            Tensor of that shape and dtype.
        """
        return self.integers(low, high, size, dtype)

    @named
    def random_sample(self, size: ShapeLike | None = None) -> Tensor:
        """Draw uniformly distributed numbers from [0, 1).

        Args:
            size: Shape; None (default) for a number.

        Returns:
            Tensor; float32.
        """
        return self.random(size)


class _Shared(RandomState):
    """Generator that the functions of `pt.random` use, with the global key."""

    def __init__(self) -> None:
        super().__init__(0)

    def _draw(self) -> Key:
        return random.fresh_key()


SHARED = _Shared()
"""Generator whose methods are functions of `pt.random`."""


def default_rng(seed: int | None = None) -> Generator:
    """Return a generator of random numbers with NumPy's methods.

    Args:
        seed: Integer, or a generator, which is returned; None (default) for a random seed.

    Returns:
        Generator.

    >>> import py_tensor as pt
    >>> pt.random.default_rng(7).integers(10, size=3).shape
    (3,)
    """
    if seed is not None and not isinstance(seed, Generator):
        seed = integer("default_rng", "seed", seed)
    return seed if isinstance(seed, Generator) else Generator(seed)
