"""Operators that create tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod

from .... import functions as F, random
from ....tensor import Tensor
from ... import common, folding, indexing
from ...common import Known
from ...execution import Operator, fits
from ...graph import ModelConstant
from ...options import Ints, single
from ..attributes import Type


def fill(shape: Ints, value: Tensor) -> Tensor:
    return F.broadcast_to(value, tuple(shape))


def folded_fill(shape: Ints, value: ModelConstant) -> ModelConstant | None:
    if not fits(prod(shape), value.dtype):
        return None
    return folding.made(value.numbers * prod(shape), shape, value.dtype)


def filled(number: int, shape: Ints, *, T: Type) -> Tensor:
    return F.full(tuple(shape), number, dtype=T.dtype)


def filled_like(number: int, x: Known) -> Known:
    if fits(x.size, x.dtype):
        return folding.made([number] * x.size, x.shape, x.dtype)
    return F.full(x.shape, number, dtype=x.dtype)


def rank(x: Known) -> ModelConstant:
    return folding.made([len(x.shape)], ())


def shapes(*xs: Known) -> tuple[ModelConstant, ...]:
    return tuple(map(common.shape, xs))


def linspace(start: float, stop: float, count: int | Ints) -> Tensor:
    numbers: Tensor = F.linspace(start, stop, single(count), dtype="float32")
    return numbers


def normal(shape: Ints, *, dtype: Type) -> Tensor:
    return random.normal(tuple(shape), dtype=dtype.dtype)


def truncated_normal(shape: Ints, *, dtype: Type) -> Tensor:
    return random.truncated_normal(-2.0, 2.0, tuple(shape), dtype=dtype.dtype)


def uniform(shape: Ints, *, dtype: Type) -> Tensor:
    return random.uniform(tuple(shape), dtype=dtype.dtype)


def integers(shape: Ints, low: int | Ints, high: int | Ints) -> Tensor:
    drawn: Tensor = random.randint(single(low), single(high), tuple(shape))
    return drawn


def multinomial(logits: Tensor, count: int | Ints) -> Tensor:
    drawn = random.categorical(logits, shape=(single(count), *logits.shape[:-1]))
    return F.moveaxis(drawn, 0, -1)


def _random(function: Callable[..., Tensor]) -> Operator:
    return Operator(function, host=("shape",))


OPERATORS = {
    "Fill": Operator(fill, host=("shape",), fold=folded_fill),
    "LinSpace": Operator(linspace, host=("start", "stop", "count")),
    "Multinomial": Operator(multinomial, host=("count",)),
    "OneHot": Operator(indexing.one_hot, host=("depth",)),
    "Ones": Operator(partial(filled, 1), host=("shape",)),
    "OnesLike": Operator(partial(filled_like, 1), raw=True),
    "RandomStandardNormal": _random(normal),
    "RandomUniform": _random(uniform),
    "RandomUniformInt": Operator(integers, host=("shape", "low", "high")),
    "Range": Operator(common.arange, fold=folding.arange, raw=True),
    "Rank": Operator(rank, raw=True),
    "Shape": Operator(common.shape, raw=True),
    "ShapeN": Operator(shapes, raw=True),
    "Size": Operator(common.size, raw=True),
    "TruncatedNormal": _random(truncated_normal),
    "Zeros": Operator(partial(filled, 0), host=("shape",)),
    "ZerosLike": Operator(partial(filled_like, 0), raw=True),
}
