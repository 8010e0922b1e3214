"""Facts, pictures and times of a backend that computes through a bridge.

Input: the backend. Output: the objects that `Backend` names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...dtypes import uint8
from .base import Buffer, Transfers

FACTS: dict[str, Callable[[Any], Any]] = {
    "fences": lambda engine: True,
    "memory_limit": lambda engine: engine.memory.limit,
    "pool_limit": lambda engine: engine.bridge.stats()["poolLimit"],
    "program_limit": lambda engine: engine.programs.limit,
}
SETTINGS: dict[str, Callable[[Any, Any], None]] = {
    "debug": lambda engine, on: engine.bridge.checks(on),
    "memory_limit": lambda engine, value: engine.memory.set_limit(value),
    "pool_limit": lambda engine, value: engine.bridge.pool_limit(value),
    "program_limit": lambda engine, value: setattr(engine.programs, "limit", value),
}
"""Functions that read and change a backend's values of `pt.env`; "debug" checks each draw."""


class BridgePixels:
    """Pictures that the browser and the GPU copy, without passing through Python.

    `largest` is the number of pixels along a side of the largest picture.
    """

    def __init__(self, engine: Any, largest: int) -> None:
        self.engine = engine
        self.largest = largest

    def size(self, source: Any) -> tuple[int, int]:
        size: tuple[int, int] = self.engine.bridge.pixel_size(source)
        return size

    def load(self, source: Any, width: int, height: int) -> Buffer:
        buffer: Buffer = self.engine.blank(uint8, 4 * width * height)
        self.engine.bridge.from_pixels(buffer.handle, source, width, height)
        return buffer

    def draw(self, buffer: Buffer, width: int, height: int, canvas: Any) -> None:
        self.engine.bridge.draw(self.engine.handle_of(buffer), width, height, canvas)


class WatchedBridge:
    """A bridge whose uploads and reads run inside of `transfers`."""

    def __init__(self, bridge: Any, transfers: Transfers) -> None:
        self.watched = bridge
        self._transfers = transfers

    def __getattr__(self, name: str) -> Any:
        return getattr(self.watched, name)

    def upload(self, handle: int, *values: Any) -> Any:
        with self._transfers("upload", memoryview(values[-1]).nbytes):
            return self.watched.upload(handle, *values)

    def from_pixels(self, handle: int, source: Any, width: int, height: int) -> None:
        with self._transfers("upload", 4 * width * height):
            self.watched.from_pixels(handle, source, width, height)

    def read(self, handle: int, target: Any) -> None:
        with self._transfers("download", memoryview(target).nbytes):
            self.watched.read(handle, target)

    async def read_async(self, handle: int, target: Any) -> None:
        with self._transfers("download", memoryview(target).nbytes):
            await self.watched.read_async(handle, target)


class BridgeTimers:
    """Times of draws by the GPU's timer, or by waiting for each draw."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine

    def source(self, awaits: bool) -> str:
        bridge = self.engine.bridge
        return "gpu" if bridge.limits()["timer"] and (awaits or bridge.can_wait()) else "wait"

    def measure(self, on: bool, wait: bool) -> None:
        self.engine.bridge.profile(on, wait)

    def times(self) -> list[tuple[str, float]]:
        times: list[tuple[str, float]] = self.engine.bridge.timings_now()
        return times

    async def times_async(self) -> list[tuple[str, float]]:
        times: list[tuple[str, float]] = await self.engine.bridge.timings()
        return times

    def finish(self) -> None:
        self.engine.bridge.finish()

    def peak(self) -> int:
        peak: int = self.engine.bridge.stats()["bytesPeak"]
        return peak

    def watch(self, transfers: Transfers | None) -> None:
        bridge = self.engine.bridge
        self.engine.bridge = (
            bridge.watched if transfers is None else WatchedBridge(bridge, transfers)
        )
