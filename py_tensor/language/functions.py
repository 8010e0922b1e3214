"""Functions that the formulas of op definitions call, from which shaders are printed.

They are never called. `printer` reads their text: two empty lines end a function, and the type of
each parameter is given. A conditional expression computes both values and chooses one.
Functions of `native` are the driver's, with its errors; those without are exact, or defined here.
Faults of drivers are handled here only, each with its reason.
"""

from __future__ import annotations

from .names import (
    INF,
    NAN,
    Integer,
    Number,
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


def opaque(x: Number) -> Number:
    """Return the argument; GLSL needs a form that compilers cannot see through."""
    return x


def half_bits(x: float32) -> uint32:
    """Return the bits of a float16; each shader language has a function for it."""
    return bits(x)


def from_half_bits(n: uint32) -> float32:
    """Return the float16 with the given bits; each shader language has a function for it."""
    return from_bits(n)


# --- classes of numbers ---------------------------------------------------------------------------


def is_nan(x: float32) -> bool:
    """Look at the bits: some drivers assume that there is no NaN and fold isnan(x) and x != x."""
    return bits(x) & 0x7FFFFFFF > 0x7F800000


def is_inf(x: float32) -> bool:
    return bits(x) & 0x7FFFFFFF == 0x7F800000


def is_finite(x: float32) -> bool:
    return bits(x) & 0x7FFFFFFF < 0x7F800000


def signbit(x: float32) -> bool:
    return bits(x) >> 31 != 0


def copysign(x: float32, s: float32) -> float32:
    return from_bits(bits(x) & 0x7FFFFFFF | bits(s) & 0x80000000)


def sign(x: float32) -> float32:
    return x if is_nan(x) else native.sign(x)


def minimum(a: float32, b: float32) -> float32:
    """Propagate NaN, for which drivers may return either operand."""
    odd = max(bits(a) & 0x7FFFFFFF, bits(b) & 0x7FFFFFFF) > 0x7F800000
    return NAN if odd else min(a, b)


def maximum(a: float32, b: float32) -> float32:
    """Propagate NaN, for which drivers may return either operand."""
    odd = max(bits(a) & 0x7FFFFFFF, bits(b) & 0x7FFFFFFF) > 0x7F800000
    return NAN if odd else max(a, b)


# --- division and shifts --------------------------------------------------------------------------


def floor_divide_f(a: float32, b: float32) -> float32:
    q = floor(a / b)
    r = remainder_f(a, b)
    exact = floor((a - r) / b + 0.5)
    q = exact if abs(q) < 8388608.0 else q
    below = 0.0 if signbit(a) == signbit(b) else -1.0
    q = below if is_inf(b) and is_finite(a) and a != 0.0 else q
    q = copysign(0.0, a / b) if q == 0.0 else q
    q = NAN if is_inf(a) else q
    return a / b if b == 0.0 else q


def floor_divide_i(a: int32, b: int32) -> int32:
    """Round down like Python; shaders leave a divisor of 0, and the lowest number by -1, undefined.

    NumPy returns 0 for a divisor of 0.
    """
    zero = b == 0
    flip = b == -1
    d = 1 if zero else 1 if flip else b
    q: int32 = native.divide(a, d)
    r = a - q * d
    q -= int32(r != 0 and (r < 0) != (d < 0))
    return 0 if zero else -a if flip else q


def floor_divide_u(a: uint32, b: uint32) -> uint32:
    zero = b == 0
    return 0 if zero else a // (1 if zero else b)


def remainder_f(a: float32, b: float32) -> float32:
    """Remove the leading 24 bits of the quotient without rounding, twice.

    Splitting q and b into halves makes q * b exact (Dekker 1971). Two passes are enough for
    quotients up to 2**46.
    """
    size = abs(b)
    bh = from_bits(bits(b) & 0xFFFFF000)
    bl = b - bh
    r = a
    for _ in range(2):
        q = trunc(r / b)
        qh = from_bits(bits(q) & 0xFFFFF000)
        ql = q - qh
        r = (((r - qh * bh) - qh * bl) - ql * bh) - ql * bl
    r += copysign(size, a) if native.sign(r) != native.sign(a) and r != 0.0 else 0.0
    r -= copysign(size, a) if abs(r) >= size else 0.0
    r += b if r != 0.0 and (r < 0.0) != (b < 0.0) else 0.0
    r = copysign(0.0, b) if r == 0.0 else r
    far = is_inf(b) and is_finite(a)
    same = a == 0.0 or signbit(a) == signbit(b)
    kept = copysign(a, b) if a == 0.0 else a
    r = (kept if same else b) if far else r
    return NAN if is_inf(a) or b == 0.0 or is_nan(a) or is_nan(b) else r


def remainder_i(a: int32, b: int32) -> int32:
    trivial = b == 0 or b == -1
    d = 1 if trivial else b
    q: int32 = native.divide(a, d)
    r = a - q * d
    other = r != 0 and (r < 0) != (d < 0)
    return r + (d if other else 0)


def remainder_u(a: uint32, b: uint32) -> uint32:
    zero = b == 0
    return 0 if zero else a % (1 if zero else b)


def shift_left(a: Integer, n: Integer) -> Integer:
    """Shift all bits out like NumPy; shaders leave shifts by 32 and more undefined."""
    return a << (n & 31) if uint32(n) < 32 else 0


def shift_right_i(a: int32, n: int32) -> int32:
    return a >> int32(min(uint32(n), 31))


def shift_right_u(a: uint32, n: uint32) -> uint32:
    return a >> (n & 31) if n < 32 else 0


# --- powers, exponentials and logarithms ----------------------------------------------------------


def pow_f(x: float32, y: float32) -> float32:
    """Use repeated squaring for integers up to 64, which is exact if the result is; else log2.

    The driver's pow(x, y) is undefined for x < 0, and exp2(y * log2(x)) loses bits as y * log2(x)
    grows.
    """
    ax = abs(x)
    whole = trunc(y)
    integral = whole == y and abs(y) <= 64.0
    r = native.exp2(y * native.log2(ax))
    if any_element(integral):
        n = uint32(abs(whole) if integral else 0.0)
        p = 1.0
        s = ax
        for _ in range(7):
            p *= s if n & 1 != 0 else 1.0
            n >>= 1
            s *= s
        p = 1.0 / p if y < 0.0 else p
        r = p if integral else r
    odd = whole == y and abs(y) < 16777216.0 and abs(native.fract(y * 0.5)) == 0.5
    even = whole == y and not odd
    r = (INF if y < 0.0 else 0.0) if ax == 0.0 else r
    r = (0.0 if y < 0.0 else INF) if is_inf(x) else r
    r = (INF if (ax > 1.0) == (y > 0.0) else 0.0) if is_inf(y) else r
    r = 1.0 if is_inf(y) and ax == 1.0 else r
    r = -r if signbit(x) and odd else r
    outside = x < 0.0 and not odd and not even and is_finite(x) and not is_inf(y)
    r = NAN if outside or is_nan(x) or is_nan(y) else r
    return 1.0 if y == 0.0 or x == 1.0 else r


def pow_i(x: int32, y: int32) -> int32:
    p: int32 = 1
    s = x
    n = uint32(max(y, 0))
    for _ in range(32):
        p *= s if n & 1 != 0 else 1
        n >>= 1
        s *= s
    return p


def pow_u(x: uint32, y: uint32) -> uint32:
    p: uint32 = 1
    s = x
    n = y
    for _ in range(32):
        p *= s if n & 1 != 0 else 1
        n >>= 1
        s *= s
    return p


def exp(x: float32) -> float32:
    return x if is_nan(x) else native.exp(x)


def expm1(x: float32) -> float32:
    """Use Taylor's series to x**8 for |x| < 0.5, where exp(x) - 1 cancels; its error is below 2e-9.

    Kahan's (u - 1) * x / log(u) needs a correctly rounded log, which GPUs lack.
    """
    p = 1.0 / 120.0 + x * (1.0 / 720.0 + x * (1.0 / 5040.0 + x / 40320.0))
    p = x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x * p))))
    # Some compilers choose by arithmetic, in which -0.0 loses its sign.
    r = copysign(p if abs(x) < 0.5 else native.exp(x) - 1.0, x)
    return x if is_nan(x) else r


