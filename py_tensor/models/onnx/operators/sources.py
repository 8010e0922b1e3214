"""Operators that create tensors."""

from __future__ import annotations

from .... import functions as F
from ....tensor import Tensor
from ... import folding
from ...common import arange, shape, size
from ...graph import ModelConstant
from .shared import Ints, Operator, dtype_or


def constant_of_shape(shape: Ints, *, value: ModelConstant | None = None) -> Tensor:
    if value is None:
        return F.zeros(shape)
    return F.full(shape, value.numbers[0], dtype=value.dtype)


def eye_like(x: Tensor, *, dtype: int | None = None, k: int = 0) -> Tensor:
    rows, columns = x.shape
    return F.eye(rows, columns, k=k, dtype=dtype_or(x.dtype, dtype))


OPERATORS = {
    "ConstantOfShape": Operator(constant_of_shape, host=("shape",), fold=folding.constant_of_shape),
    "EyeLike": Operator(eye_like),
    "Range": Operator(arange, fold=folding.arange, raw=True),
    "Shape": Operator(shape, raw=True),
    "Size": Operator(size, raw=True),
}
