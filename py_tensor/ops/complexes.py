"""The rules of operations on complex operands: their parts out of real operations.

A rule is called as `rule(pt, *operands)`, with the static argument behind where there is one: `pt`
is an `Algebra`, operands are `Parts`; it gives the `Parts` of a complex result or a real one.
Special values are those of C's Annex G, which the array API standard repeats; where real and
complex operands meet, the real ones have no imaginary part, rather than one of zero.
"""

from __future__ import annotations

import math
from typing import Any

from .algebra import Parts

LARGE = 1e4
"""From here on 1 is nothing beside the square of a number, in float32."""


def _cross(z: Parts) -> Parts:
    """i z."""
    return Parts(-z.im, z.re)


def _back(z: Parts) -> Parts:
    """z / i."""
    return Parts(z.im, -z.re)


def _scaled(z: Parts, factor: Any) -> Parts:
    return Parts(z.re * factor, z.im * factor)


def _lost(pt: Any, x: Any) -> Any:
    """Where sine and cosine are NaN."""
    return ~pt.isfinite(x)


# --- arithmetic ---------------------------------------------------------------------------------


def multiply(pt: Any, z: Parts, w: Parts) -> Parts:
    if z.im is None or w.im is None:
        real, other = (z, w) if z.im is None else (w, z)
        return _scaled(other, real.re)
    return Parts(z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re)


def divide(pt: Any, z: Parts, w: Parts) -> Parts:
    """Smith's method: the divisor's smaller part relative to its larger one, lest it overflow."""
    if w.im is None:
        return Parts(z.re / w.re, z.im / w.re)
    im = 0.0 if z.im is None else z.im
    flat = ~(abs(w.re) < abs(w.im))
    large, small = pt.where(flat, w.re, w.im), pt.where(flat, w.im, w.re)
    p, q = pt.where(flat, z.re, im), pt.where(flat, im, z.re)
    zero = (large == 0.0) & (small == 0.0)
    ratio = pt.where(zero, 0.0, small / large)
    whole = pt.where(zero, 0.0, large + small * ratio)
    turned = q - pt.where(zero, 0.0, p * ratio)
    return Parts(
        (p + pt.where(zero, 0.0, q * ratio)) / whole, pt.where(flat, turned, -turned) / whole
    )


def reciprocal(pt: Any, z: Parts) -> Parts:
    return divide(pt, Parts(1.0, 0.0), z)


def square(pt: Any, z: Parts) -> Parts:
    product = z.re * z.im
    return Parts((z.re - z.im) * (z.re + z.im), product + product)


def absolute(pt: Any, z: Parts) -> Any:
    return pt.hypot(z.re, z.im)


def sign(pt: Any, z: Parts) -> Parts:
    """z / abs(z), and 0 for 0; relative to the larger part, lest abs(z) overflow."""
    larger = pt.maximum(abs(z.re), abs(z.im))
    zero = larger == 0.0

    def relative(part: Any) -> Any:
        # Infinity over itself is NaN.
        return pt.where(abs(part) == larger, pt.copysign(1.0, part), part / larger)

    x, y = (pt.where(zero, 0.0, relative(part)) for part in z)
    size = pt.where(zero, 1.0, pt.sqrt(x * x + y * y))
    return Parts(x / size, y / size)


def conj(pt: Any, z: Parts) -> Parts:
    return Parts(z.re, -z.im)


def _power(pt: Any, z: Parts, exponent: int) -> Parts:
    """By repeated multiplication, which rounds nothing where the result has few digits."""
    result: Parts | None = None
    while exponent:
        if exponent & 1:
            result = z if result is None else multiply(pt, result, z)
        exponent >>= 1
        z = square(pt, z) if exponent else z
    return z if result is None else result


def power(pt: Any, z: Parts, w: Parts) -> Parts:
    known = pt.known_integer(w)
    if known is not None and 0 < abs(known) <= 100:
        result = _power(pt, z, abs(known))
        return result if known > 0 else reciprocal(pt, result)
    im = 0.0 if z.im is None else z.im
    size = pt.abs(z.re) if z.im is None else absolute(pt, z)
    angle = pt.atan2(im, z.re)
    zero = size == 0.0
    large, turn = pt.pow(size, w.re), w.re * angle
    undefined = zero & (w.re < 0.0)
    one = w.re == 0.0
    if w.im is not None:
        logarithm = pt.log(size) if z.im is None else _log_size(pt, z)
        large = large * pt.exp(-(w.im * angle))
        turn = turn + pt.where(zero | (w.im == 0.0), 0.0, w.im * logarithm)
        undefined = zero & (w.re <= 0.0)
        one = one & (w.im == 0.0)
    re = pt.where(undefined, math.nan, large * pt.cos(turn))
    # No angle, no imaginary part: infinity times zero is not wanted.
    im = pt.where(undefined, math.nan, pt.where(turn == 0.0, turn, large * pt.sin(turn)))
    return Parts(pt.where(one, 1.0, re), pt.where(one, 0.0, im))