def log_near(d: float32) -> float32:
    """Return log(1 + d) = 2 atanh(d / (2 + d)) for |d| < 0.5, where the series converges fast."""
    s = d / (2.0 + d)
    t = s * s
    p = 1.0 / 5.0 + t * (1.0 / 7.0 + t * (1.0 / 9.0 + t / 11.0))
    return 2.0 * s * (1.0 + t * (1.0 / 3.0 + t * p))


def log1p(x: float32) -> float32:
    r = log_near(x) if abs(x) < 0.5 else log(1.0 + x)
    return x if is_nan(x) else copysign(r, x)


def log(x: float32) -> float32:
    """Use a series near 1, where x - 1 is exact and the driver's error may be 2**-21.

    The driver's log may be undefined outside its domain.
    """
    r = log_near(x - 1.0) if abs(x - 1.0) < 0.4 else native.log(x)
    r = -INF if x == 0.0 else r
    r = x if is_inf(x) else r
    return NAN if x < 0.0 or is_nan(x) else r


def log2(x: float32) -> float32:
    r = log_near(x - 1.0) * 1.4426950408889634 if abs(x - 1.0) < 0.4 else native.log2(x)
    r = -INF if x == 0.0 else r
    r = x if is_inf(x) else r
    return NAN if x < 0.0 or is_nan(x) else r


