"""Functions that GLSL has built in, and functions that are more accurate on IEEE arithmetic.

Input and output of a function: numbers of one or of four elements. The text of this module is
printed, and never run.
A printer of a language without built-in functions, such as WebAssembly, uses a block of this module
instead of the block with the same name in `functions.py`, also for the functions of `native`.
It needs float32 arithmetic that rounds correctly and keeps subnormal numbers, without contraction
to fused multiply-adds. Results differ by at most 2 ULP from those of float64.

Each polynomial is a minimax fit in float64, with coefficients rounded to float32 one after another.
Its degree is that of the whole approximation, and its error is relative to the function.
Limits are written as `b if a > b else a`, which keeps a NaN and is one instruction, `pmin`.
"""

from __future__ import annotations

from .functions import TWO_OVER_PI, copysign, turned
from .names import (
    INF,
    NAN,
    any_element,
    bits,
    float32,
    floor,
    from_bits,
    int32,
    native,
    trunc,
    uint32,
)

# --- classes of numbers ---------------------------------------------------------------------------


def is_nan(x: float32) -> bool:
    return x != x


def is_inf(x: float32) -> bool:
    return abs(x) == INF


def is_finite(x: float32) -> bool:
    return abs(x) < INF


def sign(x: float32) -> float32:
    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else x + 0.0


def fract(x: float32) -> float32:
    return x - floor(x)


def minimum(a: float32, b: float32) -> float32:
    return min(a, b)


def maximum(a: float32, b: float32) -> float32:
    return max(a, b)


def ratio(n: float32, d: float32) -> float32:
    return n / d


def sqrt(x: float32) -> float32:
    r: float32 = native.sqrt(x)
    return r


def is_beyond(x: float32, limit: int32) -> bool:
    """Return True if |x| is at least the number with the bits of the limit, or x is NaN."""
    return int32(bits(x) & 0x7FFFFFFF) >= limit


def leading(x: float32) -> float32:
    """Return the leading 12 bits of a number. The product of two such numbers is exact."""
    return from_bits(bits(x) & 0xFFFFF000)


# --- division -------------------------------------------------------------------------------------


def reduced(r: float32, b: float32) -> float32:
    """Return r - trunc(r / b) * b without rounding, if the quotient is below 2**24 (Dekker 1971).

    The quotient may be rounded up; then the result has the other sign.
    """
    q = trunc(r / b)
    qh = leading(q)
    bh = leading(b)
    return (((r - qh * bh) - qh * (b - bh)) - (q - qh) * bh) - (q - qh) * (b - bh)


def remainder_f(a: float32, b: float32) -> float32:
    """Remove 23 bits of the quotient at a time, by multiples of b, if it has more than 22."""
    size = abs(b)
    r = a
    if any_element(abs(a) > size * 4194304.0):
        for k in range(12):
            up = 253 - 23 * k
            half = up >> 1
            large = size * from_bits(uint32(half + 127 << 23))
            large = large * from_bits(uint32(up - half + 127 << 23))
            less = reduced(r, large)
            r = less if large <= abs(r) else r
    r = reduced(r, size) if size <= abs(r) else r
    r += copysign(size, a) if r != 0.0 and (r < 0.0) != (a < 0.0) else 0.0
    r -= copysign(size, a) if size <= abs(r) else 0.0
    other = r != 0.0 and (r < 0.0) != (b < 0.0)
    r = (b if is_inf(b) else r + b) if other else r
    r = copysign(0.0, b) if r == 0.0 else r
    return r if abs(a) < INF and abs(b) > 0.0 else NAN


# --- exponentials ---------------------------------------------------------------------------------


def scaled(x: float32, t: float32) -> float32:
    """Return x * 2**n, where t = n + 1.5 * 2**23, by two factors of which each is a normal number.

    The last bits of t are the integer n.
    """
    n = int32(bits(t)) - 0x4B400000
    half = n >> 1
    return x * from_bits(uint32(half + 127 << 23)) * from_bits(uint32(n - half + 127 << 23))


