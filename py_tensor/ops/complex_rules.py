"""Rules that express operations on complex operands by real operations.

A rule is called as `rule(pt, *operands)`, followed by the static argument if there is one. `pt` is
an `Algebra` and operands are `ComplexParts`. It returns the `ComplexParts` of a complex result, or
a `GraphValue`. Special values are those of Annex G of the C standard, which the array API standard
repeats. If real and complex operands are mixed, the real ones have no imaginary part, instead of an
imaginary part of zero.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

from ..dtypes import DType
from .complex_algebra import ComplexParts
from .rule_types import Array, Functions


class ComplexFunctions(Functions, Protocol):
    """Namespace of complex rules, an `Algebra`."""

    def known_integer(self, operand: ComplexParts, /) -> int | None: ...


LARGE = 1e4
"""Numbers above this have squares to which adding 1 makes no difference in float32."""


def _not_finite(pt: Functions, x: Array) -> Array:
    """Return True for elements whose sine and cosine are NaN."""
    return ~pt.isfinite(x)


# --- arithmetic ---------------------------------------------------------------------------------


def multiply(pt: Functions, z: ComplexParts, w: ComplexParts) -> ComplexParts:
    return z * w


def divide(pt: Functions, z: ComplexParts, w: ComplexParts) -> ComplexParts:
    """Divide by Smith's method.

    The smaller part of the divisor is taken relative to the larger one, to avoid overflow.
    """
    if w.im is None:
        return z.each(lambda part: part / w.re)
    im = 0.0 if z.im is None else z.im
    flat = ~(abs(w.re) < abs(w.im))
    large, small = pt.where(flat, w.re, w.im), pt.where(flat, w.im, w.re)
    p, q = pt.where(flat, z.re, im), pt.where(flat, im, z.re)
    zero = (large == 0.0) & (small == 0.0)
    ratio = pt.where(zero, 0.0, pt.ratio(small, large))
    whole = pt.where(zero, 0.0, large + small * ratio)
    turned = q - pt.where(zero, 0.0, p * ratio)
    return ComplexParts(
        pt.ratio(p + pt.where(zero, 0.0, q * ratio), whole),
        pt.ratio(pt.where(flat, turned, -turned), whole),
    )


def reciprocal(pt: Functions, z: ComplexParts) -> ComplexParts:
    return divide(pt, ComplexParts(1.0, 0.0), z)


def square(pt: Functions, z: ComplexParts) -> ComplexParts:
    product = z.re * z.im
    return ComplexParts((z.re - z.im) * (z.re + z.im), product + product)


def absolute(pt: Functions, z: ComplexParts) -> Array:
    return pt.hypot(z.re, z.im)


def sign(pt: Functions, z: ComplexParts) -> ComplexParts:
    """Return z / abs(z), or 0 for 0, computed relative to the larger part to avoid overflow."""
    larger = pt.maximum(abs(z.re), abs(z.im))
    zero = larger == 0.0

    def relative(part: Array) -> Array:
        # Infinity divided by itself would be NaN.
        return pt.where(abs(part) == larger, pt.copysign(1.0, part), pt.ratio(part, larger))

    x, y = (pt.where(zero, 0.0, relative(part)) for part in z)
    size = pt.where(zero, 1.0, pt.sqrt(x * x + y * y))
    return ComplexParts(x / size, y / size)


def conj(pt: Functions, z: ComplexParts) -> ComplexParts:
    return z.conj()


def _power(pt: Functions, z: ComplexParts, exponent: int) -> ComplexParts:
    """Raise to a positive integer power by repeated squaring, exact for results with few digits."""
    result: ComplexParts | None = None
    while exponent:
        if exponent & 1:
            result = z if result is None else result * z
        exponent >>= 1
        z = square(pt, z) if exponent else z
    return z if result is None else result


def power(pt: ComplexFunctions, z: ComplexParts, w: ComplexParts) -> ComplexParts:
    known = pt.known_integer(w)
    if known is not None and 0 < abs(known) <= 100:
        result = _power(pt, z, abs(known))
        return result if known > 0 else reciprocal(pt, result)
    im = 0.0 if z.im is None else z.im
    size = pt.abs(z.re) if z.im is None else absolute(pt, z)
    angle = pt.atan2(im, z.re)
    zero = size == 0.0
    large, phase = pt.pow(size, w.re), w.re * angle
    undefined = zero & (w.re < 0.0)
    one = w.re == 0.0
    if w.im is not None:
        logarithm = pt.log(size) if z.im is None else _log_size(pt, z)
        large = large * pt.exp(-(w.im * angle))
        phase = phase + pt.where(zero | (w.im == 0.0), 0.0, w.im * logarithm)
        undefined = zero & (w.re <= 0.0)
        one = one & (w.im == 0.0)
    re = pt.where(undefined, math.nan, large * pt.cos(phase))
    # If the angle is 0, so is the imaginary part: infinity times zero would be NaN.
    im = pt.where(undefined, math.nan, pt.where(phase == 0.0, phase, large * pt.sin(phase)))
    return ComplexParts(pt.where(one, 1.0, re), pt.where(one, 0.0, im))


# --- comparison and classes of numbers -----------------------------------------------------------


def equal(pt: Functions, z: ComplexParts, w: ComplexParts) -> Any:
    im = (0.0 if part is None else part for part in (z.im, w.im))
    return (z.re == w.re) & pt.equal(*im)


def not_equal(pt: Functions, z: ComplexParts, w: ComplexParts) -> Any:
    return ~equal(pt, z, w)


def isfinite(pt: Functions, z: ComplexParts) -> Array:
    return pt.isfinite(z.re) & pt.isfinite(z.im)


def isinf(pt: Functions, z: ComplexParts) -> Array:
    return pt.isinf(z.re) | pt.isinf(z.im)


def isnan(pt: Functions, z: ComplexParts) -> Array:
    return pt.isnan(z.re) | pt.isnan(z.im)


def _truth(z: ComplexParts) -> Any:
    return (z.re != 0.0) | (z.im != 0.0)


def any_(pt: Functions, z: ComplexParts, axes: tuple[int, ...]) -> Array:
    return pt.any(_truth(z), arg=axes)


def all_(pt: Functions, z: ComplexParts, axes: tuple[int, ...]) -> Array:
    return pt.all(_truth(z), arg=axes)


def _extreme(pt: Functions, z: ComplexParts, axes: tuple[int, ...], name: str) -> tuple[Array, ...]:
    """Return the parts of the extreme by real, then imaginary parts, and if any element is NaN."""
    find = getattr(pt, name)
    re = find(z.re, arg=axes)
    im = find(pt.where(z.re == re, z.im, -math.inf if name == "max" else math.inf), arg=axes)
    return re, im, pt.any(isnan(pt, z), arg=axes)


def extreme(pt: Functions, z: ComplexParts, axes: tuple[int, ...], *, name: str) -> ComplexParts:
    re, im, lost = _extreme(pt, z, axes, name)
    return ComplexParts(*(pt.where(lost, math.nan, part) for part in (re, im)))


def position_of_extreme(
    pt: Functions, z: ComplexParts, axes: tuple[int, ...], *, name: str
) -> Array:
    re, im, lost = _extreme(pt, z, axes, name)
    wins = pt.where(lost, isnan(pt, z), (z.re == re) & (z.im == im))
    return pt.argmax(pt.where(wins, 1.0, 0.0), arg=axes)


def cast(pt: Functions, z: ComplexParts, dtype: DType) -> ComplexParts | Array:
    return ComplexParts(z.re, 0.0) if z.im is None else _truth(z)


# --- exponentials and logarithms -----------------------------------------------------------------


def _times_exp(pt: Functions, x: Array, *factors: Array) -> list[Array]:
    """Return each factor times exp(x), also if exp(x) overflows and the product does not."""
    low, high = pt.exp(pt.minimum(x, 80.0)), pt.exp(pt.maximum(x, 80.0) - 80.0)
    return [low * factor * high for factor in factors]


def exp(pt: Functions, z: ComplexParts) -> ComplexParts:
    re, im = _times_exp(pt, z.re, pt.cos(z.im), pt.sin(z.im))
    not_finite = _not_finite(pt, z.im)
    re = pt.where(not_finite & pt.isinf(z.re), pt.exp(z.re), re)
    im = pt.where(not_finite & (z.re == -math.inf), 0.0, im)
    return ComplexParts(re, pt.where(z.im == 0.0, z.im, im))


def expm1(pt: Functions, z: ComplexParts) -> ComplexParts:
    half = pt.sin(z.im * 0.5)
    power = exp(pt, z)
    # If no digits cancel, use exp(z) - 1, whose special values are known.
    re = pt.expm1(z.re) * pt.cos(z.im) - 2.0 * half * half
    re = pt.where(abs(z.re) < 1.0, re, power.re - 1.0)
    return ComplexParts(pt.where(re == 0.0, 0.0, re), power.im)


def _log_size(pt: Functions, z: ComplexParts) -> Array:
    """Return log(abs(z)) without overflow, by log1p if abs(z) is near 1 and the result is small."""
    x, y = abs(z.re), abs(z.im)
    a, b = pt.maximum(x, y), pt.minimum(x, y)
    ratio = pt.where(a == 0.0, 0.0, pt.ratio(b, a))
    far = pt.log(a) + 0.5 * pt.log1p(ratio * ratio)
    near = 0.5 * pt.log1p((a - 1.0) * (a + 1.0) + b * b)
    result = pt.where((a > 0.5) & (a < 1.5), near, far)
    return pt.where(isinf(pt, z), math.inf, result)


def log(pt: Functions, z: ComplexParts) -> ComplexParts:
    return ComplexParts(_log_size(pt, z), pt.atan2(z.im, z.re))


def log1p(pt: Functions, z: ComplexParts) -> ComplexParts:
    near = 0.5 * pt.log1p(z.re * (2.0 + z.re) + z.im * z.im)
    moved = log(pt, ComplexParts(1.0 + z.re, z.im))
    small = (abs(z.re) < 0.5) & (abs(z.im) < 0.5)
    return ComplexParts(pt.where(small, near, moved.re), moved.im)


def log2(pt: Functions, z: ComplexParts) -> ComplexParts:
    return log(pt, z) * (1.0 / math.log(2.0))


def log10(pt: Functions, z: ComplexParts) -> ComplexParts:
    return log(pt, z) * (1.0 / math.log(10.0))


def sqrt(pt: Functions, z: ComplexParts) -> ComplexParts:
    """Return sqrt((abs(x) + abs(z)) / 2) and y over twice that.

    Operands are scaled so that abs(z) neither overflows nor underflows.
    """
    larger = pt.maximum(abs(z.re), abs(z.im))
    up, down = larger < 2.0**-100, larger > 2.0**100
    scale = pt.where(up, 2.0**40, pt.where(down, 2.0**-40, 1.0))
    root = pt.where(up, 2.0**-20, pt.where(down, 2.0**20, 1.0))
    x, y = z.re * scale, z.im * scale
    t = pt.sqrt((abs(x) + pt.hypot(x, y)) * 0.5)
    other = pt.where(t == 0.0, abs(y), abs(y) / (t + t))
    t, other = t * root, other * root
    right, tall = ~pt.signbit(z.re), pt.isinf(z.im)
    re, im = pt.where(right, t, other), pt.copysign(pt.where(right, other, t), z.im)
    return ComplexParts(pt.where(tall, math.inf, re), pt.where(tall, z.im, im))


# --- trigonometry ---------------------------------------------------------------------------------


def sinh(pt: Functions, z: ComplexParts) -> ComplexParts:
    x, near = z.re, pt.clip(z.re, -80.0, 80.0)
    more = pt.exp(abs(x) - abs(near))
    re, im = pt.sinh(near) * pt.cos(z.im) * more, pt.cosh(near) * pt.sin(z.im) * more
    re = pt.where(_not_finite(pt, z.im) & ((x == 0.0) | pt.isinf(x)), x, re)
    return ComplexParts(re, pt.where(z.im == 0.0, z.im, im))


def cosh(pt: Functions, z: ComplexParts) -> ComplexParts:
    x, near = z.re, pt.clip(z.re, -80.0, 80.0)
    more = pt.exp(abs(x) - abs(near))
    re, im = pt.cosh(near) * pt.cos(z.im) * more, pt.sinh(near) * pt.sin(z.im) * more
    not_finite = _not_finite(pt, z.im)
    re = pt.where(not_finite & pt.isinf(x), math.inf, re)
    im = pt.where(not_finite & (x == 0.0), 0.0, im)
    return ComplexParts(re, pt.where(z.im == 0.0, pt.where(pt.signbit(x), -z.im, z.im), im))


def tanh(pt: Functions, z: ComplexParts) -> ComplexParts:
    """Apply Kahan's formula from 'Branch cuts for complex elementary functions' (1987)."""
    x, y = z.re, z.im
    size, not_finite = abs(x), _not_finite(pt, y)
    near = pt.clip(x, -10.0, 10.0)
    t, s = pt.tan(y), pt.sinh(near)
    secant = 1.0 + t * t
    below = 1.0 + secant * s * s
    re, im = secant * pt.sqrt(1.0 + s * s) * s / below, t / below
    far = size > 10.0
    re = pt.where(far, pt.copysign(1.0, x), re)
    re = pt.where(not_finite & pt.isfinite(x), math.nan, re)
    small = 4.0 * pt.sin(y) * pt.cos(y) * pt.exp(-2.0 * size)
    im = pt.where(far, pt.where(pt.isinf(x), 0.0, small), im)
    return ComplexParts(pt.where(x == 0.0, x, re), pt.where(y == 0.0, y, im))


