"""Distributions of NumPy's random generators, from uniform and normal numbers of a key.

Each class holds one family, as methods; `generator.Generator` has them all. Parameters may be
tensors, and broadcast.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextlib import suppress
from itertools import accumulate
from typing import Any

from .. import functions as F, random
from ..dtypes import shown
from ..errors import ArgumentError
from ..functions.arguments import a_shape
from ..functions.decorators import named
from ..random import Key
from ..runtime.scopes import state
from ..tensor import Tensor
from ..typing import ArrayLike, DTypeLike, ShapeLike
from .arithmetic import as_floating

_ROUNDS = 8
"""Candidates of rejection methods: the probability that all are rejected is below 1e-10."""
_WIDE = 1e4
"""Standard deviation above which counts are drawn as rounded normal numbers."""


def lengths_of(size: ShapeLike | None, *parameters: Tensor) -> tuple[int, ...]:
    """Return the shape of the result: `size`, or the shape of the parameters."""
    if size is None:
        return F.broadcast_shapes(*(x.shape for x in parameters)) if parameters else ()
    return a_shape("random", size)


class KeyStream:
    """Key that advances with each draw, and draws of standard distributions."""

    def __init__(self, seed: int | None = None) -> None:
        if seed is None:
            seed = int.from_bytes(os.urandom(8), "little")
        self._key = random.words_of(type(self).__name__, seed)

    def _advance(self) -> int:
        self._key, (high, low) = random.parts_of(self._key, 2)
        return high << 32 | low

    def _draw(self) -> Key:
        """Return a new key; inside `jit`, the key that each call draws."""
        trace = state.trace
        drawn = self._advance() if trace is None else trace.tape.record(int, self._advance)
        key: Key = random.words_of("random", drawn)
        return key

    def _unit(self, shape: tuple[int, ...]) -> Tensor:
        """Return numbers in [0, 1)."""
        return random.uniform(shape, key=self._draw())

    def _open(self, shape: tuple[int, ...]) -> Tensor:
        """Return numbers in (0, 1]."""
        return 1.0 - self._unit(shape)

    def _scaled(
        self,
        draw: Callable[[tuple[int, ...]], Tensor],
        loc: ArrayLike,
        scale: ArrayLike,
        size: ShapeLike | None,
    ) -> Tensor:
        """Return standard numbers times a scale plus a location."""
        shift, factor = as_floating("random", loc), as_floating("random", scale)
        return draw(lengths_of(size, shift, factor)) * factor + shift

    def _normal(self, shape: tuple[int, ...]) -> Tensor:
        return random.normal(shape, key=self._draw())

    def _exponential(self, shape: tuple[int, ...]) -> Tensor:
        return -F.log(self._open(shape))

    def _logit(self, shape: tuple[int, ...]) -> Tensor:
        u = self._unit(shape) + 2.0**-24
        return F.log(u) - F.log1p(-u)

    def _gumbel(self, shape: tuple[int, ...]) -> Tensor:
        return -F.log(-F.log(self._unit(shape) + 2.0**-25))

    def _order(self, shape: tuple[int, ...], axis: int) -> Tensor:
        return F.argsort(random.bits(self._draw(), shape), axis=axis)


class ContinuousDistributions(KeyStream):
    """Distributions with a location, a scale or an exponent."""

    @named
    def uniform(
        self, low: ArrayLike = 0.0, high: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> Tensor:
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
    def standard_normal(
        self, size: ShapeLike | None = None, dtype: DTypeLike = "float32"
    ) -> Tensor:
        """Draw normally distributed numbers of mean 0 and standard deviation 1.

        Args:
            size: Shape; None (default) for a number.
            dtype: float32 (default) or float16.

        Returns:
            Tensor of that shape and dtype.
        """
        return F.astype(self._normal(lengths_of(size)), dtype)

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
    def standard_exponential(
        self, size: ShapeLike | None = None, dtype: DTypeLike = "float32"
    ) -> Tensor:
        """Draw exponentially distributed numbers of mean 1.

        Args:
            size: Shape; None (default) for a number.
            dtype: float32 (default) or float16.

        Returns:
            Tensor of that shape and dtype.
        """
        return F.astype(self._exponential(lengths_of(size)), dtype)

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
        return F.pow(self._exponential(lengths_of(size, power)), 1.0 / power)

    @named
    def pareto(self, a: ArrayLike, size: ShapeLike | None = None) -> Tensor:
        """Draw numbers of the Lomax distribution: of the Pareto distribution, minus 1.

        Args:
            a: Shape parameter.
            size: Shape; None (default) for that of the parameter.

        Returns:
            Tensor; float32.
        """
        power = as_floating("pareto", a)
        return F.expm1(self._exponential(lengths_of(size, power)) / power)

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
        return F.pow(self._open(lengths_of(size, exponent)), 1.0 / exponent)

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
        low, middle, high = (as_floating("triangular", x) for x in (left, mode, right))
        u = self._unit(lengths_of(size, low, middle, high))
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
        return F.tan((self._unit(lengths_of(size)) - 0.5) * math.pi)


class GammaDistributions(KeyStream):
    """Distributions that are made of numbers of the gamma distribution."""

    @named
    def standard_gamma(
        self, shape: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = "float32"
    ) -> Tensor:
        """Draw numbers of the gamma distribution of scale 1.

        The method is that of Marsaglia and Tsang (2000).

        Args:
            shape: Shape parameter.
            size: Shape; None (default) for that of the parameter.
            dtype: float32 (default) or float16.

        Returns:
            Tensor of that shape and dtype.
        """
        a = as_floating("standard_gamma", shape)
        number, power = self._gamma_factors(a, lengths_of(size, a))
        return F.astype(number * F.exp(power), dtype)

    def _log_gamma(self, a: Tensor, lengths: tuple[int, ...]) -> Tensor:
        """Return logarithms of numbers of the gamma distribution, which may underflow."""
        number, power = self._gamma_factors(a, lengths)
        return F.log(number) + power

    def _gamma_factors(self, a: Tensor, lengths: tuple[int, ...]) -> tuple[Tensor, Tensor]:
        """Return numbers and logarithms of numbers whose product has the gamma distribution."""
        small = a < 1.0
        d = F.where(small, a + 1.0, a) - 1.0 / 3.0
        c = 1.0 / F.sqrt(9.0 * d)
        factor = F.ones(lengths)
        # An accepted candidate replaces those before it, so the last one of them remains.
        for _ in range(_ROUNDS):
            x = self._normal(lengths)
            v = F.pow(F.maximum(1.0 + c * x, 0.0), 3.0)
            safe = F.where(v > 0, v, 1.0)
            accepted = F.log(self._open(lengths)) < 0.5 * x * x + d - d * v + d * F.log(safe)
            factor = F.where(accepted & (v > 0), v, factor)
        boost = F.log(self._open(lengths)) / F.where(small, a, 1.0)
        return d * factor, F.where(small, boost, 0.0)

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
        return self.standard_gamma(a, lengths_of(size, a, factor)) * factor

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
    def noncentral_chisquare(
        self, df: ArrayLike, nonc: ArrayLike, size: ShapeLike | None = None
    ) -> Tensor:
        """Draw numbers of the noncentral chi-square distribution.

        Args:
            df: Degrees of freedom, above 1.
            nonc: Noncentrality.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; float32.
        """
        freedom, shift = (as_floating("noncentral_chisquare", x) for x in (df, nonc))
        lengths = lengths_of(size, freedom, shift)
        moved = F.square(self._normal(lengths) + F.sqrt(shift))
        return moved + self.chisquare(freedom - 1.0, lengths)

    @named
    def wald(self, mean: ArrayLike, scale: ArrayLike, size: ShapeLike | None = None) -> Tensor:
        """Draw numbers of the inverse Gaussian distribution.

        The method is that of Michael, Schucany and Haas (1976).

        Args:
            mean: Mean, above 0.
            scale: Scale, above 0.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; float32.
        """
        m, factor = (as_floating("wald", x) for x in (mean, scale))
        lengths = lengths_of(size, m, factor)
        y = m * F.square(self._normal(lengths)) / (2.0 * factor)
        # The smaller root of the quadratic equation, without cancellation.
        x = m / (1.0 + y + F.sqrt(y * (y + 2.0)))
        return F.where(self._unit(lengths) <= m / (m + x), x, m * m / x)

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
        lengths = lengths_of(size, freedom)
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
        lengths = lengths_of(size, first, second)
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
        lengths = lengths_of(size, first, second)
        return F.sigmoid(self._log_gamma(first, lengths) - self._log_gamma(second, lengths))

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
        return F.softmax(self._log_gamma(parameters, (*lengths_of(size), *parameters.shape)))


class DiscreteDistributions(KeyStream):
    """Distributions of whole numbers."""

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
        tries = F.ceil(-self._exponential(lengths_of(size, chance)) / F.log1p(-chance))
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

    @named
    def negative_binomial(
        self, n: ArrayLike, p: ArrayLike, size: ShapeLike | None = None
    ) -> Tensor:
        """Draw numbers of failures before n successes; parameters that are tensors are read back.

        Args:
            n: Number of successes.
            p: Probability of success, above 0.
            size: Shape; None (default) for that of the parameters.

        Returns:
            Tensor; int32.
        """

        def moments(count: float, chance: float) -> tuple[float, float, float]:
            mean = count * (1 - chance) / chance
            return mean, math.sqrt(mean / chance), math.inf

        def log_probability(k: int, count: float, chance: float) -> float:
            if chance == 1.0:
                return -math.inf if k else 0.0
            ways = math.lgamma(k + count) - math.lgamma(count) - math.lgamma(k + 1)
            return ways + count * math.log(chance) + k * math.log1p(-chance)

        return self._counted(size, (n, p), moments, log_probability)

    def _counted(
        self,
        size: ShapeLike | None,
        parameters: tuple[ArrayLike, ...],
        moments: Callable[..., tuple[float, float, float]],
        log_probability: Callable[..., float],
    ) -> Tensor:
        """Draw counts by inversion of their distribution, once for each set of parameters.

        `moments` returns the mean, the standard deviation and the largest count.
        """
        rows: list[tuple[Any, ...]] = [parameters]
        shape: tuple[int, ...] = ()
        if not all(isinstance(value, int | float) for value in parameters):
            arrays = F.broadcast_arrays(*parameters)
            shape = arrays[0].shape
            rows = list(zip(*(F.flatten(x).tolist() for x in arrays), strict=True))
        lengths = lengths_of(size) if size is not None else shape
        u = self._unit(lengths)
        kinds = list(dict.fromkeys(rows))
        numbers = F.asarray([kinds.index(row) for row in rows], dtype="int32")
        number = F.broadcast_to(F.reshape(numbers, shape), lengths)
        result = F.zeros(lengths, dtype="int32")
        for index, kind in enumerate(kinds):
            mean, deviation, most = _checked(moments, kind)
            if deviation > _WIDE:
                rounded = F.round(self._normal(lengths) * deviation + mean)
                counts = F.astype(F.clip(rounded, 0.0, min(most, 2.0**31 - 128)), "int32")
            else:
                first = max(0, math.floor(mean - 12 * deviation - 30))
                last = math.floor(min(most, mean + 12 * deviation + 30))
                chances = [math.exp(log_probability(k, *kind)) for k in range(first, last + 1)]
                limits = F.asarray([*accumulate(chances[:-1])], dtype="float32")
                counts = F.searchsorted(limits, u, side="right") + first
            result = counts if len(kinds) == 1 else F.where(number == index, counts, result)
        return result

    @named
    def multinomial(self, n: int, pvals: ArrayLike, size: ShapeLike | None = None) -> Tensor:
        """Draw the numbers of times that several outcomes occur in n trials.

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
        outcome = F.searchsorted(limits, self._unit((*lengths_of(size), n)), side="right")
        is_outcome = F.expand_dims(outcome, axis=-1) == F.arange(chances.size)
        return F.sum(is_outcome, axis=-2)


def _checked(
    moments: Callable[..., tuple[float, float, float]], kind: tuple[Any, ...]
) -> tuple[float, float, float]:
    """Return the moments of a set of parameters; raise ArgumentError if there are none."""
    with suppress(TypeError, ValueError, OverflowError):
        mean, deviation, most = moments(*kind)
        if mean >= 0 and deviation >= 0:
            return mean, deviation, most
    raise ArgumentError(f"random: parameters do not fit; got {shown(kind)}; check their range")
