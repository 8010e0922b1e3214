"""Recurrent layers with ONNX's weights, which have another order of gates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import py_tensor as pt

from ....tensor import Tensor
from .shared import Ints, Operator, unsupported


class Results(NamedTuple):
    outputs: Tensor
    lasts: list[Any]
    """For each direction, the state after its last step."""
    layout: int

    def stacked(self, states: Any) -> Tensor:
        return pt.stack(states, axis=1 if self.layout else 0)


def _layer(
    kind: Any, order: tuple[int, ...], w: Tensor, r: Tensor, b: Tensor | None, units: int
) -> Any:
    layer = kind(w.shape[-1], units)

    def ordered(rows: Tensor) -> Tensor:
        return pt.concat([rows[gate * units : (gate + 1) * units] for gate in order], axis=0)

    layer.weight, layer.recurrent_weight = ordered(w).mT, ordered(r).mT
    half = len(order) * units
    biases = pt.zeros(2 * half) if b is None else b
    first, second = ordered(biases[:half]), ordered(biases[half:])
    if kind is pt.nn.GRU:
        layer.bias, layer.recurrent_bias = first, second
    else:
        layer.bias = first + second
    return layer


def _run(
    kind: Any,
    order: tuple[int, ...],
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None,
    states: list[Any],
    hidden_size: int,
    direction: str,
    layout: int,
) -> Results:
    layers = [
        _layer(kind, order, w[at], r[at], None if b is None else b[at], hidden_size)
        for at in range(w.shape[0])
    ]
    sequence = x if layout else pt.moveaxis(x, 0, 1)
    parts, lasts = [], []
    for at, layer in enumerate(layers):
        backward = direction == "reverse" or at == 1
        given = pt.flip(sequence, axis=1) if backward else sequence
        outputs, last = layer(given, states[at] if states else None)
        parts.append(pt.flip(outputs, axis=1) if backward else outputs)
        lasts.append(last)
    if layout:
        return Results(pt.stack(parts, axis=2), lasts, layout)
    return Results(pt.permute_dims(pt.stack(parts), (2, 0, 1, 3)), lasts, layout)


def _check(
    x: Tensor, lengths: Ints | None, layout: int, activations: list[str] | None, usual: list[str]
) -> None:
    if lengths is not None and set(lengths) != {x.shape[1 if layout else 0]}:
        raise unsupported("sequences of different lengths")
    names = [name.lower() for name in activations or ()]
    if names not in ([], usual, usual * 2):
        raise unsupported(f"activations {activations} of a recurrent layer")


def _states(state: Tensor | None, layout: int) -> list[Tensor]:
    """Return the initial state of each direction."""
    return [] if state is None else [*pt.unstack(state, axis=1 if layout else 0)]


def rnn(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    lengths: Ints | None = None,
    h: Tensor | None = None,
    *,
    hidden_size: int,
    activations: list[str] | None = None,
    direction: str = "forward",
    layout: int = 0,
) -> tuple[Tensor, Tensor]:
    _check(x, lengths, layout, activations, ["tanh"])
    states = _states(h, layout)
    got = _run(pt.nn.RNN, (0,), x, w, r, b, states, hidden_size, direction, layout)
    return got.outputs, got.stacked(got.lasts)


def gru(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    lengths: Ints | None = None,
    h: Tensor | None = None,
    *,
    hidden_size: int,
    activations: list[str] | None = None,
    direction: str = "forward",
    layout: int = 0,
    linear_before_reset: int = 0,
) -> tuple[Tensor, ...]:
    _check(x, lengths, layout, activations, ["sigmoid", "tanh"])
    states = _states(h, layout)
    if not linear_before_reset:
        starts = [(state,) for state in states]
        return _unrolled(_gru_step, x, w, r, b, starts, hidden_size, direction, layout, 1)
    got = _run(pt.nn.GRU, (1, 0, 2), x, w, r, b, states, hidden_size, direction, layout)
    return got.outputs, got.stacked(got.lasts)


def lstm(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    lengths: Ints | None = None,
    h: Tensor | None = None,
    c: Tensor | None = None,
    peepholes: Tensor | None = None,
    *,
    hidden_size: int,
    activations: list[str] | None = None,
    direction: str = "forward",
    input_forget: int = 0,
    layout: int = 0,
) -> tuple[Tensor, ...]:
    _check(x, lengths, layout, activations, ["sigmoid", "tanh", "tanh"])
    if input_forget:
        raise unsupported("LSTM with joined gates")
    known = h if h is not None else c
    if known is not None:
        h, c = (pt.zeros_like(known) if state is None else state for state in (h, c))
    starts = list(zip(_states(h, layout), _states(c, layout), strict=True))
    if peepholes is not None:
        step = partial(_lstm_step, peepholes=peepholes)
        return _unrolled(step, x, w, r, b, starts, hidden_size, direction, layout, 2)
    got = _run(pt.nn.LSTM, (0, 2, 3, 1), x, w, r, b, starts, hidden_size, direction, layout)
    return (got.outputs, *(got.stacked(states) for states in zip(*got.lasts, strict=True)))


def quantized_lstm(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None,
    lengths: Ints | None,
    h: Tensor | None,
    c: Tensor | None,
    peepholes: Tensor | None,
    w_scale: Tensor,
    w_zero: Tensor,
    r_scale: Tensor,
    r_zero: Tensor,
    *,
    hidden_size: int,
    activations: list[str] | None = None,
    direction: str = "forward",
    input_forget: int = 0,
) -> tuple[Tensor, ...]:
    """LSTM with integer weights, which rounds all inputs together, and each state of a step."""
    _check(x, lengths, 0, activations, ["sigmoid", "tanh", "tanh"])
    if input_forget:
        raise unsupported("LSTM with joined gates")

    def weights(q: Tensor, scale: Tensor, zero: Tensor) -> Tensor:
        """Return the weights of (directions, gates, inputs), with scales for all or each gate."""
        scale, zero = (pt.reshape(each, (q.shape[0], 1, -1)) for each in (scale, zero))
        return ((q.astype("int32") - zero.astype("int32")).astype("float32") * scale).mT

    known = h if h is not None else c
    if known is not None:
        h, c = (pt.zeros_like(known) if state is None else state for state in (h, c))
    starts = list(zip(_states(h, 0), _states(c, 0), strict=True))
    step = partial(_lstm_step, peepholes=peepholes, rounded=partial(_rounded, axis=1))
    w, r = weights(w, w_scale, w_zero), weights(r, r_scale, r_zero)
    return _unrolled(step, _rounded(x), w, r, b, starts, hidden_size, direction, 0, 2)


def _rounded(x: Tensor, axis: int | None = None) -> Tensor:
    """Round to 256 equal steps between the extreme values and zero, of all elements or each row."""
    low = pt.minimum(pt.min(x, axis=axis, keepdims=True), 0.0)
    high = pt.maximum(pt.max(x, axis=axis, keepdims=True), 0.0)
    scale = pt.where(high == low, 1.0, (high - low) / 255)
    zero = pt.round(-low / scale)
    return (pt.clip(pt.round(x / scale) + zero, 0.0, 255.0) - zero) * scale


def _gru_step(
    at: int, x: Tensor, r: Tensor, b: Tensor, state: tuple[Tensor, ...], units: int
) -> tuple[Tensor, ...]:
    """GRU whose reset gate is applied before the product; `x` has the input's share."""
    (h,) = state
    gates = pt.sigmoid(x[:, : 2 * units] + h @ r[: 2 * units].mT + b[: 2 * units])
    update, reset = gates[:, :units], gates[:, units:]
    new = pt.tanh(x[:, 2 * units :] + (reset * h) @ r[2 * units :].mT + b[2 * units :])
    return ((1 - update) * new + update * h,)


