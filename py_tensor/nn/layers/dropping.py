"""Layers that forget at random in training."""

from __future__ import annotations

from ...tensor import Tensor
from ..dropping import check_rate, dropout
from ..module import Module, static_field


class Dropout(Module):
    """`dropout` in training, with numbers from `pt.random`; otherwise x as it is.

    Raises ArgumentError for rates out of 0 .. 1.

    >>> import py_tensor as pt
    >>> pt.nn.Dropout(0.5)(pt.asarray([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """

    rate: float = static_field()

    def __init__(self, rate: float) -> None:
        check_rate("Dropout", rate)
        self.rate = float(rate)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return dropout(x, self.rate, training=training)

    def facts(self) -> str:
        return f"{self.rate:g}"
