"""The WebGL2 backend: plans run by one call through the bridge.

Comes in: graphs, bytes; goes out: buffers in textures. Knows no operation.
"""

from __future__ import annotations

import math
import struct
import warnings
from collections.abc import Sequence

from ..dtypes import FLOAT_END, HALF_END, DType, float16, float32, limited
from ..errors import BackendError
from ..glsl.shader import Shader
from ..nodes import Graph, Scalar
from ..plan import Device, Plan, make_plan, numbers_in, texture_size
from ..schedule.fuse import Limits
from .base import Buffer, Statistics
from .bridge import Bridge

_ON_PROCESSOR = ("swiftshader", "llvmpipe", "softpipe", "basic render")
"""Parts of the names of renderers that are no GPU: Chromium's, Mesa's two, and Windows's."""

_CODES = {"f": "f", "i": "i", "u": "I", "b": "I"}


class Compiled:
    """A plan the bridge knows by number."""

    __slots__ = (
        "bridge",
        "keep",
        "number",
        "outputs",
        "pack",
        "passed",
        "plan",
        "settings",
        "sizes",
    )

    def __init__(self, plan: Plan, graph: Graph, number: int, bridge: Bridge) -> None:
        self.plan = plan
        self.number = number
        self.bridge = bridge
        self.outputs = len(plan.outputs)
        codes = "".join(
            _CODES[call.spec.dtype.kind] for call in graph.calls if type(call) is Scalar
        )
        codes += "i" * len(plan.settings)
        self.settings = plan.settings
        self.pack = struct.Struct(f"={1 + plan.leaves + self.outputs}i{codes}").pack
        self.keep = plan.keep
        self.passed = frozenset(-1 - where for _, where in plan.keep if where < 0)
        specs = {}
        for position, where in plan.keep:
            spec = graph.spec(position)
            specs[where] = (spec.dtype, spec.size)
        self.sizes = [specs[where] for where in range(self.outputs)]

    def __del__(self) -> None:
        self.bridge.drop_plan(self.number)


