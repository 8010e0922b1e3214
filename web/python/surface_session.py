"""The surface's state: points, a network that learns to tell them apart, and a canvas."""

import gc
import json
import math
from collections.abc import Callable

import surface_data
import surface_model
from json_numbers import finite
from surface_run import Data, Run

import py_tensor as pt

SIDE = 80
"""Pixels of the picture each way."""
CAPACITY = 512
"""Points there is room for: tensors keep their shapes, so that a new point needs no new shaders."""
COLOURS = ((0.29, 0.4, 0.94), (0.94, 0.36, 0.3))
"""The page's blue and red."""


class SurfaceSession:
    """One network at a time, trained turn by turn and painted."""

    def __init__(self, page, show_numbers: Callable[[], None]) -> None:
        self._page = page
        self._show_numbers = show_numbers
        self.canvas: object | None = None
        self._rate = 0.0
        self._grid = surface_model.grid(SIDE)
        self._colours = pt.asarray(COLOURS)
        self._points: list[surface_data.Point] = []
        self._data: Data | None = None
        self._run: Run | None = None

    def data(self, name: str, seed: int) -> list[surface_data.Point]:
        """The points of a data set, which take the place of those before."""
        self._take(surface_data.points(name, seed))
        return self._points

    def add(self, x: float, y: float, label: int) -> list[surface_data.Point]:
        """All points, with one more; where there is no room, the oldest goes."""
        self._take([*self._points, (x, y, label)][-CAPACITY:])
        return self._points

    async def reset(self, settings: dict) -> None:
        """Begin with a new network, and paint it."""
        self.pause()
        self._rate = settings["rate"]
        # A schedule is asked at each step, so that the rate may change while training goes on.
        self._run = Run(settings, lambda step: self._rate)
        # A jitted step and its closure refer to each other.
        gc.collect()
        await self._show(self._run, None)

    def rate(self, rate: float) -> None:
        """Train at another learning rate from the next step on."""
        self._rate = rate

    async def play(self) -> None:
        """Train and paint until paused; a hidden page waits."""
        run = self._current("play")
        run.speed.rest()
        run.playing = True
        while run.playing:
            result = await run.turn(self._data)
            await self._show(run, result)
            await self._page.nextFrame()

    def pause(self) -> None:
        """Let training end after the turn under way."""
        if self._run is not None:
            self._run.playing = False

    async def step(self) -> None:
        """Take one step, and paint."""
        run = self._current("step")
        run.speed.rest()
        await self._show(run, await run.advance(self._data, 1))

    async def _show(self, run: Run, result: tuple[float, float] | None) -> None:
        """Paint what the network answers, and send how well it does."""
        if run is not self._run or self.canvas is None:
            return
        pt.draw(run.picture(self._grid, self._colours), self.canvas)
        loss, accuracy = finite(result or (math.nan, math.nan))
        memory = pt.memory()
        report = {
            "step": run.step,
            "loss": loss,
            "accuracy": accuracy,
            "steps": run.speed.per_second,
            "tensors": memory.num_tensors,
            "gpuBytes": memory.num_bytes_in_gpu,
        }
        self._page.surface(json.dumps(report))
        self._show_numbers()

    def _take(self, points: list[surface_data.Point]) -> None:
        self._points = points
        rows = points + [(0.0, 0.0, 0)] * (CAPACITY - len(points))
        weights = [1.0] * len(points) + [0.0] * (CAPACITY - len(points))
        self._data = (
            pt.asarray([(x, y) for x, y, _ in rows], dtype="float32"),
            pt.asarray([label for *_, label in rows], dtype="float32"),
            pt.asarray(weights, dtype="float32"),
        )

    def _current(self, verb: str) -> Run:
        if self._run is None or self._data is None:
            raise RuntimeError(f"{verb}: no network; got none so far; reset makes one")
        return self._run
