"""One step of recurrent networks with explicit kernels; `layers.recurrent` has the layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import functions as F
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import function_of, items, number
from ..functions.decorators import named
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike


@named
def lstm_cell(
    x: ArrayLike,
    c: ArrayLike,
    h: ArrayLike,
    kernel: ArrayLike,
    bias: ArrayLike,
    /,
    *,
    forget_bias: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """Compute one step of an LSTM, as tf.basicLSTMCell.

    Source: Zaremba et al. 2014, arXiv:1409.2329. The columns of the kernel belong to the input
    gate, the new values, the forget gate and the output gate.

    Args:
        x: Inputs of shape (batch, features).
        c: State of the cells of shape (batch, units).
        h: Outputs of the step before, of shape (batch, units).
        kernel: Matrix of shape (features + units, 4 * units).
        bias: Vector of shape (4 * units,).
        forget_bias: Number added to the forget gate before the sigmoid; default 1.0.

    Returns:
        Tuple (c, h) of the new state and the outputs, each of shape (batch, units).

    Raises:
        DTypeError: If the operands have no common dtype.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> x, state = pt.ones((1, 2)), pt.zeros((1, 1))
    >>> c, h = pt.nn.lstm_cell(x, state, state, pt.zeros((3, 4)), [0.0, 1.0, 0.0, 0.0])
    >>> round(c.item(), 4), round(h.item(), 4)
    (0.3808, 0.1817)
    """
    inputs, cells, outputs, weights, offset = (
        as_tensor("lstm_cell", value) for value in (x, c, h, kernel, bias)
    )
    if weights.ndim != 2 or cells.ndim != 2 or weights.shape[1] != 4 * cells.shape[1]:
        raise ShapeError(
            f"lstm_cell: kernel does not fit; got shape {weights.shape} for a state of shape "
            f"{cells.shape}; it must be (features + units, 4 * units)"
        )
    gates = F.concat([inputs, outputs], axis=1) @ weights + offset
    forget_bias = number("lstm_cell", "forget_bias", forget_bias)
    units = cells.shape[1]
    entry, new, forget, leave = (gates[:, at * units : (at + 1) * units] for at in range(4))
    state = F.sigmoid(entry) * F.tanh(new) + cells * F.sigmoid(forget + forget_bias)
    return state, F.tanh(state) * F.sigmoid(leave)


def _listed(name: str, values: Any) -> Sequence[Any]:
    return items("multi_rnn_cell", name, values)


def multi_rnn_cell(
    cells: Sequence[Callable[..., tuple[Tensor, Tensor]]],
    x: ArrayLike,
    c: Sequence[ArrayLike],
    h: Sequence[ArrayLike],
    /,
) -> tuple[list[Tensor], list[Tensor]]:
    """Compute one step of several cells, each of which takes the outputs of the one before.

    Args:
        cells: Functions (x, c, h) that return (c, h), for example with `lstm_cell`.
        x: Inputs of the first cell.
        c: State of each cell.
        h: Outputs of each cell in the step before.

    Returns:
        Tuple of the list of new states and the list of outputs.

    Raises:
        ArgumentError: If the numbers of cells and states differ.

    >>> import py_tensor as pt
    >>> def cell(x, c, h):
    ...     return c + x, h - x
    >>> c, h = pt.nn.multi_rnn_cell([cell, cell], 1.0, [0.0, 0.0], [3.0, 3.0])
    >>> [t.item() for t in c], [t.item() for t in h]
    ([1.0, 2.0], [2.0, 1.0])
    """
    cells = [function_of("multi_rnn_cell", "cell", cell) for cell in _listed("cells", cells)]
    c, h = _listed("c", c), _listed("h", h)
    if not len(cells) == len(c) == len(h):
        raise ArgumentError(
            f"multi_rnn_cell: numbers of cells and states differ; got {len(cells)}, {len(c)} and "
            f"{len(h)}; pass one state for each cell"
        )
    inputs: Any = as_tensor("multi_rnn_cell", x)
    states, outputs = [], []
    for cell, state, output in zip(cells, c, h, strict=True):
        parts = (as_tensor("multi_rnn_cell", part) for part in (state, output))
        new, inputs = cell(inputs, *parts)
        states.append(new)
        outputs.append(inputs)
    return states, outputs
