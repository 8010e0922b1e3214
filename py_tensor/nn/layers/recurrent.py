"""Recurrent layers over sequences of shape (batch, time, features).

The inputs of all steps go through one matrix product before the first step. A call returns the
outputs of all steps, of shape (batch, time, units), and the last state, from which the next call
can continue. `RecurrentOptions` lists the options that all recurrent layers share.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from operator import add, mul
from typing import Any, ClassVar, TypedDict, Unpack

from ... import functions as F, random
from ...dtypes import float32
from ...errors import ArgumentError, ShapeError
from ...functions import conversion, creation
from ...functions.arguments import choice, flag, integer
from ...functions.indexing import replace
from ...ir.pytree import tree_leaves, tree_map
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike, DTypeLike
from ..dropout import check_rate, dropout
from ..initializers import InitializerFunction, glorot_uniform, initial, zeros
from ..module import Module, buffer_field, static_field

MERGE_MODES = ("concat", "sum", "mul", "ave")


class RecurrentOptions(TypedDict, total=False):
    """Options that every recurrent layer takes in addition to its own arguments.

    Args:
        layers: Number of layers; each takes the outputs of the one before; default 1. With more
            than one, the state is a tuple with the state of each layer.
        return_sequences: Return the outputs of all steps; if False, only that of the last step, of
            shape (batch, units). Default True.
        return_state: Return (outputs, state); if False, the outputs only. Default True.
        stateful: Start each call from the last state of the previous call instead of zeros, until
            `reset_state` is called; default False.
        batch_size: Number of sequences in a batch; required if `stateful`.
        go_backwards: Read the sequence from its end; outputs are in the order of reading. Default
            False.
        dropout: Probability from 0 to 1 that an input feature of a sequence is dropped in training,
            in all steps and in each layer; default 0.0.
        recurrent_dropout: The same for the features of the state; default 0.0. Source of both: Gal
            and Ghahramani 2016, arXiv:1512.05287.

    Raises:
        ArgumentError: By the layer, if an option is out of range, or `batch_size` is missing.

    >>> import py_tensor as pt
    >>> layer = pt.nn.GRU(3, 8, layers=2, return_sequences=False, return_state=False)
    >>> layer(pt.ones((2, 5, 3))).shape
    (2, 8)
    """

    layers: int
    return_sequences: bool
    return_state: bool
    stateful: bool
    batch_size: int
    go_backwards: bool
    dropout: float
    recurrent_dropout: float


def _scaled_uniform(shape: Sequence[int], *, dtype: DTypeLike = float32) -> Tensor:
    """Draw uniformly from +-1 / sqrt(units), as PyTorch does."""
    limit = 1 / math.sqrt(max(1, shape[0]))
    return random.uniform(shape, low=-limit, high=limit, dtype=dtype)


def _open_forget_gate(shape: Sequence[int], *, dtype: DTypeLike = float32) -> Tensor:
    """Return zeros, and ones for the second of four gates."""
    bias = zeros(shape, dtype=dtype)
    units = shape[0] // 4
    bias[units : 2 * units] = 1.0
    return bias


class _Recurrent(Module):
    inputs: int = static_field()
    units: int = static_field()
    weight: Tensor
    recurrent_weight: Tensor
    bias: Tensor
    upper: tuple[Module, ...]
    last_state: Any = buffer_field()
    return_sequences: bool = static_field()
    return_state: bool = static_field()
    go_backwards: bool = static_field()
    dropout: float = static_field()
    recurrent_dropout: float = static_field()
    gates: ClassVar[int]
    default_bias_init: ClassVar[InitializerFunction] = staticmethod(zeros)

    def __init__(
        self,
        inputs: int,
        units: int,
        *,
        weight_init: InitializerFunction = glorot_uniform,
        recurrent_init: InitializerFunction = _scaled_uniform,
        bias_init: InitializerFunction | None = None,
        dtype: DTypeLike = float32,
        **options: Unpack[RecurrentOptions],
    ) -> None:
        name = type(self).__name__
        unknown = sorted(options.keys() - RecurrentOptions.__annotations__.keys())
        if unknown:
            raise ArgumentError(
                f"{name}: unknown option; got {unknown[0]!r}; use one of "
                f"{', '.join(RecurrentOptions.__annotations__)}"
            )
        layers = integer(name, "layers", options.get("layers", 1), 1)
        inputs, units = integer(name, "inputs", inputs, 0), integer(name, "units", units, 0)
        self.inputs, self.units = inputs, units
        for option, usual in (
            ("return_sequences", True),
            ("return_state", True),
            ("go_backwards", False),
        ):
            setattr(self, option, flag(name, option, options.get(option, usual)))
        self.dropout = check_rate(name, options.get("dropout", 0.0))
        self.recurrent_dropout = check_rate(name, options.get("recurrent_dropout", 0.0))
        columns = self.gates * units
        self.weight = initial(name, weight_init, (inputs, columns), dtype)
        self.recurrent_weight = initial(name, recurrent_init, (units, columns), dtype)
        own_init = self.default_bias_init if bias_init is None else bias_init
        self.bias = initial(name, own_init, (columns,), dtype)
        self.upper = tuple(
            type(self)(
                units,
                units,
                weight_init=weight_init,
                recurrent_init=recurrent_init,
                bias_init=bias_init,
                dtype=dtype,
                dropout=self.dropout,
                recurrent_dropout=self.recurrent_dropout,
            )
            for _ in range(layers - 1)
        )
        self.last_state = None
        if flag(name, "stateful", options.get("stateful", False)):
            if "batch_size" not in options:
                raise ArgumentError(
                    f"{name}: a stateful layer needs a batch size; got none; pass batch_size=, the "
                    "number of sequences in each batch"
                )
            self.last_state = self._zero_state(options["batch_size"], dtype)
        self._add_parameters(bias_init, dtype)

    def _add_parameters(self, bias_init: InitializerFunction | None, dtype: DTypeLike) -> None:
        """Create the parameters that a subclass adds."""

    def reset_state(self) -> None:
        """Set the state of a stateful layer to zeros; other layers keep none.

        >>> import py_tensor as pt
        >>> layer = pt.nn.RNN(1, 1, stateful=True, batch_size=1)
        >>> first, _ = layer(pt.ones((1, 1, 1)))
        >>> layer.reset_state()
        >>> again, _ = layer(pt.ones((1, 1, 1)))
        >>> bool((first == again).all())
        True
        """
        for leaf in tree_leaves(self.last_state):
            replace(leaf, ..., 0.0)

    def forward(
        self,
        x: Tensor,
        state: Any = None,
        *,
        mask: ArrayLike | None = None,
        training: bool = False,
    ) -> Any:
        operation = type(self).__name__.lower()
        if x.ndim != 3 or not x.shape[1]:
            raise ShapeError(
                f"{operation}: input must be a sequence; got shape {x.shape}; x must have shape "
                "(batch, time, features) with at least one step"
            )
        valid = None if mask is None else _valid_steps(operation, x, mask)
        if self.go_backwards:
            x, valid = x.flip(axis=1), None if valid is None else valid.flip(axis=1)
        if state is None:
            state = self.last_state
        layers: tuple[Any, ...] = (self, *self.upper)
        starts = [None] * len(layers) if state is None else list(state) if self.upper else [state]
        states = []
        for layer, start in zip(layers, starts, strict=True):
            x, end = layer._run(x, start, valid, training)
            states.append(end)
        state = tuple(states) if self.upper else states[0]
        for kept, new in zip(tree_leaves(self.last_state), tree_leaves(state), strict=False):
            replace(kept, ..., new)
        outputs = x if self.return_sequences else x[:, -1]
        return (outputs, state) if self.return_state else outputs

    def _run(
        self, x: Tensor, state: Any, valid: Tensor | None, training: bool
    ) -> tuple[Tensor, Any]:
        """Return the outputs of all steps of this layer alone, and its last state."""
        batch, count, features = x.shape
        if training and self.dropout:
            x = x * dropout(creation.ones((batch, 1, features), dtype=x.dtype), self.dropout)
        inputs = x @ self.weight + self.bias
        if state is None:
            zero = creation.zeros((batch, self.units), dtype=inputs.dtype)
            state = self._initial_state(zero)
        kept = None
        if training and self.recurrent_dropout:
            ones = creation.ones((batch, self.units), dtype=inputs.dtype)
            kept = dropout(ones, self.recurrent_dropout)
        outputs = []
        for at in range(count):
            new = self._step(inputs[:, at], state, kept)
            if valid is not None:
                new = _where_valid(valid[:, at : at + 1], new, state)
            state = new
            outputs.append(tree_leaves(state)[0])
        return F.stack(outputs, axis=1), state

    def _zero_state(self, batch: int, dtype: DTypeLike) -> Any:
        layers: tuple[Any, ...] = (self, *self.upper)
        states = tuple(
            tree_map(
                lambda zero: conversion.asarray(zero, copy=True),
                layer._initial_state(creation.zeros((batch, self.units), dtype=dtype)),
            )
            for layer in layers
        )
        return states if self.upper else states[0]

    def _initial_state(self, zero: Tensor) -> Any:
        return zero

    def _step(self, inputs: Tensor, state: Any, kept: Tensor | None) -> Any:
        """Return the next state, whose first tensor is the output, from a step's projected inputs.

        `kept` is multiplied with the state before its matrix product: recurrent dropout.
        """
        raise NotImplementedError

    def _product(self, h: Tensor, kept: Tensor | None) -> Tensor:
        return (h if kept is None else h * kept) @ self.recurrent_weight

    def _split(self, gates: Tensor) -> list[Tensor]:
        """Split the last axis into the gates."""
        return [gates[..., at : at + self.units] for at in range(0, gates.shape[-1], self.units)]

    def facts(self) -> str:
        layers = f", {len(self.upper) + 1} layers" if self.upper else ""
        return f"{self.inputs} -> {self.units}{layers}"


def _valid_steps(operation: str, x: Tensor, mask: ArrayLike) -> Tensor:
    """Convert a mask to a bool tensor of shape (batch, time), or raise ShapeError."""
    valid = as_tensor(operation, mask)
    if valid.shape != x.shape[:2]:
        raise ShapeError(
            f"{operation}: mask must have one value per step; got shape {valid.shape} for "
            f"{x.shape}; pass shape (batch, time)"
        )
    return valid.astype("bool")


def _where_valid(valid: Tensor, new: Any, old: Any) -> Any:
    return tree_map(lambda a, b: F.where(valid, a, b), new, old)


class RNN(_Recurrent):
    """Apply a simple recurrent layer: h = tanh(x @ weight + bias + h @ recurrent_weight).

    Calling the layer takes a tensor of shape (batch, time, inputs) and, optionally, the state
    returned by a previous call. `mask`, of shape (batch, time), is 0 or False at steps to skip, at
    which output and state stay as they are. The call returns the outputs of all steps, of shape
    (batch, time, units), and the last state: h of shape (batch, units). `weight` has shape (inputs,
    units), `recurrent_weight` has shape (units, units).

    Args:
        inputs: Number of input features.
        units: Number of output features.
        weight_init: Initializer of `weight`; default `initializers.glorot_uniform`.
        recurrent_init: Initializer of `recurrent_weight`; by default uniform in +-1 / sqrt(units),
            as in PyTorch.
        bias_init: Initializer of the bias; None (default) for zeros.
        dtype: Dtype of the parameters, float32 (default) or float16.
        **options: Number of layers, form of the results, kept states and dropout; see
            `RecurrentOptions`.

    Raises:
        ArgumentError: If an option is unknown or out of range.
        ShapeError: In a call, if the input is not a sequence of at least one step, or the mask
            does not have one value per step.

    >>> import py_tensor as pt
    >>> outputs, h = pt.nn.RNN(3, 8)(pt.ones((2, 5, 3)))
    >>> outputs.shape, h.shape
    ((2, 5, 8), (2, 8))
    >>> layer = pt.nn.RNN(1, 1, weight_init=pt.nn.initializers.ones)
    >>> round(layer(pt.asarray([[[1.0]]]))[0].item(), 4)
    0.7616
    """

    gates = 1

    def _step(self, inputs: Tensor, state: Any, kept: Tensor | None) -> Any:
        return (inputs + self._product(state, kept)).tanh()


class GRU(_Recurrent):
    """Apply a gated recurrent unit: h = (1 - z) * n + z * h.

    With reset gate r and update gate z:

        r, z = sigmoid(x @ w + b + h @ u + c)
        n = tanh(x @ w + b + r * (h @ u + c))

    Here w, b, u and c are the columns of `weight`, `bias`, `recurrent_weight` and `recurrent_bias`
    for each gate, in the order r, z, n. Source: Cho et al. 2014, arXiv:1406.1078, in the form of
    cuDNN and PyTorch.

    Calling the layer takes a tensor of shape (batch, time, inputs) and, optionally, the state
    returned by a previous call. `mask`, of shape (batch, time), is 0 or False at steps to skip, at
    which output and state stay as they are. The call returns the outputs of all steps, of shape
    (batch, time, units), and the last state: h of shape (batch, units). `weight` has shape (inputs,
    3 * units), `recurrent_weight` has shape (units, 3 * units).

    Args:
        inputs: Number of input features.
        units: Number of output features.
        weight_init: Initializer of `weight`; default `initializers.glorot_uniform`.
        recurrent_init: Initializer of `recurrent_weight`; by default uniform in +-1 / sqrt(units),
            as in PyTorch.
        bias_init: Initializer of the bias; None (default) for zeros. Used for both biases.
        dtype: Dtype of the parameters, float32 (default) or float16.
        **options: Number of layers, form of the results, kept states and dropout; see
            `RecurrentOptions`.

    Raises:
        ArgumentError: If an option is unknown or out of range.
        ShapeError: In a call, if the input is not a sequence of at least one step, or the mask
            does not have one value per step.

    >>> import py_tensor as pt
    >>> outputs, h = pt.nn.GRU(3, 8)(pt.ones((2, 5, 3)))
    >>> outputs.shape, h.shape
    ((2, 5, 8), (2, 8))
    >>> zeros = pt.nn.initializers.zeros
    >>> layer = pt.nn.GRU(1, 1, weight_init=zeros, recurrent_init=zeros)
    >>> outputs, h = layer(pt.ones((1, 2, 1)), pt.asarray([[4.0]]))
    >>> outputs.tolist(), h.tolist()
    ([[[2.0], [1.0]]], [[1.0]])
    """

    gates = 3
    recurrent_bias: Tensor

    def _add_parameters(self, bias_init: InitializerFunction | None, dtype: DTypeLike) -> None:
        self.recurrent_bias = (bias_init or zeros)((self.gates * self.units,), dtype=dtype)

    def _step(self, inputs: Tensor, state: Any, kept: Tensor | None) -> Any:
        xr, xz, xn = self._split(inputs)
        hr, hz, hn = self._split(self._product(state, kept) + self.recurrent_bias)
        update = (xz + hz).sigmoid()
        new = (xn + (xr + hr).sigmoid() * hn).tanh()
        return new + update * (state - new)


class LSTM(_Recurrent):
    """Apply a long short-term memory: c = f * c + i * g; h = o * tanh(c).

    The gates are

        i, f, o = sigmoid(x @ w + b + h @ u)
        g = tanh(x @ w + b + h @ u)

    Here w, b and u are the columns of `weight`, `bias` and `recurrent_weight` for each gate, in the
    order i, f, g, o. Source: Hochreiter and Schmidhuber 1997, doi:10.1162/neco.1997.9.8.1735; Gers
    et al. 2000.

    Calling the layer takes a tensor of shape (batch, time, inputs) and, optionally, the state
    returned by a previous call. `mask`, of shape (batch, time), is 0 or False at steps to skip, at
    which output and state stay as they are. The call returns the outputs of all steps, of shape
    (batch, time, units), and the last state: (h, c), each of shape (batch, units). `weight` has
    shape (inputs, 4 * units), `recurrent_weight` has shape (units, 4 * units).

    Args:
        inputs: Number of input features.
        units: Number of output features.
        weight_init: Initializer of `weight`; default `initializers.glorot_uniform`.
        recurrent_init: Initializer of `recurrent_weight`; by default uniform in +-1 / sqrt(units),
            as in PyTorch.
        bias_init: Initializer of the bias; None (default) for zeros and, for f, ones, so that the
            layer forgets little at first.
        dtype: Dtype of the parameters, float32 (default) or float16.
        **options: Number of layers, form of the results, kept states and dropout; see
            `RecurrentOptions`.

    Raises:
        ArgumentError: If an option is unknown or out of range.
        ShapeError: In a call, if the input is not a sequence of at least one step, or the mask
            does not have one value per step.

    >>> import py_tensor as pt
    >>> outputs, (h, c) = pt.nn.LSTM(3, 8)(pt.ones((2, 5, 3)))
    >>> outputs.shape, h.shape, c.shape
    ((2, 5, 8), (2, 8), (2, 8))
    >>> zeros = pt.nn.initializers.zeros
    >>> layer = pt.nn.LSTM(1, 1, weight_init=zeros, bias_init=zeros)
    >>> outputs, (h, c) = layer(pt.ones((1, 1, 1)), (pt.zeros((1, 1)), pt.asarray([[4.0]])))
    >>> c.tolist()
    [[2.0]]
    """

    gates = 4
    default_bias_init = staticmethod(_open_forget_gate)

    def _initial_state(self, zero: Tensor) -> Any:
        return zero, zero

    def _step(self, inputs: Tensor, state: Any, kept: Tensor | None) -> Any:
        h, c = state
        i, f, g, o = self._split(inputs + self._product(h, kept))
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c


class _Cell(_Recurrent):
    def forward(
        self,
        x: Tensor,
        state: Any = None,
        *,
        mask: ArrayLike | None = None,
        training: bool = False,
    ) -> Any:
        operation = type(self).__name__.lower()
        if x.ndim != 2 or x.shape[1] != self.inputs:
            raise ShapeError(
                f"{operation}: input must be one step; got shape {x.shape}; x must have shape "
                f"(batch, {self.inputs})"
            )
        if state is None:
            zero = creation.zeros((x.shape[0], self.units), dtype=self.weight.dtype)
            state = self._initial_state(zero)
        return self._step(x @ self.weight + self.bias, state, None)


class LSTMCell(_Cell, LSTM):
    """Apply one step of `LSTM`, which has the formula, the parameters and the other arguments.

    Calling the layer takes a tensor of shape (batch, inputs) and, optionally, the state (h, c) that
    the previous call returned. The call returns the next state, whose h is the output.

    Args:
        inputs: Number of input features.
        units: Number of output features.

    Raises:
        ShapeError: In a call, if the input has no such shape.

    >>> import py_tensor as pt
    >>> h, c = pt.nn.LSTMCell(3, 8)(pt.ones((2, 3)))
    >>> h.shape, c.shape
    ((2, 8), (2, 8))
    """


class GRUCell(_Cell, GRU):
    """Apply one step of `GRU`, which has the formula, the parameters and the other arguments.

    Calling the layer takes a tensor of shape (batch, inputs) and, optionally, the state that the
    previous call returned. The call returns the next state, of shape (batch, units).

    Args:
        inputs: Number of input features.
        units: Number of output features.

    Raises:
        ShapeError: In a call, if the input has no such shape.

    >>> import py_tensor as pt
    >>> pt.nn.GRUCell(3, 8)(pt.ones((2, 3))).shape
    (2, 8)
    """


class Bidirectional(Module):
    """Run one recurrent layer forward and another backward, and merge their outputs.

    Calling the layer takes a tensor of shape (batch, time, features), optionally the state of a
    previous call, and optionally a `mask`, as the layers do. It returns outputs of shape (batch,
    time, units of both) and a pair of states: the first layer's after the last step, and the second
    layer's after the first step. If the layers return no sequences, the outputs are the last of
    each layer; if they return no states, the result is the outputs.

    Args:
        forward_layer: Recurrent layer for the sequence in its order.
        backward_layer: Recurrent layer for the reversed sequence.
        merge_mode: "concat" (default), "sum", "mul" or "ave" for the mean, as in Keras.

    Raises:
        ArgumentError: If `merge_mode` is unknown, or the layers differ in `return_sequences` or
            `return_state`.
        ShapeError: In a call, as the layers do.

    >>> import py_tensor as pt
    >>> layer = pt.nn.Bidirectional(pt.nn.GRU(3, 8), pt.nn.GRU(3, 8))
    >>> outputs, (ahead, back) = layer(pt.ones((2, 5, 3)))
    >>> outputs.shape
    (2, 5, 16)
    """

    forward_layer: Module
    backward_layer: Module
    merge_mode: str = static_field()
    return_sequences: bool = static_field()
    return_state: bool = static_field()

    def __init__(
        self, forward_layer: Module, backward_layer: Module, *, merge_mode: str = "concat"
    ) -> None:
        choice("Bidirectional", "merge_mode", merge_mode, MERGE_MODES)
        self.forward_layer = forward_layer
        self.backward_layer = backward_layer
        self.merge_mode = merge_mode
        self.return_sequences = self._common("return_sequences")
        self.return_state = self._common("return_state")

    def _common(self, option: str) -> bool:
        ahead, back = (
            getattr(layer, option, True) for layer in (self.forward_layer, self.backward_layer)
        )
        if ahead != back:
            raise ArgumentError(
                f"Bidirectional: layers must agree in {option}; got {ahead} and {back}; pass the "
                "same to both"
            )
        return bool(ahead)

    def forward(
        self,
        x: Tensor,
        state: Any = (None, None),
        *,
        mask: ArrayLike | None = None,
        training: bool = False,
    ) -> Any:
        masks: list[Any] = [{}, {}]
        if mask is not None:
            valid = _valid_steps("bidirectional", x, mask)
            masks = [{"mask": valid}, {"mask": valid.flip(axis=1)}]
        results = [
            self.forward_layer(x, state[0], training=training, **masks[0]),
            self.backward_layer(x.flip(axis=1), state[1], training=training, **masks[1]),
        ]
        states: tuple[Any, ...] = ()
        if self.return_state:
            states = tuple(state for _, state in results)
            results = [outputs for outputs, _ in results]
        if self.return_sequences:
            results[1] = results[1].flip(axis=1)
        outputs = merged(self.merge_mode, results)
        return (outputs, states) if self.return_state else outputs


def merged(mode: str, outputs: list[Tensor]) -> Tensor:
    if mode == "concat":
        return F.concat(outputs, axis=-1)
    if mode == "mul":
        return reduce(mul, outputs)
    total = reduce(add, outputs)
    return total * (1 / len(outputs)) if mode == "ave" else total
