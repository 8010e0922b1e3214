"""Elementwise rows: names of the array API standard first, then NumPy's and the machine-learning ones."""

from __future__ import annotations

import math
import operator
from typing import Any

from ..dtypes import float32, int32, uint32
from . import complexes, plain
from .plain import at_pole, ieee
from .rows import Cast, Elementwise, Fixed, Where

UNIT = (-1.0, 1.0)
POSITIVE = (0.05, 8.0)


def _compare(function: str) -> str:
    return f"uvec4({function}({{0}}, {{1}}))"


def _by_kind(f: str, i: str, u: str | None = None) -> dict[str, str]:
    return {"f": f, "i": i, "u": u if u is not None else i}


def _pow(xp: Any, x: Any, y: Any) -> Any:
    # NumPy refuses negative integer exponents when it meets the values, which a shader cannot.
    return xp.power(x, y if y.dtype.kind == "f" else xp.maximum(y, xp.zeros((), y.dtype)))


def _erf(xp: Any, x: Any) -> Any:
    return xp.vectorize(math.erf, otypes=[xp.float64])(x)


def _erfinv(xp: Any, x: Any) -> Any:
    from statistics import NormalDist

    normal = NormalDist()
    ends = {-1.0: -math.inf, 1.0: math.inf, 0.0: 0.0}

    def one(v: float) -> float:
        if v in ends:
            return math.copysign(ends[v], v)
        return normal.inv_cdf((v + 1.0) / 2.0) / math.sqrt(2.0) if abs(v) < 1.0 else math.nan

    return xp.vectorize(one, otypes=[xp.float64])(x)


def flat(pt: Any, g: Any, *given: Any) -> None:
    """The gradient of what does not change between its steps."""


def _chosen(pt: Any, g: Any, larger: Any, smaller: Any) -> Any:
    """To the larger of two operands, or half of it where they are equal."""
    return pt.where(larger > smaller, g, pt.where(larger == smaller, g * 0.5, 0.0))


def _clipped(pt: Any, g: Any, y: Any, x: Any, low: Any, high: Any) -> Any:
    return pt.where((x >= low) & (x <= high), g, 0.0)


def _pow_to_base(pt: Any, g: Any, y: Any, x: Any, exponent: Any) -> Any:
    # 0 to the power of -1 times 0 is not the 0 that a constant's derivative is.
    less = pt.where(exponent == 0.0, 1.0, exponent - 1.0)
    return g * exponent * x**less


def _pow_to_exponent(pt: Any, g: Any, y: Any, x: Any, exponent: Any) -> Any:
    """y log(x), whose limit at 0 is 0."""
    zero = (x == 0.0) & (exponent >= 0.0)
    return g * pt.where(zero, 0.0, y * pt.log(pt.where(zero, 1.0, x)))


def _cos_of_turn(xp: Any, p: Any, n: Any) -> Any:
    p, n = p.astype(xp.int64), n.astype(xp.int64)
    quarters = (8 * p + n) // (2 * n)
    rest = (4 * p - quarters * n) * (math.pi / 2) / n
    size = xp.where(quarters % 2 == 0, xp.cos(rest), -xp.sin(rest))
    return xp.where(quarters % 4 < 2, size, -size)


def _threefry(xp: Any, k0: Any, k1: Any, i: Any) -> Any:
    def rotated(v: Any, n: int) -> Any:
        return (v << xp.uint32(n)) | (v >> xp.uint32(32 - n))

    keys = [k0, k1, k0 ^ k1 ^ xp.uint32(0x1BD11BDA)]
    with xp.errstate(over="ignore"):
        a, b = k0 + xp.zeros_like(i), i + k1
        for block in range(5):
            for n in ((13, 15, 26, 6), (17, 29, 16, 24))[block % 2]:
                a = a + b
                b = rotated(b, n) ^ a
            a = a + keys[(block + 1) % 3]
            b = b + keys[(block + 2) % 3] + xp.uint32(block + 1)
    return a ^ b


