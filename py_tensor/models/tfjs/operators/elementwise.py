"""Operators that compute each element separately."""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import Any

import py_tensor as pt

from ....tensor import Tensor
from ... import common, folding
from ...execution import Operator
from ...graph import Constant
from ..attributes import Type


def identity(x: Any, *, shape: Any = None) -> Any:
    return x


def first(x: Any, *others: Any) -> Any:
    return x


def identities(*xs: Any) -> tuple[Any, ...]:
    return xs


def bias_add(x: Tensor, bias: Tensor, *, data_format: str = "NHWC") -> Tensor:
    if data_format == "NCHW":
        bias = bias.reshape((-1, *(1,) * (x.ndim - 2)))
    return x + bias


def squared_difference(a: Tensor, b: Tensor) -> Tensor:
    return pt.square(a - b)


def power(base: Tensor, exponent: Tensor) -> Tensor:
    if base.dtype.kind != "f" and exponent.dtype.kind == "f":
        return pt.round(base.astype("float32") ** exponent).astype(base.dtype)
    return base**exponent


def clip(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
    return pt.minimum(pt.maximum(x, low), high)


def cast(x: Tensor, *, DstT: Type) -> Tensor:
    return x.astype(DstT.dtype)


def folded_cast(x: Constant, *, DstT: Type) -> Constant | None:
    return folding.cast(x, DstT.dtype)


def leaky_relu(x: Tensor, *, alpha: float = 0.2) -> Tensor:
    return pt.nn.leaky_relu(x, alpha=alpha)


def elu(x: Tensor) -> Tensor:
    return pt.nn.elu(x)


def relu6(x: Tensor) -> Tensor:
    return pt.clip(x, 0, 6)


def select(condition: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Choose elements; a vector of conditions chooses whole rows."""
    if condition.ndim == 1 < a.ndim:
        condition = condition.reshape((-1, *(1,) * (a.ndim - 1)))
    return pt.where(condition, a, b)


def folded_select(condition: Constant, a: Constant, b: Constant) -> Constant | None:
    return None if len(condition.shape) == 1 < len(a.shape) else folding.where(condition, a, b)


def complex_(real: Tensor, imag: Tensor) -> Tensor:
    found: Tensor = pt.add(real, pt.multiply(imag, 1j))
    return found


def fake_quantization(
    x: Tensor, low: float, high: float, *, num_bits: int = 8, narrow_range: bool = False
) -> Tensor:
    """Round to steps between two limits, which are moved so that 0 is one of the steps."""
    first, last = int(narrow_range), 2**num_bits - 1
    step = (high - low) / (last - first)
    zero = min(max(first - low / step, first), last)
    low = (first - math.floor(zero + 0.5)) * step
    high = (last - math.floor(zero + 0.5)) * step
    steps = pt.floor((pt.clip(x, low, high) - low) / step + 0.5)
    return pt.add(pt.multiply(steps, step), low)


def _arithmetic(function: Any, on_numbers: Any) -> Operator:
    return Operator(function, fold=folding.elementwise(on_numbers))


def _quotient(a: Any, b: Any) -> Any:
    return math.floor(a / b) if isinstance(a, float) else a // b


OPERATORS = {
    "Abs": _arithmetic(pt.abs, abs),
    "Acos": Operator(pt.acos),
    "Acosh": Operator(pt.acosh),
    "Add": _arithmetic(pt.add, operator.add),
    "AddN": Operator(partial(common.over_all, pt.add), fold=folding.over_all(operator.add)),
    "AddV2": _arithmetic(pt.add, operator.add),
    "Asin": Operator(pt.asin),
    "Asinh": Operator(pt.asinh),
    "Atan": Operator(pt.atan),
    "Atan2": Operator(pt.atan2),
    "Atanh": Operator(pt.atanh),
    "BiasAdd": Operator(bias_add),
    "BitwiseAnd": Operator(pt.bitwise_and),
    "BitwiseOr": Operator(pt.bitwise_or),
    "BitwiseXor": Operator(pt.bitwise_xor),
    "Cast": Operator(cast, fold=folded_cast),
    "Ceil": _arithmetic(pt.ceil, math.ceil),
    "CheckNumerics": Operator(identity, raw=True),
    "ClipByValue": Operator(clip),
    "Complex": Operator(complex_),
    "ComplexAbs": Operator(pt.abs),
    "Conj": Operator(pt.conj),
    "Cos": Operator(pt.cos),
    "Cosh": Operator(pt.cosh),
    "Div": _arithmetic(common.div, folding.divided),
    "DivNoNan": Operator(pt.divide_no_nan),
    "Elu": Operator(elu),
    "Equal": Operator(pt.equal, fold=folding.COMPARISONS["Equal"]),
    "Erf": Operator(pt.erf),
    "Erfc": Operator(pt.erfc),
    "Exp": Operator(pt.exp),
    "Expm1": Operator(pt.expm1),
    "FakeQuantWithMinMaxVars": Operator(fake_quantization, host=("low", "high")),
    "Floor": _arithmetic(pt.floor, math.floor),
    "FloorDiv": _arithmetic(pt.floor_divide, _quotient),
    "FloorMod": _arithmetic(pt.remainder, operator.mod),
    "Greater": Operator(pt.greater, fold=folding.COMPARISONS["Greater"]),
    "GreaterEqual": Operator(pt.greater_equal, fold=folding.COMPARISONS["GreaterOrEqual"]),
    "Identity": Operator(identity, raw=True),
    "IdentityN": Operator(identities, raw=True),
    "Imag": Operator(pt.imag),
    "IsFinite": Operator(pt.isfinite),
    "IsInf": Operator(pt.isinf),
    "IsNan": Operator(pt.isnan),
    "LeakyRelu": Operator(leaky_relu),
    "Less": Operator(pt.less, fold=folding.COMPARISONS["Less"]),
    "LessEqual": Operator(pt.less_equal, fold=folding.COMPARISONS["LessOrEqual"]),
    "Lgamma": Operator(pt.lgamma),
    "Log": Operator(pt.log),
    "Log1p": Operator(pt.log1p),
    "LogicalAnd": _arithmetic(pt.logical_and, operator.and_),
    "LogicalNot": _arithmetic(pt.logical_not, operator.not_),
    "LogicalOr": _arithmetic(pt.logical_or, operator.or_),
    "Maximum": _arithmetic(pt.maximum, max),
    "Minimum": _arithmetic(pt.minimum, min),
    "Mod": _arithmetic(common.remainder, partial(folding.remainder, fmod=1)),
    "Mul": _arithmetic(pt.multiply, operator.mul),
    "Neg": _arithmetic(pt.negative, operator.neg),
    "NotEqual": Operator(pt.not_equal, fold=folding.elementwise(operator.ne, pt.bool)),
    "PlaceholderWithDefault": Operator(identity, raw=True),
    "Pow": Operator(power),
    "Prelu": Operator(pt.nn.prelu),
    "PreventGradient": Operator(identity, raw=True),
    "Print": Operator(first, raw=True),
    "Real": Operator(pt.real),
    "RealDiv": _arithmetic(pt.divide, operator.truediv),
    "Reciprocal": Operator(pt.reciprocal),
    "Relu": Operator(pt.relu),
    "Relu6": Operator(relu6),
    "Rint": Operator(pt.round),
    "Round": Operator(pt.round),
    "Rsqrt": Operator(pt.rsqrt),
    "Select": Operator(select, fold=folded_select),
    "SelectV2": Operator(pt.where, fold=folding.where),
    "Selu": Operator(pt.nn.selu),
    "Sigmoid": Operator(pt.sigmoid),
    "Sign": Operator(pt.sign),
    "Sin": Operator(pt.sin),
    "Sinh": Operator(pt.sinh),
    "Snapshot": Operator(identity, raw=True),
    "Softplus": Operator(pt.nn.softplus),
    "Softsign": Operator(pt.nn.softsign),
    "Sqrt": Operator(pt.sqrt),
    "Square": Operator(pt.square),
    "SquaredDifference": Operator(squared_difference),
    "StopGradient": Operator(identity, raw=True),
    "Sub": _arithmetic(pt.subtract, operator.sub),
    "Tan": Operator(pt.tan),
    "Tanh": Operator(pt.tanh),
}
