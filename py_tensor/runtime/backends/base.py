"""The backend protocol.

A backend compiles a graph once, runs it many times with different values, and transfers elements.
Input: graphs and bytes. Output: `Buffer`s. A backend knows no operation by name.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypedDict

from ...dtypes import DType, shown
from ...errors import SizeError
from ...ir.node import OpGraph, OpNode, TensorSpec
from ...ops.op_def import Shape


class Buffer:
    """Elements in row-major order, on the host (`host`, flat bytes), a device (`handle`) or both.

    The device memory is released when the Buffer is garbage-collected. `users` counts living
    tensors (from when work runs next), reads in progress, and executables that captured the value.
    """

    __slots__ = ("__weakref__", "backend", "dtype", "generation", "handle", "host", "size", "users")

    def __init__(
        self,
        dtype: DType,
        size: int,
        host: Any = None,
        backend: Any = None,
        handle: Any = None,
        generation: int = 0,
    ) -> None:
        self.dtype = dtype
        self.size = size
        self.host = host
        self.backend = backend
        self.handle = handle
        self.generation = generation
        self.users = 0

    def __del__(self) -> None:
        if self.handle is not None:
            self.backend.release(self)


class Statistics(TypedDict):
    """Counts that every backend provides."""

    bytesInUse: int
    bytesFree: int
    programs: int
    draws: int


class CompiledParts(NamedTuple):
    """A compiled graph, in which a preparation computes what depends on constants alone."""

    plan: Any
    leaves: tuple[int, ...]
    """Leaves of the graph that `plan` takes; the outputs of the preparation follow them."""
    preparation: Any = None
    """Plan to run once; None if there is nothing to prepare."""
    constants: tuple[int, ...] = ()
    """Leaves of the graph that the preparation takes."""


class Pixels(Protocol):
    """Moves pictures between the page and buffers of RGBA pixels: uint8, row 0 on top."""

    largest: int
    """Pixels along a side of the largest picture."""

    def size(self, source: Any) -> tuple[int, int]:
        """Return the width and height of a picture; raise ArgumentTypeError if it is none."""

    def load(self, source: Any, width: int, height: int) -> Buffer:
        """Return a new buffer of a picture's pixels, not multiplied by alpha."""

    def draw(self, buffer: Buffer, width: int, height: int, canvas: Any) -> None:
        """Resize a canvas and draw a buffer's pixels to it; raise BackendError if it is taken."""


type Transfers = Callable[[str, int], AbstractContextManager[None]]
"""Function of "upload" or "download" and the bytes, which returns a manager around the copy."""


class Timers(Protocol):
    """Measures kernels and transfers; `diagnostics.recorder` starts and stops it."""

    def source(self, awaits: bool) -> str:
        """Return the source of kernel times: "gpu", "host", or "wait" if each kernel is waited for.

        With `awaits`, the times are taken by `times_async`.
        """

    def measure(self, on: bool, wait: bool) -> None:
        """Turn the times of kernels on or off, and let the peak start again.

        With `wait`, the times must be known to `times` at once, even if each kernel is waited for.
        """

    def times(self) -> list[tuple[str, float]]:
        """Return name and milliseconds of each kernel since the last call, in order."""

    def times_async(self) -> Awaitable[list[tuple[str, float]]]:
        """Return the times of all kernels like `times`, after waiting for them."""

    def finish(self) -> None:
        """Wait until all submitted work is done."""

    def peak(self) -> int:
        """Return the largest number of bytes in use since `measure`."""

    def watch(self, transfers: Transfers | None) -> None:
        """Run each later copy between Python and the device inside of `transfers`; None: end."""