# fmt: off
ADD = Elementwise(name="add", partwise=True, arity=2, glsl="{0} + {1}", wraps=True, dunder="__add__", host=operator.add,
    gradient=(lambda pt, g, y, a, b: g, lambda pt, g, y, a, b: g), doc="Sum, element by element.")
MULTIPLY = Elementwise(name="multiply", complex=complexes.multiply, arity=2, glsl="{0} * {1}", wraps=True, dunder="__mul__", host=operator.mul,
    gradient=(lambda pt, g, y, a, b: g * b, lambda pt, g, y, a, b: g * a), doc="Product, element by element.")
IDENTITY = Elementwise(name="positive", partwise=True, glsl="{0}", dunder="__pos__", weight=0, host=plain.identity, gradient=(lambda pt, g, y, x: g,), doc="The operand itself.")
CAST = Cast(name="astype", complex=complexes.cast, glsl="{0}", dtypes="all", weight=0, reference=lambda xp, x: x, public=False, host=plain.identity,
    gradient=(lambda pt, g, y, x: g,), doc="Converted to another dtype.")
EQUAL = Elementwise(name="equal", complex=complexes.equal, arity=2, glsl=_compare("equal"), dtypes="all", result="bool", dunder="__eq__", host=operator.eq, doc="Whether operands are equal.")
EITHER = Elementwise(name="logical_or", arity=2, glsl="{0} | {1}", dtypes="boolean", host=operator.or_, doc="Whether either holds.")
ISNAN = Elementwise(name="isnan", complex=complexes.isnan, glsl=_by_kind("uvec4(pt_is_nan({0}))", "uvec4(0u)"), result="bool", host=math.isnan, doc="Whether NaN.")
COS_OF_TURN = Fixed(name="cos_of_turn", arity=2, glsl="pt_cos_of_turn({0}, {1})", takes=(int32, int32), gives=float32, weight=24, reference=_cos_of_turn, public=False, doc="Cosine of 2 pi p / n; p from 0 to 2 n, n below 2**28.")
WHERE = Where(name="where", partwise=True, arity=3, glsl=dict.fromkeys("fiub", "pt_pick(bvec4({0}), {1}, {2})"), dtypes="all", host=plain.where,
    gradient=(None, lambda pt, g, y, c, a, b: pt.where(c, g, 0.0), lambda pt, g, y, c, a, b: pt.where(c, 0.0, g)), doc="Second operand where the first holds, else the third.")

