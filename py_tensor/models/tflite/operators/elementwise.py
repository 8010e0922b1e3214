"""Operators that compute each element separately."""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import Any

from .... import functions as F, nn
from ....dtypes import DType
from ....tensor import Tensor
from ... import common, folding
from ...activations import activation
from ...graph import ModelConstant
from .shared import Operator, Quantization, moved, real, saturated


def cast(x: Tensor, *, dtype: DType, quantization: Quantization | None = None) -> Tensor:
    if dtype.kind in "iu" and x.dtype.kind == "f":
        x = F.trunc(x)
    if dtype.kind != "c" and x.dtype.kind == "c":
        x = F.real(x)
    return x.astype(dtype)


def cast_constant(
    x: ModelConstant, *, dtype: DType, quantization: Quantization | None = None
) -> ModelConstant | None:
    return folding.cast(x, dtype)


def power(a: Tensor, b: Tensor) -> Tensor:
    return a**b


def prelu(x: Tensor, slope: Tensor) -> Tensor:
    return F.where(x >= 0, x, x * slope)


def clipped(low: float, high: float, x: Tensor) -> Tensor:
    return F.clip(x, low, high)


def relu(x: Tensor, *, quantization: Quantization | None = None) -> Tensor:
    scales = None if quantization is None else quantization.inputs[0]
    wanted = None if quantization is None else quantization.outputs[0]
    if scales is None or wanted is None:
        return F.relu(x)
    # TFLite rounds twice: the product with a fraction, and its division by a power of two.
    fraction, exponent = math.frexp(scales.scale[0] / wanted.scale[0])
    steps = F.relu(x.astype("float32") - scales.zero[0])
    steps = F.floor(steps * (fraction * 2.0 ** max(0, exponent)) + 0.5)
    return saturated(steps * 2.0 ** min(0, exponent), wanted)


def squared_difference(a: Tensor, b: Tensor) -> Tensor:
    return F.square(a - b)


def select(condition: Tensor, a: Tensor, b: Tensor) -> Tensor:
    if condition.ndim == 1 and a.ndim > 1 and condition.shape[0] == a.shape[0]:
        # The first version chooses rows.
        condition = condition.reshape((-1, *(1,) * (a.ndim - 1)))
    return F.where(condition, a, b)


def bucketize(x: Tensor, *, boundaries: list[float] | None = None) -> Tensor:
    ends = F.asarray(boundaries or [], dtype="float32")
    return F.searchsorted(ends, x.astype("float32"), side="right").astype("int32")


def alias(x: Any) -> Any:
    return x


def _arithmetic(function: Any, on_numbers: Any) -> Operator:
    return Operator(function, fold=folding.elementwise(on_numbers), wrapper=real)


def _same(function: Any, on_numbers: Any) -> Operator:
    return Operator(function, fold=folding.elementwise(on_numbers), wrapper=moved)


def _compared(function: Any, name: str) -> Operator:
    return Operator(function, fold=folding.COMPARISONS[name], wrapper=real)


def _real(function: Any) -> Operator:
    return Operator(function, wrapper=real)


OPERATORS = {
    "ABS": _arithmetic(F.abs, abs),
    "ADD": _arithmetic(F.add, operator.add),
    "ADD_N": _real(partial(common.over_all, F.add)),
    "ATAN2": _real(F.atan2),
    "Alias": Operator(alias, raw=True),
    "BITWISE_XOR": Operator(F.bitwise_xor),
    "BUCKETIZE": _real(bucketize),
    "CAST": Operator(cast, fold=cast_constant),
    "CEIL": _arithmetic(F.ceil, math.ceil),
    "COMPLEX_ABS": Operator(F.abs),
    "COS": _real(F.cos),
    "DIV": _arithmetic(common.div, folding.divided),
    "ELU": _real(nn.elu),
    "EQUAL": _compared(F.equal, "Equal"),
    "EXP": _real(F.exp),
    "FLOOR": _arithmetic(F.floor, math.floor),
    "FLOOR_DIV": _arithmetic(F.floor_divide, operator.floordiv),
    "FLOOR_MOD": _arithmetic(F.remainder, operator.mod),
    "GELU": _real(nn.gelu),
    "GREATER": _compared(F.greater, "Greater"),
    "GREATER_EQUAL": _compared(F.greater_equal, "GreaterOrEqual"),
    "HARD_SWISH": _real(nn.hard_swish),
    "IMAG": Operator(F.imag),
    "LEAKY_RELU": _real(activation("leaky_relu", alpha=0.0)),
    "LESS": _compared(F.less, "Less"),
    "LESS_EQUAL": _compared(F.less_equal, "LessOrEqual"),
    "LOG": _real(F.log),
    "LOGICAL_AND": _arithmetic(F.logical_and, operator.and_),
    "LOGICAL_NOT": _arithmetic(F.logical_not, operator.not_),
    "LOGICAL_OR": _arithmetic(F.logical_or, operator.or_),
    "LOGISTIC": _real(F.sigmoid),
    "MAXIMUM": _same(F.maximum, max),
    "MINIMUM": _same(F.minimum, min),
    "MUL": _arithmetic(F.multiply, operator.mul),
    "NEG": _arithmetic(F.negative, operator.neg),
    "NOT_EQUAL": _compared(F.not_equal, "NotEqual"),
    "POW": _real(power),
    "PRELU": _real(prelu),
    "REAL": Operator(F.real),
    "RELU": Operator(relu),
    "RELU6": _real(partial(clipped, 0.0, 6.0)),
    "RELU_0_TO_1": _real(partial(clipped, 0.0, 1.0)),
    "RELU_N1_TO_1": _real(partial(clipped, -1.0, 1.0)),
    "RIGHT_SHIFT": Operator(F.bitwise_right_shift),
    "ROUND": _real(F.round),
    "RSQRT": _real(F.rsqrt),
    "SELECT": Operator(select, fold=folding.where, wrapper=moved),
    "SELECT_V2": Operator(F.where, fold=folding.where, wrapper=moved),
    "SIGN": _real(F.sign),
    "SIN": _real(F.sin),
    "SQRT": _real(F.sqrt),
    "SQUARE": _real(F.square),
    "SQUARED_DIFFERENCE": _real(squared_difference),
    "SUB": _arithmetic(F.subtract, operator.sub),
    "TANH": _real(F.tanh),
}
