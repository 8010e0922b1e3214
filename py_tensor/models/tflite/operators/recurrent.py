"""Recurrent layers. States are zero before each call of the model.

Weights of a gate are (units, features). With 8-bit weights and real inputs, the inputs and the
state of each step are rounded to 8 bits, as in products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .... import functions as F, lax, nn, numpy_functions
from ....tensor import Tensor
from .products import rounded
from .shared import Operator, Quantization, activated, dequantized, quantized, unsupported

type Optional = Tensor | None
type Round = Callable[[Tensor], Tensor]


class LayerOptions(NamedTuple):
    """Options of recurrent layers."""

    fused_activation_function: int = 0
    cell_clip: float = 0.0
    proj_clip: float = 0.0
    time_major: bool | None = None
    """None if the file does not say it."""
    merge_outputs: bool = False
    asymmetric_quantize_inputs: bool = False


def _operands(
    tensors: Sequence[Optional], quantization: Quantization | None, options: LayerOptions
) -> tuple[list[Any], Round]:
    """Return real operands, and the rounding of inputs and states."""
    if quantization is None:
        return list(tensors), lambda x: x
    operands = [
        x if scales is None or x is None else dequantized(x, scales)
        for x, scales in zip(tensors, quantization.inputs, strict=False)
    ]
    if quantization.inputs[0] is not None:
        return operands, lambda x: x

    def round_(x: Tensor) -> Tensor:
        steps, step = rounded(x, (-1,), options.asymmetric_quantize_inputs)
        return steps * step

    return operands, round_


def _result(y: Tensor, quantization: Quantization | None, position: int = 0) -> Tensor:
    scales = None if quantization is None else quantization.outputs[position]
    return y if scales is None else quantized(y, scales)


class Gates(NamedTuple):
    """Weights of an LSTM: for each of the input gate, forget gate, cell and output gate."""

    w: Sequence[Any]
    r: Sequence[Any]
    peepholes: Sequence[Optional]
    b: Sequence[Optional]
    norms: Sequence[Optional]
    projection: Optional
    projection_bias: Optional


def _clipped(x: Tensor, limit: float) -> Tensor:
    return F.clip(x, -limit, limit) if limit > 0 else x


def _layer(
    x: Tensor,
    h: Tensor,
    c: Tensor,
    gates: Gates,
    options: LayerOptions,
    round_: Round,
    *,
    reverse: bool = False,
) -> Any:
    """Run an LSTM over a sequence (time, batch, features); return the outputs."""
    used = [gate for gate in range(4) if gates.w[gate] is not None]
    units = c.shape[-1]
    inputs = round_(x) @ F.concat([gates.w[gate] for gate in used], axis=0).mT
    recurrent = F.concat([gates.r[gate] for gate in used], axis=0).mT

    def step(carry: tuple[Tensor, Tensor], gates_of_input: Tensor) -> Any:
        h, c = carry
        sums = gates_of_input + round_(h) @ recurrent

        def gate(at: int, state: Tensor) -> Tensor:
            first = used.index(at) * units
            y = sums[:, first : first + units]
            peephole, norm, b = gates.peepholes[at], gates.norms[at], gates.b[at]
            if peephole is not None:
                y = y + state * peephole
            if norm is not None:
                y = nn.layer_norm(y, axis=-1, epsilon=1e-8) * norm
            return y if b is None else y + b

        forget = F.sigmoid(gate(1, c))
        new = activated(gate(2, c), options.fused_activation_function)
        enter = F.sigmoid(gate(0, c)) if 0 in used else 1 - forget
        c = _clipped(forget * c + enter * new, options.cell_clip)
        h = F.sigmoid(gate(3, c)) * activated(c, options.fused_activation_function)
        if gates.projection is not None:
            h = round_(h) @ gates.projection.mT
            if gates.projection_bias is not None:
                h = h + gates.projection_bias
            h = _clipped(h, options.proj_clip)
        return (h, c), h

    _, outputs = lax.scan(step, (h, c), inputs, reverse=reverse)
    return outputs


def _sequence(x: Tensor, time_major: bool | None) -> Tensor:
    """Exchange batch and time, unless time is first."""
    return x if time_major else F.moveaxis(x, 0, 1)


def _gates(operands: list[Any], norms: Sequence[Optional]) -> Gates:
    """Group the weights of one direction: of the input, recurrent, peepholes and biases."""
    w, r, peepholes, b = operands[:4], operands[4:8], operands[8:11], operands[11:15]
    return Gates(w, r, [*peepholes[:2], None, peepholes[2]], b, norms, *operands[15:17])


def unidirectional_lstm(
    *tensors: Optional,
    options: LayerOptions,
    diagonal_recurrent_tensors: bool = False,
    quantization: Quantization | None = None,
) -> Tensor:
    if diagonal_recurrent_tensors:
        raise unsupported("UNIDIRECTIONAL_SEQUENCE_LSTM with diagonal weights")
    operands, round_ = _operands(tensors, quantization, options)
    operands += [None] * (24 - len(operands))
    gates = _gates(operands[1:], operands[20:24])
    sequence = _sequence(operands[0], options.time_major)
    y = _layer(sequence, operands[18], operands[19], gates, options, round_)
    return _result(_sequence(y, options.time_major), quantization)


def lstm(
    *tensors: Optional,
    options: LayerOptions,
    kernel_type: int = 0,
    quantization: Quantization | None = None,
) -> Any:
    if kernel_type:
        return _basic_lstm(*tensors, quantization=quantization)
    x, *rest = tensors
    assert x is not None
    y = unidirectional_lstm(
        F.expand_dims(x, axis=0),
        *rest,
        options=options._replace(time_major=True),
        quantization=quantization,
    )
    return y[0]


def _basic_lstm(*tensors: Optional, quantization: Quantization | None) -> tuple[Tensor, ...]:
    operands, _ = _operands(tensors, quantization, LayerOptions())
    x, h, w, b, c = operands
    joined = F.concat([x, h], axis=-1)
    sums = joined @ w.mT + b
    enter, new, forget, out = numpy_functions.split(sums, 4, axis=-1)
    c = F.sigmoid(forget) * c + F.sigmoid(enter) * F.tanh(new)
    h = F.sigmoid(out) * F.tanh(c)
    return tuple(_result(y, quantization, at) for at, y in enumerate((h, c, joined, sums)))


def _joined(outputs: list[Tensor], options: LayerOptions, quantization: Any) -> Any:
    """Return the outputs of both directions, as one tensor if they are merged."""
    if options.merge_outputs:
        outputs = [F.concat(outputs, axis=-1)]
    return tuple(
        _result(_sequence(y, options.time_major), quantization, at) for at, y in enumerate(outputs)
    )


def bidirectional_lstm(
    *tensors: Optional, options: LayerOptions, quantization: Quantization | None = None
) -> Any:
    operands, round_ = _operands(tensors, quantization, options)
    operands += [None] * (48 - len(operands))
    options = options._replace(time_major=options.time_major is not False)
    if operands[39] is not None:
        raise unsupported("BIDIRECTIONAL_SEQUENCE_LSTM with an auxiliary input")
    sequence = _sequence(operands[0], options.time_major)
    outputs = []
    for first, state in ((1, 35), (18, 37)):
        gates = _gates(operands[first:], [None] * 4)
        h, c = operands[state : state + 2]
        outputs.append(_layer(sequence, h, c, gates, options, round_, reverse=first == 18))
    return _joined(outputs, options, quantization)


def _simple(
    x: Tensor,
    weights: Sequence[Any],
    options: LayerOptions,
    round_: Round,
    *,
    reverse: bool = False,
) -> Tensor:
    w, r, b, h = weights
    inputs = round_(x) @ w.mT + b

    def step(h: Tensor, of_input: Tensor) -> tuple[Tensor, Tensor]:
        h = activated(of_input + round_(h) @ r.mT, options.fused_activation_function)
        return h, h

    outputs: Tensor = lax.scan(step, h, inputs, reverse=reverse)[1]
    return outputs


def unidirectional_rnn(
    *tensors: Optional, options: LayerOptions, quantization: Quantization | None = None
) -> Tensor:
    (x, *rest), round_ = _operands(tensors, quantization, options)
    y = _simple(_sequence(x, options.time_major), rest, options, round_)
    return _result(_sequence(y, options.time_major), quantization)


def rnn(
    x: Tensor, *rest: Optional, options: LayerOptions, quantization: Quantization | None = None
) -> Tensor:
    options = options._replace(time_major=True)
    return unidirectional_rnn(
        F.expand_dims(x, axis=0), *rest, options=options, quantization=quantization
    )[0]


def bidirectional_rnn(
    *tensors: Optional, options: LayerOptions, quantization: Quantization | None = None
) -> Any:
    operands, round_ = _operands(tensors, quantization, options)
    if any(x is not None for x in operands[9:]):
        raise unsupported("BIDIRECTIONAL_SEQUENCE_RNN with an auxiliary input")
    sequence = _sequence(operands[0], options.time_major)
    outputs = [
        _simple(sequence, operands[first : first + 4], options, round_, reverse=first == 5)
        for first in (1, 5)
    ]
    return _joined(outputs, options, quantization)


def svdf(
    *tensors: Optional,
    options: LayerOptions,
    rank: int = 0,
    quantization: Quantization | None = None,
) -> Tensor:
    """Low-rank filters over features and time. Source: Nakkiran et al., Interspeech 2015."""
    (x, features, time, b, state), round_ = _operands(tensors, quantization, options)
    filters, memory = time.shape
    new = round_(x) @ features.mT
    old = state.reshape((x.shape[0], filters, memory))
    seen = F.concat([old[:, :, 1:], F.expand_dims(new, axis=-1)], axis=-1)
    y = F.sum(seen * time, axis=-1).reshape((x.shape[0], filters // rank, rank))
    y = F.sum(y, axis=-1)
    y = activated(y if b is None else y + b, options.fused_activation_function)
    return _result(y, quantization)


OPERATORS = {
    "BIDIRECTIONAL_SEQUENCE_LSTM": Operator(bidirectional_lstm, options=LayerOptions),
    "BIDIRECTIONAL_SEQUENCE_RNN": Operator(bidirectional_rnn, options=LayerOptions),
    "LSTM": Operator(lstm, options=LayerOptions),
    "RNN": Operator(rnn, options=LayerOptions),
    "SVDF": Operator(svdf, options=LayerOptions),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Operator(unidirectional_lstm, options=LayerOptions),
    "UNIDIRECTIONAL_SEQUENCE_RNN": Operator(unidirectional_rnn, options=LayerOptions),
}