ROWS = (
    # --- arithmetic -----------------------------------------------------------------------------
    ADD,
    Elementwise(name="subtract", partwise=True, arity=2, glsl="{0} - {1}", wraps=True, dunder="__sub__", host=operator.sub,
        gradient=(lambda pt, g, y, a, b: g, lambda pt, g, y, a, b: -g), doc="Difference, element by element."),
    MULTIPLY,
    Elementwise(name="divide", complex=complexes.divide, arity=2, glsl="{0} / {1}", dtypes="floating", dunder="__truediv__", sample=(0.5, 8.0), host=plain.divide,
        gradient=(lambda pt, g, y, a, b: g / b, lambda pt, g, y, a, b: -g * y / b), doc="Quotient, element by element."),
    Elementwise(
        name="floor_divide", arity=2, wraps=True, dunder="__floordiv__", weight=8, tolerance=0.0,
        glsl=_by_kind("pt_floor_divide_f({0}, {1})", "pt_floor_divide_i({0}, {1})", "pt_floor_divide_u({0}, {1})"),
        host=plain.floor_divide, gradient=(flat, flat), doc="Quotient rounded down; integers over 0 give 0.",
    ),
    Elementwise(
        name="remainder", arity=2, dunder="__mod__", weight=8, tolerance=2e-6,
        glsl=_by_kind("pt_remainder_f({0}, {1})", "pt_remainder_i({0}, {1})", "pt_remainder_u({0}, {1})"),
        host=plain.remainder, gradient=(lambda pt, g, y, a, b: g, lambda pt, g, y, a, b: -g * pt.floor_divide(a, b)), doc="Remainder with the sign of the divisor; integers modulo 0 give 0.",
    ),
    Elementwise(
        name="pow", complex=complexes.power, arity=2, wraps=True, dunder="__pow__", weight=16, sample=((0.1, 3.0), (-3.0, 3.0)), tolerance=4e-6,
        glsl=_by_kind("pt_pow_f({0}, {1})", "pt_pow_i({0}, {1})", "pt_pow_u({0}, {1})"),
        reference=_pow, host=plain.power, gradient=(_pow_to_base, _pow_to_exponent), doc="First operand to the power of the second; negative integer exponents count as 0.",
    ),
    Elementwise(name="negative", partwise=True, glsl=_by_kind("-{0}", "-{0}", "0u - {0}"), wraps=True, dunder="__neg__", host=operator.neg,
        gradient=(lambda pt, g, y, x: -g,), doc="Sign changed, element by element."),
    IDENTITY,
    Elementwise(name="conj", complex=complexes.conj, glsl="{0}", host=plain.identity,
        gradient=(lambda pt, g, y, x: g,), doc="Complex conjugate; real numbers are their own."),
    Elementwise(name="abs", complex=complexes.absolute, glsl=_by_kind("abs({0})", "abs({0})", "{0}"), wraps=True, dunder="__abs__", host=abs,
        gradient=(lambda pt, g, y, x: g * pt.sign(x),), doc="Absolute value; the modulus of complex numbers."),
    Elementwise(name="sign", complex=complexes.sign, glsl=_by_kind("pt_sign({0})", "sign({0})", "min({0}, uvec4(1u))"), host=plain.sign,
        gradient=(flat,), doc="-1, 0 or 1 by the sign; complex numbers over their modulus."),
    Elementwise(name="square", complex=complexes.square, glsl="{0} * {0}", wraps=True, host=lambda x: x * x, gradient=(lambda pt, g, y, x: g * (2.0 * x),), doc="Product with itself."),
    Elementwise(name="reciprocal", complex=complexes.reciprocal, glsl="1.0 / {0}", dtypes="floating", sample=(0.5, 8.0), host=plain.reciprocal,
        gradient=(lambda pt, g, y, x: -g * y * y,), doc="One over the operand."),
    # --- comparison -----------------------------------------------------------------------------
    EQUAL,
    Elementwise(name="not_equal", complex=complexes.not_equal, arity=2, glsl=_compare("notEqual"), dtypes="all", result="bool", dunder="__ne__", host=operator.ne, doc="Whether operands differ."),
    Elementwise(name="less", arity=2, glsl=_compare("lessThan"), result="bool", dunder="__lt__", host=operator.lt, doc="Whether the first is smaller."),
    Elementwise(name="less_equal", arity=2, glsl=_compare("lessThanEqual"), result="bool", dunder="__le__", host=operator.le, doc="Whether the first is not larger."),
    Elementwise(name="greater", arity=2, glsl=_compare("greaterThan"), result="bool", dunder="__gt__", host=operator.gt, doc="Whether the first is larger."),
    Elementwise(name="greater_equal", arity=2, glsl=_compare("greaterThanEqual"), result="bool", dunder="__ge__", host=operator.ge, doc="Whether the first is not smaller."),
    Elementwise(name="maximum", arity=2, glsl=_by_kind("pt_max({0}, {1})", "max({0}, {1})"), host=plain.maximum,
        gradient=(lambda pt, g, y, a, b: _chosen(pt, g, a, b), lambda pt, g, y, a, b: _chosen(pt, g, b, a)), doc="The larger operand; NaN if either is."),
    Elementwise(name="minimum", arity=2, glsl=_by_kind("pt_min({0}, {1})", "min({0}, {1})"), host=plain.minimum,
        gradient=(lambda pt, g, y, a, b: _chosen(pt, g, b, a), lambda pt, g, y, a, b: _chosen(pt, g, a, b)), doc="The smaller operand; NaN if either is."),
    # --- logic and bits -------------------------------------------------------------------------
    Elementwise(name="logical_and", arity=2, glsl="{0} & {1}", dtypes="boolean", host=operator.and_, doc="Whether both hold."),
    EITHER,
    Elementwise(name="logical_xor", arity=2, glsl="{0} ^ {1}", dtypes="boolean", host=operator.xor, doc="Whether exactly one holds."),
    Elementwise(name="logical_not", glsl="1u - {0}", dtypes="boolean", host=operator.not_, doc="Whether the operand does not hold."),
    Elementwise(name="bitwise_and", arity=2, glsl="{0} & {1}", dtypes="integer or boolean", dunder="__and__", host=operator.and_, doc="Bits set in both."),
    Elementwise(name="bitwise_or", arity=2, glsl="{0} | {1}", dtypes="integer or boolean", dunder="__or__", host=operator.or_, doc="Bits set in either."),
    Elementwise(name="bitwise_xor", arity=2, glsl="{0} ^ {1}", dtypes="integer or boolean", dunder="__xor__", host=operator.xor, doc="Bits set in exactly one."),
    Elementwise(name="bitwise_invert", glsl={"i": "~{0}", "u": "~{0}", "b": "1u - {0}"}, dtypes="integer or boolean", wraps=True, dunder="__invert__", host=plain.invert, doc="Every bit changed."),
    Elementwise(name="bitwise_left_shift", arity=2, glsl="pt_shift_left({0}, {1})", dtypes="integer", wraps=True, dunder="__lshift__", sample=((-8.0, 8.0), (0.0, 7.0)), host=plain.shift_left, doc="Bits moved up by the second operand."),
    Elementwise(name="bitwise_right_shift", arity=2, glsl="pt_shift_right({0}, {1})", dtypes="integer", dunder="__rshift__", sample=((-100.0, 100.0), (0.0, 7.0)), host=plain.shift_right, doc="Bits moved down by the second operand, the sign kept."),
    # --- rounding and classes of numbers ----------------------------------------------------------
    Elementwise(name="ceil", glsl=_by_kind("ceil({0})", "{0}"), tolerance=0.0, host=plain.rounding(math.ceil),
        gradient=(flat,), doc="Rounded up to an integer."),
    Elementwise(name="floor", glsl=_by_kind("floor({0})", "{0}"), tolerance=0.0, host=plain.rounding(math.floor),
        gradient=(flat,), doc="Rounded down to an integer."),
    Elementwise(name="trunc", glsl=_by_kind("trunc({0})", "{0}"), tolerance=0.0, host=plain.rounding(math.trunc),
        gradient=(flat,), doc="Rounded towards zero."),
    Elementwise(name="round", partwise=True, glsl=_by_kind("roundEven({0})", "{0}"), tolerance=0.0, host=plain.rounding(round),
        gradient=(flat,), doc="Rounded to the nearest integer, halves to even."),
    Elementwise(name="isfinite", complex=complexes.isfinite, glsl=_by_kind("uvec4(pt_is_finite({0}))", "uvec4(1u)"), result="bool", host=math.isfinite, doc="Whether neither infinite nor NaN."),
    Elementwise(name="isinf", complex=complexes.isinf, glsl=_by_kind("uvec4(pt_is_inf({0}))", "uvec4(0u)"), result="bool", host=math.isinf, doc="Whether infinite."),
    ISNAN,
    Elementwise(name="signbit", glsl="uvec4(pt_signbit({0}))", dtypes="floating", result="bool", host=plain.signbit, doc="Whether the sign bit is set, also for -0.0."),
    Elementwise(name="copysign", arity=2, glsl="pt_copysign({0}, {1})", dtypes="floating", tolerance=0.0, host=math.copysign,
        gradient=(lambda pt, g, y, a, b: g * pt.copysign(1.0, a) * pt.copysign(1.0, b), flat), doc="First operand's size with the second's sign."),
    Elementwise(name="nextafter", arity=2, glsl={"float32": "pt_nextafter({0}, {1})", "float16": "pt_nextafter_half({0}, {1})"}, dtypes="floating", tolerance=0.0, doc="Next number of the dtype from the first operand towards the second."),
    # --- exponentials, logarithms, powers ---------------------------------------------------------
    Elementwise(name="exp", complex=complexes.exp, glsl="pt_exp({0})", dtypes="floating", weight=4, tolerance=2e-6, host=plain.exp,
        gradient=(lambda pt, g, y, x: g * y,), doc="e to the power of the operand."),
    Elementwise(name="expm1", complex=complexes.expm1, glsl="pt_expm1({0})", dtypes="floating", weight=12, tolerance=2e-6, host=ieee(math.expm1, lambda x: math.inf),
        gradient=(lambda pt, g, y, x: g * (y + 1.0),), doc="exp(x) - 1, accurate near 0."),
    Elementwise(name="log", complex=complexes.log, glsl="pt_log({0})", dtypes="floating", weight=16, sample=POSITIVE, tolerance=2e-6, host=ieee(math.log, at_pole(0.0, -math.inf)),
        gradient=(lambda pt, g, y, x: g / x,), doc="Natural logarithm."),
    Elementwise(name="log1p", complex=complexes.log1p, glsl="pt_log1p({0})", dtypes="floating", weight=16, sample=(-0.9, 8.0), tolerance=2e-6, host=ieee(math.log1p, at_pole(-1.0, -math.inf)),
        gradient=(lambda pt, g, y, x: g / (1.0 + x),), doc="log(1 + x), accurate near 0."),
    Elementwise(name="log2", complex=complexes.log2, glsl="pt_log2({0})", dtypes="floating", weight=16, sample=POSITIVE, tolerance=2e-6, host=ieee(math.log2, at_pole(0.0, -math.inf)),
        gradient=(lambda pt, g, y, x: g / (x * math.log(2.0)),), doc="Logarithm to base 2."),
    Elementwise(name="log10", complex=complexes.log10, glsl="pt_log({0}) * 0.43429448190325182", dtypes="floating", weight=16, sample=POSITIVE, tolerance=2e-6, host=ieee(math.log10, at_pole(0.0, -math.inf)),
        gradient=(lambda pt, g, y, x: g / (x * math.log(10.0)),), doc="Logarithm to base 10."),
    Elementwise(name="logaddexp", arity=2, glsl="pt_logaddexp({0}, {1})", dtypes="floating", weight=24, tolerance=2e-6, host=plain.logaddexp,
        gradient=(lambda pt, g, y, a, b: g * pt.sigmoid(a - b), lambda pt, g, y, a, b: g * pt.sigmoid(b - a)), doc="log(exp(x1) + exp(x2)) without overflow."),
    Elementwise(name="sqrt", complex=complexes.sqrt, glsl="pt_sqrt({0})", dtypes="floating", weight=2, sample=POSITIVE, host=plain.sqrt,
        gradient=(lambda pt, g, y, x: g * 0.5 / y,), doc="Square root."),
    Elementwise(name="rsqrt", glsl="1.0 / pt_sqrt({0})", dtypes="floating", weight=3, sample=POSITIVE, reference=lambda xp, x: 1 / xp.sqrt(x), host=plain.rsqrt,
        gradient=(lambda pt, g, y, x: g * -0.5 * y / x,), doc="One over the square root."),
    Elementwise(name="hypot", arity=2, glsl="pt_hypot({0}, {1})", dtypes="floating", weight=12, host=math.hypot,
        gradient=(lambda pt, g, y, a, b: pt.where(y == 0.0, 0.0, g * (a / y)), lambda pt, g, y, a, b: pt.where(y == 0.0, 0.0, g * (b / y))), doc="sqrt(x1**2 + x2**2) without overflow."),
    # --- trigonometry -----------------------------------------------------------------------------
    Elementwise(name="sin", complex=complexes.sin, glsl="pt_sin({0})", dtypes="floating", weight=16, length=24, tolerance=2e-6, host=ieee(math.sin),
        gradient=(lambda pt, g, y, x: g * pt.cos(x),), doc="Sine; radians."),
    Elementwise(name="cos", complex=complexes.cos, glsl="pt_cos({0})", dtypes="floating", weight=16, length=24, tolerance=2e-6, host=ieee(math.cos),
        gradient=(lambda pt, g, y, x: -g * pt.sin(x),), doc="Cosine; radians."),
    Elementwise(name="tan", complex=complexes.tan, glsl="pt_tan({0})", dtypes="floating", weight=32, length=48, sample=UNIT, tolerance=4e-6, host=ieee(math.tan),
        gradient=(lambda pt, g, y, x: g * (1.0 + y * y),), doc="Tangent; radians."),
    Elementwise(name="asin", complex=complexes.asin, glsl="pt_asin({0})", dtypes="floating", weight=24, sample=UNIT, tolerance=2e-6, host=ieee(math.asin),
        gradient=(lambda pt, g, y, x: g * pt.rsqrt((1.0 - x) * (1.0 + x)),), doc="Inverse sine; radians."),
    Elementwise(name="acos", complex=complexes.acos, glsl="pt_acos({0})", dtypes="floating", weight=24, sample=UNIT, tolerance=2e-6, host=ieee(math.acos),
        gradient=(lambda pt, g, y, x: -g * pt.rsqrt((1.0 - x) * (1.0 + x)),), doc="Inverse cosine; radians."),
    Elementwise(name="atan", complex=complexes.atan, glsl="pt_atan({0})", dtypes="floating", weight=16, tolerance=2e-6, host=math.atan,
        gradient=(lambda pt, g, y, x: g / (1.0 + x * x),), doc="Inverse tangent; radians."),
    Elementwise(name="atan2", arity=2, glsl="pt_atan2({0}, {1})", dtypes="floating", weight=24, tolerance=2e-6, host=math.atan2,
        gradient=(lambda pt, g, y, a, b: g * b / (a * a + b * b), lambda pt, g, y, a, b: -g * a / (a * a + b * b)), doc="Angle of the point (x2, x1); radians."),
    COS_OF_TURN,
    Elementwise(name="sinh", complex=complexes.sinh, glsl="pt_sinh({0})", dtypes="floating", weight=16, tolerance=4e-6, host=ieee(math.sinh, lambda x: math.copysign(math.inf, x)),
        gradient=(lambda pt, g, y, x: g * pt.cosh(x),), doc="Hyperbolic sine."),
    Elementwise(name="cosh", complex=complexes.cosh, glsl="pt_cosh({0})", dtypes="floating", weight=8, tolerance=4e-6, host=ieee(math.cosh, lambda x: math.inf),
        gradient=(lambda pt, g, y, x: g * pt.sinh(x),), doc="Hyperbolic cosine."),
    Elementwise(name="tanh", complex=complexes.tanh, glsl="pt_tanh({0})", dtypes="floating", weight=16, tolerance=2e-6, host=math.tanh,
        gradient=(lambda pt, g, y, x: g * ((1.0 - y) * (1.0 + y)),), doc="Hyperbolic tangent."),
    Elementwise(name="asinh", complex=complexes.asinh, glsl="pt_asinh({0})", dtypes="floating", weight=24, tolerance=4e-6, host=math.asinh,
        gradient=(lambda pt, g, y, x: g / pt.hypot(x, 1.0),), doc="Inverse hyperbolic sine."),
    Elementwise(name="acosh", complex=complexes.acosh, glsl="pt_acosh({0})", dtypes="floating", weight=24, sample=(1.0, 8.0), tolerance=4e-6, host=ieee(math.acosh),
        gradient=(lambda pt, g, y, x: g * pt.rsqrt((x - 1.0) * (x + 1.0)),), doc="Inverse hyperbolic cosine."),
    Elementwise(name="atanh", complex=complexes.atanh, glsl="pt_atanh({0})", dtypes="floating", weight=24, sample=(-0.95, 0.95), tolerance=4e-6, host=ieee(math.atanh, lambda x: math.copysign(math.inf, x) if abs(x) == 1.0 else math.nan),
        gradient=(lambda pt, g, y, x: g / ((1.0 - x) * (1.0 + x)),), doc="Inverse hyperbolic tangent."),
    # --- machine learning ---------------------------------------------------------------------------
    Elementwise(name="relu", glsl=_by_kind("pt_max({0}, vec4(0.0))", "max({0}, ivec4(0))", "{0}"), reference=lambda xp, x: xp.maximum(x, xp.zeros((), x.dtype)), host=plain.relu,
        gradient=(lambda pt, g, y, x: pt.where(x > 0.0, g, 0.0),), doc="The operand where positive, else 0."),
    Elementwise(name="sigmoid", glsl="1.0 / (1.0 + pt_exp(-{0}))", dtypes="floating", weight=6, tolerance=2e-6, reference=lambda xp, x: 1 / (1 + xp.exp(-x)), host=plain.sigmoid,
        gradient=(lambda pt, g, y, x: g * (y * (1.0 - y)),), doc="1 / (1 + exp(-x))."),
    Elementwise(name="erf", glsl="pt_erf({0})", dtypes="floating", weight=24, tolerance=2e-6, reference=_erf, host=math.erf,
        gradient=(lambda pt, g, y, x: g * (2.0 / math.sqrt(math.pi)) * pt.exp(-x * x),), doc="Gauss error function."),
    Elementwise(name="erfinv", glsl="pt_erfinv({0})", dtypes="floating", weight=32, sample=(-0.99, 0.99), tolerance=4e-6, reference=_erfinv,
        gradient=(lambda pt, g, y, x: g * (math.sqrt(math.pi) / 2.0) * pt.exp(y * y),), doc="Inverse of the Gauss error function."),
    # --- choice and conversion ------------------------------------------------------------------------
    WHERE,
    Elementwise(name="clip", arity=3, glsl=_by_kind("pt_min(pt_max({0}, {1}), {2})", "min(max({0}, {1}), {2})"), reference=lambda xp, x, low, high: xp.minimum(xp.maximum(x, low), high), public=False, host=plain.clip,
        gradient=(_clipped, lambda pt, g, y, x, low, high: pt.where((x < low) & (low <= high), g, 0.0), lambda pt, g, y, x, low, high: pt.where(pt.maximum(x, low) > high, g, 0.0)), doc="Held between two limits."),
    CAST,
    # --- random bits ----------------------------------------------------------------------------------
    Fixed(name="threefry2x32", arity=3, glsl="pt_threefry({0}, {1}, {2})", takes=(uint32, uint32, uint32), gives=uint32, weight=110, reference=_threefry, public=False, doc="Random bits of a key pair and a counter."),
    Fixed(name="bits_to_unit_float", glsl="uintBitsToFloat(({0} >> 9) | 0x3f800000u) - 1.0", takes=(uint32,), gives=float32, reference=lambda xp, x: ((x >> xp.uint32(9)) | xp.uint32(0x3F800000)).view(xp.float32) - xp.float32(1), public=False, doc="Random bits to a float in [0, 1)."),
)
