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


def _operands(
    tensors: Sequence[Optional], quantization: Quantization | None, asymmetric: bool
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
        steps, step = rounded(x, (-1,), asymmetric)
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


class Limits(NamedTuple):
    activation: int
    cell_clip: float
    proj_clip: float
    round_: Round


def _clipped(x: Tensor, limit: float) -> Tensor:
    return F.clip(x, -limit, limit) if limit > 0 else x


def _layer(x: Tensor, h: Tensor, c: Tensor, gates: Gates, limits: Limits, reverse: bool) -> Any:
    """Run an LSTM over a sequence (time, batch, features); return the outputs."""
    used = [gate for gate in range(4) if gates.w[gate] is not None]
    units = c.shape[-1]
    inputs = limits.round_(x) @ F.concat([gates.w[gate] for gate in used], axis=0).mT
    recurrent = F.concat([gates.r[gate] for gate in used], axis=0).mT

    def step(carry: tuple[Tensor, Tensor], gates_of_input: Tensor) -> Any:
        h, c = carry
        sums = gates_of_input + limits.round_(h) @ recurrent

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
        new = activated(gate(2, c), limits.activation)
        enter = F.sigmoid(gate(0, c)) if 0 in used else 1 - forget
        c = _clipped(forget * c + enter * new, limits.cell_clip)
        h = F.sigmoid(gate(3, c)) * activated(c, limits.activation)
        if gates.projection is not None:
            h = limits.round_(h) @ gates.projection.mT
            if gates.projection_bias is not None:
                h = h + gates.projection_bias
            h = _clipped(h, limits.proj_clip)
        return (h, c), h

    _, outputs = lax.scan(step, (h, c), inputs, reverse=reverse)
    return outputs


def _sequence(x: Tensor, time_major: bool) -> Tensor:
    """Exchange batch and time, unless time is first."""
    return x if time_major else F.moveaxis(x, 0, 1)


def unidirectional_lstm(
    *tensors: Optional,
    fused_activation_function: int = 0,
    cell_clip: float = 0.0,
    proj_clip: float = 0.0,
    time_major: bool = False,
    asymmetric_quantize_inputs: bool = False,
    diagonal_recurrent_tensors: bool = False,
    quantization: Quantization | None = None,
) -> Tensor:
    if diagonal_recurrent_tensors:
        raise unsupported("UNIDIRECTIONAL_SEQUENCE_LSTM with diagonal weights")
    operands, round_ = _operands(tensors, quantization, asymmetric_quantize_inputs)
    operands += [None] * (24 - len(operands))
    limits = Limits(fused_activation_function, cell_clip, proj_clip, round_)
    gates = Gates(
        operands[1:5],
        operands[5:9],
        [operands[9], operands[10], None, operands[11]],
        operands[12:16],
        operands[20:24],
        *operands[16:18],
    )
    sequence = _sequence(operands[0], time_major)
    y = _layer(sequence, operands[18], operands[19], gates, limits, False)
    return _result(_sequence(y, time_major), quantization)


def lstm(
    *tensors: Optional,
    fused_activation_function: int = 0,
    cell_clip: float = 0.0,
    proj_clip: float = 0.0,
    kernel_type: int = 0,
    asymmetric_quantize_inputs: bool = False,
    quantization: Quantization | None = None,
) -> Any:
    if kernel_type:
        return _basic_lstm(*tensors, quantization=quantization)
    x, *rest = tensors
    assert x is not None
    y = unidirectional_lstm(
        F.expand_dims(x, axis=0),
        *rest,
        fused_activation_function=fused_activation_function,
        cell_clip=cell_clip,
        proj_clip=proj_clip,
        time_major=True,
        asymmetric_quantize_inputs=asymmetric_quantize_inputs,
        quantization=quantization,
    )
    return y[0]


def _basic_lstm(*tensors: Optional, quantization: Quantization | None) -> tuple[Tensor, ...]:
    operands, _ = _operands(tensors, quantization, False)
    x, h, w, b, c = operands
    joined = F.concat([x, h], axis=-1)
    sums = joined @ w.mT + b
    enter, new, forget, out = numpy_functions.split(sums, 4, axis=-1)
    c = F.sigmoid(forget) * c + F.sigmoid(enter) * F.tanh(new)
    h = F.sigmoid(out) * F.tanh(c)
    return tuple(_result(y, quantization, at) for at, y in enumerate((h, c, joined, sums)))


def _joined(outputs: list[Tensor], merge: bool, time_major: bool, quantization: Any) -> Any:
    """Return the outputs of both directions, as one tensor if they are merged."""
    if merge:
        outputs = [F.concat(outputs, axis=-1)]
    return tuple(
        _result(_sequence(y, time_major), quantization, at) for at, y in enumerate(outputs)
    )


def bidirectional_lstm(
    *tensors: Optional,
    fused_activation_function: int = 0,
    cell_clip: float = 0.0,
    proj_clip: float = 0.0,
    merge_outputs: bool = False,
    time_major: bool = True,
    asymmetric_quantize_inputs: bool = False,
    quantization: Quantization | None = None,
) -> Any:
    operands, round_ = _operands(tensors, quantization, asymmetric_quantize_inputs)
    operands += [None] * (48 - len(operands))
    if operands[39] is not None:
        raise unsupported("BIDIRECTIONAL_SEQUENCE_LSTM with an auxiliary input")
    limits = Limits(fused_activation_function, cell_clip, proj_clip, round_)
    sequence = _sequence(operands[0], time_major)
    outputs = []
    for first, state in ((1, 35), (18, 37)):
        part = operands[first : first + 17]
        gates = Gates(
            part[:4],
            part[4:8],
            [part[8], part[9], None, part[10]],
            part[11:15],
            [None] * 4,
            *part[15:],
        )
        h, c = operands[state : state + 2]
        outputs.append(_layer(sequence, h, c, gates, limits, first == 18))
    return _joined(outputs, merge_outputs, time_major, quantization)


def _simple(x: Tensor, weights: Sequence[Any], limits: Limits, reverse: bool) -> Tensor:
    w, r, b, h = weights
    inputs = limits.round_(x) @ w.mT + b

    def step(h: Tensor, of_input: Tensor) -> tuple[Tensor, Tensor]:
        h = activated(of_input + limits.round_(h) @ r.mT, limits.activation)
        return h, h

    outputs: Tensor = lax.scan(step, h, inputs, reverse=reverse)[1]
    return outputs


def unidirectional_rnn(
    *tensors: Optional,
    time_major: bool = False,
    fused_activation_function: int = 0,
    asymmetric_quantize_inputs: bool = False,
    quantization: Quantization | None = None,
) -> Tensor:
    (x, *rest), round_ = _operands(tensors, quantization, asymmetric_quantize_inputs)
    limits = Limits(fused_activation_function, 0.0, 0.0, round_)
    y = _simple(_sequence(x, time_major), rest, limits, False)
    return _result(_sequence(y, time_major), quantization)


def rnn(x: Tensor, *rest: Optional, **options: Any) -> Tensor:
    return unidirectional_rnn(F.expand_dims(x, axis=0), *rest, time_major=True, **options)[0]


def bidirectional_rnn(
    *tensors: Optional,
    time_major: bool = False,
    fused_activation_function: int = 0,
    merge_outputs: bool = False,
    asymmetric_quantize_inputs: bool = False,
    quantization: Quantization | None = None,
) -> Any:
    operands, round_ = _operands(tensors, quantization, asymmetric_quantize_inputs)
    if any(x is not None for x in operands[9:]):
        raise unsupported("BIDIRECTIONAL_SEQUENCE_RNN with an auxiliary input")
    limits = Limits(fused_activation_function, 0.0, 0.0, round_)
    sequence = _sequence(operands[0], time_major)
    outputs = [
        _simple(sequence, operands[first : first + 4], limits, first == 5) for first in (1, 5)
    ]
    return _joined(outputs, merge_outputs, time_major, quantization)


def svdf(
    *tensors: Optional,
    rank: int = 0,
    fused_activation_function: int = 0,
    asymmetric_quantize_inputs: bool = False,
    quantization: Quantization | None = None,
) -> Tensor:
    """Low-rank filters over features and time. Source: Nakkiran et al., Interspeech 2015."""
    (x, features, time, b, state), round_ = _operands(
        tensors, quantization, asymmetric_quantize_inputs
    )
    filters, memory = time.shape
    new = round_(x) @ features.mT
    old = state.reshape((x.shape[0], filters, memory))
    seen = F.concat([old[:, :, 1:], F.expand_dims(new, axis=-1)], axis=-1)
    y = F.sum(seen * time, axis=-1).reshape((x.shape[0], filters // rank, rank))
    y = F.sum(y, axis=-1)
    y = activated(y if b is None else y + b, fused_activation_function)
    return _result(y, quantization)


OPERATORS = {
    "BIDIRECTIONAL_SEQUENCE_LSTM": Operator(bidirectional_lstm),
    "BIDIRECTIONAL_SEQUENCE_RNN": Operator(bidirectional_rnn),
    "LSTM": Operator(lstm),
    "RNN": Operator(rnn),
    "SVDF": Operator(svdf),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Operator(unidirectional_lstm),
    "UNIDIRECTIONAL_SEQUENCE_RNN": Operator(unidirectional_rnn),
}
