"""Recurrent layers and the wrappers of layers: the loops over the steps of sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .... import functions as F, lax
from ....nn.layers.recurrent import MERGE_MODES, merged
from ....tensor import Tensor
from .shared import Config, LayerRow, MaskRule, Results, Weight, activated, check_size, leading

type States = tuple[Tensor, ...]

IGNORED = "unroll dropout recurrent_dropout implementation unit_forget_bias seed"
"""Options of all recurrent layers that do not change results."""


def scan(
    x: Tensor,
    step: Callable[[Tensor, States], States],
    states: States,
    mask: Tensor | None,
    *,
    return_sequences: bool = False,
    return_state: bool = False,
    go_backwards: bool = False,
    zero_output_for_mask: bool = False,
    stateful: bool = False,
    time_major: bool = False,
) -> Results:
    """Run a step, which returns the next states, for each index of the second axis.

    The output of a step is its first state. At masked steps, the states stay as they are, and the
    output is that of the step before or 0.
    """
    check_size(x.shape[1])
    if time_major:
        raise ValueError("time_major; it must be False")
    if not x.shape[1]:
        raise ValueError("a sequence without steps")

    def run(carry: tuple[States, Tensor | None], slices: Sequence[Tensor]) -> Any:
        states, before = carry
        new = step(slices[0], states)
        if mask is None:
            return (new, None), new[0]
        output = F.where(leading(slices[1], new[0]), new[0], 0.0 if before is None else before)
        kept = tuple(
            F.where(leading(slices[1], after), after, old)
            for after, old in zip(new, states, strict=True)
        )
        return (kept, None if before is None else output), output

    sequences = [F.moveaxis(t, 1, 0) for t in (x, mask) if t is not None]
    if go_backwards:
        sequences = [F.flip(sequence, axis=0) for sequence in sequences]
    before = None if mask is None or zero_output_for_mask else F.zeros_like(states[0])
    (states, _), outputs = lax.scan(run, (states, before), sequences)
    result = F.moveaxis(outputs, 0, 1) if return_sequences else outputs[-1]
    return (result, *states) if return_state else result


def starts(shape: tuple[int, ...], states: Sequence[Tensor | None], *operands: Tensor) -> States:
    """Return the first states: zeros for None, all of one shape and the dtype of later states."""
    dtype = F.result_type(*operands, *(state for state in states if state is not None))
    return tuple(
        F.zeros(shape, dtype=dtype)
        if state is None
        else F.broadcast_to(state.astype(dtype), F.broadcast_shapes(state.shape, shape))
        for state in states
    )


def _projected(x: Tensor, kernel: Tensor, bias: Tensor | None) -> Tensor:
    """Return the inputs of all steps times the kernel."""
    product = x.astype(kernel.dtype) @ kernel
    return product if bias is None else product + bias


def _parts(gates: Tensor, units: int) -> list[Tensor]:
    return [gates[..., at : at + units] for at in range(0, gates.shape[-1], units)]


def simple_rnn(
    x: Tensor,
    h: Tensor | None,
    kernel: Tensor,
    recurrent: Tensor,
    bias: Tensor | None,
    mask: Tensor | None,
    *,
    units: int,
    activation: str = "tanh",
    **options: Any,
) -> Results:
    inputs = _projected(x, kernel, bias)

    def step(now: Tensor, states: States) -> States:
        return (activated(now + states[0] @ recurrent, activation),)

    states = starts((x.shape[0], units), (h,), inputs, recurrent)
    return scan(inputs, step, states, mask, **options)


def gru(
    x: Tensor,
    h: Tensor | None,
    kernel: Tensor,
    recurrent: Tensor,
    bias: Tensor | None,
    mask: Tensor | None,
    *,
    units: int,
    activation: str = "tanh",
    recurrent_activation: str = "sigmoid",
    reset_after: bool = False,
    **options: Any,
) -> Results:
    first = bias
    second = None
    if bias is not None and reset_after:
        first, second = bias[0], bias[1]
    inputs = _projected(x, kernel, first)

    def step(now: Tensor, states: States) -> States:
        (h,) = states
        xz, xr, xh = _parts(now, units)
        if reset_after:
            product = h @ recurrent
            hz, hr, hh = _parts(product if second is None else product + second, units)
            z, r = (activated(gate, recurrent_activation) for gate in (xz + hz, xr + hr))
            new = activated(xh + r * hh, activation)
        else:
            hz, hr = _parts(h @ recurrent[:, : 2 * units], units)
            z, r = (activated(gate, recurrent_activation) for gate in (xz + hz, xr + hr))
            new = activated(xh + (r * h) @ recurrent[:, 2 * units :], activation)
        return (z * h + (1 - z) * new,)

    states = starts((x.shape[0], units), (h,), inputs, recurrent)
    return scan(inputs, step, states, mask, **options)


def lstm(
    x: Tensor,
    h: Tensor | None,
    c: Tensor | None,
    kernel: Tensor,
    recurrent: Tensor,
    bias: Tensor | None,
    mask: Tensor | None,
    *,
    units: int,
    activation: str = "tanh",
    recurrent_activation: str = "sigmoid",
    **options: Any,
) -> Results:
    inputs = _projected(x, kernel, bias)

    def step(now: Tensor, states: States) -> States:
        h, c = states
        i, f, g, o = _parts(now + h @ recurrent, units)
        i, f, o = (activated(gate, recurrent_activation) for gate in (i, f, o))
        c = f * c + i * activated(g, activation)
        return o * activated(c, activation), c

    states = starts((x.shape[0], units), (h, c), inputs, recurrent)
    return scan(inputs, step, states, mask, **options)


def _weights(gates: int, config: Config) -> list[Weight | None]:
    units = config["units"]
    columns = gates * units
    rows = (2,) if gates == 3 and config.get("reset_after") else ()
    return [
        Weight(("kernel",), (None, columns), attribute="cell"),
        Weight(("recurrent_kernel",), (units, columns), attribute="cell"),
        Weight(("bias",), (*rows, columns), attribute="cell")
        if config.get("use_bias", True)
        else None,
    ]


def recurrent_row(
    function: Callable[..., Any],
    weights: Callable[[Config], list[Weight | None]],
    states: int,
    ignored: str = "",
) -> LayerRow:
    return LayerRow(
        function,
        weights,
        inputs=1 + states,
        arguments={"initial_state": 1},
        masks=1,
        ignored=f"{IGNORED} {ignored}",
        mask=MaskRule.SEQUENCES,
    )


def fold_time(x: Tensor) -> Tensor:
    return x.reshape((x.shape[0] * x.shape[1], *x.shape[2:]))


def unfold_time(y: Tensor, x: Tensor) -> Tensor:
    return y.reshape((x.shape[0], x.shape[1], *y.shape[1:]))


def backward_outputs(y: Tensor, *, return_sequences: bool) -> Tensor:
    return F.flip(y, axis=1) if return_sequences else y


def merge_directions(
    ahead: Tensor, back: Tensor, *, merge_mode: str, return_sequences: bool
) -> Tensor:
    back = backward_outputs(back, return_sequences=return_sequences)
    if merge_mode not in MERGE_MODES:
        raise ValueError(f"merge_mode {merge_mode!r:.40}")
    return merged(merge_mode, [ahead, back])


LAYERS = {
    "GRU": recurrent_row(gru, partial(_weights, 3), 1),
    "LSTM": recurrent_row(lstm, partial(_weights, 4), 2),
    "SimpleRNN": recurrent_row(simple_rnn, partial(_weights, 1), 1),
}
INTERNAL: dict[str, Callable[..., Tensor]] = {
    "time steps to batch": fold_time,
    "batch to time steps": unfold_time,
    "order of time": backward_outputs,
    "merge of directions": merge_directions,
}
