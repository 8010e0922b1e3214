"""Operators that create tensors, and those that return shapes."""

from __future__ import annotations

import math
from typing import Any

from .... import functions as F
from ....tensor import Tensor
from ... import folding
from ...execution import HOST_ELEMENTS, MAX_ELEMENTS
from ...graph import ModelConstant
from ...layouts import as_tensor
from .shared import Ints, Operator, Quantization

type Known = Tensor | ModelConstant


def fill(shape: Ints, value: Tensor, *, quantization: Quantization | None = None) -> Tensor:
    if min(shape, default=0) < 0 or math.prod(shape) > MAX_ELEMENTS:
        raise ValueError(f"shape {shape}")
    return F.broadcast_to(value.reshape(()), tuple(shape))


def fill_constant(shape: Ints, value: ModelConstant) -> ModelConstant | None:
    if min(shape, default=0) < 0 or math.prod(shape) > HOST_ELEMENTS:
        return None
    return folding.made(value.numbers * math.prod(shape), shape, value.dtype)


def arange(start: Known, limit: Known, delta: Known) -> Tensor:
    first, end, step = (F.reshape(as_tensor(x), ()).item() for x in (start, limit, delta))
    return F.arange(first, end, step, dtype=start.dtype)


def shape(x: Known, *, quantization: Any = None) -> ModelConstant:
    return folding.made(list(x.shape), (len(x.shape),))


def rank(x: Known, *, quantization: Any = None) -> ModelConstant:
    return folding.made([len(x.shape)], ())


def zeros_like(x: Tensor, *, quantization: Quantization | None = None) -> Tensor:
    zero = quantization.outputs[0].zero[0] if quantization and quantization.outputs[0] else 0
    return F.full(x.shape, zero, dtype=x.dtype)


OPERATORS = {
    "FILL": Operator(fill, host=("shape",), fold=fill_constant),
    "RANGE": Operator(arange, fold=folding.arange, raw=True),
    "RANK": Operator(rank, raw=True),
    "SHAPE": Operator(shape, raw=True),
    "ZEROS_LIKE": Operator(zeros_like),
}
