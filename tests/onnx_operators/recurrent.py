"""Recurrent layers that hold ONNX's weights: there, gates stand in another order."""

from __future__ import annotations

from typing import NamedTuple

import py_tensor as pt

from .kinds import Unsupported


class Results(NamedTuple):
    outputs: pt.Tensor
    lasts: list
    """For each direction, the state after its last step."""
    layout: int

    def stacked(self, states):
        return pt.stack(states, axis=1 if self.layout else 0)


def _layer(kind, order, w, r, b, units):
    layer = kind(w.shape[-1], units)

    def ordered(rows):
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


def _run(kind, order, x, w, r, b, state, hidden_size, direction, layout):
    layers = [
        _layer(kind, order, w[at], r[at], None if b is None else b[at], hidden_size)
        for at in range(w.shape[0])
    ]
    sequence = x if layout else pt.moveaxis(x, 0, 1)
    if direction == "bidirectional":
        joint, lasts = pt.nn.Bidirectional(*layers)(sequence)
        parts = [joint[..., :hidden_size], joint[..., hidden_size:]]
    elif direction == "reverse":
        outputs, last = layers[0](pt.flip(sequence, axis=1), state)
        parts, lasts = [pt.flip(outputs, axis=1)], [last]
    else:
        outputs, last = layers[0](sequence, state)
        parts, lasts = [outputs], [last]
    if layout:
        return Results(pt.stack(parts, axis=2), list(lasts), layout)
    return Results(pt.permute_dims(pt.stack(parts), (2, 0, 1, 3)), list(lasts), layout)


def _checked(x, lengths, layout):
    if lengths is not None and set(lengths.tolist()) != {x.shape[1 if layout else 0]}:
        raise Unsupported("sequences of different lengths")


def _first(state, direction, layout):
    if state is not None and direction == "bidirectional":
        raise Unsupported("initial states of two directions")
    return state if state is None else state[:, 0] if layout else state[0]


def rnn(
    x, w, r, b=None, lengths=None, h=None, *, hidden_size, direction="forward", layout=0
):  # fmt: skip
    _checked(x, lengths, layout)
    state = _first(h, direction, layout)
    got = _run(pt.nn.RNN, (0,), x, w, r, b, state, hidden_size, direction, layout)
    return got.outputs, got.stacked(got.lasts)


def gru(
    x, w, r, b=None, lengths=None, h=None, *, hidden_size, direction="forward", layout=0,
    linear_before_reset=0,
):  # fmt: skip
    _checked(x, lengths, layout)
    steps = x.shape[1 if layout else 0]
    if not linear_before_reset and (steps > 1 or h is not None):
        # From a zero state, and without a recurrent bias, one step is the same in both forms.
        raise Unsupported("a reset gate before the product")
    state = _first(h, direction, layout)
    got = _run(pt.nn.GRU, (1, 0, 2), x, w, r, b, state, hidden_size, direction, layout)
    return got.outputs, got.stacked(got.lasts)


def lstm(
    x, w, r, b=None, lengths=None, h=None, c=None, peepholes=None, *, hidden_size,
    direction="forward", layout=0,
):  # fmt: skip
    _checked(x, lengths, layout)
    if peepholes is not None:
        raise Unsupported("peepholes")
    start = None if h is None else tuple(_first(state, direction, layout) for state in (h, c))
    got = _run(pt.nn.LSTM, (0, 2, 3, 1), x, w, r, b, start, hidden_size, direction, layout)
    return (got.outputs, *(got.stacked(states) for states in zip(*got.lasts, strict=True)))


OPERATORS = {"GRU": gru, "LSTM": lstm, "RNN": rnn}
