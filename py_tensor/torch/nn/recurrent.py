"""Recurrent layers, whose sequences have shape (length, batch, features)."""

from __future__ import annotations

import math
from typing import Any

from ... import functions as V
from ..methods import FUNCTIONS, zeros
from ..tensor import call
from . import functional as F
from .layers import Layer, uniform_parameter

_NAMES = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


def _gates(x: Any, count: int) -> list[Any]:
    size = x.shape[-1] // count
    return [x[..., at * size : (at + 1) * size] for at in range(count)]


def _next(kind: str, x: Any, state: tuple[Any, ...], u: Any, c: Any) -> tuple[Any, ...]:
    """Return the next state; x is the input's part of all gates, u and c weight and bias."""
    h = F.affine(state[0], u, c)
    if kind == "LSTM":
        i, f, g, o = _gates(x + h, 4)
        cell = V.sigmoid(f) * state[1] + V.sigmoid(i) * V.tanh(g)
        return V.sigmoid(o) * V.tanh(cell), cell
    if kind == "GRU":
        (r, z, n), (hr, hz, hn) = _gates(x, 3), _gates(h, 3)
        z = V.sigmoid(z + hz)
        new = V.tanh(n + V.sigmoid(r + hr) * hn)
        return (new + z * (state[0] - new),)
    return ((V.tanh if kind == "tanh" else V.relu)(x + h),)


def _cell(kind: str, x: Any, state: Any, w: Any, u: Any, b: Any, c: Any) -> tuple[Any, ...]:
    return _next(kind, F.affine(x, w, b), state, u, c)


def _sequence(
    kind: str, x: Any, state: tuple[Any, ...], w: Any, u: Any, b: Any, c: Any, *, backward: bool
) -> tuple[Any, ...]:
    """Return the outputs of a layer in one direction, and its last state."""
    parts, outputs = F.affine(x, w, b), []
    order = -1 if backward else 1
    for at in range(x.shape[0])[::order]:
        state = _next(kind, parts[at], state, u, c)
        outputs.append(state[0])
    return V.stack(outputs[::order]), *state


class _Gated(Layer):
    """Layer with gates, whose states are one tensor, or two of an LSTM."""

    kind = "LSTM"
    hidden_size: int
    bias: bool

    def _create(self, inputs: int, ending: str = "") -> None:
        """Draw the parameters of one direction of a layer."""
        size, bound = self.hidden_size, 1 / math.sqrt(self.hidden_size)
        rows = size * {"LSTM": 4, "GRU": 3}.get(self.kind, 1)
        for name, shape in zip(_NAMES, ((inputs,), (size,), (), ()), strict=True):
            empty = name.startswith("bias") and not self.bias
            value = None if empty else uniform_parameter(rows, *shape, bound=bound)
            self.register_parameter(name + ending, value)

    def _own(self, ending: str = "") -> list[Any]:
        return [self._parameters[name + ending] for name in _NAMES]

    def _states(self, hx: Any, *shape: int, dtype: Any) -> tuple[Any, ...]:
        """Return states as a tuple; zeros for None."""
        if hx is None:
            return (zeros(*shape, self.hidden_size, dtype=dtype),) * (1 + (self.kind == "LSTM"))
        return tuple(hx) if self.kind == "LSTM" else (hx,)


class _Recurrent(_Gated):
    def _create_layers(self, inputs: int) -> None:
        self.endings = ("", "_reverse") if self.bidirectional else ("",)
        for layer in range(self.num_layers):
            for ending in self.endings:
                self._create(inputs, f"_l{layer}{ending}")
            inputs = self.hidden_size * len(self.endings)

    def flatten_parameters(self) -> None:
        """Do nothing: parameters are used where they are."""

    def forward(self, x: Any, hx: Any = None) -> Any:
        single = x.dim() == 2
        x = x.unsqueeze(1) if single else x.transpose(0, 1) if self.batch_first else x
        count = len(self.endings)
        states = self._states(hx, self.num_layers * count, x.shape[1], dtype=x.dtype)
        states = tuple([s.unsqueeze(1) if s.dim() == 2 else s for s in states])
        ends: list[Any] = []
        for layer in range(self.num_layers):
            outputs = []
            for at, ending in enumerate(self.endings):
                start = tuple([state[layer * count + at] for state in states])
                own = self._own(f"_l{layer}{ending}")
                output, *end = call(_sequence, self.kind, x, start, *own, backward=at == 1)
                outputs.append(output)
                ends.append(end)
            x = outputs[0] if count == 1 else FUNCTIONS["cat"](outputs, -1)
            if layer + 1 < self.num_layers:
                x = F.dropout(x, self.dropout, self.training)
        last = tuple([FUNCTIONS["stack"](column) for column in zip(*ends, strict=True)])
        if single:
            x, last = x.squeeze(1), tuple([state.squeeze(1) for state in last])
        elif self.batch_first:
            x = x.transpose(0, 1)
        return x, last if self.kind == "LSTM" else last[0]


class LSTM(_Recurrent):
    """Long short-term memory."""

    def build(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
    ) -> None:  # fmt: skip
        """Draw the parameters."""
        self._create_layers(input_size)


class GRU(LSTM):
    """Gated recurrent units."""

    kind = "GRU"


class RNN(_Recurrent):
    """Recurrent layer with tanh or relu."""

    def build(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
        bias: bool = True, batch_first: bool = False, dropout: float = 0.0,
        bidirectional: bool = False,
    ) -> None:  # fmt: skip
        """Draw the parameters."""
        self.kind = nonlinearity
        self._create_layers(input_size)


class LSTMCell(_Gated):
    """One step of `LSTM`."""

    def build(self, input_size: int, hidden_size: int, bias: bool = True) -> None:
        """Draw the parameters."""
        self._create(input_size)

    def forward(self, x: Any, hx: Any = None) -> Any:
        states = self._states(hx, *x.shape[:-1], dtype=x.dtype)
        new = call(_cell, self.kind, x, states, *self._own())
        return new if self.kind == "LSTM" else new[0]


class GRUCell(LSTMCell):
    """One step of `GRU`."""

    kind = "GRU"


class RNNCell(LSTMCell):
    """One step of `RNN`."""

    def build(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh"
    ) -> None:
        """Draw the parameters."""
        self.kind = nonlinearity
        super().build(input_size, hidden_size)
