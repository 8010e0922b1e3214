"""Operators that compute each element separately."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

from .... import functions as F, nn
from ....nn.split_matrix import SplitMatrix
from ....tensor import Tensor
from ... import common, folding, layouts
from ...activations import swish
from ...graph import ModelConstant, ValueList
from .shared import (
    ACTIVATIONS,
    NARROW_FLOATS,
    NARROW_INTEGERS,
    Operator,
    dtype_of,
    narrowed,
    unsupported,
)


def floating(on_floats: Any, function: Any, inputs: list[Any], options: dict[str, Any]) -> Any:
    """Compute with a function of floating numbers, which may be Python numbers, or with another."""
    if all(value.dtype.kind == "f" for value in inputs):
        return layouts.arithmetic(on_floats, inputs, options)
    return layouts.elementwise(function, inputs, options)


def mod(a: Tensor, b: Tensor, *, fmod: int = 0) -> Tensor:
    if not fmod:
        return a % b
    return common.remainder(a, b)


def power(base: Tensor, exponent: Tensor) -> Tensor:
    if base.dtype.kind == "f" or exponent.dtype.kind != "f":
        return base ** exponent.astype(base.dtype)
    return F.round(base.astype("float32") ** exponent).astype(base.dtype)


def bit_shift(x: Tensor, y: Tensor, *, direction: str) -> Tensor:
    return x << y if direction == "LEFT" else x >> y


def identity(x: Tensor | SplitMatrix) -> Tensor | SplitMatrix:
    return F.copy(x) if isinstance(x, Tensor) else x


def cast(
    x: Tensor | SplitMatrix, *, to: int, saturate: int = 1, round_mode: str = "up"
) -> Tensor | SplitMatrix:
    if isinstance(x, SplitMatrix):
        return x.with_blocks(partial(cast, to=to, saturate=saturate, round_mode=round_mode))
    if to in NARROW_INTEGERS:
        # Integers of few bits wrap, and are held in integers of 8 bits.
        bits, low = NARROW_INTEGERS[to]
        wide = x.astype("int32")
        return ((wide - low) % (1 << bits) + low).astype(dtype_of(to))
    if to in NARROW_FLOATS:
        return narrowed(x, to, saturate=saturate, round_mode=round_mode)
    return x.astype(dtype_of(to))


def folded_cast(
    x: ModelConstant, *, to: int, saturate: int = 1, round_mode: str = "up"
) -> ModelConstant | None:
    return None if to in NARROW_INTEGERS or to in NARROW_FLOATS else folding.cast(x, dtype_of(to))


def bit_cast(x: Tensor, *, to: int) -> Tensor:
    target = dtype_of(to)
    if "f" in (x.dtype.kind, target.kind) or x.dtype.itemsize != target.itemsize:
        raise unsupported(f"BitCast from {x.dtype} to {target}")
    return x.astype(target)


def cast_like(x: Tensor, like: Tensor, *, saturate: int = 1, round_mode: str = "up") -> Tensor:
    return x.astype(like.dtype)


def is_inf(x: Tensor, *, detect_negative: int = 1, detect_positive: int = 1) -> Tensor:
    wanted = F.isinf(x)
    if not detect_negative:
        wanted = wanted & (x > 0)
    return wanted if detect_positive else wanted & (x < 0)


def prelu(x: Tensor, slope: Tensor, *, opset: int) -> Tensor:
    if opset < 9 and slope.ndim == 1 and slope.size > 1:
        # Old versions have a slope for each channel.
        slope = slope.reshape((-1, *(1,) * (x.ndim - 2)))
    return nn.prelu(x, slope)


def prelu_layout(function: Any, inputs: list[Any], options: dict[str, Any]) -> Any:
    slope = inputs[1]
    old = options["opset"] < 9 and len(slope.shape) == 1 and slope.size > 1
    return None if old else layouts.elementwise(function, inputs, options)


def shrink(x: Tensor, *, lambd: float = 0.5, bias: float = 0.0) -> Tensor:
    if bias == 0:
        return nn.hard_shrink(x, threshold=lambd)
    if bias == lambd:
        return nn.soft_shrink(x, threshold=lambd)
    return F.where(x < -lambd, x + bias, F.where(x > lambd, x - bias, 0.0))


def gelu(x: Tensor, *, approximate: str = "none") -> Tensor:
    return nn.gelu(x, approximate=approximate == "tanh")


def swiglu(gate: Tensor, value: Tensor, *, alpha: float = 1.0) -> Tensor:
    return swish(gate, alpha=alpha) * value


def dropout(
    x: Tensor,
    rate: float | None = None,
    training: bool | None = None,
    *,
    seed: int | None = None,
    ratio: float = 0.5,
) -> tuple[Tensor, Tensor]:
    rate = ratio if rate is None else rate
    if training and rate:
        raise unsupported("Dropout with random numbers of NumPy's generator")
    return F.copy(x), F.ones_like(x, dtype="bool")


def mean(x: Tensor, *more: Tensor) -> Tensor:
    return common.over_all(F.add, x, *more) / (1 + len(more))


def _of_list(function: Any, inputs: list[Any], options: dict[str, Any]) -> Any:
    """Return a sequence as it is."""
    return inputs[0] if isinstance(inputs[0], ValueList) else None


_NAMES = """
    abs acos acosh add asin asinh atan atanh bitwise_and bitwise_or bitwise_xor ceil cos cosh equal
    erf exp floor greater less log reciprocal round sign sin sinh sqrt tan where