def sin(pt: Functions, z: ComplexParts) -> ComplexParts:
    return sinh(pt, z.times_i()).over_i()


def cos(pt: Functions, z: ComplexParts) -> ComplexParts:
    return cosh(pt, z.times_i())


def tan(pt: Functions, z: ComplexParts) -> ComplexParts:
    return tanh(pt, z.times_i()).over_i()


def _roots(pt: Functions, z: ComplexParts) -> tuple[ComplexParts, ComplexParts]:
    """Return sqrt(1 - z) and sqrt(1 + z)."""
    return sqrt(pt, ComplexParts(1.0 - z.re, -z.im)), sqrt(pt, ComplexParts(1.0 + z.re, z.im))


def _is_far(z: ComplexParts) -> Any:
    return (abs(z.re) > LARGE) | (abs(z.im) > LARGE)


def asin(pt: Functions, z: ComplexParts) -> ComplexParts:
    """Apply Kahan's formula, or log(2 abs(z)) for large z, for which the formula overflows."""
    a, b = _roots(pt, z)
    re = pt.atan2(z.re, a.re * b.re - a.im * b.im)
    im = pt.asinh(a.re * b.im - a.im * b.re)
    far = _is_far(z)
    re = pt.where(far, pt.atan2(z.re, abs(z.im)), re)
    im = pt.where(far, pt.copysign(_log_size(pt, z) + math.log(2.0), z.im), im)
    return ComplexParts(pt.where((z.re == 0.0) & pt.isnan(z.im), z.re, re), im)