class WebGLBackend:
    """Computes on a WebGL2 context behind a bridge."""

    name = "webgl"
    on_host = False

    def __init__(self, bridge: Bridge) -> None:
        self.bridge = bridge
        limits = bridge.limits()
        self.limits = limits
        renderer = limits["renderer"].lower()
        self.device = Device(
            largest=limits["maxTextureSize"],
            draw_buffers=limits["maxDrawBuffers"],
            limits=Limits(inputs=min(limits["maxTextureUnits"], 16) - 1),
            float_as_half=not limits["float32Renderable"],
            on_processor=any(name in renderer for name in _ON_PROCESSOR),
        )
        self.generation = bridge.generation()
        self.programs: dict[str, int] = {}
        self.plans = 0
        self.handles = 0

    # --- plans ----------------------------------------------------------------------------------

    def compile(self, graph: Graph) -> Compiled:
        plan = make_plan(graph, self.device)
        for _, width, height, _ in (*plan.outputs, *plan.temporaries):
            if max(width, height) > self.device.largest:
                raise BackendError(
                    f"realize: a result does not fit the GPU; got {width * height * 4} elements; "
                    f"this GPU holds {self.device.largest * 2048 * 4} in one tensor; split it"
                )
        self.plans += 1
        self.bridge.plan(self.plans, plan.words(self._program))
        return Compiled(plan, graph, self.plans, self.bridge)

    def _program(self, shader: Shader) -> int:
        number = self.programs.get(shader.source)
        if number is None:
            number = self.programs[shader.source] = len(self.programs) + 1
            self.bridge.program(number, shader.name, shader.source)
        return number

    def run(
        self,
        plan: Compiled,
        leaves: Sequence[Buffer],
        scalars: Sequence[bool | int | float],
        donated: Sequence[int] = (),
    ) -> list[tuple[int, Buffer]]:
        handles = [
            leaf.handle
            if leaf.generation == self.generation and leaf.backend is self
            else self._upload(leaf)
            for leaf in leaves
        ]
        for leaf in donated:
            # A leaf that is also a result, under another shape, must stay.
            if leaf not in plan.passed:
                handles[leaf] = -handles[leaf]
        first = self.handles + 1
        self.handles += plan.outputs
        head = (self.generation, *handles, *range(first, first + plan.outputs))
        scalars = (*scalars, *plan.settings) if plan.settings else scalars
        try:
            words = plan.pack(*head, *scalars)
        except (OverflowError, struct.error):
            words = plan.pack(*head, *(limited(value, FLOAT_END) for value in scalars))
        generation = self.bridge.run(plan.number, words)
        if generation != self.generation:
            self.generation = generation
            return self.run(plan, leaves, scalars, donated)
        outputs = [
            Buffer(dtype, size, None, self, first + number, generation)
            for number, (dtype, size) in enumerate(plan.sizes)
        ]
        return [
            (position, outputs[where] if where >= 0 else leaves[-1 - where])
            for position, where in plan.keep
        ]

    def ready(self, plan: Compiled) -> tuple[int, int]:
        programs = {draw.shader.source for draw in plan.plan.draws}
        return self.bridge.ready(plan.number), len(programs)

    # --- elements -------------------------------------------------------------------------------

    def _upload(self, buffer: Buffer) -> int:
        if buffer.host is None:
            if buffer.backend is not self:
                buffer.host = buffer.backend.read(buffer)
            else:
                raise BackendError(
                    "realize: the tensor was lost with the WebGL context; got a tensor that lived "
                    "on the GPU only; compute it again from tensors made by asarray"
                )
        host = _host(buffer)
        if self._stored(buffer.dtype) is float16 is not buffer.dtype:
            host = _to_half(host)
        if buffer.handle and buffer.backend is self:
            # The run that was first to hear of a new context had uploaded under this handle.
            self.bridge.free(buffer.handle)
        self.handles += 1
        self.bridge.upload(self.handles, *self._texture(buffer.dtype, buffer.size), host)
        buffer.backend = self
        buffer.generation = self.generation
        buffer.handle = self.handles
        return self.handles

    def blank(self, dtype: DType, size: int) -> Buffer:
        handle = self.new_handle()
        self.bridge.alloc(handle, *self._texture(dtype, size))
        return Buffer(dtype, size, None, self, handle, self.generation)

    def check_size(self, operation: str, shape: tuple[int, ...], dtype: DType) -> None:
        size = math.prod(shape)
        if max(texture_size(size * numbers_in(dtype))) > self.device.largest:
            raise BackendError(
                f"{operation}: tensor larger than the GPU; got shape {shape}, {size} elements; "
                f"this GPU holds {self.device.largest * 2048 * 4 // numbers_in(dtype)} in one "
                "tensor; split it"
            )

    def _stored(self, dtype: DType) -> DType:
        """The dtype of the numbers in the texture of a tensor."""
        real = float32 if dtype.kind == "c" else dtype
        return float16 if self.device.float_as_half and real is float32 else real

    def _texture(self, dtype: DType, size: int) -> tuple[int, int, int]:
        return self.device.format(self._stored(dtype)), *texture_size(size * numbers_in(dtype))

    def _target(self, buffer: Buffer) -> bytearray:
        self.handle_of(buffer)
        size = buffer.size * numbers_in(buffer.dtype)
        return bytearray(size * self._stored(buffer.dtype).itemsize)

    def _decoded(self, data: bytearray, dtype: DType) -> memoryview:
        if self._stored(dtype) is not float16 or dtype is float16:
            return memoryview(data)
        return memoryview(
            struct.pack(f"={len(data) // 2}f", *struct.unpack(f"={len(data) // 2}e", data))
        )

    def read(self, buffer: Buffer) -> memoryview:
        if buffer.host is not None:
            self.bridge.give_turn()
            return _host(buffer)
        data = self._target(buffer)
        if data:
            self.bridge.read(buffer.handle, memoryview(data))
        return self._decoded(data, buffer.dtype)

    async def read_async(self, buffer: Buffer) -> memoryview:
        if buffer.host is not None:
            await self.bridge.give_turn_async()
            return _host(buffer)
        data = self._target(buffer)
        if data:
            await self.bridge.read_async(buffer.handle, memoryview(data))
        return self._decoded(data, buffer.dtype)

    def release(self, buffer: Buffer) -> None:
        if buffer.generation == self.generation:
            self.bridge.free(buffer.handle)

    def new_handle(self) -> int:
        """A handle to fill in the context as it is now."""
        self.generation = self.bridge.generation()
        self.handles += 1
        return self.handles

    def handle_of(self, buffer: Buffer) -> int:
        """The handle of a buffer, uploaded if need be."""
        self.generation = self.bridge.generation()
        if buffer.backend is self and buffer.generation == self.generation:
            return buffer.handle
        return self._upload(buffer)

    def statistics(self) -> Statistics:
        return self.bridge.stats()


def _host(buffer: Buffer) -> memoryview:
    return memoryview(buffer.host).cast("B") if buffer.size else memoryview(b"")


def _to_half(host: memoryview) -> memoryview:
    """float32 bytes as float16 bytes, for contexts that cannot render to float32."""
    values = struct.unpack(f"={len(host) // 4}f", host)
    if any(65504 < abs(v) < math.inf for v in values):
        warnings.warn(
            "upload: values beyond 65504 become infinite: this GPU stores float16 only",
            stacklevel=2,
        )
        values = tuple(limited(v, HALF_END) for v in values)
    return memoryview(struct.pack(f"={len(values)}e", *values))


def create() -> WebGLBackend:
    """The backend on this page's WebGL2 context; raises BackendError where there is none."""
    from .pyodide_bridge import load_bridge

    return WebGLBackend(load_bridge())
