"""Normalization and softmax, along the last axis."""

from __future__ import annotations

import py_tensor as pt

from ....tensor import Tensor
from .shared import Operator, real


def softmax(x: Tensor, *, beta: float = 0.0) -> Tensor:
    return pt.softmax(x if beta == 1 else x * beta, axis=-1)


def log_softmax(x: Tensor) -> Tensor:
    return pt.nn.log_softmax(x, axis=-1)


def l2_normalization(x: Tensor) -> Tensor:
    size = pt.sqrt(pt.sum(pt.square(x), axis=-1, keepdims=True))
    return x / pt.maximum(size, 1e-6)


OPERATORS = {
    "L2_NORMALIZATION": Operator(l2_normalization, wrapper=real),
    "LOG_SOFTMAX": Operator(log_softmax, wrapper=real),
    "SOFTMAX": Operator(softmax, wrapper=real),
}