def acos(pt: Functions, z: ComplexParts) -> ComplexParts:
    """Apply Kahan's formula as `asin` does."""
    a, b = _roots(pt, z)
    re = 2.0 * pt.atan2(a.re, b.re)
    im = pt.asinh(b.re * a.im - b.im * a.re)
    far = _is_far(z)
    re = pt.where(far, pt.atan2(abs(z.im), z.re), re)
    im = pt.where(far, -pt.copysign(_log_size(pt, z) + math.log(2.0), z.im), im)
    return ComplexParts(pt.where((z.re == 0.0) & pt.isnan(z.im), math.pi / 2.0, re), im)


def atan(pt: Functions, z: ComplexParts) -> ComplexParts:
    return atanh(pt, z.times_i()).over_i()


def asinh(pt: Functions, z: ComplexParts) -> ComplexParts:
    return asin(pt, z.times_i()).over_i()


def acosh(pt: Functions, z: ComplexParts) -> ComplexParts:
    """Return i acos(z) or -i acos(z), whichever has no negative real part."""
    w = acos(pt, z)
    angle = pt.where(pt.isnan(w.re) | pt.isnan(z.im), w.re, pt.copysign(w.re, z.im))
    return ComplexParts(abs(w.im), angle)


def atanh(pt: Functions, z: ComplexParts) -> ComplexParts:
    """Return log((1 + z) / (1 - z)) / 2; for large z the real part is that of 1 / z."""
    x, y = abs(z.re), z.im
    less = 1.0 - x
    re = 0.25 * pt.log1p(4.0 * x / (less * less + y * y))
    # The square of y would underflow.
    re = pt.where((less == 0.0) & (abs(y) < 1e-4), 0.5 * (math.log(2.0) - pt.log(abs(y))), re)
    im = 0.5 * pt.atan2(y + y, less * (1.0 + x) - y * y)
    far, size = _is_far(z), absolute(pt, z)
    re = pt.where(far, pt.where(isinf(pt, z), 0.0, x / size / size), re)
    known = pt.isinf(y) | ~isnan(pt, z)
    im = pt.where(far & known, pt.copysign(math.pi / 2.0, y), im)
    return ComplexParts(pt.where(x == 0.0, z.re, pt.copysign(re, z.re)), im)


