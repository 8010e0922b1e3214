"""Containers of modules, and modules without parameters that change shapes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, overload

from ...errors import ArgumentError, ShapeError
from ...functions.arguments import function_of, integer, lengths_of
from ...functions.manipulation import broadcast_to
from ...tensor import Tensor
from ...typing import ArrayLike
from ..module import Module, static_field


class Activation(Module):
    """Wrap a function of one tensor as a module.

    `Sequential` wraps the functions it is given. Calling the module passes its argument to the
    function and returns the function's result.

    Args:
        function: Function of one tensor.

    >>> import py_tensor as pt
    >>> layer = pt.nn.Activation(pt.relu)
    >>> layer
    Activation(relu)
    >>> layer(pt.asarray([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    function: Callable[[Any], Any] = static_field()

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function_of("Activation", "function", function)

    def forward(self, x: ArrayLike, *, training: bool = False) -> Any:
        return self.function(x)

    def facts(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)


class Sequential(Module):
    """Call modules and functions one after another, each on the result of the one before.

    Calling the model takes the first layer's input and `training`, and returns the last layer's
    result. A recurrent layer that is followed by a module passes on its outputs without its state.
    Indexing returns a layer; slicing returns a Sequential.

    Args:
        *layers: Modules and functions of one tensor.

    Raises:
        ArgumentError: If a layer cannot be called, or is a class.

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
                    f"Sequential: layer {at} is neither a module nor a function; got "
                    f"{layer!r:.60}; pass modules and functions"
                )
        self.layers = tuple(
            layer if isinstance(layer, Module) else Activation(layer) for layer in layers
        )

    def forward(self, x: ArrayLike, *, training: bool = False) -> Any:
        for layer, following in zip_longest(self.layers, self.layers[1:]):
            result = layer(x, training=training)
            has_state = getattr(layer, "return_state", False)
            takes_all = following is None or isinstance(following, Activation)
            x = result[0] if has_state and not takes_all else result
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
    """Flatten all axes but the first.

    Calling the layer takes a tensor of shape (batch, ...) and any dtype, and returns one of shape
    (batch, elements).

    Raises:
        ShapeError: In a call, if the input has no axes.

    >>> import py_tensor as pt
    >>> pt.nn.Flatten()(pt.ones((2, 3, 4))).shape
    (2, 12)
    """

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        if x.ndim == 0:
            raise ShapeError("flatten: input has no axes; got shape (); use x.reshape((1, 1))")
        return x.reshape((x.shape[0], math.prod(x.shape[1:])))


class Reshape(Module):
    """Reshape all axes but the first.

    Calling the layer takes a tensor of shape (batch, ...) and any dtype, and returns one of shape
    (batch, *shape).

    Args:
        shape: New shape without the batch axis; one length may be -1 and is inferred.

    Raises:
        ShapeError: In a call, if the numbers of elements differ.

    >>> import py_tensor as pt
    >>> pt.nn.Reshape((2, -1))(pt.ones((5, 6))).shape
    (5, 2, 3)
    """

    shape: tuple[int, ...] = static_field()

    def __init__(self, shape: Sequence[int]) -> None:
        self.shape = lengths_of("Reshape", shape)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return x.reshape((x.shape[0], *self.shape))

    def facts(self) -> str:
        return str(self.shape)


class RepeatVector(Module):
    """Repeat vectors along a new axis of time.

    Calling the layer takes a tensor of shape (batch, features), and returns one of shape (batch,
    count, features).

    Args:
        count: Number of repetitions.

    Raises:
        ArgumentError: If `count` is negative.
        ShapeError: In a call, if the input has another number of axes.

    >>> import py_tensor as pt
    >>> pt.nn.RepeatVector(3)(pt.ones((2, 5))).shape
    (2, 3, 5)
    """

    count: int = static_field()

    def __init__(self, count: int) -> None:
        self.count = integer("RepeatVector", "count", count, 0)

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim != 2:
            raise ShapeError(
                f"repeat_vector: input must be vectors; got shape {x.shape}; x must have shape "
                "(batch, features)"
            )
        return broadcast_to(x[:, None], (x.shape[0], self.count, x.shape[1]))

    def facts(self) -> str:
        return str(self.count)
