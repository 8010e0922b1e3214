"""Layers that merge several tensors into one, for models with branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add, mul, sub, truediv
from typing import ClassVar

from ... import functions as F
from ...errors import ArgumentError
from ...functions.arguments import integer
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike
from ..module import Module, static_field


def folded(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def merged(x: Tensor, *more: Tensor) -> Tensor:
        return reduce(function, more, x)

    return merged


def _average(x: Tensor, *more: Tensor) -> Tensor:
    return reduce(add, more, x) * (1 / (1 + len(more)))


MERGES: dict[str, Callable[..., Tensor]] = {
    "Add": folded(add),
    "Average": _average,
    "Divide": truediv,
    "Maximum": folded(F.maximum),
    "Minimum": folded(F.minimum),
    "Multiply": folded(mul),
    "Subtract": sub,
}
"""Functions that merge tensors, by the name of their layer in Keras."""


class _Merge(Module):
    function: ClassVar[Callable[..., Tensor]]
    least: ClassVar[int] = 1
    most: ClassVar[int | None] = None

    def forward(self, tensors: Sequence[ArrayLike], *, training: bool = False) -> Tensor:
        name = type(self).__name__
        listed = tensors if isinstance(tensors, (list, tuple)) else None
        if listed is None or not self.least <= len(listed) <= (self.most or len(listed)):
            count = f"{self.least}" if self.least == self.most else f"{self.least} or more"
            shown = f"{len(listed)}" if listed is not None else type(tensors).__name__
            raise ArgumentError(
                f"{name}: input must be a list of {count} tensors; got {shown}; pass for example "
                "[x, y]"
            )
        return self._merged([as_tensor(name, tensor) for tensor in listed])

    def _merged(self, tensors: list[Tensor]) -> Tensor:
        return type(self).function(*tensors)


class Add(_Merge):
    """Add tensors that broadcast against each other.

    Calling the layer takes a list of tensors of any dtypes that promote to one, and returns their
    sum.

    Raises:
        ArgumentError: In a call, if the input is no list of tensors.
        ShapeError: In a call, if the shapes do not broadcast.

    >>> import py_tensor as pt
    >>> pt.nn.Add()([pt.asarray([1.0, 2.0]), pt.asarray([3.0, 4.0])]).tolist()
    [4.0, 6.0]
    """

    function = staticmethod(MERGES["Add"])


class Multiply(_Merge):
    """Multiply tensors that broadcast against each other.

    Calling the layer takes a list of tensors and returns their product.

    Raises:
        ArgumentError: In a call, if the input is no list of tensors.
        ShapeError: In a call, if the shapes do not broadcast.

    >>> import py_tensor as pt
    >>> pt.nn.Multiply()([pt.asarray([1.0, 2.0]), pt.asarray([3.0, 4.0])]).tolist()
    [3.0, 8.0]
    """

    function = staticmethod(MERGES["Multiply"])


class Maximum(_Merge):
    """Return the elementwise maximum of tensors that broadcast against each other.

    Calling the layer takes a list of tensors and returns one.

    Raises:
        ArgumentError: In a call, if the input is no list of tensors.
        ShapeError: In a call, if the shapes do not broadcast.

    >>> import py_tensor as pt
    >>> pt.nn.Maximum()([pt.asarray([1.0, 5.0]), pt.asarray([3.0, 4.0])]).tolist()
    [3.0, 5.0]
    """

    function = staticmethod(MERGES["Maximum"])


class Minimum(_Merge):
    """Return the elementwise minimum of tensors that broadcast against each other.

    Calling the layer takes a list of tensors and returns one.

    Raises:
        ArgumentError: In a call, if the input is no list of tensors.
        ShapeError: In a call, if the shapes do not broadcast.

    >>> import py_tensor as pt
    >>> pt.nn.Minimum()([pt.asarray([1.0, 5.0]), pt.asarray([3.0, 4.0])]).tolist()
    [1.0, 4.0]
    """

    function = staticmethod(MERGES["Minimum"])


class Average(_Merge):
    """Return the mean of tensors that broadcast against each other.

    Calling the layer takes a list of floating tensors and returns one.

    Raises:
        ArgumentError: In a call, if the input is no list of tensors.
        ShapeError: In a call, if the shapes do not broadcast.

    >>> import py_tensor as pt
    >>> pt.nn.Average()([pt.asarray([1.0, 2.0]), pt.asarray([3.0, 4.0])]).tolist()
    [2.0, 3.0]
    """

    function = staticmethod(MERGES["Average"])


class Subtract(_Merge):
    """Subtract the second of two tensors from the first.

    Calling the layer takes a list of two tensors that broadcast, and returns their difference.

    Raises:
        ArgumentError: In a call, if the input is no list of two tensors.
        ShapeError: In a call, if the shapes do not broadcast.

    >>> import py_tensor as pt
    >>> pt.nn.Subtract()([pt.asarray([1.0, 2.0]), pt.asarray([3.0, 1.0])]).tolist()
    [-2.0, 1.0]
    """

    function = staticmethod(MERGES["Subtract"])
    least, most = 2, 2


class Concatenate(_Merge):
    """Join tensors along an axis.

    Calling the layer takes a list of tensors of equal shapes except along the axis, and returns
    one.

    Args:
        axis: Axis to join along; default -1.

    Raises:
        ArgumentError: In a call, if the input is no list of tensors.
        ShapeError: In a call, if the shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.nn.Concatenate()([pt.ones((2, 3)), pt.ones((2, 4))]).shape
    (2, 7)
    """

    axis: int = static_field()

    def __init__(self, axis: int = -1) -> None:
        self.axis = integer("Concatenate", "axis", axis)

    def _merged(self, tensors: list[Tensor]) -> Tensor:
        return F.concat(tensors, axis=self.axis)

    def facts(self) -> str:
        return f"axis {self.axis}"
