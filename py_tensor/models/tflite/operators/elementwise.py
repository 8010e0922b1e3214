"""Operators that compute each element separately."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from .... import functions as F, nn
from ....dtypes import DType
from ....tensor import Tensor
from ... import common, folding
from ...activations import activation
from ...graph import ModelConstant
from .shared import QUANTIZATION, Operator, Quantization, moved, real, saturated


def cast(x: Tensor, *, dtype: DType) -> Tensor:
    if dtype.kind in "iu" and x.dtype.kind == "f":
        x = F.trunc(x)
    if dtype.kind != "c" and x.dtype.kind == "c":
        x = F.real(x)
    return x.astype(dtype)


def cast_constant(x: ModelConstant, *, dtype: DType) -> ModelConstant | None:
    return folding.cast(x, dtype)


def prelu(x: Tensor, slope: Tensor) -> Tensor:
    return F.where(x >= 0, x, x * slope)


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


def _real(function: Any) -> Operator:
    return Operator(function, wrapper=real)


_NAMES = """
    abs add atan2 ceil cos equal exp floor greater greater_equal less less_equal log logical_and
    logical_not logical_or not_equal round rsqrt sign sin sqrt square tanh
"""
"""Functions of pt whose operators have the same name, but for capitals."""
OPERATORS = {
    **{name.upper(): common.elementwise(name, wrapper=real) for name in _NAMES.split()},
    "ADD_N": _real(partial(common.over_all, F.add)),
    "Alias": Operator(alias, raw=True),
    "BITWISE_XOR": Operator(F.bitwise_xor),
    "BUCKETIZE": _real(bucketize),
    "CAST": Operator(cast, fold=cast_constant, ignored=QUANTIZATION),
    "COMPLEX_ABS": Operator(F.abs),
    "DIV": Operator(common.div, fold=folding.elementwise(folding.divided), wrapper=real),
    "ELU": _real(nn.elu),
    "FLOOR_DIV": common.elementwise("floor_divide", wrapper=real),
    "FLOOR_MOD": common.elementwise("remainder", wrapper=real),
    "GELU": _real(nn.gelu),
    "HARD_SWISH": _real(nn.hard_swish),
    "IMAG": Operator(F.imag),
    "LEAKY_RELU": _real(activation("leaky_relu", alpha=0.0)),
    "LOGISTIC": _real(F.sigmoid),
    "MAXIMUM": common.elementwise("maximum", wrapper=moved),
    "MINIMUM": common.elementwise("minimum", wrapper=moved),
    "MUL": common.elementwise("multiply", wrapper=real),
    "NEG": common.elementwise("negative", wrapper=real),
    "POW": _real(F.pow),
    "PRELU": _real(prelu),
    "REAL": Operator(F.real),
    "RELU": Operator(relu),
    "RELU6": _real(partial(F.clip, min=0.0, max=6.0)),
    "RELU_0_TO_1": _real(partial(F.clip, min=0.0, max=1.0)),
    "RELU_N1_TO_1": _real(partial(F.clip, min=-1.0, max=1.0)),
    "RIGHT_SHIFT": Operator(F.bitwise_right_shift),
    "SELECT": Operator(select, fold=folding.where, wrapper=moved),
    "SELECT_V2": common.elementwise("where", wrapper=moved),
    "SQUARED_DIFFERENCE": _real(squared_difference),
    "SUB": common.elementwise("subtract", wrapper=real),
}