# --- comparison and classes of numbers -----------------------------------------------------------


def equal(pt: Any, z: Parts, w: Parts) -> Any:
    im = (0.0 if part is None else part for part in (z.im, w.im))
    return (z.re == w.re) & pt.equal(*im)


def not_equal(pt: Any, z: Parts, w: Parts) -> Any:
    return ~equal(pt, z, w)


def isfinite(pt: Any, z: Parts) -> Any:
    return pt.isfinite(z.re) & pt.isfinite(z.im)


def isinf(pt: Any, z: Parts) -> Any:
    return pt.isinf(z.re) | pt.isinf(z.im)


def isnan(pt: Any, z: Parts) -> Any:
    return pt.isnan(z.re) | pt.isnan(z.im)


def _truth(z: Parts) -> Any:
    return (z.re != 0.0) | (z.im != 0.0)


def any_(pt: Any, z: Parts, axes: Any) -> Any:
    return pt.any(_truth(z), arg=axes)


def all_(pt: Any, z: Parts, axes: Any) -> Any:
    return pt.all(_truth(z), arg=axes)


def cast(pt: Any, z: Parts, dtype: Any) -> Any:
    return Parts(z.re, 0.0) if z.im is None else _truth(z)


# --- exponentials and logarithms -----------------------------------------------------------------


def _grown(pt: Any, x: Any, *factors: Any) -> list[Any]:
    """Each factor times exp(x), which may overflow where the product does not."""
    low, high = pt.exp(pt.minimum(x, 80.0)), pt.exp(pt.maximum(x, 80.0) - 80.0)
    return [low * factor * high for factor in factors]


def exp(pt: Any, z: Parts) -> Parts:
    re, im = _grown(pt, z.re, pt.cos(z.im), pt.sin(z.im))
    lost = _lost(pt, z.im)
    re = pt.where(lost & pt.isinf(z.re), pt.exp(z.re), re)
    im = pt.where(lost & (z.re == -math.inf), 0.0, im)
    return Parts(re, pt.where(z.im == 0.0, z.im, im))


def expm1(pt: Any, z: Parts) -> Parts:
    half = pt.sin(z.im * 0.5)
    power = exp(pt, z)
    # Where no digits cancel, the power serves, whose special values are known.
    re = pt.expm1(z.re) * pt.cos(z.im) - 2.0 * half * half
    re = pt.where(abs(z.re) < 1.0, re, power.re - 1.0)
    return Parts(pt.where(re == 0.0, 0.0, re), power.im)


def _log_size(pt: Any, z: Parts) -> Any:
    """log(abs(z)) without overflow; near abs(z) = 1, where it is small, by log1p."""
    x, y = abs(z.re), abs(z.im)
    a, b = pt.maximum(x, y), pt.minimum(x, y)
    ratio = pt.where(a == 0.0, 0.0, b / a)
    far = pt.log(a) + 0.5 * pt.log1p(ratio * ratio)
    near = 0.5 * pt.log1p((a - 1.0) * (a + 1.0) + b * b)
    result = pt.where((a > 0.5) & (a < 1.5), near, far)
    return pt.where(isinf(pt, z), math.inf, result)


def log(pt: Any, z: Parts) -> Parts:
    return Parts(_log_size(pt, z), pt.atan2(z.im, z.re))


def log1p(pt: Any, z: Parts) -> Parts:
    near = 0.5 * pt.log1p(z.re * (2.0 + z.re) + z.im * z.im)
    moved = log(pt, Parts(1.0 + z.re, z.im))
    small = (abs(z.re) < 0.5) & (abs(z.im) < 0.5)
    return Parts(pt.where(small, near, moved.re), moved.im)


def log2(pt: Any, z: Parts) -> Parts:
    return _scaled(log(pt, z), 1.0 / math.log(2.0))


def log10(pt: Any, z: Parts) -> Parts:
    return _scaled(log(pt, z), 1.0 / math.log(10.0))


def sqrt(pt: Any, z: Parts) -> Parts:
    """sqrt((abs(x) + abs(z)) / 2) and y over twice that, scaled lest abs(z) overflow or vanish."""
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
    return Parts(pt.where(tall, math.inf, re), pt.where(tall, z.im, im))