def expm1_near(r: float32) -> float32:
    """Return exp(r) - 1; degree 6 on |r| < 0.348, error 2**-28.2."""
    q = 0.0416682921 + r * (0.00836872123 + r * 0.0013818742)
    return r + r * r * (0.49999994 + r * (0.166665211 + r * q))


def exp_rest(x: float32, low: float32, t: float32) -> float32:
    """Return exp(x + low - n * log(2)) - 1, where t = n + 1.5 * 2**23.

    Cody and Waite 1980 for the reduction.
    """
    n = t - 12582912.0
    return expm1_near((x - n * 0.693359375) + (n * 2.12194440e-4 + low))


def exp_of_sum(x: float32, low: float32) -> float32:
    """Return exp(x + low) for |low| < 0.01."""
    b = 89.0 if x > 89.0 else x
    c = -104.0 if b < -104.0 else b
    t = c * 1.44269504 + 12582912.0
    return scaled(1.0 + exp_rest(c, low, t), t)


def exp(x: float32) -> float32:
    """Add n to the exponent of exp(x - n * log(2)), which is exact unless the result is tiny."""
    t = x * 1.44269504 + 12582912.0
    n = t - 12582912.0
    r = (x - n * 0.693359375) + n * 2.12194440e-4
    y = from_bits(bits(1.0 + expm1_near(r)) + (bits(t) << 23))
    if any_element(is_beyond(x, 0x42AE0000)):
        y = exp_of_sum(x, 0.0)
    return y


def exp2_of_sum(x: float32, low: float32) -> float32:
    """Return 2**(x + low) for |low| < 0.01; degree 6 on |r| < 0.503, error 2**-28.3."""
    b = 129.0 if x > 129.0 else x
    c = -151.0 if b < -151.0 else b
    t = c + 12582912.0
    d = c - (t - 12582912.0)
    r = d + low
    q = 0.0555035882 + r * (0.0096185049 + r * (0.00133914594 + r * 0.000153278335))
    h = leading(r)
    rest = ((d - h) + low) * 0.693359375 + r * (r * (0.240226477 + r * q) - 2.12192535e-4)
    return scaled(1.0 + (h * 0.693359375 + rest), t)


def exp2(x: float32) -> float32:
    return exp2_of_sum(x, 0.0)


def expm1(x: float32) -> float32:
    """Return 2**n * rest + (2**n - 1), computed from halves, since 2**128 is infinite."""
    b = 89.0 if x > 89.0 else x
    c = -18.0 if b < -18.0 else b
    t = c * 1.44269504 + 12582912.0
    rest = exp_rest(c, 0.0, t)
    half = from_bits(bits(t) + 126 << 23)
    r = rest if half == 0.5 else (rest * half + (half - 0.5)) * 2.0
    return copysign(r, x)


def half_exp(a: float32) -> float32:
    """Return exp(a) / 2 for a >= 0, which is finite where sinh and cosh are."""
    c = 90.0 if a > 90.0 else a
    t = c * 1.44269504 + 12582912.0
    return scaled(1.0 + exp_rest(c, 0.0, t), t - 1.0)


def sinh(x: float32) -> float32:
    """Degree 9 on |x| < 1, error 2**-31.6; from exp for larger numbers."""
    a = abs(x)
    z = x * x
    q = 0.00833331048 + z * (0.000198428912 + z * 2.78226707e-06)
    h = half_exp(a)
    far = copysign(h - 0.25 / h, x)
    return far if a > 1.0 else x + x * (z * (0.166666672 + z * q))


def cosh(x: float32) -> float32:
    h = half_exp(abs(x))
    return h + 0.25 / h


def tanh(x: float32) -> float32:
    """Return e / (2 + e) for e = exp(2 x) - 1, but for -|x| near 0, where 2 + e is more exact."""
    a = abs(x)
    e = expm1(-2.0 * a if a < 0.3 else 20.0 if a > 10.0 else 2.0 * a)
    return copysign(e / (2.0 + e), x)


# --- logarithms -----------------------------------------------------------------------------------


