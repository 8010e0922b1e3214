"""Definitions of elementwise operations: the array API standard's, NumPy's and those of machine learning."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..dtypes import float32, int32, uint32
from ..late import LateModule
from .op_def import Cast, Elementwise, Fixed, Where, by_kind, complex_rules

if TYPE_CHECKING:
    from ..language import arrays
    from . import special_functions
    from .rule_types import Array, ArrayNamespace, Functions
else:
    arrays = LateModule("language.arrays")
    special_functions = LateModule("ops.special_functions")

UNIT = (-1.0, 1.0)
POSITIVE = (0.05, 8.0)


def _pow(xp: ArrayNamespace, x: Any, y: Any) -> Any:
    # NumPy raises for negative integer exponents, which a shader cannot; they count as 0 instead.
    return xp.power(x, y if y.dtype.kind == "f" else xp.maximum(y, xp.zeros((), y.dtype)))


def _each(function: Callable[..., float]) -> Callable[..., Any]:
    """Return the reference of an operation that computes one element."""
    return lambda xp, *operands: xp.vectorize(function, otypes=[xp.float64])(*operands)


def _vectorized(name: str) -> Callable[..., Any]:
    """Return the reference of an operation that a function of the language computes."""
    return lambda xp, x: arrays.vectorized(name)(xp, x)


def flat(pt: Functions, g: Array, *operands: Any) -> None:
    """Return the zero gradient of a piecewise-constant function."""


def _chosen(pt: Functions, g: Array, larger: Array, smaller: Array) -> Array:
    """Pass the cotangent to the larger of two operands, or half of it if they are equal."""
    return pt.where(larger > smaller, g, pt.where(larger == smaller, g * 0.5, 0.0))


def _clipped(pt: Functions, g: Array, y: Array, x: Array, low: Array, high: Array) -> Array:
    return pt.where((x >= low) & (x <= high), g, 0.0)


def _pow_to_base(pt: Functions, g: Array, y: Array, x: Array, exponent: Array) -> Array:
    # For exponent 0 the derivative is 0, but 0 * 0**-1 would be NaN.
    less = pt.where(exponent == 0.0, 1.0, exponent - 1.0)
    return g * exponent * x**less


def _pow_to_exponent(pt: Functions, g: Array, y: Array, x: Array, exponent: Array) -> Array:
    """Return g y log(x), whose limit at x = 0 is 0."""
    zero = (x == 0.0) & (exponent >= 0.0)
    return g * pt.where(zero, 0.0, y * pt.log(pt.where(zero, 1.0, x)))


def _cos_of_turn(xp: ArrayNamespace, p: Any, n: Any) -> Any:
    p, n = p.astype(xp.int64), n.astype(xp.int64)
    quarters = (8 * p + n) // (2 * n)
    rest = (4 * p - quarters * n) * (math.pi / 2) / n
    size = xp.where(quarters % 2 == 0, xp.cos(rest), -xp.sin(rest))
    return xp.where(quarters % 4 < 2, size, -size)


def _threefry_first(xp: ArrayNamespace, k0: Any, k1: Any, i: Any) -> Any:
    return _threefry(xp, k0, k1, i, 0)


def _threefry(xp: ArrayNamespace, k0: Any, k1: Any, i: Any, second: int = 0xFFFFFFFF) -> Any:
    def rotated(v: Any, n: int) -> Any:
        return (v << xp.uint32(n)) | (v >> xp.uint32(32 - n))

    keys = [k0, k1, k0 ^ k1 ^ xp.uint32(0x1BD11BDA)]
    a, b = k0 + xp.zeros_like(i), i + k1
    for block in range(5):
        for n in ((13, 15, 26, 6), (17, 29, 16, 24))[block % 2]:
            a = a + b
            b = rotated(b, n) ^ a
        a = a + keys[(block + 1) % 3]
        b = b + keys[(block + 2) % 3] + xp.uint32(block + 1)
    return a ^ (b & xp.uint32(second))


# fmt: off
ADD = Elementwise(name="add", partwise=True, arity=2, formula="x + y", factors=(1, 1), wraps=True, dunder="__add__",
    gradient=(lambda pt, g, y, a, b: g, lambda pt, g, y, a, b: g), doc="Return the sum, element by element.")
MULTIPLY = Elementwise(name="multiply", complex=complex_rules.multiply, arity=2, formula="x * y", wraps=True, dunder="__mul__",
    gradient=(lambda pt, g, y, a, b: g * b, lambda pt, g, y, a, b: g * a), doc="Return the product, element by element.")
IDENTITY = Elementwise(name="positive", partwise=True, formula="x", dunder="__pos__", weight=0, gradient=(lambda pt, g, y, x: g,), doc="Return the operand unchanged.")
CAST = Cast(name="astype", complex=complex_rules.cast, formula="x", factors=(1,), dtypes="all", weight=0, reference=lambda xp, x: x, public=False,
    gradient=(lambda pt, g, y, x: g,), doc="Convert to another dtype.")
EQUAL = Elementwise(name="equal", complex=complex_rules.equal, arity=2, formula="x == y", dtypes="all", result="bool", dunder="__eq__", doc="Return True where the operands are equal.")
EITHER = Elementwise(name="logical_or", arity=2, formula="x | y", dtypes="boolean", doc="Return True where at least one operand is True.")
ISNAN = Elementwise(name="isnan", complex=complex_rules.isnan, formula=by_kind("is_nan(x)", "False"), result="bool", doc="Return True where the operand is NaN.")
COS_OF_TURN = Fixed(name="cos_of_turn", arity=2, formula="cos_of_turn(x, y)", takes=(int32, int32), gives=float32, weight=24, jax="cos_of_turn", reference=_cos_of_turn, public=False, doc="Return cos(2 pi p / n) for p from 0 to 2 n and n below 2**28.")
RATIO: Elementwise = Elementwise(name="ratio", arity=2, formula="ratio(x * copysign(1.0, y), abs(y))", dtypes="floating", weight=6, reference="divide", public=False,
    gradient=(lambda pt, g, y, a, b: pt.apply(RATIO, (g, b)), lambda pt, g, y, a, b: -pt.apply(RATIO, (g * y, b))), doc="Return the quotient, also if 1 over the divisor is subnormal.")
WHERE = Where(name="where", partwise=True, arity=3, formula="y if x else z", dtypes="all",
    gradient=(None, lambda pt, g, y, c, a, b: pt.where(c, g, 0.0), lambda pt, g, y, c, a, b: pt.where(c, 0.0, g)), doc="Return the second operand where the first is True, else the third.")

OP_DEFS = (
    # --- arithmetic -----------------------------------------------------------------------------
    ADD,
    Elementwise(name="subtract", partwise=True, arity=2, formula="x - y", factors=(1, -1), wraps=True, dunder="__sub__",
        gradient=(lambda pt, g, y, a, b: g, lambda pt, g, y, a, b: -g), doc="Return the difference, element by element."),
    MULTIPLY,
    RATIO,
    Elementwise(name="divide", complex=complex_rules.divide, arity=2, formula="x / y", dtypes="floating", dunder="__truediv__", sample=(0.5, 8.0),
        gradient=(lambda pt, g, y, a, b: g / b, lambda pt, g, y, a, b: -g * y / b), doc="Return the quotient, element by element."),
    Elementwise(
        name="floor_divide", arity=2, wraps=True, dunder="__floordiv__", weight=8, tolerance=0.0,
        formula="floor_divide(x, y)", jax="floor_divide",
        gradient=(flat, flat), doc="Return the quotient, rounded down; integers divided by 0 give 0.",
    ),
    Elementwise(
        name="remainder", arity=2, dunder="__mod__", weight=8, tolerance=2e-6,
        formula="remainder(x, y)", jax="remainder",
        gradient=(lambda pt, g, y, a, b: g, lambda pt, g, y, a, b: -g * pt.floor_divide(a, b)), doc="Return the remainder with the sign of the divisor; integers modulo 0 give 0.",
    ),
    Elementwise(
        name="pow", complex=complex_rules.power, arity=2, wraps=True, dunder="__pow__", weight=16, sample=((0.1, 3.0), (-3.0, 3.0)), tolerance=4e-6,
        formula="pow(x, y)",
        reference=_pow, gradient=(_pow_to_base, _pow_to_exponent), doc="Raise the first operand to the power of the second; negative integer exponents count as 0.",
    ),
    Elementwise(name="negative", partwise=True, formula="-x", factors=(-1,), wraps=True, dunder="__neg__",
        gradient=(lambda pt, g, y, x: -g,), doc="Return the operand with the sign changed."),
    IDENTITY,
    Elementwise(name="conj", complex=complex_rules.conj, formula="x",
        gradient=(lambda pt, g, y, x: g,), doc="Return the complex conjugate; real numbers are unchanged."),
    Elementwise(name="abs", complex=complex_rules.absolute, result="real", formula=by_kind("abs(x)", "abs(x)", "x"), wraps=True, dunder="__abs__",
        gradient=(lambda pt, g, y, x: g * pt.sign(x),), doc="Return the absolute value; the modulus of complex numbers."),
    Elementwise(name="sign", jax="sign", complex=complex_rules.sign, formula=by_kind("sign(x)", "native.sign(x)", "min(x, 1)"),
        gradient=(flat,), doc="Return -1, 0 or 1 by the sign; complex numbers are divided by their modulus."),
    Elementwise(name="square", complex=complex_rules.square, formula="x * x", wraps=True, gradient=(lambda pt, g, y, x: g * (2.0 * x),), doc="Return the square, element by element."),
    Elementwise(name="reciprocal", complex=complex_rules.reciprocal, formula="1.0 / x", dtypes="floating", sample=(0.5, 8.0),
        gradient=(lambda pt, g, y, x: -g * y * y,), doc="Return 1 / x, element by element."),
    # --- comparison -----------------------------------------------------------------------------
    EQUAL,
    Elementwise(name="not_equal", complex=complex_rules.not_equal, arity=2, formula="x != y", dtypes="all", result="bool", dunder="__ne__", doc="Return True where the operands differ."),
    Elementwise(name="less", arity=2, formula="x < y", result="bool", dunder="__lt__", doc="Return True where the first operand is smaller than the second."),
    Elementwise(name="less_equal", arity=2, formula="x <= y", result="bool", dunder="__le__", doc="Return True where the first operand is smaller than or equal to the second."),
    Elementwise(name="greater", arity=2, formula="x > y", result="bool", dunder="__gt__", doc="Return True where the first operand is larger than the second."),
    Elementwise(name="greater_equal", arity=2, formula="x >= y", result="bool", dunder="__ge__", doc="Return True where the first operand is larger than or equal to the second."),
    Elementwise(name="maximum", arity=2, formula=by_kind("maximum(x, y)", "max(x, y)"),
        gradient=(lambda pt, g, y, a, b: _chosen(pt, g, a, b), lambda pt, g, y, a, b: _chosen(pt, g, b, a)), doc="Return the larger operand, element by element; NaN if either is NaN."),
    Elementwise(name="minimum", arity=2, formula=by_kind("minimum(x, y)", "min(x, y)"),
        gradient=(lambda pt, g, y, a, b: _chosen(pt, g, b, a), lambda pt, g, y, a, b: _chosen(pt, g, a, b)), doc="Return the smaller operand, element by element; NaN if either is NaN."),
    # --- logic and bits -------------------------------------------------------------------------
    Elementwise(name="logical_and", arity=2, formula="x & y", dtypes="boolean", doc="Return True where both operands are True."),
    EITHER,
    Elementwise(name="logical_xor", arity=2, formula="x ^ y", dtypes="boolean", doc="Return True where exactly one operand is True."),
    Elementwise(name="logical_not", formula="not x", dtypes="boolean", doc="Return True where the operand is False."),
    Elementwise(name="bitwise_and", arity=2, formula="x & y", dtypes="integer or boolean", dunder="__and__", doc="Return the bits that are set in both operands."),
    Elementwise(name="bitwise_or", arity=2, formula="x | y", dtypes="integer or boolean", dunder="__or__", doc="Return the bits that are set in at least one operand."),
    Elementwise(name="bitwise_xor", arity=2, formula="x ^ y", dtypes="integer or boolean", dunder="__xor__", doc="Return the bits that are set in exactly one operand."),
    Elementwise(name="bitwise_invert", formula="~x", dtypes="integer or boolean", wraps=True, dunder="__invert__", doc="Invert every bit; bool values are negated."),
    Elementwise(name="bitwise_left_shift", arity=2, formula="shift_left(x, y)", dtypes="integer", wraps=True, dunder="__lshift__", sample=((-8.0, 8.0), (0.0, 7.0)), doc="Shift the bits of the first operand to the left by the second."),
    Elementwise(name="bitwise_right_shift", arity=2, formula="shift_right(x, y)", dtypes="integer", dunder="__rshift__", sample=((-100.0, 100.0), (0.0, 7.0)), doc="Shift the bits of the first operand to the right by the second; the sign is kept."),
    # --- rounding and classes of numbers ----------------------------------------------------------
    Elementwise(name="ceil", formula=by_kind("ceil(x)", "x"), tolerance=0.0,
        gradient=(flat,), doc="Round up to the nearest integer."),
    Elementwise(name="floor", formula=by_kind("floor(x)", "x"), tolerance=0.0,
        gradient=(flat,), doc="Round down to the nearest integer."),
    Elementwise(name="trunc", formula=by_kind("trunc(x)", "x"), tolerance=0.0,
        gradient=(flat,), doc="Round towards zero."),
    Elementwise(name="round", partwise=True, formula=by_kind("round(x)", "x"), tolerance=0.0,
        gradient=(flat,), doc="Round to the nearest integer, halves to even."),
    Elementwise(name="isfinite", complex=complex_rules.isfinite, formula=by_kind("is_finite(x)", "True"), result="bool", doc="Return True where the operand is neither infinite nor NaN."),
    Elementwise(name="isinf", complex=complex_rules.isinf, formula=by_kind("is_inf(x)", "False"), result="bool", doc="Return True where the operand is infinite."),
    ISNAN,
    Elementwise(name="signbit", formula="signbit(x)", dtypes="floating", result="bool", doc="Return True where the sign bit is set, also for -0.0."),
    Elementwise(name="copysign", arity=2, formula="copysign(x, y)", dtypes="floating", tolerance=0.0,
        gradient=(lambda pt, g, y, a, b: g * pt.copysign(1.0, a) * pt.copysign(1.0, b), flat), doc="Return the magnitude of the first operand with the sign of the second."),
    Elementwise(name="nextafter", arity=2, formula={"float32": "nextafter(x, y)", "float16": "nextafter_half(x, y)"}, dtypes="floating", tolerance=0.0, doc="Return the next number of the dtype after the first operand, towards the second."),
    # --- exponentials, logarithms, powers ---------------------------------------------------------
    Elementwise(name="exp", complex=complex_rules.exp, formula="exp(x)", dtypes="floating", weight=4, tolerance=2e-6,
        gradient=(lambda pt, g, y, x: g * y,), doc="Return e to the power of the operand."),
    Elementwise(name="expm1", complex=complex_rules.expm1, formula="expm1(x)", dtypes="floating", weight=12, tolerance=2e-6,
        gradient=(lambda pt, g, y, x: g * (y + 1.0),), doc="Return exp(x) - 1, accurate near 0."),
    Elementwise(name="log", complex=complex_rules.log, formula="log(x)", dtypes="floating", weight=16, sample=POSITIVE, tolerance=2e-6,
        gradient=(lambda pt, g, y, x: g / x,), doc="Return the natural logarithm."),
    Elementwise(name="log1p", complex=complex_rules.log1p, formula="log1p(x)", dtypes="floating", weight=16, sample=(-0.9, 8.0), tolerance=2e-6,
        gradient=(lambda pt, g, y, x: g / (1.0 + x),), doc="Return log(1 + x), accurate near 0."),
    Elementwise(name="log2", complex=complex_rules.log2, formula="log2(x)", dtypes="floating", weight=16, sample=POSITIVE, tolerance=2e-6,
        gradient=(lambda pt, g, y, x: g / (x * math.log(2.0)),), doc="Return the logarithm to base 2."),
    Elementwise(name="log10", complex=complex_rules.log10, formula="log(x) * 0.43429448190325182", dtypes="floating", weight=16, sample=POSITIVE, tolerance=2e-6,
        gradient=(lambda pt, g, y, x: g / (x * math.log(10.0)),), doc="Return the logarithm to base 10."),
    Elementwise(name="logaddexp", arity=2, formula="logaddexp(x, y)", dtypes="floating", weight=24, tolerance=2e-6,
        gradient=(lambda pt, g, y, a, b: g * pt.sigmoid(a - b), lambda pt, g, y, a, b: g * pt.sigmoid(b - a)), doc="Return log(exp(x1) + exp(x2)) without overflow."),
    Elementwise(name="sqrt", complex=complex_rules.sqrt, formula="sqrt(x)", dtypes="floating", weight=2, sample=POSITIVE,
        gradient=(lambda pt, g, y, x: g * 0.5 / y,), doc="Return the square root."),
    Elementwise(name="rsqrt", formula="1.0 / sqrt(x)", dtypes="floating", weight=3, sample=POSITIVE, reference=lambda xp, x: 1 / xp.sqrt(x),
        gradient=(lambda pt, g, y, x: g * -0.5 * y / x,), doc="Return 1 / sqrt(x)."),
    Elementwise(name="hypot", arity=2, formula="hypot(x, y)", dtypes="floating", weight=12,
        gradient=(lambda pt, g, y, a, b: pt.where(y == 0.0, 0.0, g * (a / y)), lambda pt, g, y, a, b: pt.where(y == 0.0, 0.0, g * (b / y))), doc="Return sqrt(x1**2 + x2**2) without overflow."),
    # --- trigonometry -----------------------------------------------------------------------------
    Elementwise(name="sin", complex=complex_rules.sin, formula="sin(x)", dtypes="floating", weight=16, length=24, tolerance=2e-6,
        gradient=(lambda pt, g, y, x: g * pt.cos(x),), doc="Return the sine of an angle in radians."),
    Elementwise(name="cos", complex=complex_rules.cos, formula="cos(x)", dtypes="floating", weight=16, length=24, tolerance=2e-6,
        gradient=(lambda pt, g, y, x: -g * pt.sin(x),), doc="Return the cosine of an angle in radians."),
    Elementwise(name="tan", complex=complex_rules.tan, formula="tan(x)", dtypes="floating", weight=32, length=48, sample=UNIT, tolerance=4e-6,
        gradient=(lambda pt, g, y, x: g * (1.0 + y * y),), doc="Return the tangent of an angle in radians."),
    Elementwise(name="asin", complex=complex_rules.asin, formula="asin(x)", dtypes="floating", weight=24, sample=UNIT, tolerance=2e-6,
        gradient=(lambda pt, g, y, x: g * pt.rsqrt((1.0 - x) * (1.0 + x)),), doc="Return the inverse sine in radians."),
    Elementwise(name="acos", complex=complex_rules.acos, formula="acos(x)", dtypes="floating", weight=24, sample=UNIT, tolerance=2e-6,
        gradient=(lambda pt, g, y, x: -g * pt.rsqrt((1.0 - x) * (1.0 + x)),), doc="Return the inverse cosine in radians."),
    Elementwise(name="atan", complex=complex_rules.atan, formula="atan(x)", dtypes="floating", weight=16, tolerance=2e-6,
        gradient=(lambda pt, g, y, x: g / (1.0 + x * x),), doc="Return the inverse tangent in radians."),
    Elementwise(name="atan2", arity=2, formula="atan2(x, y)", dtypes="floating", weight=24, tolerance=2e-6,
        gradient=(lambda pt, g, y, a, b: g * b / (a * a + b * b), lambda pt, g, y, a, b: -g * a / (a * a + b * b)), doc="Return the angle of the point (x2, x1) in radians, from -pi to pi."),
    COS_OF_TURN,
    Elementwise(name="sinh", complex=complex_rules.sinh, formula="sinh(x)", dtypes="floating", weight=16, tolerance=4e-6,
        gradient=(lambda pt, g, y, x: g * pt.cosh(x),), doc="Return the hyperbolic sine."),
    Elementwise(name="cosh", complex=complex_rules.cosh, formula="cosh(x)", dtypes="floating", weight=8, tolerance=4e-6,
        gradient=(lambda pt, g, y, x: g * pt.sinh(x),), doc="Return the hyperbolic cosine."),
    Elementwise(name="tanh", complex=complex_rules.tanh, formula="tanh(x)", dtypes="floating", weight=16, tolerance=2e-6,
        gradient=(lambda pt, g, y, x: g * ((1.0 - y) * (1.0 + y)),), doc="Return the hyperbolic tangent."),
    Elementwise(name="asinh", complex=complex_rules.asinh, formula="asinh(x)", dtypes="floating", weight=24, tolerance=4e-6,
        gradient=(lambda pt, g, y, x: g / pt.hypot(x, 1.0),), doc="Return the inverse hyperbolic sine."),
    Elementwise(name="acosh", complex=complex_rules.acosh, formula="acosh(x)", dtypes="floating", weight=24, sample=(1.0, 8.0), tolerance=4e-6,
        gradient=(lambda pt, g, y, x: g * pt.rsqrt((x - 1.0) * (x + 1.0)),), doc="Return the inverse hyperbolic cosine."),
    Elementwise(name="atanh", complex=complex_rules.atanh, formula="atanh(x)", dtypes="floating", weight=24, sample=(-0.95, 0.95), tolerance=4e-6,
        gradient=(lambda pt, g, y, x: g / ((1.0 - x) * (1.0 + x)),), doc="Return the inverse hyperbolic tangent."),
    # --- machine learning ---------------------------------------------------------------------------
    Elementwise(name="relu", formula=by_kind("maximum(x, 0)", "max(x, 0)", "x"), reference=lambda xp, x: xp.maximum(x, xp.zeros((), x.dtype)),
        gradient=(lambda pt, g, y, x: pt.where(x > 0.0, g, 0.0),), doc="Return the operand where it is positive, else 0."),
    Elementwise(name="sigmoid", formula="1.0 / (1.0 + exp(-x))", dtypes="floating", weight=6, tolerance=2e-6, reference=lambda xp, x: 1 / (1 + xp.exp(-x)),
        gradient=(lambda pt, g, y, x: g * (y * (1.0 - y)),), doc="Return the logistic function 1 / (1 + exp(-x))."),
    Elementwise(name="erf", formula="erf(x)", dtypes="floating", weight=24, tolerance=2e-6, jax="erf", reference=_vectorized("erf"),
        gradient=(lambda pt, g, y, x: g * (2.0 / math.sqrt(math.pi)) * pt.exp(-x * x),), doc="Return the Gauss error function."),
    Elementwise(name="erfinv", formula="erfinv(x)", dtypes="floating", weight=32, sample=(-0.99, 0.99), tolerance=4e-6, jax="erfinv", reference=_vectorized("erfinv"),
        gradient=(lambda pt, g, y, x: g * (math.sqrt(math.pi) / 2.0) * pt.exp(y * y),), doc="Return the inverse of the Gauss error function."),
    # --- special functions ----------------------------------------------------------------------------
    Elementwise(name="erfc", formula="erfc(x)", dtypes="floating", weight=40, tolerance=2e-6, jax="erfc", reference=_vectorized("erfc"),
        gradient=(lambda pt, g, y, x: g * (-2.0 / math.sqrt(math.pi)) * pt.exp(-x * x),), doc="Return 1 - erf(x), accurate also where it is small."),
    Elementwise(name="lgamma", formula="lgamma(x)", dtypes="floating", weight=90, length=8, sample=POSITIVE, tolerance=2e-6, jax="lgamma", reference=_vectorized("lgamma"),
        gradient=(lambda pt, g, y, x: g * pt.digamma(x),), doc="Return the logarithm of the absolute value of the gamma function."),
    Elementwise(name="digamma", formula="digamma(x)", dtypes="floating", weight=80, length=8, sample=POSITIVE, tolerance=2e-6, jax="digamma", reference=_vectorized("digamma"),
        gradient=(lambda pt, g, y, x: g * special_functions.trigamma(pt, x),), doc="Return the derivative of lgamma."),
    Elementwise(name="i0", formula="i0(x)", dtypes="floating", weight=40, tolerance=2e-6, jax="i0", reference=_vectorized("i0"),
        gradient=(lambda pt, g, y, x: g * special_functions.i1(pt, x),), doc="Return the modified Bessel function of the first kind of order 0."),
    Elementwise(name="betainc", arity=3, formula="betainc(x, y, z)", dtypes="floating", weight=900, length=64, sample=((0.5, 8.0), (0.5, 8.0), (0.0, 1.0)), tolerance=2e-5, jax="betainc", reference=_each(special_functions.betainc), public=False,
        gradient=(special_functions.by_parameter, special_functions.by_parameter, special_functions.beta_density), doc="Return the regularized incomplete beta function."),
    # --- choice and conversion ------------------------------------------------------------------------
    WHERE,
    Elementwise(name="clip", arity=3, formula=by_kind("minimum(maximum(x, y), z)", "min(max(x, y), z)"), reference=lambda xp, x, low, high: xp.minimum(xp.maximum(x, low), high), public=False,
        gradient=(_clipped, lambda pt, g, y, x, low, high: pt.where((x < low) & (low <= high), g, 0.0), lambda pt, g, y, x, low, high: pt.where(pt.maximum(x, low) > high, g, 0.0)), doc="Clamp between two limits."),
    CAST,
    # --- random bits ----------------------------------------------------------------------------------
    Fixed(name="threefry2x32", arity=3, formula="threefry(x, y, z, 0xFFFFFFFF)", takes=(uint32, uint32, uint32), gives=uint32, weight=110, reference=_threefry, public=False, doc="Return random bits for a pair of keys and a counter."),
    Fixed(name="threefry_first", arity=3, formula="threefry(x, y, z, 0)", takes=(uint32, uint32, uint32), gives=uint32, weight=110, reference=_threefry_first, public=False, doc="Return the first of the two words whose xor are random bits."),
    Fixed(name="bits_to_unit_float", formula="from_bits(x >> 9 | 0x3F800000) - 1.0", takes=(uint32,), gives=float32, reference=lambda xp, x: ((x >> xp.uint32(9)) | xp.uint32(0x3F800000)).view(xp.float32) - xp.float32(1), public=False, doc="Convert random bits to a float in [0, 1)."),
    Fixed(name="from_bfloat16", formula="from_bits(x << 16)", takes=(uint32,), gives=float32, reference=lambda xp, x: (x << xp.uint32(16)).view(xp.float32), public=False, doc="Convert the bits of bfloat16 to the number."),
)

ELEMENTWISE: dict[str, Elementwise] = {op.name: op for op in OP_DEFS}
"""Elementwise operations by name."""
