"""Recurrent layers, whose sequences have shape (length, batch, features)."""

from __future__ import annotations

import math
from typing import Any

from ... import functions as V
from ..methods import FUNCTIONS, zeros
from ..tensor import call
from . import functional as F
from .layers import uniform_parameter
from .module import Module


def _gates(x: Any, count: int) -> list[Any]:
    size = x.shape[-1] // count
    return [x[..., at * size : (at + 1) * size] for at in range(count)]


def _next(kind: str, x: Any, state: tuple[Any, ...], u: Any, c: Any) -> tuple[Any, ...]:
    """Return the next state; x is the input's part of all gates, u and c weight and bias."""
    h = V.matmul(state[0], u.T)
    h = h if c is None else h + c
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


def _input_part(x: Any, w: Any, b: Any) -> Any:
    product = V.matmul(x, w.T)
    return product if b is None else product + b


def _sequence(
    kind: str, x: Any, state: tuple[Any, ...], w: Any, u: Any, b: Any, c: Any, *, backward: bool
) -> tuple[Any, ...]:
    """Return the outputs of a layer in one direction, and its last state."""
    parts = _input_part(x, w, b)
    outputs = []
    for at in range(x.shape[0])[:: -1 if backward else 1]:
        state = _next(kind, parts[at], state, u, c)
        outputs.append(state[0])
    return V.stack(outputs[:: -1 if backward else 1]), *state


class _Recurrent(Module):
    kind = "LSTM"
    gates = 4
    states = 2

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__()
        names = ["bias", "batch_first", "dropout", "bidirectional"]
        if self.gates == 1:
            names.insert(0, "nonlinearity")
            kwargs = {"nonlinearity": "tanh"} | kwargs
        kwargs |= dict(zip(names, args, strict=False))
        if self.gates == 1:
            self.kind = self.nonlinearity = kwargs["nonlinearity"]
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first = kwargs.get("bias", True), kwargs.get("batch_first", False)
        self.dropout = kwargs.get("dropout", 0.0)
        self.bidirectional = kwargs.get("bidirectional", False)
        self.endings = ("", "_reverse") if self.bidirectional else ("",)
        size, bound = self.gates * hidden_size, 1 / math.sqrt(hidden_size)
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else hidden_size * len(self.endings)
            for ending in self.endings:
                for name, shape in (("ih", (size, inputs)), ("hh", (size, hidden_size))):
                    weight = uniform_parameter(*shape, bound=bound)
                    self.register_parameter(f"weight_{name}_l{layer}{ending}", weight)
                for name in ("ih", "hh") if self.bias else ():
                    bias = uniform_parameter(size, bound=bound)
                    self.register_parameter(f"bias_{name}_l{layer}{ending}", bias)

    def flatten_parameters(self) -> None:
        """Do nothing: parameters are used where they are."""

    def forward(self, x: Any, hx: Any = None) -> Any:
        single = x.dim() == 2
        x = x.unsqueeze(1) if single else x.transpose(0, 1) if self.batch_first else x
        count = self.num_layers * len(self.endings)
        if hx is None:
            blank = zeros(count, x.shape[1], self.hidden_size, dtype=x.dtype)
            hx = (blank,) * self.states if self.states > 1 else blank
        states = hx if self.states > 1 else (hx,)
        states = [state.unsqueeze(1) if state.dim() == 2 else state for state in states]
        last: list[list[Any]] = [[] for _ in states]
        for layer in range(self.num_layers):
            outputs = []
            for at, ending in enumerate(self.endings):
                start = tuple(state[layer * len(self.endings) + at] for state in states)
                end = f"l{layer}{ending}"
                names = [f"weight_ih_{end}", f"weight_hh_{end}", f"bias_ih_{end}", f"bias_hh_{end}"]
                weights = [self._parameters.get(name) for name in names]
                output, *final = call(_sequence, self.kind, x, start, *weights, backward=at == 1)
                outputs.append(output)
                for column, state in zip(last, final, strict=True):
                    column.append(state)
            x = outputs[0] if len(outputs) == 1 else _joined(outputs)
            if layer + 1 < self.num_layers:
                x = F.dropout(x, self.dropout, self.training)
        ends = [FUNCTIONS["stack"](column) for column in last]
        if single:
            x, ends = x.squeeze(1), [end.squeeze(1) for end in ends]
        elif self.batch_first:
            x = x.transpose(0, 1)
        return x, tuple(ends) if self.states > 1 else ends[0]

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}, num_layers={self.num_layers}"


def _joined(outputs: list[Any]) -> Any:
    return call(lambda parts: V.concat(parts, axis=-1), outputs)


class LSTM(_Recurrent):
    """Long short-term memory."""


class GRU(_Recurrent):
    """Gated recurrent units."""

    kind, gates, states = "GRU", 3, 1


class RNN(_Recurrent):
    """Recurrent layer with tanh or relu."""

    kind, gates, states = "tanh", 1, 1


class _Cell(Module):
    kind = "LSTM"
    gates = 4

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh"
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.kind = nonlinearity if self.gates == 1 else self.kind
        size, bound = self.gates * hidden_size, 1 / math.sqrt(hidden_size)
        self.weight_ih = uniform_parameter(size, input_size, bound=bound)
        self.weight_hh = uniform_parameter(size, hidden_size, bound=bound)
        for name in ("bias_ih", "bias_hh"):
            value = uniform_parameter(size, bound=bound) if bias else None
            self.register_parameter(name, value)

    def forward(self, x: Any, hx: Any = None) -> Any:
        if hx is None:
            blank = zeros(*x.shape[:-1], self.hidden_size, dtype=x.dtype)
            hx = (blank, blank) if self.kind == "LSTM" else blank
        states = tuple(hx) if self.kind == "LSTM" else (hx,)
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        new = call(_cell, self.kind, x, states, *weights)
        return new if self.kind == "LSTM" else new[0]


def _cell(kind: str, x: Any, state: Any, w: Any, u: Any, b: Any, c: Any) -> tuple[Any, ...]:
    return _next(kind, _input_part(x, w, b), state, u, c)


class LSTMCell(_Cell):
    """One step of `LSTM`."""


class GRUCell(_Cell):
    """One step of `GRU`."""

    kind, gates = "GRU", 3


class RNNCell(_Cell):
    """One step of `RNN`."""

    kind, gates = "tanh", 1