def parts(x: float32) -> tuple[float32, float32]:
    """Return f and n, where x = 2**n * (1 + f) and 1 + f is between sqrt(1/2) and sqrt(2)."""
    raw = bits(x)
    offset = 0.0
    if any_element(x < 1.17549435e-38):
        tiny = x < 1.17549435e-38
        raw = bits(x * 8388608.0 if tiny else x)
        offset = -23.0 if tiny else 0.0
    n = int32(raw - 0x3F3504F3) >> 23
    return from_bits(raw - uint32(n << 23)) - 1.0, float32(n) + offset


def log_rest(f: float32) -> float32:
    """Return f - log(1 + f) by s = f / (2 + f), since log(1 + f) = 2 atanh(s).

    Degree 7 in s on |s| < 0.1718, error 2**-30.2.
    """
    s = f / (2.0 + f)
    z = s * s
    h = 0.5 * f * f
    return h - s * (h + z * (0.666667759 + z * (0.399775505 + z * 0.298722684)))


def log_result(x: float32, r: float32) -> float32:
    """Return the logarithm r of x, but special values if x is no positive number."""
    y = r
    if any_element(not (x > 0.0 and x < INF)):
        y = r if x > 0.0 and x < INF else -INF if x == 0.0 else native.sqrt(x)
    return y


def log(x: float32) -> float32:
    f, n = parts(x)
    return log_result(x, n * 0.693359375 + (f - (log_rest(f) + n * 2.12194440e-4)))


def log2(x: float32) -> float32:
    f, n = parts(x)
    return log_result(x, n + (f + (f * 0.442695041 - log_rest(f) * 1.44269504)))


def log1p(x: float32) -> float32:
    """Divide 1 + x by 2**n before rounding, so that only f is rounded: f = x / 2**n + 2**-n - 1."""
    y = 1.0 + x
    raw = bits(y)
    k = int32(raw - 0x3F3504F3) >> 23
    n = float32(k)
    scale = from_bits(uint32(127 - k << 23))
    big = from_bits(raw - uint32(k << 23)) - 1.0
    f = big if x > 1e9 else x * scale + (scale - 1.0)
    r = log_result(y, n * 0.693359375 + (f - (log_rest(f) + n * 2.12194440e-4)))
    return copysign(r, x)


def logaddexp(a: float32, b: float32) -> float32:
    """Add the rounding error of the difference to it. If a and b are negative, log1p may cancel."""
    m = max(a, b)
    n = min(a, b)
    d = n - m
    t = d - n
    low = (n - (d - t)) - (m + t)
    r = m + log1p(exp_of_sum(d, low if d > -104.0 else 0.0))
    return r if abs(m) < INF else m


def asinh(x: float32) -> float32:
    """Return log(2 x) for large numbers."""
    a = abs(x)
    t = a * a
    big = a > 1e8
    r = log1p(a if big else a + t / (1.0 + native.sqrt(t + 1.0)))
    r = r + (0.693147181 if big else 0.0)
    return copysign(r, x)


def acosh(x: float32) -> float32:
    t = x - 1.0
    big = x > 1e8
    r = log1p(t if big else t + native.sqrt(t * (t + 2.0)))
    return r + (0.693147181 if big else 0.0) if x >= 1.0 else NAN


def atanh(x: float32) -> float32:
    a = abs(x)
    t = a + a
    r = 0.5 * log1p(t + t * (a / (1.0 - a)))
    r = r if a < 1.0 else INF if a == 1.0 else NAN
    return copysign(r, x)


# --- powers ---------------------------------------------------------------------------------------