# --- over many elements ---------------------------------------------------------------------------


def _along(pt: Functions, x: Array, axis: int, start: int, length: int) -> Array:
    """Return `length` elements of an axis from `start` on."""
    parts = ((start, length, 1) if at == axis else (0, n, 1) for at, n in enumerate(x.shape))
    return pt.slice(x, arg=tuple(parts))


def _halves(pt: Functions, x: Array, axis: int) -> ComplexParts:
    half = x.shape[axis] // 2
    return ComplexParts(_along(pt, x, axis, 0, half), _along(pt, x, axis, half, half))


def dot(pt: Functions, a: ComplexParts, b: ComplexParts) -> ComplexParts:
    """Compute one real product: [re, im] on the left by [[re, im], [-im, re]] on the right."""
    if b.im is None:
        return _halves(pt, pt.dot(pt.concat(a.re, a.im, arg=1), b.re), 1)
    upper = pt.concat(b.re, b.im, arg=2)
    if a.im is None:
        return _halves(pt, pt.dot(a.re, upper), 2)
    right = pt.concat(upper, pt.concat(-b.im, b.re, arg=2), arg=1)
    return _halves(pt, pt.dot(pt.concat(a.re, a.im, arg=2), right), 2)


def convolve(pt: Functions, x: ComplexParts, w: ComplexParts, window: Any) -> ComplexParts:
    def part(image: Array, kernel: Array) -> Array:
        return pt.convolve(image, kernel, arg=window)

    if x.im is None or w.im is None:
        im = part(x.re, w.im) if x.im is None else part(x.im, w.re)
        return ComplexParts(part(x.re, w.re), im)
    return ComplexParts(
        part(x.re, w.re) - part(x.im, w.im),
        part(x.re, w.im) + part(x.im, w.re),
    )