def logaddexp(a: float32, b: float32) -> float32:
    m = maximum(a, b)
    d = -abs(a - b)
    r = m + log1p(native.exp(d))
    return m if (a == b and is_inf(a)) or m == INF or is_nan(m) else r


def sqrt(x: float32) -> float32:
    r = x if x == 0.0 else native.sqrt(x)
    return NAN if x < 0.0 or is_nan(x) else r


def ratio(n: float32, d: float32) -> float32:
    """Return n / d for 0 <= n <= d.

    GPUs multiply by 1 / d, which is subnormal and therefore flushed to 0 if d is above 2**126.
    """
    scale = 0.0625 if d > 4e37 else 1.0
    return (n * scale) / (d * scale)


def hypot(a: float32, b: float32) -> float32:
    m = max(abs(a), abs(b))
    n = min(abs(a), abs(b))
    q = 0.0 if m == 0.0 else ratio(n, m)
    r = m if n == 0.0 else m * native.sqrt(1.0 + q * q)
    r = NAN if is_nan(a) or is_nan(b) else r
    return INF if is_inf(a) or is_inf(b) else r


# --- hyperbolic functions -------------------------------------------------------------------------


def sinh(x: float32) -> float32:
    a = abs(x)
    t = x * x
    near = x * (1.0 + t * (1.0 / 6.0 + t * (1.0 / 120.0 + t * (1.0 / 5040.0 + t / 362880.0))))
    h = native.exp(0.5 * a)
    far = copysign(0.5 * h * h - 0.5 / (h * h), x)
    return x if is_nan(x) else near if a < 1.0 else far


def cosh(x: float32) -> float32:
    """Square the square root of exp, which overflows above 88.7, while cosh does above 89.4."""
    h = native.exp(0.5 * abs(x))
    return x if is_nan(x) else 0.5 * h * h + 0.5 / (h * h)


def tanh(x: float32) -> float32:
    """Limit the argument: GPUs that compute tanh from exp(2x) return NaN for large ones."""
    a = min(abs(x), 20.0)
    e = expm1(2.0 * a)
    return x if is_nan(x) else copysign(e / (e + 2.0), x)


