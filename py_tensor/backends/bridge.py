"""The bridge as Python sees it: verbs of a WebGL2 context, over which numbers and buffers cross.

Handles, program ids and plan ids are small ints chosen by the caller. A failing verb raises
`BackendError`, and `ShaderError` where a shader does not compile.
"""

from __future__ import annotations

from array import array
from collections.abc import Awaitable
from typing import Any, Protocol, TypedDict

from ..errors import BackendError, ShaderError
from .base import Statistics


class Limits(TypedDict):
    """What the context can do."""

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


class Stats(Statistics):
    """What is alive (textures, bytes, programs, plans) and what was done (the rest)."""

    texturesInUse: int
    texturesFree: int
    plans: int
    uploads: int
    reads: int
    compiled: int


class Bridge(Protocol):
    """A WebGL2 context that stores buffers and runs plans of draws.

    A buffer is a texture of `width` x `height` texels that holds the row-major elements, four to a
    texel. `format` is an index into the table of formats: 0 float32, 1 float16, 2 int32, 3 uint32,
    4 int16, 5 uint16, 6 int8, 7 uint8. Data are C-contiguous buffers of bytes in storage order.
    """

    def limits(self) -> Limits:
        """Return what the context can do, found by trying where claims are not enough."""

    def upload(self, handle: int, format: int, width: int, height: int, data: Any) -> None:
        """Make a buffer whose first bytes are those of `data`."""

    def alloc(self, handle: int, format: int, width: int, height: int) -> None:
        """Make a buffer of undefined values."""

    def free(self, handle: int) -> None:
        """Give a buffer back to the pool; one that a lost context took with it is no error."""

    def program(self, id: int, name: str, source: str) -> None:
        """Start compiling a fragment shader; its errors come with the first run that needs it."""

    def plan(self, id: int, words: array[int]) -> None:
        """Register draws.

        The words are [leaves, outputs, temporaries, draws], then (format, width, height, layers)
        of each output and temporary, then for each draw [program, target slot, viewport width,
        viewport height] and four counted lists: input slots, and the indices of the scalars that
        the uniform arrays F, I and U take. Slots number leaves, outputs, temporaries in this order.
        Layers are 0 for a plain texture; a texture of n layers is drawn into by n draw buffers.
        """

    def run(self, plan: int, words: bytes) -> int:
        """Run a plan and return the context's generation.

        The words are [generation, leaf handles, output handles, scalars as their 32 bits]. Nothing
        runs when the generation is not the context's, since its handles are gone. A leaf whose
        handle is given negative is freed once it has been read, for the outputs that follow.
        """

    def ready(self, plan: int) -> int:
        """Return how many of a plan's programs are compiled, without waiting for the others.

        Where the context cannot tell, waits for one more at each call.
        """

    def drop_plan(self, plan: int) -> None:
        """Forget a plan; its programs stay."""

    def read(self, handle: int, target: Any) -> None:
        """Fill the writable buffer `target` with a buffer's first bytes, waiting for them."""

    def read_async(self, handle: int, target: Any) -> Awaitable[None]:
        """Fill `target` as `read` does; what has to wait is the awaiting task alone."""

    def give_turn(self) -> None:
        """Let the page's event loop run where Python read without it for long, and can wait."""

    def give_turn_async(self) -> Awaitable[None]:
        """The same without blocking."""

    def draw(self, handle: int, width: int, height: int, target: Any) -> None:
        """Show a uint8 buffer of RGBA pixels, row 0 on top, on a canvas without reading it back."""

    def from_pixels(self, handle: int, source: Any, width: int, height: int) -> None:
        """Fill a uint8 buffer with a picture's RGBA pixels, not multiplied by alpha."""

    def pixel_size(self, source: Any) -> tuple[int, int]:
        """Return width and height of a picture."""

    def stats(self) -> Stats:
        """Return counts of what is alive and what was done."""

    def pool_limit(self, bytes: int) -> None:
        """Set how much the pool of freed textures keeps."""

    def trim(self) -> None:
        """Empty the pool."""

    def checks(self, on: bool) -> None:
        """Look for an error after each draw, which is slow."""

    def finish(self) -> None:
        """Wait until everything asked for is done."""

    def profile(self, on: bool) -> None:
        """Measure how long each draw takes, which is slow."""

    def timings(self) -> Awaitable[list[tuple[str, float]]]:
        """Return program and milliseconds of each draw since the last call."""

    def error(self) -> int:
        """Return the first error WebGL has noted since the last call, 0 if none."""

    def generation(self) -> int:
        """Return a number that grows each time a lost context comes back."""

    def is_lost(self) -> bool:
        """Say whether the context is lost at this moment."""

    def lose_context(self) -> None:
        """Lose the context on purpose."""

    def restore_context(self) -> None:
        """Ask for the context that was lost on purpose; it comes back with the next generation."""

    def destroy(self) -> None:
        """Give everything back; the bridge cannot be used afterwards."""


_CONTEXT_LOST = "WebGL context lost"
_CONTEXT_ADVICE = (
    "got no answer from the GPU; try again once the browser has restored it, or reload the page"
)


def bridge_error(name: str, message: str) -> BackendError:
    """Return the error for one thrown by the bridge under this name."""
    if message == _CONTEXT_LOST:
        message = f"webgl: {message}; {_CONTEXT_ADVICE}"
    return (ShaderError if name == "ShaderError" else BackendError)(message)