def prod(pt: Functions, z: ComplexParts, axes: tuple[int, ...]) -> ComplexParts:
    """Multiply the first half by the second half until one element is left."""
    shape = z.re.shape
    kept = tuple(axis for axis in range(len(shape)) if axis not in axes)
    count = math.prod(shape[axis] for axis in axes)
    whole = 1 << (count - 1).bit_length() if count else 1
    frame = (*(shape[axis] for axis in kept), count)
    around = (*((0, 0, 0) for _ in kept), (0, whole - count, 0))

    def framed(part: Array, rest: float) -> Array:
        part = pt.reshape(pt.permute_dims(part, arg=(*kept, *axes)), arg=frame)
        return pt.pad(part, rest, arg=around)

    z = ComplexParts(framed(z.re, 1.0), framed(z.im, 0.0))
    while z.re.shape[-1] > 1:
        re, im = (_halves(pt, part, len(kept)) for part in z)
        z = ComplexParts(re.re, im.re) * ComplexParts(re.im, im.im)
    result = tuple(1 if axis in axes else n for axis, n in enumerate(shape))
    return ComplexParts(*(pt.reshape(part, arg=result) for part in z))


def cumulative_prod(pt: Functions, z: ComplexParts, arg: tuple[int, bool]) -> ComplexParts:
    """Multiply each element by the one 1, 2, 4, ... before it (Hillis and Steele 1986)."""
    axis, include_initial = arg

    def moved(places: int, keep: int) -> ComplexParts:
        """Shift elements by `places` towards the end and fill the start with 1."""
        around = ((places if at == axis else 0, 0, 0) for at in range(len(z.re.shape)))
        widths = tuple(around)
        re, im = (_along(pt, part, axis, 0, keep) for part in z)
        return ComplexParts(pt.pad(re, 1.0, arg=widths), pt.pad(im, 0.0, arg=widths))

    length = z.re.shape[axis]
    step = 1
    while step < length:
        z = moved(step, length - step) * z
        step *= 2
    return moved(1, length) if include_initial else z