# --- trigonometry ---------------------------------------------------------------------------------


def sinh(pt: Any, z: Parts) -> Parts:
    x, near = z.re, pt.clip(z.re, -80.0, 80.0)
    more = pt.exp(abs(x) - abs(near))
    re, im = pt.sinh(near) * pt.cos(z.im) * more, pt.cosh(near) * pt.sin(z.im) * more
    re = pt.where(_lost(pt, z.im) & ((x == 0.0) | pt.isinf(x)), x, re)
    return Parts(re, pt.where(z.im == 0.0, z.im, im))


def cosh(pt: Any, z: Parts) -> Parts:
    x, near = z.re, pt.clip(z.re, -80.0, 80.0)
    more = pt.exp(abs(x) - abs(near))
    re, im = pt.cosh(near) * pt.cos(z.im) * more, pt.sinh(near) * pt.sin(z.im) * more
    lost = _lost(pt, z.im)
    re = pt.where(lost & pt.isinf(x), math.inf, re)
    im = pt.where(lost & (x == 0.0), 0.0, im)
    return Parts(re, pt.where(z.im == 0.0, pt.where(pt.signbit(x), -z.im, z.im), im))


def tanh(pt: Any, z: Parts) -> Parts:
    """Kahan's formula, 'Branch cuts for complex elementary functions' (1987)."""
    x, y = z.re, z.im
    size, lost = abs(x), _lost(pt, y)
    near = pt.clip(x, -10.0, 10.0)
    t, s = pt.tan(y), pt.sinh(near)
    secant = 1.0 + t * t
    below = 1.0 + secant * s * s
    re, im = secant * pt.sqrt(1.0 + s * s) * s / below, t / below
    far = size > 10.0
    re = pt.where(far, pt.copysign(1.0, x), re)
    re = pt.where(lost & pt.isfinite(x), math.nan, re)
    small = 4.0 * pt.sin(y) * pt.cos(y) * pt.exp(-2.0 * size)
    im = pt.where(far, pt.where(pt.isinf(x), 0.0, small), im)
    return Parts(pt.where(x == 0.0, x, re), pt.where(y == 0.0, y, im))


def sin(pt: Any, z: Parts) -> Parts:
    return _back(sinh(pt, _cross(z)))


def cos(pt: Any, z: Parts) -> Parts:
    return cosh(pt, _cross(z))


def tan(pt: Any, z: Parts) -> Parts:
    return _back(tanh(pt, _cross(z)))


def _roots(pt: Any, z: Parts) -> tuple[Parts, Parts]:
    """sqrt(1 - z) and sqrt(1 + z)."""
    return sqrt(pt, Parts(1.0 - z.re, -z.im)), sqrt(pt, Parts(1.0 + z.re, z.im))


def _is_far(z: Parts) -> Any:
    return (abs(z.re) > LARGE) | (abs(z.im) > LARGE)


def asin(pt: Any, z: Parts) -> Parts:
    """Kahan's formula; far out, where it would overflow, by log(2 abs(z))."""
    a, b = _roots(pt, z)
    re = pt.atan2(z.re, a.re * b.re - a.im * b.im)
    im = pt.asinh(a.re * b.im - a.im * b.re)
    far = _is_far(z)
    re = pt.where(far, pt.atan2(z.re, abs(z.im)), re)
    im = pt.where(far, pt.copysign(_log_size(pt, z) + math.log(2.0), z.im), im)
    return Parts(pt.where((z.re == 0.0) & pt.isnan(z.im), z.re, re), im)


def acos(pt: Any, z: Parts) -> Parts:
    """Kahan's formula, as for `asin`."""
    a, b = _roots(pt, z)
    re = 2.0 * pt.atan2(a.re, b.re)
    im = pt.asinh(b.re * a.im - b.im * a.re)
    far = _is_far(z)
    re = pt.where(far, pt.atan2(abs(z.im), z.re), re)
    im = pt.where(far, -pt.copysign(_log_size(pt, z) + math.log(2.0), z.im), im)
    return Parts(pt.where((z.re == 0.0) & pt.isnan(z.im), math.pi / 2.0, re), im)


def atan(pt: Any, z: Parts) -> Parts:
    return _back(atanh(pt, _cross(z)))


def asinh(pt: Any, z: Parts) -> Parts:
    return _back(asin(pt, _cross(z)))


def acosh(pt: Any, z: Parts) -> Parts:
    """i acos(z) or its opposite, whichever has no negative real part."""
    w = acos(pt, z)
    angle = pt.where(pt.isnan(w.re) | pt.isnan(z.im), w.re, pt.copysign(w.re, z.im))
    return Parts(abs(w.im), angle)