class Backend(Protocol):
    """Capabilities and methods of every backend.

    Callers ask for a capability; they never compare the name of a backend.
    """

    name: str
    runs_glsl: bool
    """True if GLSL runs, so that hand-written shaders do."""
    runs_writes: bool
    """True if kernels of the user write at computed positions themselves."""
    on_processor: bool
    """True if the backend always computes on the processor."""
    host_memory: bool
    """True if values are in memory of the host, so that `peek` always returns them."""
    jax_arrays: bool
    """True if buffers hold arrays of JAX: on several devices, of 64-bit dtypes, without a copy."""
    compiles: bool
    """True if running a new graph takes long, so that tiny values are computed in plain Python."""
    whole_programs: bool
    """True if a graph becomes one program, in which copies are fused, and which may contain loops
    without limit, and branches of which one is computed."""

    @property
    def pixels(self) -> Pixels | None:
        """Return the object that moves pictures; None if they take the way through the host."""

    @property
    def timers(self) -> Timers | None:
        """Return the object that measures kernels; None if plans are measured as a whole."""

    def compile(self, graph: OpGraph) -> Any:
        """Compile a graph into a plan for `run`; the executor caches it."""

    def compile_parts(
        self, graph: OpGraph, constants: Collection[int], scalars: Collection[int]
    ) -> CompiledParts:
        """Compile a graph, of which leaves and scalars of these numbers never change."""

    def run(
        self,
        plan: Any,
        leaves: Sequence[Buffer],
        scalars: Sequence[bool | int | float],
        donated: Sequence[int] = (),
    ) -> list[tuple[int, Buffer]]:
        """Run a plan and return (position, buffer) of each kept node; outputs first, in order.

        `donated` holds positions of leaves whose memory the results may reuse.
        """

    def ready(self, plan: Any) -> tuple[int, int]:
        """Return a plan's (compiled, total) programs without waiting for the compiler."""

    async def tune(self, plan: Any) -> bool:
        """Measure kernels that could be computed in several ways, if `pt.env.autotune` allows it.

        Return True if the plan should be compiled again, because others of its kernels are faster.
        """

    def blank(self, dtype: DType, size: int) -> Buffer:
        """Allocate a buffer of undefined values."""

    def check_size(self, operation: str, shape: tuple[int, ...], dtype: DType) -> None:
        """Raise BackendError if a buffer of that size cannot exist."""

    def adopt(self, array: Any) -> tuple[Buffer, Shape] | None:
        """Return a buffer of another library's array without a copy; None if that is impossible."""

    def read(self, buffer: Buffer) -> memoryview:
        """Return all elements as bytes; block until they are computed."""

    def read_async(self, buffer: Buffer) -> Awaitable[memoryview]:
        """Return all elements as bytes without blocking."""

    def peek(self, buffer: Buffer) -> memoryview | None:
        """Return all elements as bytes if they are in host memory, else None."""

    def compute_directly(self, wanted: Sequence[OpNode]) -> bool:
        """Compute pending nodes without a plan, if that is faster; return True if it was done."""

    def release(self, buffer: Buffer) -> None:
        """Release the buffer's device memory."""

    def is_lost(self, buffer: Buffer) -> bool:
        """Return True if the elements were in device memory only, and that was lost."""

    def statistics(self) -> Statistics:
        """Return counts of resources in use and of work done."""

    def fact(self, name: str) -> Any:
        """Return a limit or a setting of `pt.env`; None if the backend has none of that name."""

    def configure(self, name: str, value: Any) -> None:
        """Change a setting of `pt.env`; do nothing if the backend has none of that name."""


class HostBackend:
    """Methods that all backends share that compute in host memory."""

    runs_glsl = False
    runs_writes = False
    on_processor = True
    host_memory = True
    jax_arrays = False
    pixels: Pixels | None = None
    timers: Timers | None = None
    compiles = False
    whole_programs = False

    def __init__(self) -> None:
        self.draws = 0

    def compile_parts(
        self: Backend, graph: OpGraph, constants: Collection[int], scalars: Collection[int]
    ) -> CompiledParts:
        leaves = [call for call in graph.calls if type(call) is TensorSpec]
        return CompiledParts(self.compile(graph), tuple(range(len(leaves))))

    def ready(self, plan: Any) -> tuple[int, int]:
        return 0, 0

    async def tune(self, plan: Any) -> bool:
        return False

    def check_size(self, operation: str, shape: tuple[int, ...], dtype: DType) -> None:
        if math.prod(shape) >= 1 << 31:
            raise SizeError(
                f"{operation}: too many elements; got shape {shown(shape)}; use fewer than 2**31 "
                "elements"
            )

    def read(self, buffer: Buffer) -> memoryview:
        if not buffer.size:
            return memoryview(b"")
        host = buffer.host if buffer.host is not None else buffer.backend.read(buffer)
        return memoryview(host).cast("B")

    async def read_async(self, buffer: Buffer) -> memoryview:
        return self.read(buffer)

    def compute_directly(self, wanted: Sequence[OpNode]) -> bool:
        return False

    def peek(self, buffer: Buffer) -> memoryview | None:
        return None if buffer.host is None else memoryview(buffer.host).cast("B")

    def adopt(self, array: Any) -> tuple[Buffer, Shape] | None:
        return None

    def blank(self, dtype: DType, size: int) -> Buffer:
        return Buffer(dtype, size, bytes(size * dtype.itemsize))

    def release(self, buffer: Buffer) -> None:
        """Do nothing: Python frees host memory."""

    def is_lost(self, buffer: Buffer) -> bool:
        return False

    def statistics(self) -> Statistics:
        return {"bytesInUse": 0, "bytesFree": 0, "programs": 0, "draws": self.draws}

    def fact(self, name: str) -> Any:
        return None

    def configure(self, name: str, value: Any) -> None:
        """Do nothing: there are no settings."""