def _lstm_step(
    at: int,
    x: Tensor,
    r: Tensor,
    b: Tensor,
    state: tuple[Tensor, ...],
    units: int,
    peepholes: Tensor | None,
    rounded: Callable[[Tensor], Tensor] = pt.positive,
) -> tuple[Tensor, ...]:
    """LSTM whose gates may also see the cell; the product takes the rounded state."""
    h, c = state
    gates = x + rounded(h) @ r.mT + b
    i, o, f, new = (gates[:, gate * units : (gate + 1) * units] for gate in range(4))
    if peepholes is None:
        c = pt.sigmoid(f) * c + pt.sigmoid(i) * pt.tanh(new)
        return pt.sigmoid(o) * pt.tanh(c), c
    p_i, p_o, p_f = (peepholes[at, gate * units : (gate + 1) * units] for gate in range(3))
    c = pt.sigmoid(f + p_f * c) * c + pt.sigmoid(i + p_i * c) * pt.tanh(new)
    return pt.sigmoid(o + p_o * c) * pt.tanh(c), c


def _unrolled(
    step: Callable[..., tuple[Tensor, ...]],
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None,
    starts: Sequence[tuple[Tensor, ...]],
    units: int,
    direction: str,
    layout: int,
    count: int,
) -> tuple[Tensor, ...]:
    """Run a step for each time, which pt.nn has no layer for; `count` states."""
    sequence = pt.moveaxis(x, 0, 1) if layout else x
    outputs, lasts = [], []
    for at in range(w.shape[0]):
        backward = direction == "reverse" or at == 1
        half = w.shape[1]
        bias = pt.zeros(half) if b is None else b[at, :half] + b[at, half:]
        given = sequence @ w[at].mT
        zero = pt.zeros((sequence.shape[1], units), dtype=x.dtype)
        state = starts[at] if starts else (zero,) * count
        rows = []
        times = range(sequence.shape[0])
        for time in times[::-1] if backward else times:
            state = step(at, given[time], r[at], bias, state, units)
            rows.append(state[0])
        outputs.append(pt.stack(rows[::-1] if backward else rows))
        lasts.append(state)
    # Axes: time, directions, batch, units.
    y = pt.stack(outputs, axis=1)
    axis = 1 if layout else 0
    states = [pt.stack(each, axis=axis) for each in zip(*lasts, strict=True)]
    return (pt.permute_dims(y, (2, 0, 1, 3)) if layout else y, *states)


OPERATORS = {
    "GRU": Operator(gru, host=("lengths",)),
    "LSTM": Operator(lstm, host=("lengths",)),
    "RNN": Operator(rnn, host=("lengths",)),
    "com.microsoft.DynamicQuantizeLSTM": Operator(quantized_lstm, host=("lengths",), omits=True),
}
