"""Normalization and softmax, along the last axis."""

from __future__ import annotations

from .... import functions as F, nn
from ....tensor import Tensor
from .shared import Operator, real


def softmax(x: Tensor, *, beta: float = 0.0) -> Tensor:
    return F.softmax(x if beta == 1 else x * beta, axis=-1)


def l2_normalization(x: Tensor) -> Tensor:
    size = F.sqrt(F.sum(F.square(x), axis=-1, keepdims=True))
    return x / F.maximum(size, 1e-6)


OPERATORS = {
    "L2_NORMALIZATION": Operator(l2_normalization, wrapper=real),
    "LOG_SOFTMAX": Operator(nn.log_softmax, wrapper=real),
    "SOFTMAX": Operator(softmax, wrapper=real),
}