def log2_pair(x: float32) -> tuple[float32, float32]:
    """Return log2(x) as the sum of two numbers, of which the first has 12 bits, with error 2**-32.

    With s = f / (2 + f), log2(1 + f) is s * (3 + s * s + ...) * 2 / (3 log(2)), as in fdlibm's
    e_powf.c. Degree 9 in s on |s| < 0.1718, error 2**-36.8.
    """
    f, n = parts(x)
    d = 2.0 + f
    v = 1.0 / d
    s = f * v
    sh = leading(s)
    dh = leading(d)
    sl = ((f - sh * dh) - sh * (f - (dh - 2.0))) * v
    z = s * s
    rest = z * z * (0.600002289 + z * (0.428206116 + z * 0.351304501)) + sl * (sh + s)
    square = sh * sh
    th = leading(3.0 + square + rest)
    tl = rest - ((th - 3.0) - square)
    u = sh * th
    w = sl * th + tl * s
    ph = leading(u + w)
    pl = w - (ph - u)
    high = 0.961914062 * ph
    low = pl * 0.961796694 - ph * 1.17368574e-4
    total = leading((high + low) + n)
    return total, low - ((total - n) - high)


def pow_f(x: float32, y: float32) -> float32:
    """Return 2**(y * log2(x)), where the product has twice the bits of float32.

    Limiting y changes no result: |log2(x)| is 0 or at least 2**-24.
    """
    ax = abs(x)
    b = 4294967296.0 if y > 4294967296.0 else y
    c = -4294967296.0 if b < -4294967296.0 else b
    high, low = log2_pair(ax)
    ch = leading(c)
    p = ch * high
    q = (c - ch) * high + c * low
    z = p + q
    r = exp2_of_sum(z, q - (z - p) if abs(z) < 200.0 else 0.0)
    if any_element(not (x > 0.0 and x < INF and y == y)):
        whole = floor(y) == y
        odd = whole and floor(y * 0.5) * 2.0 != y
        ends = ax == 0.0 or ax == INF
        r = (INF if (ax == 0.0) == (y < 0.0) else 0.0) if ends else r
        r = -r if int32(bits(x)) < 0 and odd else r
        r = NAN if x < 0.0 and not whole and ax < INF else r
        r = x + y if x != x or y != y else r
        r = 1.0 if y == 0.0 or x == 1.0 else r
    return r


# --- trigonometry ---------------------------------------------------------------------------------


def far_angle(x: float32) -> tuple[float32, float32, int32]:
    """Return an angle in two parts, and the quadrant, of numbers from 2**13 on.

    Like the function in `functions.py`, but the last product is computed from parts of 12 bits.
    """
    raw = bits(max(abs(x), 8192.0))
    factor = raw & 0x7FFFFF | 0x800000
    carried: uint32 = 0
    high: uint32 = 0
    middle: uint32 = 0
    low: uint32 = 0
    for k in range(12):
        at = int32(raw >> 23) - 32 - 8 * k
        entry = at >> 5
        after = entry + 1
        word = TWO_OVER_PI[entry] << (at & 31) | TWO_OVER_PI[after] >> 1 >> (31 - (at & 31))
        carried += factor * (word >> 24)
        low = low >> 8 | middle << 24
        middle = middle >> 8 | high << 24
        high = high >> 8 | carried << 24
        carried >>= 8
    first = high << 2 | middle >> 30
    second = middle << 2 | low >> 30
    beyond = first >> 31 == 1
    quadrant = int32(high >> 30) + int32(beyond)
    first = ~first if beyond else first
    second = ~second if beyond else second
    a = float32(first & 0xFFFFFF00)
    b = float32(first & 0xFF) + float32(second) * 2.3283064365387e-10
    h = leading(a + b)
    c = (a - h) + b
    flip = beyond != (x < 0.0)
    h = h * 3.6561687011271715e-10
    c = leading(a + b) * 1.1264970407e-13 + c * 3.65729520e-10
    angle = h + c
    c = (h - angle) + c
    return -angle if flip else angle, -c if flip else c, -quadrant if x < 0.0 else quadrant


def trig_reduce(x: float32) -> tuple[float32, int32]:
    """Subtract multiples of pi / 2 in four parts; the first three products are exact up to 2**13.

    Cody and Waite 1980. The last bits of t are the quadrant.
    """
    t = x * 0.636619772367581 + 12582912.0
    n = t - 12582912.0
    r = ((x - n * 1.5703125) - n * 4.837512969970703e-4) - n * 7.549533620476723e-8
    r = r - n * 2.5633440682570896e-12
    quadrant = int32(bits(t))
    if any_element(is_beyond(x, 0x46000000)):
        near = abs(x) < 8192.0
        angle, _low, turns = far_angle(x)
        r = r if near else angle if abs(x) < INF else NAN
        quadrant = quadrant if near else turns
    return r, quadrant


