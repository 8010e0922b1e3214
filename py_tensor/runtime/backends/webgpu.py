"""The WebGPU backend: values are storage buffers, and kernels are compute shaders.

Input: graphs and bytes. Output: buffers on the device.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Collection
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from ...compiler.codegen.shader import Shader
from ...compiler.stages import Plan
from ...compiler.workgroups.plan import StorageSlot, nbytes_of, words_of
from ...compiler.workgroups.target import WorkgroupTarget
from ...dtypes import DType, shown
from ...errors import BackendError, SizeError
from ...ir.node import OpGraph
from ...settings import settings
from .base import CompiledParts
from .bridge import StorageBridge
from .bridge_parts import SETTINGS, BridgePixels
from .bridged import BridgedBackend, Compiled

if TYPE_CHECKING:
    from .tuner import Tuner

MOST_BUFFERS = 16
"""Buffers that a kernel binds at most.

Chromium offers up to 16. Firefox passes on what drivers say, which may be half a million."""
MOST_BYTES = (1 << 31) - 16
"""Size of the largest buffer: sizes and positions have 32 bits, with a sign."""
_STORED_INFINITY = ("PT_STORED_INF: u32 = 0x7f800000u", "PT_STORED_INF: u32 = 0x47800000u")
"""Replacement in shaders for SwiftShader: it packs an infinity as NaN, but 65536.0 as an
infinity."""


def _set_autotune(engine: WebGPUBackend, value: Any) -> None:
    if not value:
        engine.device = engine.device._replace(blockings=())


class WebGPUBackend(BridgedBackend[StorageBridge]):
    """Backend that computes on a WebGPU device through a bridge."""

    name = "webgpu"
    runs_glsl = False
    runs_writes = True
    lost = "WebGPU device"
    device: WorkgroupTarget
    limit_names: ClassVar = {
        "timer": "timer",
        "parallel_compile": "parallelCompile",
        "renderer": "renderer",
    }
    setting_functions: ClassVar = {**SETTINGS, "autotune": _set_autotune}

    def __init__(self, bridge: StorageBridge) -> None:
        super().__init__(bridge)
        limits = self.limits
        self.on_processor = self.on_processor or limits["isFallbackAdapter"]
        self.largest: int = min(
            limits["maxBufferSize"], limits["maxStorageBufferBindingSize"], MOST_BYTES
        )
        is_swiftshader = "swiftshader" in limits["renderer"].lower()
        self._infinity = _STORED_INFINITY if is_swiftshader else ("", "")
        self.device = WorkgroupTarget(
            buffers=min(limits["maxStorageBuffersPerShaderStage"], MOST_BUFFERS),
            largest=self.largest,
            on_processor=self.on_processor,
            packed_products="packed_4x8_integer_dot_product" in limits["languageFeatures"],
        )

    # --- choices of kernels ---------------------------------------------------------------------

    @cached_property
    def tuner(self) -> Tuner:
        """Object that measures kernels and keeps the choices; imported when first used."""
        from .tuner import Tuner

        return Tuner(self)

    def compile(self, graph: OpGraph) -> Compiled:
        plan = super().compile(graph)
        return super().compile(graph) if self._has_faster(plan) else plan

    def compile_parts(
        self, graph: OpGraph, constants: Collection[int], scalars: Collection[int]
    ) -> CompiledParts:
        parts = super().compile_parts(graph, constants, scalars)
        if self._has_faster(parts.plan):
            parts = super().compile_parts(graph, constants, scalars)
        return parts

    def _can_tune(self, plan: Compiled) -> bool:
        blocked = [draw.shader.contraction for draw in plan.plan.draws]
        is_long = any(one is not None and one.size.is_long for one in blocked)
        return is_long and bool(settings.autotune)

    def _has_faster(self, plan: Compiled) -> bool:
        """Return True if other kernels than a new plan's are known to be faster."""
        if not self._can_tune(plan):
            return False
        if settings.autotune == "always" and self.bridge.can_wait():
            for _ in self.tuner.measure(plan.plan):
                self.bridge.finish()
        return self.tuner.has_faster(plan.plan)

    async def tune(self, plan: Compiled) -> bool:
        if not self._can_tune(plan):
            return False
        target = bytearray(4)
        for handle in self.tuner.measure(plan.plan):
            await self.bridge.read_async(handle, memoryview(target))
        return self.tuner.has_faster(plan.plan)

    # --- buffers --------------------------------------------------------------------------------

    def _make_program(self, number: int, name: str, source: str) -> None:
        self.bridge.program(number, name, source.replace(*self._infinity))

    def _words(self, plan: Plan, program_id: Callable[[Shader], int]) -> array[int]:
        for slot in (*plan.outputs, *plan.temporaries):
            if slot.nbytes > self.largest:
                raise BackendError(
                    f"realize: a result is too large for the GPU; got {slot.nbytes} bytes; split "
                    f"it into tensors of at most {self.largest} bytes"
                )
        return words_of(plan, program_id)

    def _prepare(self, plan: Compiled) -> None:
        self.bridge.prepare(plan.number)
        plan.is_prepared = True

    def slot(self, dtype: DType, size: int) -> StorageSlot:
        """Return the size of a tensor's buffer."""
        return StorageSlot(nbytes_of(dtype, size))

    def _allocate(self, handle: int, slot: StorageSlot) -> None:
        self.bridge.alloc(handle, slot.nbytes)

    def _send(self, handle: int, slot: StorageSlot, data: memoryview) -> None:
        self.bridge.upload(handle, slot.nbytes, data)

    def check_size(self, operation: str, shape: tuple[int, ...], dtype: DType) -> None:
        nbytes = nbytes_of(dtype, math.prod(shape))
        if nbytes > self.largest:
            raise SizeError(
                f"{operation}: tensor is too large for the GPU; got shape {shown(shape)}, {nbytes} "
                f"bytes; split it into tensors of at most {self.largest} bytes"
            )

    @property
    def pixels(self) -> BridgePixels:
        return BridgePixels(self, self.limits["maxTextureDimension2D"])


async def open_backend(blocking: bool) -> WebGPUBackend:
    """Create the WebGPU backend without blocking; raise BackendError if there is no device.

    Args:
        blocking: Raise BackendError, too, if Python cannot wait for reads.
    """
    from .pyodide_webgpu import open_bridge

    return WebGPUBackend(await open_bridge(blocking))


def create() -> WebGPUBackend:
    """Create the WebGPU backend, waiting for the device; raise BackendError if there is none."""
    from .pyodide_webgpu import load_bridge

    return WebGPUBackend(load_bridge())
