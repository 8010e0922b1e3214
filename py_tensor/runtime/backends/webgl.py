"""The WebGL2 backend: compile graphs into plans and run each plan by a single bridge call.

Input: graphs and bytes. Output: buffers in textures.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ...compiler.kernel import FusionLimits
from ...compiler.stages import Plan, make_plan, split_plan
from ...compiler.textures.plan import Slot, numbers_in, texture_size, words_of
from ...compiler.textures.target import TextureTarget
from ...dtypes import DType, float32, shown
from ...errors import BackendError, SizeError
from ...ir.node import OpGraph
from ...settings import settings
from ..scopes import warn_of_losses
from .base import Buffer, CompiledParts, Statistics
from .bridge import OVERFLOWS, UNDERFLOWS, Bridge
from .device import MemoryWatch, Programs, packed_numbers, packed_words, scalar_codes
from .webgl_context import FACTS, LIMITS, SETTINGS, ContextTimers, TexturePixels

_ON_PROCESSOR = ("swiftshader", "llvmpipe", "softpipe", "basic render")
"""Substrings of software renderers' names: Chromium's, Mesa's two, and Windows's."""


def is_software(renderer: str) -> bool:
    """Return True for the name of a renderer that draws on the processor."""
    return any(name in renderer.lower() for name in _ON_PROCESSOR)


_STORED_INFINITY = ("PT_STORED_INF 0x7f800000u", "PT_STORED_INF 0x47800000u")
"""Replacement in shaders for SwiftShader: it draws an infinity to a half as NaN, but 65536.0 as an
infinity."""


class Compiled:
    """A plan registered with the bridge under a number."""

    def __init__(self, plan: Plan, number: int, bridge: Bridge, programs: Programs) -> None:
        self.plan = plan
        self.number = number
        self.bridge = bridge
        self.programs = programs
        codes = scalar_codes(plan.lowered.graph)
        self.pack = struct.Struct(f"={1 + plan.leaves + len(plan.outputs)}i{codes}").pack
        self.implicit_uniforms = packed_numbers(plan.implicit_uniforms)
        self.keep = plan.keep
        self.nbytes = sum(slot.nbytes for slot in plan.outputs)
        self.returned_leaves = frozenset(kept.number for kept in plan.keep if kept.is_leaf)
        self.sizes = [(spec.dtype, spec.size) for spec in plan.specs]

    def __del__(self) -> None:
        self.bridge.drop_plan(self.number)
        for draw in self.plan.draws:
            self.programs.release(draw.shader)


class WebGLBackend:
    """Backend that computes on a WebGL2 context through a bridge."""

    name = "webgl"
    runs_glsl = True
    jax_arrays = False
    compiles = True
    whole_programs = False

    def __init__(self, bridge: Bridge) -> None:
        self.bridge = bridge
        limits = bridge.limits()
        self.limits = limits
        if not (limits["float32Renderable"] or limits["float16Renderable"]):
            raise BackendError(
                "webgl: backend not available: this GPU can draw to no textures of floats; got "
                f"{limits['renderer']}; use another browser or device"
            )
        renderer = limits["renderer"]
        self.on_processor = is_software(renderer)
        self.device = TextureTarget(
            largest=limits["maxTextureSize"],
            draw_buffers=limits["maxDrawBuffers"],
            limits=FusionLimits(inputs=min(limits["maxTextureUnits"], 16) - 1),
            float_as_half=settings.float16_storage or not limits["float32Renderable"],
            on_processor=self.on_processor,
        )
        self.generation = bridge.generation()
        infinity = _STORED_INFINITY if "swiftshader" in renderer.lower() else ("", "")
        self.programs = Programs(
            lambda number, name, source: bridge.program(number, name, source.replace(*infinity)),
            bridge.drop_program,
        )
        self.memory = MemoryWatch(lambda: bridge.stats()["bytesInUse"], "GPU memory")
        self.plans = 0
        self.handles = 0

    # --- plans ----------------------------------------------------------------------------------

    def compile(self, graph: OpGraph) -> Compiled:
        return self._registered(make_plan(graph, self.device, self.programs.begin))

    def compile_parts(
        self, graph: OpGraph, constants: Collection[int], scalars: Collection[int]
    ) -> CompiledParts:
        split = split_plan(graph, self.device, constants, scalars, self.programs.begin)
        first = split.preparation and self._registered(split.preparation)
        plan = self._registered(split.plan)
        return CompiledParts(plan, split.leaves, first, split.constants)

    def _registered(self, plan: Plan) -> Compiled:
        """Check the size of a plan's textures, and register it with the bridge."""
        for slot in (*plan.outputs, *plan.temporaries):
            if max(slot.width, slot.height) > self.device.largest:
                raise BackendError(
                    "realize: a result is too large for the GPU; got "
                    f"{4 * slot.width * slot.height} elements; split it into tensors of at most "
                    f"{self.device.largest * 2048 * 4} elements"
                )
        self.plans += 1
        self.bridge.plan(self.plans, words_of(plan, self.programs.use))
        return Compiled(plan, self.plans, self.bridge, self.programs)

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
            # A leaf that is also a result, for example reshaped, must be kept.
            if leaf not in plan.returned_leaves:
                handles[leaf] = _donated(handles[leaf])
        first = self.handles + 1
        self.handles += len(plan.sizes)
        head = (self.generation, *handles, *range(first, self.handles + 1))
        words = packed_words(plan.pack, head, scalars)
        generation = self.bridge.run(plan.number, words + plan.implicit_uniforms)
        if generation != self.generation:
            self.generation = generation
            return self.run(plan, leaves, scalars, donated)
        outputs = [
            Buffer(dtype, size, None, self, first + number, generation)
            for number, (dtype, size) in enumerate(plan.sizes)
        ]
        self.memory.spend(plan.nbytes)
        return [
            (node, leaves[number] if is_leaf else outputs[number])
            for node, is_leaf, number in plan.keep
        ]

    def ready(self, plan: Compiled) -> tuple[int, int]:
        return self.bridge.ready(plan.number), len({draw.shader.source for draw in plan.plan.draws})

    # --- elements -------------------------------------------------------------------------------

    def _upload(self, buffer: Buffer) -> int:
        if buffer.host is None:
            if buffer.backend is not self:
                buffer.host = buffer.backend.read(buffer)
            else:
                raise BackendError(
                    "realize: the tensor was lost with the WebGL context; got a tensor that "
                    "existed only on the GPU; compute it again from tensors created by asarray"
                )
        if buffer.handle and buffer.backend is self:
            # The run that detected the restored context had already uploaded under this handle.
            self.bridge.free(buffer.handle)
        elif buffer.handle is not None and buffer.backend is not self:
            buffer.backend.release(buffer)
        self.handles += 1
        slot = self._slot(buffer.dtype, buffer.size)
        losses = self.bridge.upload(
            self.handles, slot.format, slot.width, slot.height, _host(buffer)
        )
        if losses:
            warn_of_losses("upload", losses & OVERFLOWS, losses & UNDERFLOWS)
        buffer.backend = self
        buffer.generation = self.generation
        buffer.handle = self.handles
        self.memory.spend(slot.nbytes)
        return self.handles

    def adopt(self, array: object) -> None:
        """Return None: textures share no memory with arrays."""

    def blank(self, dtype: DType, size: int) -> Buffer:
        handle = self.new_handle()
        slot = self._slot(dtype, size)
        self.bridge.alloc(handle, slot.format, slot.width, slot.height)
        self.memory.spend(slot.nbytes)
        return Buffer(dtype, size, None, self, handle, self.generation)

    def check_size(self, operation: str, shape: tuple[int, ...], dtype: DType) -> None:
        size = math.prod(shape)
        if max(texture_size(size * numbers_in(dtype))) > self.device.largest:
            raise SizeError(
                f"{operation}: tensor is too large for the GPU; got shape {shown(shape)}, {size} "
                "elements; split it into tensors of at most "
                f"{self.device.largest * 2048 * 4 // numbers_in(dtype)} elements"
            )

    def store_as_half(self, forced: bool) -> None:
        """Store float32 values computed from now on as float16: always, or only if necessary."""
        half = forced or not self.limits["float32Renderable"]
        self.device = self.device._replace(float_as_half=half)

    def _slot(self, dtype: DType, size: int) -> Slot:
        """Return the format and size of a tensor's texture."""
        stored = float32 if dtype.kind == "c" else dtype
        width, height = texture_size(size * numbers_in(dtype))
        return Slot(self.device.format(stored), width, height)

    def _target(self, buffer: Buffer) -> bytearray:
        self.handle_of(buffer)
        return bytearray(buffer.size * buffer.dtype.itemsize)

    def read(self, buffer: Buffer) -> memoryview:
        if buffer.host is not None:
            self.bridge.give_turn()
            return _host(buffer)
        data = self._target(buffer)
        if data:
            self.bridge.read(buffer.handle, memoryview(data))
        return memoryview(data)

    async def read_async(self, buffer: Buffer) -> memoryview:
        if buffer.host is not None:
            await self.bridge.give_turn_async()
            return _host(buffer)
        data = self._target(buffer)
        if data:
            await self.bridge.read_async(buffer.handle, memoryview(data))
        return memoryview(data)

    def release(self, buffer: Buffer) -> None:
        if buffer.generation == self.generation:
            self.bridge.free(buffer.handle)

    def is_lost(self, buffer: Buffer) -> bool:
        own = buffer.backend is self and buffer.generation != self.bridge.generation()
        return own and buffer.host is None

    def new_handle(self) -> int:
        """Reserve a handle in the current context."""
        self.generation = self.bridge.generation()
        self.handles += 1
        return self.handles

    def handle_of(self, buffer: Buffer) -> int:
        """Return the handle of a buffer, uploading it if necessary."""
        self.generation = self.bridge.generation()
        if buffer.backend is self and buffer.generation == self.generation:
            handle: int = buffer.handle
            return handle
        return self._upload(buffer)

    def statistics(self) -> Statistics:
        return self.bridge.stats()

    # --- the context ----------------------------------------------------------------------------

    @property
    def pixels(self) -> TexturePixels:
        return TexturePixels(self)

    @property
    def timers(self) -> ContextTimers:
        return ContextTimers(self)

    def fact(self, name: str) -> Any:
        if name in LIMITS:
            limits: Mapping[str, Any] = self.bridge.limits()
            return limits[LIMITS[name]]
        return FACTS[name](self) if name in FACTS else None

    def configure(self, name: str, value: Any) -> None:
        if name in SETTINGS:
            SETTINGS[name](self, value)


def _donated(handle: int) -> int:
    """Mark the handle of a leaf whose texture results may reuse, as plans.js reads it."""
    return -handle


def _host(buffer: Buffer) -> memoryview:
    return memoryview(buffer.host).cast("B") if buffer.size else memoryview(b"")


def create() -> WebGLBackend:
    """Create the WebGL backend; raise BackendError if there is no WebGL2 context."""
    from .pyodide import load_bridge

    return WebGLBackend(load_bridge())
