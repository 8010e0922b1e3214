"""Operators that create tensors, and those that return shapes."""

from __future__ import annotations

import math

from .... import functions as F
from ....tensor import Tensor
from ... import common, folding
from ...common import Known
from ...execution import HOST_ELEMENTS, MAX_ELEMENTS
from ...graph import ModelConstant
from .shared import QUANTIZATION, Ints, Operator, Quantization


def fill(shape: Ints, value: Tensor) -> Tensor:
    if min(shape, default=0) < 0 or math.prod(shape) > MAX_ELEMENTS:
        raise ValueError(f"shape {shape}")
    return F.broadcast_to(value.reshape(()), tuple(shape))


def fill_constant(shape: Ints, value: ModelConstant) -> ModelConstant | None:
    if min(shape, default=0) < 0 or math.prod(shape) > HOST_ELEMENTS:
        return None
    return folding.made(value.numbers * math.prod(shape), shape, value.dtype)


def rank(x: Known) -> ModelConstant:
    return folding.made([len(x.shape)], ())


def zeros_like(x: Tensor, *, quantization: Quantization | None = None) -> Tensor:
    zero = quantization.outputs[0].zero[0] if quantization and quantization.outputs[0] else 0
    return F.full(x.shape, zero, dtype=x.dtype)


OPERATORS = {
    "FILL": Operator(fill, host=("shape",), fold=fill_constant, ignored=QUANTIZATION),
    "RANGE": Operator(common.arange, fold=folding.arange, raw=True),
    "RANK": Operator(rank, raw=True, ignored=QUANTIZATION),
    "SHAPE": Operator(common.shape, raw=True, ignored=QUANTIZATION),
    "ZEROS_LIKE": Operator(zeros_like),
}
