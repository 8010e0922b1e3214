"""Operators that run graphs: conditions, loops, and functions of the file.

Under pt.jit, loops are unrolled; a condition that depends on an input's values is not compiled.
"""

from __future__ import annotations

from collections.abc import Sequence

from .... import functions as F
from ....dtypes import bool_, float32
from ....functions.arguments import one_axis
from ....tensor import Tensor
from ... import folding
from ...common import call
from ...execution import GraphFunction, ModelValue, as_numbers
from ...graph import ValueInfo
from ...layouts import as_tensor
from .shared import Ints, Operator, single, unsupported


def choose(
    condition: bool | Ints, *, then_branch: GraphFunction, else_branch: GraphFunction
) -> Sequence[ModelValue]:
    return then_branch() if single(condition) else else_branch()


def loop(
    trips: int | Ints | None = None,
    condition: bool | Ints | None = None,
    *carries: ModelValue,
    body: GraphFunction,
) -> Sequence[ModelValue]:
    state: list[ModelValue] = list(carries)
    scanned: list[list[ModelValue]] = [[] for _ in body.graph.outputs[1 + len(carries) :]]
    going, trip = condition is None or bool(single(condition)), 0
    while going and (trips is None or trip < single(trips)):
        results = body(folding.made([trip], ()), folding.made([going], (), bool_), *state)
        going, trip = bool(single(as_numbers(results[0]))), trip + 1
        state = results[1 : 1 + len(carries)]
        for values, value in zip(scanned, results[1 + len(carries) :], strict=True):
            values.append(value)
    return *state, *map(_stacked, scanned, body.graph.outputs[1 + len(carries) :])


def _stacked(values: list[ModelValue], info: ValueInfo, axis: int = 0) -> Tensor:
    if not values:
        shape = [length if isinstance(length, int) else 0 for length in info.shape or ()]
        return F.zeros((0, *shape), dtype=info.dtype or float32)
    return F.stack([as_tensor(value) for value in values if value is not None], axis=axis)


def scan(
    *inputs: ModelValue,
    opset: int,
    body: GraphFunction,
    num_scan_inputs: int,
    scan_input_axes: Ints | None = None,
    scan_input_directions: Ints | None = None,
    scan_output_axes: Ints | None = None,
    scan_output_directions: Ints | None = None,
) -> Sequence[ModelValue]:
    if opset < 9:
        raise unsupported("Scan with batches, of version 8")
    count = len(inputs) - num_scan_inputs
    state: list[ModelValue] = list(inputs[:count])
    sequences = [as_tensor(value) for value in inputs[count:] if value is not None]
    axes = scan_input_axes or [0] * len(sequences)
    sequences = [
        F.moveaxis(x, one_axis("scan", axis, x.ndim), 0)
        for x, axis in zip(sequences, axes, strict=True)
    ]
    backward = scan_input_directions or [0] * len(sequences)
    infos = body.graph.outputs[count:]
    scanned: list[list[ModelValue]] = [[] for _ in infos]
    trips = min(x.shape[0] for x in sequences)
    for trip in range(trips):
        slices = [
            x[trips - 1 - trip if reverse else trip]
            for x, reverse in zip(sequences, backward, strict=True)
        ]
        results = body(*state, *slices)
        state = results[:count]
        for values, value in zip(scanned, results[count:], strict=True):
            values.append(value)
    axes = scan_output_axes or [0] * len(infos)
    backward = scan_output_directions or [0] * len(infos)
    stacked = [
        _stacked(values[::-1] if reverse else values, info, axis)
        for values, info, axis, reverse in zip(scanned, infos, axes, backward, strict=True)
    ]
    return *state, *stacked


OPERATORS = {
    "Function": Operator(call, raw=True, runs_once=True),
    "If": Operator(choose, host=("condition",), raw=True, runs_once=True),
    "Loop": Operator(loop, host=("trips", "condition"), raw=True),
    "Scan": Operator(scan, raw=True),
}
