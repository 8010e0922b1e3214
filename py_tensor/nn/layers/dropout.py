"""Dropout layer."""

from __future__ import annotations

from ...tensor import Tensor
from ..dropout import check_rate, dropout
from ..module import Module, static_field


class Dropout(Module):
    """Drop elements at random in training, as `dropout`.

    Calling the layer takes a tensor of any shape and a floating dtype. With `training=True` it
    returns the tensor with elements dropped, using random numbers from `pt.random`. Otherwise it
    returns the tensor unchanged.

    Args:
        rate: Probability from 0 to 1 that an element becomes 0.

    Raises:
        ArgumentError: If `rate` is not from 0 to 1.

    >>> import py_tensor as pt
    >>> pt.nn.Dropout(0.5)(pt.asarray([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """

    rate: float = static_field()

    def __init__(self, rate: float) -> None:
        self.rate = check_rate("Dropout", rate)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return dropout(x, self.rate, training=training)

    def facts(self) -> str:
        return f"{self.rate:g}"