def atanh(pt: Any, z: Parts) -> Parts:
    """log((1 + z) / (1 - z)) / 2; far out, the real part is that of 1 / z."""
    x, y = abs(z.re), z.im
    less = 1.0 - x
    re = 0.25 * pt.log1p(4.0 * x / (less * less + y * y))
    # The square would vanish.
    re = pt.where((less == 0.0) & (abs(y) < 1e-4), 0.5 * (math.log(2.0) - pt.log(abs(y))), re)
    im = 0.5 * pt.atan2(y + y, less * (1.0 + x) - y * y)
    far, size = _is_far(z), absolute(pt, z)
    re = pt.where(far, pt.where(isinf(pt, z), 0.0, x / size / size), re)
    known = pt.isinf(y) | ~isnan(pt, z)
    im = pt.where(far & known, pt.copysign(math.pi / 2.0, y), im)
    return Parts(pt.where(x == 0.0, z.re, pt.copysign(re, z.re)), im)


# --- over many elements ---------------------------------------------------------------------------


def _along(pt: Any, x: Any, axis: int, start: int, length: int) -> Any:
    """Neighbours along one axis."""
    parts = ((start, length, 1) if at == axis else (0, n, 1) for at, n in enumerate(x.shape))
    return pt.slice(x, arg=tuple(parts))


def _halves(pt: Any, x: Any, axis: int) -> Parts:
    half = x.shape[axis] // 2
    return Parts(_along(pt, x, axis, 0, half), _along(pt, x, axis, half, half))


def dot(pt: Any, a: Parts, b: Parts) -> Parts:
    """One real product: [re, im] on the left by [[re, im], [-im, re]] on the right."""
    if b.im is None:
        return _halves(pt, pt.dot(pt.concat(a.re, a.im, arg=1), b.re), 1)
    upper = pt.concat(b.re, b.im, arg=2)
    if a.im is None:
        return _halves(pt, pt.dot(a.re, upper), 2)
    right = pt.concat(upper, pt.concat(-b.im, b.re, arg=2), arg=1)
    return _halves(pt, pt.dot(pt.concat(a.re, a.im, arg=2), right), 2)


def convolve(pt: Any, x: Parts, w: Parts, window: Any) -> Parts:
    def part(image: Any, kernel: Any) -> Any:
        return pt.convolve(image, kernel, arg=window)

    if x.im is None or w.im is None:
        im = part(x.re, w.im) if x.im is None else part(x.im, w.re)
        return Parts(part(x.re, w.re), im)
    return Parts(
        part(x.re, w.re) - part(x.im, w.im),
        part(x.re, w.im) + part(x.im, w.re),
    )


def prod(pt: Any, z: Parts, axes: tuple[int, ...]) -> Parts:
    """The first half times the second, until one is left."""
    shape = z.re.shape
    kept = tuple(axis for axis in range(len(shape)) if axis not in axes)
    count = math.prod(shape[axis] for axis in axes)
    whole = 1 << (count - 1).bit_length() if count else 1
    frame = (*(shape[axis] for axis in kept), count)
    around = (*((0, 0, 0) for _ in kept), (0, whole - count, 0))

    def framed(part: Any, rest: float) -> Any:
        part = pt.reshape(pt.permute_dims(part, arg=(*kept, *axes)), arg=frame)
        return pt.pad(part, rest, arg=around)

    z = Parts(framed(z.re, 1.0), framed(z.im, 0.0))
    while z.re.shape[-1] > 1:
        re, im = (_halves(pt, part, len(kept)) for part in z)
        z = multiply(pt, Parts(re.re, im.re), Parts(re.im, im.im))
    result = tuple(1 if axis in axes else n for axis, n in enumerate(shape))
    return Parts(*(pt.reshape(part, arg=result) for part in z))


def cumulative_prod(pt: Any, z: Parts, arg: tuple[int, bool]) -> Parts:
    """Each element times the one 1, 2, 4, ... places before it (Hillis and Steele 1986)."""
    axis, include_initial = arg

    def moved(places: int, keep: int) -> Parts:
        """What lies so many places before, 1 where nothing does."""
        around = ((places if at == axis else 0, 0, 0) for at in range(len(z.re.shape)))
        widths = tuple(around)
        re, im = (_along(pt, part, axis, 0, keep) for part in z)
        return Parts(pt.pad(re, 1.0, arg=widths), pt.pad(im, 0.0, arg=widths))

    length = z.re.shape[axis]
    step = 1
    while step < length:
        z = multiply(pt, moved(step, length - step), z)
        step *= 2
    return moved(1, length) if include_initial else z
