"""The Python protocols of the bridges to WebGL2 and WebGPU.

Only numbers, strings and buffers cross them.

Handles, program ids and plan ids are small ints chosen by the caller. A failing method raises
`BackendError`, `OutOfMemoryError` if GPU memory is exhausted, `ShaderError` if a shader does not
compile, or `ArgumentTypeError`.
"""

from __future__ import annotations

from array import array
from collections.abc import Awaitable
from typing import Any, Protocol, TypedDict

from ...errors import (
    ArgumentTypeError,
    BackendError,
    OutOfMemoryError,
    ShaderError,
    TensorError,
)
from ..holders import largest_holders
from .base import Statistics


class DeviceLimits(TypedDict):
    """Capabilities of the WebGL2 context."""

    maxTextureSize: int
    maxTextureUnits: int
    maxDrawBuffers: int
    maxUniformVectors: int
    float32Renderable: bool
    float16Renderable: bool
    renderer: str
    vendor: str
    timer: bool
    parallelCompile: bool
    machineMemory: int | None


class Stats(Statistics):
    """Resources in use (textures, bytes, programs, plans) and counts of work done (the rest)."""

    texturesInUse: int
    texturesFree: int
    bytesPeak: int
    poolLimit: int
    plans: int
    uploads: int
    reads: int
    compiled: int


class Bridge(Protocol):
    """A WebGL2 context or a WebGPU device, which stores buffers and runs plans of draws.

    Data are C-contiguous buffers of bytes in storage order.
    """

    def limits(self) -> Any:
        """Return the capabilities, tested if the reported ones are not reliable."""

    def free(self, handle: int) -> None:
        """Return a buffer to the pool; do nothing if it was lost with its device."""

    def program(self, id: int, name: str, source: str) -> None:
        """Start compiling a shader; a run that needs it raises its errors."""

    def plan(self, id: int, words: array[int]) -> None:
        """Register draws; `words_of` of the compiler's targets makes the words."""

    def run(self, plan: int, words: bytes) -> int:
        """Run a plan and return the generation of the context or device.

        The words are [generation, leaf handles, output handles, scalars as their 32 bits]. If the
        generation is not the present one, nothing runs, because the handles were lost. A leaf with
        a negated handle is freed after its last read, so that later outputs can reuse its memory.
        """

    def ready(self, plan: int) -> int:
        """Return the number of a plan's compiled programs, without waiting for the others.

        If a WebGL context cannot report progress, each call waits for one more program.
        """

    def drop_plan(self, plan: int) -> None:
        """Delete a plan; its programs are kept."""

    def drop_program(self, id: int) -> None:
        """Delete a program that no plan needs any more."""

    def read(self, handle: int, target: Any) -> None:
        """Fill the writable buffer `target` with a buffer's first bytes, waiting for them."""

    def read_async(self, handle: int, target: Any) -> Awaitable[None]:
        """Fill `target` like `read`, but block only the awaiting task."""

    def give_turn(self) -> None:
        """Yield to the page's event loop if it has not run for long and Python can wait."""

    def give_turn_async(self) -> Awaitable[None]:
        """Yield to the event loop like `give_turn`, without blocking."""

    def draw(self, handle: int, width: int, height: int, target: Any) -> None:
        """Draw a uint8 buffer of RGBA pixels, row 0 on top, to a canvas without a read-back."""

    def from_pixels(self, handle: int, source: Any, width: int, height: int) -> None:
        """Fill a uint8 buffer with an image's RGBA pixels, not multiplied by alpha."""

    def pixel_size(self, source: Any) -> tuple[int, int]:
        """Return the width and height of an image."""

    def stats(self) -> Stats:
        """Return counts of resources in use and of work done."""

    def pool_limit(self, bytes: int) -> None:
        """Set the capacity of the pool of freed textures."""

    def trim(self) -> None:
        """Empty the pool."""

    def checks(self, on: bool) -> None:
        """Check for an error after each draw; slow."""

    def finish(self) -> None:
        """Wait until all submitted work is done."""

    def profile(self, on: bool, blocking: bool = False) -> None:
        """Measure the duration of each draw, by waiting for it if `blocking`; slow.

        `bytesPeak` of `stats`, the maximum of `bytesInUse`, starts again.
        """

    def timings(self) -> Awaitable[list[tuple[str, float]]]:
        """Return the program name and milliseconds of each draw since the last call.

        Waits until the GPU has finished all work.
        """

    def timings_now(self) -> list[tuple[str, float]]:
        """Return the timings, blocking; if `can_wait` is False, only those of blocking draws."""

    def can_wait(self) -> bool:
        """Return True if a blocking call can wait for a promise."""

    def error(self) -> int | str:
        """Return the first error since the last call: WebGL's code, or WebGPU's text."""

    def generation(self) -> int:
        """Return a number that increases each time a lost context or device is restored."""

    def is_lost(self) -> bool:
        """Return True if the context or device is currently lost."""

    def lose_context(self) -> None:
        """Lose the context or device deliberately; for tests."""

    def restore_context(self) -> None:
        """Request the restoration after `lose_context`; increases the generation."""

    def destroy(self) -> None:
        """Release all resources; the bridge cannot be used afterwards."""


OVERFLOWS, UNDERFLOWS = 1, 2
"""Bits of the result of `TextureBridge.upload`."""


class TextureBridge(Bridge, Protocol):
    """A WebGL2 context, whose buffers are textures.

    A buffer is a texture of `width` x `height` texels that holds the row-major elements, four to a
    texel. `format` is an index into the table of formats: 0 float32, 1 float16, 2 int32, 3 uint32,
    4 int16, 5 uint16, 6 int8, 7 uint8, 8 float32 stored as float16.
    """

    def upload(self, handle: int, format: int, width: int, height: int, data: Any) -> int:
        """Allocate a buffer whose first bytes are copied from `data`.

        If float32 values are stored as float16, the result has the bit `OVERFLOWS` if a finite
        value becomes infinite, and `UNDERFLOWS` if another than zero becomes zero.
        """

    def alloc(self, handle: int, format: int, width: int, height: int) -> None:
        """Allocate a buffer of undefined values."""


class StorageBridge(Bridge, Protocol):
    """A WebGPU device, whose buffers are storage buffers of bytes."""

    def upload(self, handle: int, nbytes: int, data: Any) -> None:
        """Allocate a buffer whose first bytes are copied from `data`."""

    def alloc(self, handle: int, nbytes: int) -> None:
        """Allocate a buffer of undefined values."""

    def prepare(self, plan: int) -> None:
        """Wait until a plan's programs have compiled, if Python can, and raise their errors."""


_LOST = {"WebGL context lost": "webgl", "WebGPU device lost": "webgpu"}
_ADVICE = (
    "got no answer from the GPU; try again once the browser has restored it, or reload the page"
)


_ERRORS: dict[str, type[TensorError]] = {
    "OutOfMemoryError": OutOfMemoryError,
    "ShaderError": ShaderError,
    "PictureError": ArgumentTypeError,
}


def bridge_error(name: str, message: str, backend: str = "webgl") -> TensorError:
    """Convert a JavaScript error of the bridge to a Python error."""
    if message in _LOST:
        message = f"{_LOST[message]}: {message}; {_ADVICE}"
    elif name == "OutOfMemoryError":
        message = f"{backend}: {message}; free tensors; most is held by {largest_holders()}"
    return _ERRORS.get(name, BackendError)(message)
