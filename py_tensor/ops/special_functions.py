"""Special functions of plain Python numbers, and gradient rules for them.

Input: one number for each operand. Output: one number, accurate to float32 at least.
"""

from __future__ import annotations

import math

from ..errors import GradientError
from .rule_types import Array, Functions


def cos_of_turn(p: int, n: int) -> float:
    """Reduce the angle to an eighth of a turn in integers, which is exact."""
    quarters = (8 * p + n) // (2 * n)
    rest = (4 * p - quarters * n) * (math.pi / 2) / n
    size = -math.sin(rest) if quarters % 2 else math.cos(rest)
    return size if quarters % 4 < 2 else -size


def erfinv(x: float) -> float:
    """Compute the quantile function of the normal distribution, or the power series near 0."""
    from statistics import NormalDist

    if abs(x) < 1e-3:
        return math.sqrt(math.pi) / 2.0 * (x + math.pi / 12.0 * x**3)
    if abs(x) == 1.0:
        return math.copysign(math.inf, x)
    return NormalDist().inv_cdf((x + 1.0) / 2.0) / math.sqrt(2.0) if abs(x) < 1.0 else math.nan


def lgamma(x: float) -> float:
    """Compute `math.lgamma`, which raises for the poles and for large numbers."""
    try:
        return math.lgamma(x)
    except (OverflowError, ValueError):
        return math.inf


def digamma(x: float) -> float:
    """Recur to arguments above 16, where the asymptotic series has the accuracy of float64."""
    if x == math.inf or x != x:
        return x
    if x <= 0.0:
        if x == -math.inf or x == math.floor(x):
            return math.nan
        return digamma(1.0 - x) - math.pi / math.tan(math.pi * (x - round(x)))
    total = 0.0
    while x < 16.0:
        total -= 1.0 / x
        x += 1.0
    q = 1.0 / (x * x)
    series = 1 / 12 - q * (1 / 120 - q * (1 / 252 - q * (1 / 240 - q / 132)))
    return total + math.log(x) - 0.5 / x - q * series


def i0(x: float) -> float:
    """Sum the power series, whose terms are all positive."""
    if not abs(x) < 700.0:
        return x if x != x else math.inf
    total = term = 1.0
    count = 0
    while term > total * 1e-17:
        count += 1
        term *= (x / 2.0 / count) ** 2
        total += term
    return total


def betainc(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of Numerical Recipes (3rd ed., 6.4)."""
    if not (0.0 < a < math.inf and 0.0 < b < math.inf and 0.0 <= x <= 1.0):
        return math.nan
    if x in (0.0, 1.0):
        return x
    if x * (a + b + 2.0) > a + 1.0:
        return 1.0 - _by_fraction(b, a, 1.0 - x)
    return _by_fraction(a, b, x)


def _by_fraction(a: float, b: float, x: float) -> float:
    scale = math.exp(
        a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    )
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0))
    h = d
    for n in range(1, 400):
        e = a + 2 * n
        for s in (n * (b - n) * x / ((e - 1) * e), -(a + n) * (a + b + n) * x / (e * (e + 1))):
            d = 1.0 / (1.0 + s * d)
            c = 1.0 + s / c
            h *= d * c
        if abs(d * c - 1.0) < 1e-16:
            break
    return scale * h / a


def trigamma(pt: Functions, x: Array) -> Array:
    """Return the derivative of digamma, by the recurrence and the asymptotic series."""
    negative = x < 0.0
    y = pt.where(negative, 1.0 - x, x)
    total: Array | float = 0.0
    for _ in range(6):
        total = total + 1.0 / (y * y)
        y = y + 1.0
    q = 1.0 / (y * y)
    series = 1 / 6 - q * (1 / 30 - q * (1 / 42 - q * (1 / 30)))
    result = total + (1.0 + (0.5 + series / y) / y) / y
    sine = pt.sin(math.pi * (x - pt.round(x)))
    return pt.where(negative, (math.pi / sine) ** 2 - result, result)


def i1(pt: Functions, x: Array) -> Array:
    """Return the derivative of i0 by Abramowitz & Stegun 9.8.3 and 9.8.4."""
    a = pt.abs(x)
    y, z = (x / 3.75) ** 2, 3.75 / pt.maximum(a, 3.75)
    near: Array | float = 0.0
    for c in (0.00032411, 0.00301532, 0.02658733, 0.15084934, 0.51498869, 0.87890594, 0.5):
        near = near * y + c
    far: Array | float = 0.0
    for c in (-0.00420059, 0.01787654, -0.02895312, 0.02282967, -0.01031555, 0.00163801):
        far = far * z + c
    for c in (-0.00362018, -0.03988024, 0.39894228):
        far = far * z + c
    half = pt.exp(0.5 * a)
    far = half * (far * pt.rsqrt(pt.maximum(a, 1.0))) * half * pt.sign(x)
    return pt.where(a < 3.75, near * x, far)


def beta_density(pt: Functions, g: Array, y: Array, a: Array, b: Array, x: Array) -> Array:
    logarithm = pt.lgamma(a + b) - pt.lgamma(a) - pt.lgamma(b)
    return g * pt.exp(logarithm + (a - 1.0) * pt.log(x) + (b - 1.0) * pt.log1p(-x))


def by_parameter(pt: Functions, *operands: Array) -> Array:
    """Raise an error, as JAX does."""
    raise GradientError(
        "betainc: there is no gradient with respect to a and b; got a floating tensor for one; "
        "use pt.stop_gradient"
    )
