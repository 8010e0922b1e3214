"""Layers of matrix products and of tables."""

from __future__ import annotations

from typing import Any

from ... import random
from ...dtypes import float32
from ...tensor import Tensor
from ..activations import prelu
from ..embedding import embedding
from ..initializers import Initializer, glorot_uniform, zeros
from ..module import Module, static_field


class Dense(Module):
    """x @ weight + bias over the last axis: (..., inputs) to (..., outputs).

    `weight` has shape (inputs, outputs), `bias` has shape (outputs,) or is None. Raises ShapeError
    for another number of inputs.

    >>> import py_tensor as pt
    >>> pt.nn.Dense(3, 2)(pt.ones((4, 3))).shape
    (4, 2)
    """

    inputs: int = static_field()
    outputs: int = static_field()
    weight: Tensor
    bias: Tensor | None

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        bias: bool = True,
        weight_init: Initializer = glorot_uniform,
        bias_init: Initializer = zeros,
        dtype: Any = float32,
    ) -> None:
        self.inputs, self.outputs = inputs, outputs
        self.weight = weight_init((inputs, outputs), dtype=dtype)
        self.bias = bias_init((outputs,), dtype=dtype) if bias else None

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        result = x @ self.weight
        return result if self.bias is None else result + self.bias

    def facts(self) -> str:
        return f"{self.inputs} -> {self.outputs}"


def _narrow(shape: Any, *, dtype: Any = float32) -> Tensor:
    return random.uniform(shape, -0.05, 0.05, dtype=dtype)


class Embedding(Module):
    """A row of `features` numbers for each integer of 0 .. rows - 1: (...) to (..., features).

    `weight` has shape (rows, features) and is uniform in +-0.05 at first, as in TensorFlow.js.
    Raises DTypeError for what is not integers.

    >>> import py_tensor as pt
    >>> pt.nn.Embedding(100, 8)(pt.asarray([[3, 1, 4]])).shape
    (1, 3, 8)
    """

    rows: int = static_field()
    features: int = static_field()
    weight: Tensor

    def __init__(
        self,
        rows: int,
        features: int,
        *,
        weight_init: Initializer = _narrow,
        dtype: Any = float32,
    ) -> None:
        self.rows, self.features = rows, features
        self.weight = weight_init((rows, features), dtype=dtype)

    def forward(self, x: Any, *, training: bool = False) -> Tensor:
        return embedding(x, self.weight)

    def facts(self) -> str:
        return f"{self.rows} rows of {self.features}"


class PReLU(Module):
    """`prelu` with a learned slope for each channel, 0.25 at first.

    (..., channels) to the same. Raises ShapeError for another number of channels.

    >>> import py_tensor as pt
    >>> pt.nn.PReLU(2)(pt.asarray([[-4.0, 4.0]])).tolist()
    [[-1.0, 4.0]]
    """

    channels: int = static_field()
    alpha: Tensor

    def __init__(self, channels: int, *, alpha: float = 0.25, dtype: Any = float32) -> None:
        self.channels = channels
        self.alpha = zeros((channels,), dtype=dtype) + float(alpha)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return prelu(x, self.alpha)

    def facts(self) -> str:
        return str(self.channels)