def asinh(x: float32) -> float32:
    a = abs(x)
    big = log(a) + 0.69314718055994531
    t = a * a
    r = big if a > 1e8 else log1p(a + t / (1.0 + native.sqrt(t + 1.0)))
    return x if is_nan(x) else copysign(r, x)


def acosh(x: float32) -> float32:
    t = x - 1.0
    r = log(x) + 0.69314718055994531 if x > 1e8 else log1p(t + native.sqrt(t * (t + 2.0)))
    return NAN if x < 1.0 or is_nan(x) else r


def atanh(x: float32) -> float32:
    a = abs(x)
    r = copysign(0.5 * log1p(2.0 * a / (1.0 - a)), x)
    r = copysign(INF, x) if a == 1.0 else r
    return NAN if a > 1.0 or is_nan(x) else r


# --- trigonometry ---------------------------------------------------------------------------------


def atan(x: float32) -> float32:
    """Reduce to |x| <= tan(pi / 8), then use a polynomial of degree 9: Cephes' atanf.

    The driver's atan may have an error of 4096 ULP.
    """
    a = abs(x)
    high = a > 2.414213562373095
    middle = a > 0.4142135623730950
    base = 1.570796326794897 if high else 0.785398163397448 if middle else 0.0
    t = -1.0 / a if high else (a - 1.0) / (a + 1.0) if middle else a
    z = t * t
    p = (8.05374449538e-2 * z - 1.38776856032e-1) * z + 1.99777106478e-1
    r = base + ((p * z - 3.33329491539e-1) * z * t + t)
    return x if is_nan(x) else copysign(r, x)


def atan2(y: float32, x: float32) -> float32:
    ay = abs(y)
    ax = abs(x)
    steep = ay > ax
    n = ax if steep else ay
    d = ay if steep else ax
    q = 1.0 if n == d else 0.0 if n == 0.0 else ratio(n, d)
    q = 0.0 if n == 0.0 and d == 0.0 else q
    r = atan(q)
    r = 0.5 * 3.14159265358979 - r if steep else r
    r = 3.14159265358979 - r if signbit(x) else r
    r = copysign(r, y)
    return NAN if is_nan(x) or is_nan(y) else r


def asin(x: float32) -> float32:
    """Return atan2(x, sqrt((1 - x)(1 + x))), without cancellation near 1."""
    r = atan2(x, native.sqrt(max((1.0 - x) * (1.0 + x), 0.0)))
    return NAN if abs(x) > 1.0 or is_nan(x) else r


def acos(x: float32) -> float32:
    r = atan2(native.sqrt(max((1.0 - x) * (1.0 + x), 0.0)), x)
    return NAN if abs(x) > 1.0 or is_nan(x) else r


TWO_OVER_PI: tuple[uint32, ...] = (
    0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB
)  # fmt: skip
"""Bits of 2 / pi, after 32 zeros."""