def trig(x: float32, shift: int32) -> float32:
    r, q = trig_reduce(x)
    return turned(r, q + shift)


def tan(x: float32) -> float32:
    """Degree 13 on |r| < 0.788, error 2**-25.8, for an angle r + low of twice float32's bits."""
    t = x * 0.636619772367581 + 12582912.0
    n = t - 12582912.0
    a = (x - n * 1.5703125) - n * 4.837512969970703e-4
    e = n * 7.549533620476723e-8
    b = a - e
    c = n * 2.5633440682570896e-12
    r = b - c
    low = ((a - b) - e) + ((b - r) - c)
    odd = int32(bits(t)) & 1 != 0
    if any_element(is_beyond(x, 0x46000000)):
        near = abs(x) < 8192.0
        angle, rest, turns = far_angle(x)
        r = r if near else angle if abs(x) < INF else NAN
        low = low if near else rest
        odd = odd if near else turns & 1 != 0
    z = r * r
    q = 0.0533700697 + z * (0.0245689042 + z * (0.00290829875 + z * 0.0095052477))
    v = r + (r * (z * (0.333331347 + z * (0.133393317 + z * q))) + low * (1.0 + z * (1.0 + z)))
    v = -1.0 / v if odd else v
    return x if x == 0.0 else v


def atan_unit(t: float32) -> float32:
    """Return atan(t) for 0 <= t <= 1; degree 17, error 2**-25.8."""
    z = t * t
    q = -0.0755008608 + z * (0.0431827232 + z * (-0.0163476728 + z * 0.00291506993))
    q = 0.199937597 + z * (-0.142108932 + z * (0.106651776 + z * q))
    return t + t * (z * (-0.333331525 + z * q))


def atan(x: float32) -> float32:
    a = abs(x)
    r = atan_unit(1.0 / a if a > 1.0 else a)
    r = 1.57079637 - (r + 4.37113883e-8) if a > 1.0 else r
    return copysign(r, x)


def atan2(y: float32, x: float32) -> float32:
    ay = abs(y)
    ax = abs(x)
    steep = ay > ax
    n = ax if steep else ay
    d = ay if steep else ax
    q = n / d
    if any_element(q != q):
        q = 0.0 if d + n == 0.0 else 1.0 if n == d else q
    r = atan_unit(q)
    r = 1.57079637 - (r + 4.37113883e-8) if steep else r
    r = 3.14159274 - (r + 8.74227766e-8) if int32(bits(x)) < 0 else r
    return copysign(r, y)


def asin_rest(s: float32, z: float32) -> float32:
    """Return asin(s) - s for z = s * s and 0 <= s <= 0.5; degree 11, error 2**-27.6."""
    q = 0.0454766564 + z * (0.0241481662 + z * 0.0422197059)
    return s * (z * (0.166667536 + z * (0.0749524906 + z * q)))


def asin(x: float32) -> float32:
    """Return pi / 2 - 2 asin(sqrt((1 - x) / 2)) for x > 0.5."""
    a = abs(x)
    far = a > 0.5
    z = 0.5 - 0.5 * a if far else a * a
    s = native.sqrt(z) if far else a
    rest = asin_rest(s, z)
    r = (1.57079637 - 2.0 * s) - (2.0 * rest + 4.37113883e-8) if far else s + rest
    return copysign(r, x)


def acos(x: float32) -> float32:
    a = abs(x)
    far = a > 0.5
    z = 0.5 - 0.5 * a if far else a * a
    s = native.sqrt(z) if far else x
    rest = asin_rest(s, z)
    v = 2.0 * (s + rest)
    w = 3.14159274 - (v + 8.74227766e-8) if x < 0.0 else v
    return w if far else 1.57079637 - (s + (rest + 4.37113883e-8))


