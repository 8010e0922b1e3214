"""Recurrent layers and the wrappers of layers: the loops over the steps of sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .... import functions as F
from ....tensor import Tensor
from .shared import Config, LayerRow, Results, Weight, activated, check_size, leading

type States = tuple[Tensor, ...]
type Step = tuple[Tensor, States]


def scan(
    x: Tensor,
    step: Callable[[Tensor, States], Step],
    states: States,
    mask: Tensor | None,
    *,
    return_sequences: bool = False,
    return_state: bool = False,
    go_backwards: bool = False,
    zero_output_for_mask: bool = False,
    stateful: bool = False,
    unroll: bool = False,
    dropout: float = 0.0,
    recurrent_dropout: float = 0.0,
    implementation: int = 2,
    time_major: bool = False,
    unit_forget_bias: bool = True,
    seed: object = None,
) -> Results:
    """Run a step for each index of the second axis.

    At masked steps, the states stay as they are, and the output is that of the step before or 0.
    """
    steps = x.shape[1]
    check_size(steps)
    if time_major:
        raise ValueError("time_major; it must be False")
    order = range(steps - 1, -1, -1) if go_backwards else range(steps)
    outputs: list[Tensor] = []
    for at in order:
        output, new = step(x[:, at], states)
        if mask is not None:
            valid = mask[:, at]
            before = outputs[-1] if outputs and not zero_output_for_mask else output * 0
            output = F.where(leading(valid, output), output, before)
            new = tuple(
                F.where(leading(valid, after), after, old)
                for after, old in zip(new, states, strict=True)
            )
        states = new
        outputs.append(output)
    result = F.stack(outputs, axis=1) if return_sequences else outputs[-1]
    return (result, *states) if return_state else result


def _states(x: Tensor, units: int, given: tuple[Tensor | None, ...]) -> States:
    return tuple(
        F.zeros((x.shape[0], units), dtype=x.dtype) if state is None else state for state in given
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
    given = _projected(x, kernel, bias)

    def step(now: Tensor, states: States) -> Step:
        h = activated(now + states[0] @ recurrent, activation)
        return h, (h,)

    return scan(given, step, _states(given, units, (h,)), mask, **options)


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
    given = _projected(x, kernel, first)

    def step(now: Tensor, states: States) -> Step:
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
        h = z * h + (1 - z) * new
        return h, (h,)

    return scan(given, step, _states(given, units, (h,)), mask, **options)


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
    given = _projected(x, kernel, bias)

    def step(now: Tensor, states: States) -> Step:
        h, c = states
        i, f, g, o = _parts(now + h @ recurrent, units)
        i, f, o = (activated(gate, recurrent_activation) for gate in (i, f, o))
        c = f * c + i * activated(g, activation)
        h = o * activated(c, activation)
        return h, (h, c)

    return scan(given, step, _states(given, units, (h, c)), mask, **options)


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


def _row(function: Callable[..., Any], gates: int, states: int) -> LayerRow:
    return LayerRow(
        function,
        lambda config: _weights(gates, config),
        inputs=1 + states,
        arguments={"initial_state": 1},
        masks=1,
        mask="sequences",
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
    if merge_mode == "concat":
        return F.concat([ahead, back], axis=-1)
    if merge_mode == "mul":
        return ahead * back
    if merge_mode not in ("sum", "ave"):
        raise ValueError(f"merge_mode {merge_mode!r:.40}")
    total = ahead + back
    return total * 0.5 if merge_mode == "ave" else total


LAYERS = {
    "GRU": _row(gru, 3, 1),
    "LSTM": _row(lstm, 4, 2),
    "SimpleRNN": _row(simple_rnn, 1, 1),
}
INTERNAL: dict[str, Callable[..., Tensor]] = {
    "time steps to batch": fold_time,
    "batch to time steps": unfold_time,
    "order of time": backward_outputs,
    "merge of directions": merge_directions,
}
