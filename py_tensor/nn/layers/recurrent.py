"""Recurrent layers: sequences of shape (batch, time, features), one step after the other.

The inputs of all steps go through one matrix product before the first step. A call gives the
outputs of all steps, (batch, time, units), and the last state, with which a next call can go on.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ... import random
from ...dtypes import float32
from ...errors import ShapeError
from ...functions.creation import PUBLIC as CREATION
from ...functions.joining import concat, stack
from ...tensor import Tensor
from ..initializers import Initializer, glorot_uniform, zeros
from ..module import Module, static_field


def _small(shape: Any, *, dtype: Any = float32) -> Tensor:
    """Uniform in +-1 / sqrt(units), as in PyTorch."""
    limit = 1 / math.sqrt(max(1, shape[0]))
    return random.uniform(shape, -limit, limit, dtype=dtype)


def _open_forget_gate(shape: Any, *, dtype: Any = float32) -> Tensor:
    """Zeros, and ones for the second of four gates."""
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
    gates: ClassVar[int]
    first_bias: ClassVar[Initializer] = staticmethod(zeros)

    def __init__(
        self,
        inputs: int,
        units: int,
        *,
        weight_init: Initializer = glorot_uniform,
        recurrent_init: Initializer = _small,
        bias_init: Initializer | None = None,
        dtype: Any = float32,
    ) -> None:
        self.inputs, self.units = inputs, units
        self.weight = weight_init((inputs, self.gates * units), dtype=dtype)
        self.recurrent_weight = recurrent_init((units, self.gates * units), dtype=dtype)
        self.bias = (bias_init or self.first_bias)((self.gates * units,), dtype=dtype)

    def forward(
        self, x: Tensor, state: Any = None, *, training: bool = False
    ) -> tuple[Tensor, Any]:
        operation = type(self).__name__.lower()
        if x.ndim != 3 or not x.shape[1]:
            raise ShapeError(
                f"{operation}: not a sequence; got shape {x.shape}; "
                "x is (batch, time, features) with at least one step"
            )
        inputs = x @ self.weight + self.bias
        if state is None:
            state = self._start(CREATION["zeros"]((x.shape[0], self.units), dtype=inputs.dtype))
        outputs = []
        for at in range(x.shape[1]):
            output, state = self._step(inputs[:, at], state)
            outputs.append(output)
        return stack(outputs, axis=1), state

    def _start(self, zero: Tensor) -> Any:
        return zero

    def _step(self, inputs: Tensor, state: Any) -> tuple[Tensor, Any]:
        """The output and the state after a step, from its projected inputs."""
        raise NotImplementedError

    def _split(self, gates: Tensor) -> list[Tensor]:
        """The parts of the last axis that belong to each gate."""
        return [gates[..., at : at + self.units] for at in range(0, gates.shape[-1], self.units)]

    def facts(self) -> str:
        return f"{self.inputs} -> {self.units}"


class RNN(_Recurrent):
    """h = tanh(x @ weight + bias + h @ recurrent_weight); the state is h, (batch, units).

    Raises ShapeError for what is no sequence.

    >>> import py_tensor as pt
    >>> outputs, h = pt.nn.RNN(3, 8)(pt.ones((2, 5, 3)))
    >>> outputs.shape, h.shape
    ((2, 5, 8), (2, 8))
    """

    gates = 1

    def _step(self, inputs: Tensor, state: Any) -> tuple[Tensor, Any]:
        h = (inputs + state @ self.recurrent_weight).tanh()
        return h, h


class GRU(_Recurrent):
    """h = (1 - z) * n + z * h, with gates reset r and update z; the state is h, (batch, units).

    r and z are sigmoid(x @ w + b + h @ u + c), n is tanh(x @ w + b + r * (h @ u + c)), each with
    its part of `weight`, `bias`, `recurrent_weight` and `recurrent_bias`, in the order r, z, n.
    Raises ShapeError for what is no sequence. (Cho et al. 2014, arXiv:1406.1078, in the form of
    cuDNN and PyTorch.)

    >>> import py_tensor as pt
    >>> outputs, h = pt.nn.GRU(3, 8)(pt.ones((2, 5, 3)))
    >>> outputs.shape, h.shape
    ((2, 5, 8), (2, 8))
    """

    gates = 3
    recurrent_bias: Tensor

    def __init__(
        self,
        inputs: int,
        units: int,
        *,
        weight_init: Initializer = glorot_uniform,
        recurrent_init: Initializer = _small,
        bias_init: Initializer | None = None,
        dtype: Any = float32,
    ) -> None:
        super().__init__(
            inputs,
            units,
            weight_init=weight_init,
            recurrent_init=recurrent_init,
            bias_init=bias_init,
            dtype=dtype,
        )
        self.recurrent_bias = (bias_init or zeros)((self.gates * units,), dtype=dtype)

    def _step(self, inputs: Tensor, state: Any) -> tuple[Tensor, Any]:
        xr, xz, xn = self._split(inputs)
        hr, hz, hn = self._split(state @ self.recurrent_weight + self.recurrent_bias)
        update = (xz + hz).sigmoid()
        new = (xn + (xr + hr).sigmoid() * hn).tanh()
        h = new + update * (state - new)
        return h, h


class LSTM(_Recurrent):
    """h = o * tanh(c), c = f * c + i * g; the state is (h, c), each (batch, units).

    The gates i, f and o are sigmoid(x @ w + b + h @ u), g is tanh of the same, each with its part
    of `weight`, `bias` and `recurrent_weight`, in the order i, f, g, o. Without `bias_init`, the
    bias of f is 1 at first, so that little is forgotten. Raises ShapeError for what is no sequence.
    (Hochreiter and Schmidhuber 1997, doi:10.1162/neco.1997.9.8.1735; Gers et al. 2000.)

    >>> import py_tensor as pt
    >>> outputs, (h, c) = pt.nn.LSTM(3, 8)(pt.ones((2, 5, 3)))
    >>> outputs.shape, h.shape, c.shape
    ((2, 5, 8), (2, 8), (2, 8))
    """

    gates = 4
    first_bias = staticmethod(_open_forget_gate)

    def _start(self, zero: Tensor) -> Any:
        return zero, zero

    def _step(self, inputs: Tensor, state: Any) -> tuple[Tensor, Any]:
        h, c = state
        i, f, g, o = self._split(inputs + h @ self.recurrent_weight)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        return h, (h, c)


class Bidirectional(Module):
    """Two recurrent layers, the second on the sequence from its end; outputs side by side.

    The state is a pair: the first layer's after the last step, the second's after the first step.
    Raises what the two raise.

    >>> import py_tensor as pt
    >>> layer = pt.nn.Bidirectional(pt.nn.GRU(3, 8), pt.nn.GRU(3, 8))
    >>> outputs, (ahead, back) = layer(pt.ones((2, 5, 3)))
    >>> outputs.shape
    (2, 5, 16)
    """

    forward_layer: Module
    backward_layer: Module

    def __init__(self, forward_layer: Module, backward_layer: Module) -> None:
        self.forward_layer = forward_layer
        self.backward_layer = backward_layer

    def forward(
        self, x: Tensor, state: Any = (None, None), *, training: bool = False
    ) -> tuple[Tensor, Any]:
        ahead, first = self.forward_layer(x, state[0], training=training)
        back, second = self.backward_layer(x.flip(axis=1), state[1], training=training)
        return concat([ahead, back.flip(axis=1)], axis=-1), (first, second)
