"""Recurrent layers, a step for each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from .... import functions as F, lax
from ....signatures import parameters_of
from ....tensor import Tensor
from .shared import ACTIVATIONS, Ints, Operator, unsupported

type States = tuple[Tensor, ...]
type Activation = Callable[[Tensor], Tensor]

_ACTIVATIONS = {
    name.lower(): ACTIVATIONS[name]
    for name in (
        *("Affine", "Elu", "HardSigmoid", "LeakyRelu", "Relu", "ScaledTanh", "Sigmoid"),
        *("Softplus", "Softsign", "Tanh", "ThresholdedRelu"),
    )
}
"""Activations of recurrent layers by their names in lower case."""


class Attributes(NamedTuple):
    """Attributes of recurrent layers."""

    hidden_size: int
    activations: Sequence[str] = ()
    activation_alpha: Sequence[float] = ()
    activation_beta: Sequence[float] = ()
    clip: float = 0.0
    """Limit of the absolute values of gates before their activation; 0 for none."""
    direction: str = "forward"
    input_forget: int = 0
    layout: int = 0
    linear_before_reset: int = 0


class Cell(NamedTuple):
    """Weights and options of one direction of a layer."""

    r: Tensor
    b: Tensor | float
    """Bias of the state's share of the gates."""
    peepholes: Tensor | None
    activations: list[Activation]
    options: Attributes
    rounds: bool

    def of_state(self, h: Tensor, gates: slice = slice(None)) -> Tensor:
        """Return the state's share of some gates."""
        units = self.r.shape[-1]
        start, stop, _ = gates.indices(self.r.shape[0] // units)
        rows = slice(start * units, stop * units)
        bias = self.b[rows] if isinstance(self.b, Tensor) else self.b
        return (_rounded(h, axis=1) if self.rounds else h) @ self.r[rows].mT + bias

    def activated(self, number: int, gate: Tensor) -> Tensor:
        limit = self.options.clip
        return self.activations[number](F.clip(gate, -limit, limit) if limit else gate)

    def split(self, gates: Tensor) -> list[Tensor]:
        units = self.r.shape[-1]
        return [gates[..., at : at + units] for at in range(0, gates.shape[-1], units)]


def _rnn_step(cell: Cell, x: Tensor, states: States) -> States:
    (h,) = states
    return (cell.activated(0, x + cell.of_state(h)),)


def _gru_step(cell: Cell, x: Tensor, states: States) -> States:
    (h,) = states
    of_update, of_reset, of_new = cell.split(x)
    update, reset = cell.split(cell.of_state(h, slice(2)))
    update, reset = cell.activated(0, of_update + update), cell.activated(0, of_reset + reset)
    if cell.options.linear_before_reset:
        new = of_new + reset * cell.of_state(h, slice(2, 3))
    else:
        new = of_new + cell.of_state(reset * h, slice(2, 3))
    return ((1 - update) * cell.activated(1, new) + update * h,)


def _lstm_step(cell: Cell, x: Tensor, states: States) -> States:
    h, c = states
    i, o, f, new = cell.split(x + cell.of_state(h))
    if cell.peepholes is not None:
        p_i, p_o, p_f = cell.split(cell.peepholes)
        i, f = i + p_i * c, f + p_f * c
    i = cell.activated(0, i)
    f = 1 - i if cell.options.input_forget else cell.activated(0, f)
    c = f * c + i * cell.activated(1, new)
    if cell.peepholes is not None:
        o = o + p_o * c
    # As in ONNX Runtime, the cell is not clipped.
    return cell.activated(0, o) * cell.activations[2](c), c


class Kind(NamedTuple):
    """A kind of layer. `step` returns the states after a step; the first one is the output."""

    step: Callable[[Cell, Tensor, States], States]
    activations: tuple[str, ...]
    """Default activation functions of one direction."""


RNN = Kind(_rnn_step, ("tanh",))
GRU = Kind(_gru_step, ("sigmoid", "tanh"))
LSTM = Kind(_lstm_step, ("sigmoid", "tanh", "tanh"))


def _activation(name: str, alphas: Iterator[float], betas: Iterator[float]) -> Activation:
    """Return an activation function, whose parameters are the next ones or default values."""
    if name.lower() not in _ACTIVATIONS:
        raise unsupported(f"activation {name} of a recurrent layer")
    function, options = _ACTIVATIONS[name.lower()], {}
    parameters = parameters_of(function)
    assert parameters is not None
    for option, values in (("alpha", alphas), ("beta", betas)):
        if parameters.accepts_keyword(option) and (value := next(values, None)) is not None:
            options[option] = value
    return partial(function, **options)


def _layer(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    lengths: Ints | None = None,
    h: Tensor | None = None,
    c: Tensor | None = None,
    peepholes: Tensor | None = None,
    *,
    kind: Kind,
    options: Attributes,
    rounds: bool = False,
) -> States:
    """Return the outputs of all steps, and the last value of each state."""
    sequence = F.moveaxis(x, 0, 1) if options.layout else x
    count, batch = sequence.shape[:2]
    directions, rows = w.shape[:2]
    valid = None
    if lengths is not None and set(lengths) != {count}:
        valid = F.arange(count)[:, None, None] < F.asarray(lengths)[:, None]
    alphas, betas = iter(options.activation_alpha), iter(options.activation_beta)
    names = options.activations or kind.activations * directions
    functions = [_activation(name, alphas, betas) for name in names]
    zeros = F.zeros((directions, batch, options.hidden_size), dtype=x.dtype)
    starts = [
        zeros if start is None else F.moveaxis(start, 1 if options.layout else 0, 0)
        for start in ((h, c) if kind is LSTM else (h,))
    ]
    outputs, lasts = [], []
    for at in range(directions):
        cell = Cell(
            r[at],
            0.0 if b is None else b[at, rows:],
            None if peepholes is None else peepholes[at],
            functions[at * len(kind.activations) : (at + 1) * len(kind.activations)],
            options,
            rounds,
        )
        inputs = (_rounded(sequence) if rounds else sequence) @ w[at].mT
        inputs = inputs if b is None else inputs + b[at, :rows]
        backward = options.direction == "reverse" or at == 1
        states = tuple(start[at] for start in starts)
        last, output = lax.scan(
            partial(_step, kind, cell), states, (inputs, valid), reverse=backward
        )
        outputs.append(output)
        lasts.append(last)
    # Axes: time, directions, batch, units.
    y = F.stack(outputs, axis=1)
    ends = [F.stack(states, axis=1 if options.layout else 0) for states in zip(*lasts, strict=True)]
    return (F.permute_dims(y, (2, 0, 1, 3)) if options.layout else y, *ends)


def _step(
    kind: Kind, cell: Cell, states: States, inputs: tuple[Tensor, Tensor | None]
) -> tuple[States, Tensor]:
    """Return the states after a step and its output; after a sequence's end, states stay."""
    x, valid = inputs
    new = kind.step(cell, x, states)
    if valid is None:
        return new, new[0]
    kept = tuple(F.where(valid, *pair) for pair in zip(new, states, strict=True))
    return kept, F.where(valid, new[0], 0.0)


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
    options: Attributes,
) -> States:
    """LSTM with integer weights, which rounds all inputs together, and each state of a step."""

    def weights(q: Tensor, scale: Tensor, zero: Tensor) -> Tensor:
        """Return the weights of (directions, gates, inputs), with scales for all or each gate."""
        scale, zero = (F.reshape(numbers, (q.shape[0], 1, -1)) for numbers in (scale, zero))
        return ((q.astype("int32") - zero.astype("int32")).astype("float32") * scale).mT

    return _layer(
        x,
        weights(w, w_scale, w_zero),
        weights(r, r_scale, r_zero),
        *(b, lengths, h, c, peepholes),
        kind=LSTM,
        options=options,
        rounds=True,
    )


def _rounded(x: Tensor, axis: int | None = None) -> Tensor:
    """Round to 256 equal steps between the extreme values and zero, of all elements or each row."""
    low = F.minimum(F.min(x, axis=axis, keepdims=True), 0.0)
    high = F.maximum(F.max(x, axis=axis, keepdims=True), 0.0)
    scale = F.where(high == low, 1.0, (high - low) / 255)
    zero = F.round(-low / scale)
    return (F.clip(F.round(x / scale) + zero, 0.0, 255.0) - zero) * scale


_row = partial(Operator, host=("lengths",), options=Attributes)
OPERATORS = {
    "GRU": _row(partial(_layer, kind=GRU)),
    "LSTM": _row(partial(_layer, kind=LSTM)),
    "RNN": _row(partial(_layer, kind=RNN)),
    "com.microsoft.DynamicQuantizeLSTM": _row(quantized_lstm, omits=True),
}
