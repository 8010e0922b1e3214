"""Modules of modules, and modules without parameters that change shapes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from operator import index
from typing import Any, overload

from ...errors import ArgumentError, ShapeError
from ...tensor import Tensor
from ..module import Module, static_field


class Activation(Module):
    """A function of one tensor as a module; `Sequential` makes them of the functions it is given.

    Any shape and dtype that the function takes; raises what it raises.

    >>> import py_tensor as pt
    >>> pt.nn.Activation(pt.relu)
    Activation(relu)
    """

    function: Callable[[Any], Any] = static_field()

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def forward(self, x: Any, *, training: bool = False) -> Any:
        return self.function(x)

    def facts(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)


class Sequential(Module):
    """Modules, and functions of one tensor, each of which takes what the one before it gave.

    Raises ArgumentError for what cannot be called.

    >>> import py_tensor as pt
    >>> model = pt.nn.Sequential(pt.nn.Dense(4, 8), pt.relu, pt.nn.Dense(8, 2))
    >>> model(pt.ones((3, 4))).shape
    (3, 2)
    >>> model
    Sequential: 58 parameters
      [0] Dense(4 -> 8)
      [1] Activation(relu)
      [2] Dense(8 -> 2)
    """

    layers: tuple[Module, ...]

    def __init__(self, *layers: Module | Callable[[Any], Any]) -> None:
        for at, layer in enumerate(layers):
            if not callable(layer) or isinstance(layer, type):
                raise ArgumentError(
                    f"Sequential: layer {at} is no layer; got {layer!r:.60}; "
                    "give modules and functions"
                )
        self.layers = tuple(
            layer if isinstance(layer, Module) else Activation(layer) for layer in layers
        )

    def forward(self, x: Any, *, training: bool = False) -> Any:
        for layer in self.layers:
            x = layer(x, training=training)
        return x

    def children(self) -> Iterator[tuple[str, Module]]:
        return ((f"[{at}]", layer) for at, layer in enumerate(self.layers))

    def __len__(self) -> int:
        return len(self.layers)

    def __iter__(self) -> Iterator[Module]:
        return iter(self.layers)

    @overload
    def __getitem__(self, key: int) -> Module: ...
    @overload
    def __getitem__(self, key: slice) -> Sequential: ...
    def __getitem__(self, key: int | slice) -> Module | Sequential:
        return Sequential(*self.layers[key]) if isinstance(key, slice) else self.layers[key]


class Flatten(Module):
    """All axes but the first as one: (batch, ...) to (batch, elements).

    Any dtype. Raises ShapeError for an input without axes.

    >>> import py_tensor as pt
    >>> pt.nn.Flatten()(pt.ones((2, 3, 4))).shape
    (2, 12)
    """

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        if x.ndim == 0:
            raise ShapeError("flatten: input has no axes; got shape (); use x.reshape((1, 1))")
        return x.reshape((x.shape[0], math.prod(x.shape[1:])))


class Reshape(Module):
    """Another shape for all axes but the first; one length may be -1 and is worked out.

    Any dtype. Raises ShapeError where the sizes differ.

    >>> import py_tensor as pt
    >>> pt.nn.Reshape((2, -1))(pt.ones((5, 6))).shape
    (5, 2, 3)
    """

    shape: tuple[int, ...] = static_field()

    def __init__(self, shape: Sequence[int]) -> None:
        self.shape = tuple(index(n) for n in shape)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return x.reshape((x.shape[0], *self.shape))

    def facts(self) -> str:
        return str(self.shape)