def far_angle(x: float32) -> tuple[float32, int32]:
    """Return angle and quadrant of numbers from 2**13 on (Payne and Hanek 1983).

    Of the product of the number's 24 bits and 2 / pi, only the bits are needed that are neither
    whole turns nor too small. They depend on 12 bytes of 2 / pi, from a position that the exponent
    gives. A product of 24 and 8 bits, plus the carry, fits into 32 bits.
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
    # More than half a quarter is the next one, less what is missing.
    beyond = first >> 31 == 1
    quadrant = int32(high >> 30) + int32(beyond)
    first = ~first if beyond else first
    second = ~second if beyond else second
    angle = (float32(first) + float32(second) * 2.3283064365387e-10) * 3.657295198168e-10
    angle = angle if beyond == (x < 0.0) else -angle
    return angle, -quadrant if x < 0.0 else quadrant


def trig_reduce(x: float32) -> tuple[float32, int32]:
    """Subtract multiples of pi / 2 in three parts, whose products are exact up to 2**13.

    Cody and Waite 1980. The driver's sin and cos lose all accuracy for large arguments.
    """
    n = round(x * 0.636619772367581)
    quadrant = int32(n)
    r = ((x - n * 1.5703125) - n * 4.837512969970703125e-4) - n * 7.549789948768648e-8
    near = abs(x) < 8192.0
    if any_element(not near):
        angle, turns = far_angle(x)
        r = r if near else angle
        quadrant = quadrant if near else turns
    return r, quadrant


def turned(r: float32, q: int32) -> float32:
    """Return the sine of q quarter turns plus an angle r of at most pi / 4, by Cephes' series."""
    z = r * r
    s = ((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * r + r
    c = (2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2
    c = c * z * z - 0.5 * z + 1.0
    v = c if q & 1 != 0 else s
    return -v if q & 2 != 0 else v


def trig(x: float32, shift: int32) -> float32:
    r, q = trig_reduce(x)
    return turned(r, q + shift) if is_finite(x) else NAN


def cos_of_turn(p: int32, n: int32) -> float32:
    """Return cos(2 pi p / n).

    The remainder of p / n after whole quarter turns is an exact integer, so large p and n lose no
    accuracy.
    """
    q = int32(floor(4.0 * float32(p) / float32(n) + 0.5))
    return turned(float32(4 * p - q * n) / float32(n) * 1.5707963267949, q + 1)


def sin(x: float32) -> float32:
    return x if x == 0.0 else trig(x, 0)


def cos(x: float32) -> float32:
    return trig(x, 1)


def tan(x: float32) -> float32:
    return sin(x) / cos(x)


# --- special functions ----------------------------------------------------------------------------


def erfc_exponent(t: float32) -> float32:
    """Return the Chebyshev fit of Numerical Recipes (3rd ed., 6.2.2); its error is below 1.2e-7."""
    p = -1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277))
    p = -0.18628806 + t * (0.27886807 + t * p)
    return t * (1.00002368 + t * (0.37409196 + t * (0.09678418 + t * p)))


def erf(x: float32) -> float32:
    """Use Taylor's series to x**13 for |x| < 0.65, else 1 - erfc."""
    a = abs(x)
    z = x * x
    p = -0.0268661706 + z * (0.0052239776 + z * (-0.0008548325 + z * 0.0001205533))
    near = x * (1.1283791671 + z * (-0.3761263890 + z * (0.1128379167 + z * p)))
    t = 1.0 / (1.0 + 0.5 * a)
    far = 1.0 - t * native.exp(-z - 1.26551223 + erfc_exponent(t))
    r = near if a < 0.65 else copysign(far, x)
    r = copysign(1.0, x) if a > 6.0 else r
    return x if is_nan(x) else r


def erfc(x: float32) -> float32:
    """Split x * x into parts whose exponentials are accurate."""
    a = min(abs(x), 30.0)
    t = 1.0 / (1.0 + 0.5 * a)
    h = from_bits(bits(a) & 0xFFFFF000)
    far = t * native.exp(-h * h) * native.exp((h - a) * (h + a) - 1.26551223 + erfc_exponent(t))
    r = 1.0 - erf(x) if a < 0.5 else 2.0 - far if x < 0.0 else far
    return x if is_nan(x) else r


def erfinv(x: float32) -> float32:
    """Giles, "Approximating the erfinv function" (2012), single precision."""
    w = -log1p(-x * x)
    a = w - 2.5
    p = 2.81022636e-08 * a + 3.43273939e-07
    p = p * a - 3.5233877e-06
    p = p * a - 4.39150654e-06
    p = p * a + 0.00021858087
    p = p * a - 0.00125372503
    p = p * a - 0.00417768164
    p = p * a + 0.246640727
    p = p * a + 1.50140941
    b = native.sqrt(w) - 3.0
    q = -0.000200214257 * b + 0.000100950558
    q = q * b + 0.00134934322
    q = q * b - 0.00367342844
    q = q * b + 0.00573950773
    q = q * b - 0.0076224613
    q = q * b + 0.00943887047
    q = q * b + 1.00167406
    q = q * b + 2.83297682
    r = (p if w < 5.0 else q) * x
    r = x * INF if abs(x) == 1.0 else r
    return NAN if abs(x) > 1.0 or is_nan(x) else r


def lgamma_positive(x: float32) -> float32:
    """Use polynomials for gamma near 1 and 2, where the result is near 0, and Stirling's series."""
    up = x < 0.75
    y = x + 1.0 if up else x
    p = x if up else 1.0
    following = y >= 1.25 and y < 1.5
    p = p * y if following else p
    y = y + 1.0 if following else y
    s = -1.0 if up or following else 1.0
    for _ in range(6):
        down = y > 2.5
        p = p * (y - 1.0) if down else p
        y = y - 1.0 if down else y
    t = y - 1.0
    u = y - 2.0
    a = 0.1688215006 + t * (-0.1431741198 + t * (0.1407887689 - t * 0.1268848597))
    a = 0.8224669723 + t * (-0.400685478 + t * (0.2705937532 + t * (-0.2074053891 + t * a)))
    a = t * (-0.5772156651 + t * a)
    b = 0.00287882691 + u * (-0.001185837708 + u * (0.0005703469215 - u * 0.0002538618288))
    b = -0.0673522813 + u * (0.02058163064 + u * (-0.007386177635 + u * b))
    b = u * (0.422784335 + u * (0.3224670179 + u * b))
    near = (a if y < 1.25 else b) + s * log(p)
    logarithm = log(x)
    q = 1.0 / x
    z = q * q
    far = x * (logarithm - 1.0) - 0.5 * logarithm
    far = far + (0.9189385332 + q * (0.0833333333 - z * (0.0027777778 - z * 0.0007936508)))
    return (x if is_inf(x) else far) if x > 8.0 else near


def lgamma(x: float32) -> float32:
    """Return log(pi / abs(sin(pi x))) - lgamma(1 - x) for x < 0."""
    negative = x < 0.0
    f = x - round(x)
    r = lgamma_positive(1.0 - x if negative else x)
    r = log(3.1415926536 / abs(sin(3.1415926536 * f))) - r if negative else r
    r = INF if x <= 0.0 and f == 0.0 else r
    r = INF if is_inf(x) else r
    return x if is_nan(x) else r


def digamma(x: float32) -> float32:
    """Use a polynomial around the root for 1 <= x <= 2, and the asymptotic series from 8 on."""
    negative = x < 0.0
    f = x - round(x)
    w = 1.0 - x if negative else x
    up = w < 1.0
    y = w + 1.0 if up else w
    total = -1.0 / w if up else 0.0
    for _ in range(6):
        down = y > 2.0
        y = y - 1.0 if down else y
        total = total + 1.0 / y if down else total
    t = (y - 1.4616321325) - 1.2438150e-8
    p = 0.0144333094 - t * 0.0075970871
    p = -0.0329520390 + t * (0.0215799621 + t * (-0.0160807454 + t * p))
    p = 0.1078175447 + t * (-0.0722224314 + t * (0.0489248704 + t * p))
    p = 0.9676722450 + t * (-0.4427631794 + t * (0.2584998917 + t * (-0.1639417619 + t * p)))
    q = 1.0 / w
    z = q * q
    far = log(w) - 0.5 * q - z * (0.0833333333 - z * (0.0083333333 - z * 0.0039682540))
    r = far if w > 8.0 else t * p + total
    r = r - 3.1415926536 / tan(3.1415926536 * f) if negative else r
    return NAN if (x <= 0.0 and f == 0.0) or (is_inf(x) and negative) or is_nan(x) else r


def i0(x: float32) -> float32:
    """Abramowitz & Stegun 9.8.1 and 9.8.2. exp(abs(x)) may overflow where the result does not."""
    a = abs(x)
    y = a * a / 14.0625
    z = 3.75 / max(a, 3.75)
    near = 1.2067492 + y * (0.2659732 + y * (0.0360768 + y * 0.0045813))
    near = 1.0 + y * (3.5156229 + y * (3.0899424 + y * near))
    far = 0.00916281 + z * (-0.02057706 + z * (0.02635537 + z * (-0.01647633 + z * 0.00392377)))
    far = 0.39894228 + z * (0.01328592 + z * (0.00225319 + z * (-0.00157565 + z * far)))
    e = native.exp(0.5 * a)
    far = INF if a > 100.0 else e * (far / native.sqrt(a)) * e
    return x if is_nan(x) else near if a < 3.75 else far


def stirling_rest(x: float32) -> float32:
    """Return lgamma(x) - ((x - 0.5) * log(x) - x + log(2 * pi) / 2) (dlmf.nist.gov/5.11#E1)."""
    q = 1.0 / x
    z = q * q
    near = lgamma_positive(x) - ((x - 0.5) * log(x) - x + 0.9189385332)
    return q * (0.0833333333 - z * (0.0027777778 - z * 0.0007936508)) if x > 4.0 else near


def log_share(x: float32, a: float32, b: float32, d: float32) -> float32:
    """Return log(x * (a + b) / a), where x * (a + b) / a is 1 + d / a."""
    return log1p(d / a) if abs(d) < 0.5 * a else log(x * ((a + b) / a))


def betainc(a: float32, b: float32, x: float32) -> float32:
    """Evaluate the continued fraction of Numerical Recipes (3rd ed., 6.4) where it converges fast.

    Its factor x^a * (1 - x)^b / B(a, b) has logarithms of the size of a, which cancel near its
    largest value, so they are taken relative to that place, x = a / (a + b).
    """
    u = 1.0 - x
    off = x * b - u * a
    power = a * log_share(x, a, b, off) + b * log_share(u, b, a, -off)
    scale = native.exp(power + stirling_rest(a + b) - stirling_rest(a) - stirling_rest(b))
    scale *= 0.3989422804 * native.sqrt(a * (b / (a + b)))
    other = x * (a + b + 2.0) > a + 1.0
    p = b if other else a
    q = a if other else b
    y = 1.0 - x if other else x
    c = 1.0
    d = 1.0 / (1.0 - (p + q) * y / (p + 1.0))
    h = d
    for k in range(1, 65):
        n = float32(k)
        e = p + 2.0 * n
        s = n * (q - n) * y / ((e - 1.0) * e)
        d = 1.0 / (1.0 + s * d)
        c = 1.0 + s / c
        h *= d * c
        s = -(p + n) * (p + q + n) * y / (e * (e + 1.0))
        d = 1.0 / (1.0 + s * d)
        c = 1.0 + s / c
        h *= d * c
    r = scale * h / p
    r = 1.0 - r if other else r
    r = x if x == 0.0 or x == 1.0 else r
    return r if a > 0.0 and b > 0.0 and x >= 0.0 and x <= 1.0 else NAN


# --- float16 and neighbours -----------------------------------------------------------------------


def nextafter(a: float32, b: float32) -> float32:
    raw = bits(a)
    outward = (b > a) == (a > 0.0)
    moved = raw + 1 if outward else raw - 1
    moved = bits(b) & 0x80000000 | 1 if a == 0.0 else moved
    moved = bits(b) if a == b else moved
    return NAN if is_nan(a) or is_nan(b) else from_bits(moved)


def nextafter_half(a: float32, b: float32) -> float32:
    raw = half_bits(a)
    outward = (b > a) == (a > 0.0)
    moved = raw + 1 if outward else raw - 1
    moved = bits(b) >> 31 << 15 | 1 if a == 0.0 else moved
    r = b if a == b else from_half_bits(moved)
    return NAN if is_nan(a) or is_nan(b) else r


def round_half(x: float32) -> float32:
    """Round to float16 by bits, since SwiftShader's packHalf2x16 corrupts a neighbour of a NaN."""
    raw = bits(x)
    size = raw & 0x7FFFFFFF
    near = size + 0xFFF + (size >> 13 & 1) & 0xFFFFE000
    # Below the smallest normal half, multiples of 2**-24.
    small = bits(round(from_bits(size) * 16777216.0) / 16777216.0)
    near = near + (small - near) * uint32(size < 0x38800000)
    near = near + (0x7F800000 - near) * uint32(near > 0x477FE000)
    near = near + (size - near) * uint32(size > 0x7F800000)
    return from_bits(near | raw & 0x80000000)


STORED_INF: uint32 = 0x7F800000
"""Bits of the number that a driver stores as an infinite half; the WebGL backend adapts it."""


def stored_half(x: float32) -> float32:
    """Round to float16 for storing, since drivers may truncate instead."""
    raw = bits(round_half(x))
    size = raw & 0x7FFFFFFF
    return from_bits(raw - (0x7F800000 - STORED_INF) * uint32(size == 0x7F800000))


# --- integers and positions -----------------------------------------------------------------------


def to_uint(x: float32) -> uint32:
    return uint32(int32(x)) if x < 2147483648.0 else uint32(x)


def threefry(k0: uint32, k1: uint32, i: uint32, second: uint32) -> uint32:
    """Threefry-2x32 (Salmon, Moraes, Dror, Shaw 2011) of 20 rounds on the counter pair (0, i).

    Both output words are joined by xor, as JAX's partitionable threefry does for 32-bit draws;
    `second` has the bits of the second word that are used.
    """
    k2 = k0 ^ k1 ^ 0x1BD11BDA
    a = k0
    b = i + k1
    for n in (13, 15, 26, 6):
        a += b
        b = (b << n | b >> (32 - n)) ^ a
    a += k1
    b += k2 + 1
    for n in (17, 29, 16, 24):
        a += b
        b = (b << n | b >> (32 - n)) ^ a
    a += k2
    b += k0 + 2
    for n in (13, 15, 26, 6):
        a += b
        b = (b << n | b >> (32 - n)) ^ a
    a += k0
    b += k1 + 3
    for n in (17, 29, 16, 24):
        a += b
        b = (b << n | b >> (32 - n)) ^ a
    a += k1
    b += k2 + 4
    for n in (13, 15, 26, 6):
        a += b
        b = (b << n | b >> (32 - n)) ^ a
    a += k2
    b += k0 + 5
    return a ^ b & second


def beats_greater_f(v: float32, i: int32, best: float32, place: int32) -> bool:
    """Return True if a candidate of an arg-reduction replaces the best one so far.

    NaN wins over numbers, the larger number over the other, and the first place among equals.
    """
    vn = is_nan(v)
    bn = is_nan(best)
    better = (v > best and not bn) or (vn and not bn)
    tie = v == best or (vn and bn)
    return better or (tie and i < place)


def beats_greater(v: Integer, i: int32, best: Integer, place: int32) -> bool:
    return v > best or (v == best and i < place)


def beats_less_f(v: float32, i: int32, best: float32, place: int32) -> bool:
    vn = is_nan(v)
    bn = is_nan(best)
    better = (v < best and not bn) or (vn and not bn)
    tie = v == best or (vn and bn)
    return better or (tie and i < place)


def beats_less(v: Integer, i: int32, best: Integer, place: int32) -> bool:
    return v < best or (v == best and i < place)


def place_i(i: int32, n: int32) -> int32:
    """Return an index on an axis of length n: negative ones count from the end; all are clamped."""
    return min(max(i + n * int32(i < 0), 0), n - 1)


def place_u(i: uint32, n: int32) -> int32:
    return int32(min(i, uint32(n - 1)))
