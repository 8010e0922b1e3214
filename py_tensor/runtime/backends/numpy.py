"""The reference backend: run each operation by the NumPy function its op definition names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ...ir.node import OpGraph, OpInstance, OpNode, Scalar, pending_for
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

    def compute_directly(self, wanted: Sequence[OpNode]) -> bool:
        order = pending_for(wanted)
        if max((node.spec.size for node in order), default=0) > _ELEMENTS:
            return False
        values: dict[OpNode, Any] = {}
        with np.errstate(all="ignore"):
            for node in order:
                operands = []
                for src in node.srcs:
                    if src in values:
                        operands.append(values[src])
                    elif src.buffer is not None:
                        operands.append(self.array(src.buffer).reshape(src.spec.shape))
                    else:
                        operands.append(np.array(src.value, src.spec.dtype.name))
                spec = node.spec
                value = values[node] = _function(node.call)(*operands)
                # Others may need the value of any node.
                node.settle(Buffer(spec.dtype, spec.size, _flat(value)))
        self.draws += 1
        return True

    def array(self, buffer: Buffer) -> Any:
        """Return the buffer's elements as a flat array."""
        host = buffer.host if buffer.host is not None else buffer.backend.read(buffer)
        if isinstance(host, np.ndarray):
            return host
        return np.frombuffer(host, dtype=np.dtype(buffer.dtype.name))


_ELEMENTS = 1 << 14
"""Elements up to which nodes are computed without a plan, which does less work on many elements."""


def _flat(value: Any) -> Any:
    """Return the values as a contiguous flat array, which keeps no larger array alive."""
    if value.base is None and value.flags.c_contiguous:
        return value.reshape(-1)
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


def _step(call: OpInstance, edges: tuple[int, ...]) -> Step:
    function = _function(call)
    return lambda values: function(*[values[at] for at in edges])


@lru_cache(4096)
def _function(call: OpInstance) -> Callable[..., Any]:
    """Return the function that computes an op instance from arrays of its operands' specs."""
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
    shape, size = call.spec.shape, call.spec.size
    if isinstance(op, Reduction):
        function = partial(function, axis=call.arg[0] if op.index else call.arg, keepdims=True)
    elif not isinstance(op, Elementwise):
        function = partial(_with_argument, function, call.arg)
    elif callable(reference):
        function = partial(function, np)

    def compute(*operands: Any) -> Any:
        arrays = [*operands]
        for at, dtype in casts:
            arrays[at] = arrays[at].astype(dtype)
        value = function(*arrays)
        if type(value) is not np.ndarray or value.dtype is not result:
            value = np.asarray(value).astype(result, copy=False)
        if value.shape == shape:
            return value
        return value.reshape(shape) if value.size == size else np.broadcast_to(value, shape)

    return compute


def _with_argument(function: Callable[..., Any], argument: Any, *operands: Any) -> Any:
    """Call the reference function of an operation that has a static argument."""
    return function(np, *operands, argument)