"""
"""Functions of pt whose operators have the same name, but for capitals."""
_ROWS = {
    **{
        name: Operator(function)
        for name, function in ACTIVATIONS.items()
        if name not in ("Affine", "ScaledTanh")
    },
    **{name.title().replace("_", ""): common.elementwise(name) for name in _NAMES.split()},
    "And": common.elementwise("logical_and"),
    "BitCast": Operator(bit_cast),
    "BitShift": Operator(bit_shift),
    "BitwiseNot": common.elementwise("bitwise_invert"),
    "Cast": Operator(cast, fold=folded_cast, split=("x",)),
    "CastLike": Operator(cast_like),
    "Clip": Operator(F.clip),
    "Div": Operator(
        common.div, fold=folding.elementwise(folding.divided), layout=partial(floating, F.divide)
    ),
    "Dropout": Operator(dropout, host=("rate", "training")),
    "Gelu": Operator(gelu),
    "GreaterOrEqual": common.elementwise("greater_equal"),
    "Identity": Operator(identity, fold=folding.identity, layout=_of_list, split=("x",)),
    "IsInf": Operator(is_inf),
    "IsNaN": common.elementwise("isnan"),
    "LessOrEqual": common.elementwise("less_equal"),
    "Max": Operator(partial(common.over_all, F.maximum), fold=folding.over_all(max)),
    "Mean": Operator(mean),
    "Min": Operator(partial(common.over_all, F.minimum), fold=folding.over_all(min)),
    "Mod": Operator(mod, fold=folding.elementwise(folding.remainder)),
    "Mul": common.elementwise("multiply"),
    "Neg": common.elementwise("negative"),
    "Not": common.elementwise("logical_not"),
    "Or": common.elementwise("logical_or"),
    "PRelu": Operator(prelu, layout=prelu_layout),
    "Pow": Operator(power, layout=partial(floating, F.pow)),
    "Shrink": Operator(shrink),
    "Sub": common.elementwise("subtract"),
    "Sum": Operator(partial(common.over_all, F.add), fold=folding.over_all(operator.add)),
    "SwiGLU": Operator(swiglu),
    "Xor": common.elementwise("logical_xor"),
}

_NUMBERS = ("Add", "Clip", "Max", "Min", "Mul", "Sub")
OPERATORS = {
    name: row._replace(
        layout=row.layout or (layouts.arithmetic if name in _NUMBERS else layouts.elementwise),
        folds=True,
    )
    for name, row in _ROWS.items()
}
