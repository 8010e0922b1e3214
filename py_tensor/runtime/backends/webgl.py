"""The WebGL2 backend: values are textures, and kernels are fragment shaders.

Input: graphs and bytes. Output: buffers in textures.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from typing import ClassVar

from ...compiler.codegen.shader import Shader
from ...compiler.kernel import FusionLimits
from ...compiler.stages import Plan
from ...compiler.textures.plan import Slot, numbers_in, texture_size, words_of
from ...compiler.textures.target import TextureTarget
from ...compiler.textures.texture_layout import most_elements
from ...dtypes import DType, float32, shown
from ...errors import BackendError, SizeError
from ...settings import settings
from ..scopes import warn_of_losses
from .bridge import OVERFLOWS, UNDERFLOWS, TextureBridge
from .bridge_parts import FACTS, SETTINGS, BridgePixels
from .bridged import BridgedBackend

_STORED_INFINITY = ("PT_STORED_INF 0x7f800000u", "PT_STORED_INF 0x47800000u")
"""Replacement in shaders for SwiftShader: it draws an infinity to a half as NaN, but 65536.0 as an
infinity."""


class WebGLBackend(BridgedBackend[TextureBridge]):
    """Backend that computes on a WebGL2 context through a bridge."""

    name = "webgl"
    runs_glsl = True
    runs_writes = False
    lost = "WebGL context"
    device: TextureTarget
    limit_names: ClassVar = {
        "max_texture_size": "maxTextureSize",
        "texture_units": "maxTextureUnits",
        "draw_buffers": "maxDrawBuffers",
        "float32_rendering": "float32Renderable",
        "float16_rendering": "float16Renderable",
        "timer": "timer",
        "parallel_compile": "parallelCompile",
        "renderer": "renderer",
    }
    fact_functions: ClassVar = FACTS | {
        "webgl_version": lambda engine: 2,
        "float16_storage": lambda engine: engine.device.float_as_half,
    }
    setting_functions: ClassVar = SETTINGS | {
        "float16_storage": lambda engine, on: engine.store_as_half(on)
    }

    def __init__(self, bridge: TextureBridge) -> None:
        super().__init__(bridge)
        limits = self.limits
        if not (limits["float32Renderable"] or limits["float16Renderable"]):
            raise BackendError(
                "webgl: backend not available: this GPU can draw to no textures of floats; got "
                f"{limits['renderer']}; use another browser or device"
            )
        self.device = TextureTarget(
            largest=limits["maxTextureSize"],
            draw_buffers=limits["maxDrawBuffers"],
            limits=FusionLimits(inputs=min(limits["maxTextureUnits"], 16) - 1),
            float_as_half=settings.float16_storage or not limits["float32Renderable"],
            on_processor=self.on_processor,
        )
        is_swiftshader = "swiftshader" in limits["renderer"].lower()
        self._infinity = _STORED_INFINITY if is_swiftshader else ("", "")

    def _make_program(self, number: int, name: str, source: str) -> None:
        self.bridge.program(number, name, source.replace(*self._infinity))

    def _words(self, plan: Plan, program_id: Callable[[Shader], int]) -> array[int]:
        for slot in (*plan.outputs, *plan.temporaries):
            if max(slot.width, slot.height) > self.device.largest:
                raise BackendError(
                    "realize: a result is too large for the GPU; got "
                    f"{4 * slot.width * slot.height} elements; split it into tensors of at most "
                    f"{most_elements(self.device.largest)} elements"
                )
        return words_of(plan, program_id)

    def slot(self, dtype: DType, size: int) -> Slot:
        """Return the format and size of a tensor's texture."""
        stored = float32 if dtype.kind == "c" else dtype
        width, height = texture_size(size * numbers_in(dtype))
        return Slot(self.device.format(stored), width, height)

    def _allocate(self, handle: int, slot: Slot) -> None:
        self.bridge.alloc(handle, slot.format, slot.width, slot.height)

    def _send(self, handle: int, slot: Slot, data: memoryview) -> None:
        losses = self.bridge.upload(handle, slot.format, slot.width, slot.height, data)
        if losses:
            warn_of_losses("upload", losses & OVERFLOWS, losses & UNDERFLOWS)

    def check_size(self, operation: str, shape: tuple[int, ...], dtype: DType) -> None:
        size = math.prod(shape)
        most = most_elements(self.device.largest) // numbers_in(dtype)
        if size > most:
            raise SizeError(
                f"{operation}: tensor is too large for the GPU; got shape {shown(shape)}, {size} "
                f"elements; split it into tensors of at most {most} elements"
            )

    def store_as_half(self, forced: bool) -> None:
        """Store float32 values computed from now on as float16: always, or only if necessary."""
        half = forced or not self.limits["float32Renderable"]
        self.device = self.device._replace(float_as_half=half)

    @property
    def pixels(self) -> BridgePixels:
        return BridgePixels(self, self.limits["maxTextureSize"])


def create() -> WebGLBackend:
    """Create the WebGL backend; raise BackendError if there is no WebGL2 context."""
    from .pyodide import load_bridge

    return WebGLBackend(load_bridge())
