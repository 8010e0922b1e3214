"""The reference backend: each operation in turn, by the NumPy function its row names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dtypes import DType
from ..errors import BackendError
from ..nodes import Call, Graph, Scalar
from ..ops.rows import Elementwise, Reduction
from .base import Buffer, Statistics

Step = Callable[[list[Any]], Any]


class NumpyBackend:
    """Computes on the host with NumPy."""

    name = "numpy"
    on_host = True

    def __init__(self) -> None:
        self.draws = 0

    def compile(self, graph: Graph) -> tuple[Graph, list[Step | None]]:
        return graph, [
            _step(call, edges) if type(call) is Call else None
            for call, edges in zip(graph.calls, graph.edges, strict=True)
        ]

    def run(
        self,
        plan: tuple[Graph, list[Step | None]],
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

    def ready(self, plan: Any) -> tuple[int, int]:
        return 0, 0

    def blank(self, dtype: DType, size: int) -> Buffer:
        return Buffer(dtype, size, np.empty(size, dtype.name))

    def array(self, buffer: Buffer) -> Any:
        """The buffer's elements as a flat array."""
        host = buffer.host if buffer.host is not None else buffer.backend.read(buffer)
        if isinstance(host, np.ndarray):
            return host
        return np.frombuffer(host, dtype=np.dtype(buffer.dtype.name))

    def check_size(self, operation: str, shape: tuple[int, ...], dtype: DType) -> None:
        if np.prod(shape, dtype=object) >= 1 << 31:
            raise BackendError(
                f"{operation}: too many elements; got shape {shape}; stay below 2**31"
            )

    def read(self, buffer: Buffer) -> memoryview:
        return memoryview(self.array(buffer)).cast("B") if buffer.size else memoryview(b"")

    async def read_async(self, buffer: Buffer) -> memoryview:
        return self.read(buffer)

    def release(self, buffer: Buffer) -> None:
        """Nothing: host memory is counted by Python."""

    def statistics(self) -> Statistics:
        return {"bytesInUse": 0, "bytesFree": 0, "programs": 0, "draws": self.draws}


def _flat(value: Any) -> Any:
    """A contiguous flat array that shares nothing writable."""
    return np.ascontiguousarray(value).reshape(-1)


def _step(call: Call, edges: tuple[int, ...]) -> Step:
    row = call.row
    reference = row.reference or row.name
    function: Any = reference if callable(reference) else getattr(np, reference)
    dtypes = [np.dtype(dtype.name) for dtype in call.operands]
    if isinstance(row, Reduction) and dtypes[0] == np.float16:
        # NumPy adds halves up in halves along all axes but the last.
        dtypes = [np.dtype(np.float32)]
    result = np.dtype(call.spec.dtype.name)
    shape = call.spec.shape

    def step(values: list[Any]) -> Any:
        arrays = [
            values[at].astype(dtype, copy=False) for at, dtype in zip(edges, dtypes, strict=True)
        ]
        if isinstance(row, Elementwise):
            value = function(np, *arrays) if callable(reference) else function(*arrays)
        elif isinstance(row, Reduction):
            axes: Any = call.arg
            value = function(arrays[0], axis=axes[0] if row.index else axes, keepdims=True)
        else:
            value = function(np, *arrays, call.arg)
        value = np.asarray(value).astype(result, copy=False)
        return (
            value.reshape(shape) if value.size == call.spec.size else np.broadcast_to(value, shape)
        )

    return step
