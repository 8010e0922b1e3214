"""The reference backend: run each operation by the NumPy function its op definition names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...ir.node import OpGraph, OpInstance, OpNode, Scalar
from ...ops.op_def import Elementwise, GatherAlong, Reduction, Sort
from .base import Buffer, HostBackend

Step = Callable[[list[Any]], Any]


class NumpyBackend(HostBackend):
    """Backend that computes on the host with NumPy."""

    name = "numpy"

    def compile(self, graph: OpGraph) -> tuple[OpGraph, list[Step | None]]:
        steps: list[Step | None] = []
        needed = {*graph.outputs, *graph.shared}
        for at in reversed(range(len(graph.calls))):
            call, edges = graph.calls[at], graph.edges[at]
            if type(call) is not OpInstance:
                steps.append(None)
            elif at not in needed:
                steps.append(_skipped)
            elif _sorts(graph, at):
                steps.append(_sorting(edges[0], *graph.calls[edges[1]].arg))
                needed.add(edges[0])
            else:
                steps.append(_step(call, edges))
                needed.update(edges)
        return graph, steps[::-1]

    def run(
        self,
        plan: tuple[OpGraph, list[Step | None]],
        leaves: Sequence[Buffer],
        scalars: Sequence[bool | int | float],
        donated: Sequence[int] = (),
    ) -> list[tuple[int, Buffer]]:
        graph, steps = plan
        values: list[Any] = []
        leaf, scalar = iter(leaves), iter(scalars)
        with np.errstate(all="ignore"):
            for call, step in zip(graph.calls, steps, strict=True):
                if step is not None:
                    values.append(step(values))
                elif type(call) is Scalar:
                    values.append(np.asarray(next(scalar)).astype(call.spec.dtype.name))
                else:
                    values.append(self.array(next(leaf)).reshape(call.shape))
        self.draws += 1
        return [
            (
                position,
                Buffer(graph.spec(position).dtype, values[position].size, _flat(values[position])),
            )
            for position in (*graph.outputs, *graph.shared)
        ]

    def compute_number(self, node: OpNode) -> bool:
        """Compute an element by elementwise operations on elements, without a plan."""
        order: list[OpNode] = []
        stack = [node]
        while stack:
            source = stack.pop()
            if source.spec.shape or len(order) == _NUMBERS:
                return False
            order.append(source)
            if source.call is not None:
                if not isinstance(source.call.op, Elementwise):
                    return False
                stack += source.srcs
        values: dict[int, Any] = {}
        with np.errstate(all="ignore"):
            # A node that several others need occurs several times, the last time after all of them.
            for source in reversed(order):
                if id(source) in values:
                    continue
                if source.call is not None:
                    step = _step_of_numbers(source.call)
                    value = step([values[id(src)] for src in source.srcs])
                elif source.buffer is not None:
                    value = self.array(source.buffer).reshape(())
                else:
                    value = np.asarray(source.value).astype(source.spec.dtype.name)
                values[id(source)] = value
        node.settle(Buffer(node.spec.dtype, 1, _flat(values[id(node)])))
        return True

    def array(self, buffer: Buffer) -> Any:
        """Return the buffer's elements as a flat array."""
        host = buffer.host if buffer.host is not None else buffer.backend.read(buffer)
        if isinstance(host, np.ndarray):
            return host
        return np.frombuffer(host, dtype=np.dtype(buffer.dtype.name))


_NUMBERS = 64
"""Nodes up to which an element is computed without a plan."""


def _flat(value: Any) -> Any:
    """Return the values as a contiguous flat array, which keeps no larger array alive."""
    flat = whole = np.ascontiguousarray(value).reshape(-1)
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    return flat if whole.nbytes <= flat.nbytes else flat.copy()


def _skipped(values: list[Any]) -> None:
    """Compute nothing: no later step reads the value."""


def _sorts(graph: OpGraph, at: int) -> bool:
    """Return True if a node reads the elements of a tensor in the order that sorts them."""
    x, order = graph.edges[at] if isinstance(graph.calls[at].op, GatherAlong) else (0, 0)
    sort = graph.calls[order]
    return (
        type(sort) is OpInstance
        and isinstance(sort.op, Sort)
        and graph.edges[order] == (x,)
        and graph.calls[at].arg[0] == sort.arg[0]
    )


def _sorting(x: int, axis: int, descending: bool) -> Step:
    """Return the step that sorts elements, which is faster than to sort indices."""

    def step(values: list[Any]) -> Any:
        ascending = np.sort(values[x], axis=axis)
        return np.flip(ascending, axis) if descending else ascending

    return step


@lru_cache(1024)
def _step_of_numbers(call: OpInstance) -> Step:
    return _step(call, tuple(range(len(call.specs))))


def _step(call: OpInstance, edges: tuple[int, ...]) -> Step:
    op = call.op
    reference = op.reference or op.name
    function: Any = reference if callable(reference) else getattr(np, reference)
    dtypes = [np.dtype(dtype.name) for dtype in call.operands]
    if isinstance(op, Reduction) and dtypes[0] == np.float16:
        # NumPy accumulates float16 in float16 along all axes except the last.
        dtypes = [np.dtype(np.float32)]
    stored = [np.dtype(spec.dtype.name) for spec in call.specs]
    casts = [(at, own) for at, own in enumerate(dtypes) if own != stored[at]]
    result = np.dtype(call.spec.dtype.name)
    shape = call.spec.shape
    with_module = () if isinstance(op, Elementwise) and not callable(reference) else (np,)
    static = () if isinstance(op, Elementwise) else (call.arg,)
    axes: Any = call.arg[0] if isinstance(op, Reduction) and op.index else call.arg

    def step(values: list[Any]) -> Any:
        arrays = [values[at] for at in edges]
        for at, dtype in casts:
            arrays[at] = arrays[at].astype(dtype)
        if isinstance(op, Reduction):
            value = function(arrays[0], axis=axes, keepdims=True)
        else:
            value = function(*with_module, *arrays, *static)
        if type(value) is not np.ndarray or value.dtype is not result:
            value = np.asarray(value).astype(result, copy=False)
        if value.shape == shape:
            return value
        return (
            value.reshape(shape) if value.size == call.spec.size else np.broadcast_to(value, shape)
        )

    return step
