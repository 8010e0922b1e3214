"""Operators that compute each element by itself."""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import py_tensor as pt

from .kinds import Unsupported, dtype_of


def div(a, b):
    if a.dtype.kind == "f":
        return a / b
    # ONNX rounds quotients of integers towards zero.
    return a // b + (((a < 0) != (b < 0)) & (a % b != 0)).astype(a.dtype)


def mod(a, b, *, fmod=0):
    if not fmod:
        return a % b
    # With the sign of the dividend, as in C.
    size = pt.abs(a) % pt.abs(b)
    return pt.copysign(size, a) if a.dtype.kind == "f" else size * pt.sign(a)


def power(base, exponent):
    if base.dtype.kind == "f" or exponent.dtype.kind != "f":
        return base ** exponent.astype(base.dtype)
    return pt.round(base.astype("float32") ** exponent).astype(base.dtype)


def bit_shift(x, y, *, direction):
    return x << y if direction == "LEFT" else x >> y


def clip(x, low=None, high=None):
    return pt.clip(x, low, high)


def cast(x, *, to, saturate=1, round_mode="up"):
    return x.astype(dtype_of(to))


def cast_like(x, like, *, saturate=1, round_mode="up"):
    return x.astype(like.dtype)


def is_inf(x, *, detect_negative=1, detect_positive=1):
    wanted = pt.isinf(x)
    if not detect_negative:
        wanted = wanted & (x > 0)
    return wanted if detect_positive else wanted & (x < 0)


def selu(x, *, alpha=1.6732632, gamma=1.0507010):
    ours = abs(alpha - 1.6732632) < 1e-6 and abs(gamma - 1.0507010) < 1e-6
    return pt.nn.selu(x) if ours else gamma * pt.nn.elu(x, alpha=alpha)


def hard_sigmoid(x, *, alpha=0.2, beta=0.5):
    return pt.clip(x * alpha + beta, 0.0, 1.0)


def leaky_relu(x, *, alpha=0.01):
    return pt.nn.leaky_relu(x, alpha=alpha)


def thresholded_relu(x, *, alpha=1.0):
    return pt.nn.threshold(x, alpha, 0.0)


def shrink(x, *, lambd=0.5, bias=0.0):
    if bias == 0:
        return pt.nn.hard_shrink(x, threshold=lambd)
    if bias == lambd:
        return pt.nn.soft_shrink(x, threshold=lambd)
    raise Unsupported("a bias that is neither 0 nor lambd")


def gelu(x, *, approximate="none"):
    return pt.nn.gelu(x, approximate=approximate == "tanh")


def swish(x, *, alpha=1.0):
    return pt.nn.silu(x) if alpha == 1 else x * pt.sigmoid(alpha * x)


def swiglu(gate, value, *, alpha=1.0):
    return swish(gate, alpha=alpha) * value


def dropout(x, rate=None, training=None, *, seed=None, ratio=0.5):
    learning = training is not None and training.item()
    rate = ratio if rate is None else rate.item()
    if learning and rate:
        raise Unsupported("random numbers of NumPy's generator")
    return pt.nn.dropout(x, rate, training=learning), pt.ones_like(x, dtype="bool")


def over_all(function: Any, *xs):
    """A function of two, applied from the first input to the last."""
    return reduce(function, xs)


def mean(*xs):
    return pt.mean(pt.stack(xs), axis=0)


OPERATORS = {
    "Abs": pt.abs,
    "Acos": pt.acos,
    "Acosh": pt.acosh,
    "Add": pt.add,
    "And": pt.logical_and,
    "Asin": pt.asin,
    "Asinh": pt.asinh,
    "Atan": pt.atan,
    "Atanh": pt.atanh,
    "BitShift": bit_shift,
    "BitwiseAnd": pt.bitwise_and,
    "BitwiseNot": pt.bitwise_invert,
    "BitwiseOr": pt.bitwise_or,
    "BitwiseXor": pt.bitwise_xor,
    "Cast": cast,
    "CastLike": cast_like,
    "Ceil": pt.ceil,
    "Celu": pt.nn.celu,
    "Clip": clip,
    "Cos": pt.cos,
    "Cosh": pt.cosh,
    "Div": div,
    "Dropout": dropout,
    "Elu": pt.nn.elu,
    "Equal": pt.equal,
    "Erf": pt.erf,
    "Exp": pt.exp,
    "Floor": pt.floor,
    "Gelu": gelu,
    "Greater": pt.greater,
    "GreaterOrEqual": pt.greater_equal,
    "HardSigmoid": hard_sigmoid,
    "HardSwish": pt.nn.hard_swish,
    "Identity": pt.copy,
    "IsInf": is_inf,
    "IsNaN": pt.isnan,
    "LeakyRelu": leaky_relu,
    "Less": pt.less,
    "LessOrEqual": pt.less_equal,
    "Log": pt.log,
    "Max": partial(over_all, pt.maximum),
    "Mean": mean,
    "Min": partial(over_all, pt.minimum),
    "Mish": pt.nn.mish,
    "Mod": mod,
    "Mul": pt.multiply,
    "Neg": pt.negative,
    "Not": pt.logical_not,
    "Or": pt.logical_or,
    "PRelu": pt.nn.prelu,
    "Pow": power,
    "Reciprocal": pt.reciprocal,
    "Relu": pt.relu,
    "Round": pt.round,
    "Selu": selu,
    "Shrink": shrink,
    "Sigmoid": pt.sigmoid,
    "Sign": pt.sign,
    "Sin": pt.sin,
    "Sinh": pt.sinh,
    "Softplus": pt.nn.softplus,
    "Softsign": pt.nn.softsign,
    "Sqrt": pt.sqrt,
    "Sub": pt.subtract,
    "Sum": partial(over_all, pt.add),
    "SwiGLU": swiglu,
    "Swish": swish,
    "Tan": pt.tan,
    "Tanh": pt.tanh,
    "ThresholdedRelu": thresholded_relu,
    "Where": pt.where,
    "Xor": pt.logical_xor,
}