# --- float16 --------------------------------------------------------------------------------------


def half_bits(x: float32) -> uint32:
    """Round to nearest even. Subnormal results are the last bits of a sum with 0.5.

    A NaN keeps the leading bits of its payload, and is quiet.
    """
    size = bits(x) & 0x7FFFFFFF
    normal = size + 0xC8000FFF + (size >> 13 & 1) >> 13
    small = bits(from_bits(size) + 0.5) - 0x3F000000
    special = 0x7E00 | size >> 13 & 0x3FF if size > 0x7F800000 else 0x7C00
    r = small if size < 0x38800000 else normal if size < 0x477FF000 else special
    return r | bits(x) >> 16 & 0x8000


def from_half_bits(n: uint32) -> float32:
    """Multiply by 2**112, which is exact, also for subnormal numbers. Make a NaN quiet."""
    size = n & 0x7FFF
    r = bits(from_bits(size << 13) * 5.192296858534828e33)
    r = r | 0x7F800000 if size > 0x7BFF else r
    r = r | 0x400000 if size > 0x7C00 else r
    return from_bits(r | (n & 0x8000) << 16)


# --- special functions ----------------------------------------------------------------------------


def erf_near(x: float32) -> float32:
    """Return erf(x) for |x| <= 1; degree 13, error 2**-29.4."""
    z = x * x
    q = -0.0268533472 + z * (0.0051871622 + z * (-0.00079978531 + z * 7.80690389e-05))
    return x + x * (0.128379166 + z * (-0.37612626 + z * (0.112835787 + z * q)))


def erf(x: float32) -> float32:
    """Return 1 - erfc(a) for a = |x| > 1.

    log2(erfc(a)) has degree 5 and 2**n * (1 + r) degree 5; both errors are below 2**-25.9 * erf(a).
    """
    a = abs(x)
    b = 4.0 if a > 4.0 else a
    c = -0.943660498 + b * (-0.128238678 + b * (0.0214360971 - b * 0.00167399668))
    c = -0.00372688938 + b * (-1.61255276 + b * c)
    t = c + 12582912.0
    r = c - (t - 12582912.0)
    q = 0.0555077046 + r * (0.00967196468 + r * 0.00132563163)
    q = 1.0 + r * (0.693146944 + r * (0.240222365 + r * q))
    far = 1.0 - from_bits(bits(q) + (bits(t) << 23))
    return copysign(far, x) if a > 1.0 else erf_near(x)


def erfc_far(a: float32) -> float32:
    """Return exp(-a * a) * P(t) / (1 + 2 a) for a > 0.3, where t = (a - 2) / (a + 2).

    Shepherd and Laframboise 1981. Degree 9 on 0.3 < a < 10.2, error 2**-26.5. The rounding errors
    of P and 1 + 2 a, divided by P, which is about 1.25, are added to the exponent.
    """
    b = 10.2 if a > 10.2 else a
    t = (b - 2.0) / (b + 2.0)
    p = -0.00803127512 + t * (0.00863644108 + t * (0.0012398822 - t * 0.00123021111))
    p = p - t * t * (t * t) * 3.36968777e-4
    p = t * (-0.0927638263 + t * (-0.166030854 + t * (0.16405125 + t * (-0.0542075112 + t * p))))
    n = 1.27697837 + p
    d = 1.0 + 2.0 * b
    q = n / d
    error = ((1.27697837 - n) + p) - q * (2.0 * b - (d - 1.0))
    h = leading(b)
    low = b - h
    square = b * b
    rest = ((h * h - square) + 2.0 * h * low) + low * low
    e = square * -1.44269504 + 12582912.0
    return scaled(q + q * exp_rest(-square, 0.8 * error - rest, e), e)


def erfc(x: float32) -> float32:
    a = abs(x)
    far = erfc_far(a)
    return 1.0 - erf_near(x) if a < 0.6 else 2.0 - far if x < 0.0 else far
