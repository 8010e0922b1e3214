"""Operators that compute each element separately."""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import Any

from .... import functions as F
from ....dtypes import bool_
from ....nn.layers.merging import MERGES
from ....tensor import Tensor
from ... import common, folding
from ...activations import activation
from ...execution import Operator
from ...graph import ModelConstant
from ..attributes import Type


def identity(x: Any, *, shape: Any = None) -> Any:
    return x


def first(x: Any, *rest: Any) -> Any:
    return x


def identities(*xs: Any) -> tuple[Any, ...]:
    return xs


def bias_add(x: Tensor, bias: Tensor, *, data_format: str = "NHWC") -> Tensor:
    if data_format == "NCHW":
        bias = bias.reshape((-1, *(1,) * (x.ndim - 2)))
    return x + bias


def squared_difference(a: Tensor, b: Tensor) -> Tensor:
    return F.square(a - b)


def power(base: Tensor, exponent: Tensor) -> Tensor:
    if base.dtype.kind != "f" and exponent.dtype.kind == "f":
        return F.round(base.astype("float32") ** exponent).astype(base.dtype)
    return base**exponent


def clip(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
    return F.minimum(F.maximum(x, low), high)


def cast(x: Tensor, *, DstT: Type) -> Tensor:
    return x.astype(DstT.dtype)


def folded_cast(x: ModelConstant, *, DstT: Type) -> ModelConstant | None:
    return folding.cast(x, DstT.dtype)


def select(condition: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Choose elements; a vector of conditions chooses whole rows."""
    if condition.ndim == 1 < a.ndim:
        condition = condition.reshape((-1, *(1,) * (a.ndim - 1)))
    return F.where(condition, a, b)


def folded_select(
    condition: ModelConstant, a: ModelConstant, b: ModelConstant
) -> ModelConstant | None:
    return None if len(condition.shape) == 1 < len(a.shape) else folding.where(condition, a, b)


def complex_(real: Tensor, imag: Tensor) -> Tensor:
    number: Tensor = F.add(real, F.multiply(imag, 1j))
    return number


def fake_quantization(
    x: Tensor, low: float, high: float, *, num_bits: int = 8, narrow_range: bool = False
) -> Tensor:
    """Round to steps between two limits, which are moved so that 0 is one of the steps."""
    first, last = int(narrow_range), 2**num_bits - 1
    step = (high - low) / (last - first)
    zero = min(max(first - low / step, first), last)
    low = (first - math.floor(zero + 0.5)) * step
    high = (last - math.floor(zero + 0.5)) * step
    steps = F.floor((F.clip(x, low, high) - low) / step + 0.5)
    return F.add(F.multiply(steps, step), low)


def _arithmetic(function: Any, on_numbers: Any) -> Operator:
    return Operator(function, fold=folding.elementwise(on_numbers))


def _quotient(a: Any, b: Any) -> Any:
    return math.floor(a / b) if isinstance(a, float) else a // b


_ACTIVATIONS = "Elu Prelu Relu Relu6 Selu Sigmoid Softplus Softsign Tanh"
_FUNCTIONS = """
    Acos Acosh Asin Asinh Atan Atan2 Atanh Conj Cos Cosh Erf Erfc Exp Expm1 Imag IsFinite
    IsInf IsNan Lgamma Log Log1p Real Reciprocal Round Rsqrt Sign Sin Sinh Sqrt Square Tan"""
"""Operators that have the name of a function."""
_IDENTITIES = "CheckNumerics Identity PlaceholderWithDefault PreventGradient Snapshot StopGradient"

OPERATORS = {
    **{name: Operator(activation(name.lower())) for name in _ACTIVATIONS.split()},
    **{name: Operator(getattr(F, name.lower())) for name in _FUNCTIONS.split()},
    **{name: Operator(identity, raw=True) for name in _IDENTITIES.split()},
    "Abs": _arithmetic(F.abs, abs),
    "Add": _arithmetic(F.add, operator.add),
    "AddN": Operator(MERGES["Add"], fold=folding.over_all(operator.add)),
    "AddV2": _arithmetic(F.add, operator.add),
    "BiasAdd": Operator(bias_add),
    "BitwiseAnd": Operator(F.bitwise_and),
    "BitwiseOr": Operator(F.bitwise_or),
    "BitwiseXor": Operator(F.bitwise_xor),
    "Cast": Operator(cast, fold=folded_cast),
    "Ceil": _arithmetic(F.ceil, math.ceil),
    "ClipByValue": Operator(clip),
    "Complex": Operator(complex_),
    "ComplexAbs": Operator(F.abs),
    "Div": _arithmetic(common.div, folding.divided),
    "DivNoNan": Operator(F.divide_no_nan),
    "Equal": Operator(F.equal, fold=folding.ELEMENTWISE["equal"]),
    "FakeQuantWithMinMaxVars": Operator(fake_quantization, host=("low", "high")),
    "Floor": _arithmetic(F.floor, math.floor),
    "FloorDiv": _arithmetic(F.floor_divide, _quotient),
    "FloorMod": _arithmetic(F.remainder, operator.mod),
    "Greater": Operator(F.greater, fold=folding.ELEMENTWISE["greater"]),
    "GreaterEqual": Operator(F.greater_equal, fold=folding.ELEMENTWISE["greater_equal"]),
    "IdentityN": Operator(identities, raw=True),
    "LeakyRelu": Operator(activation("leaky_relu")),
    "Less": Operator(F.less, fold=folding.ELEMENTWISE["less"]),
    "LessEqual": Operator(F.less_equal, fold=folding.ELEMENTWISE["less_equal"]),
    "LogicalAnd": _arithmetic(F.logical_and, operator.and_),
    "LogicalNot": _arithmetic(F.logical_not, operator.not_),
    "LogicalOr": _arithmetic(F.logical_or, operator.or_),
    "Maximum": _arithmetic(F.maximum, max),
    "Minimum": _arithmetic(F.minimum, min),
    "Mod": _arithmetic(common.remainder, partial(folding.remainder, fmod=1)),
    "Mul": _arithmetic(F.multiply, operator.mul),
    "Neg": _arithmetic(F.negative, operator.neg),
    "NotEqual": Operator(F.not_equal, fold=folding.elementwise(operator.ne, bool_)),
    "Pow": Operator(power),
    "Print": Operator(first, raw=True),
    "RealDiv": _arithmetic(F.divide, operator.truediv),
    "Rint": Operator(F.round),
    "Select": Operator(select, fold=folded_select),
    "SelectV2": Operator(F.where, fold=folding.where),
    "SquaredDifference": Operator(squared_difference),
    "Sub": _arithmetic(F.subtract, operator.sub),
}
