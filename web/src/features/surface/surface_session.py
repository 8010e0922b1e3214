"""Session of the surface section: points, a network that classifies them, and a canvas."""

import gc
import json
import math
from collections.abc import Awaitable, Callable

import surface_data
import surface_model
from context_loss import surviving
from json_numbers import finite
from surface_run import Data, Run

import py_tensor as pt

SIDE = 80
"""Width and height of the picture in pixels."""
CAPACITY = 512
"""Maximum number of points. The tensors have this length, so a new point needs no new shaders."""
NEAR = 0.15
"""Distance up to which a point is removed; the plane is 2 wide."""
COLOURS = ((0.29, 0.4, 0.94), (0.94, 0.36, 0.3))
"""Blue and red of the page."""


class SurfaceSession:
    """Trains one network at a time and paints its predictions."""

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
        """Replace the points by those of a data set and return them."""
        self._set_points(surface_data.points(name, seed))
        return self._points

    def add(self, x: float, y: float, label: int) -> list[surface_data.Point]:
        """Add a point, dropping the oldest if there are too many; return all points."""
        self._set_points([*self._points, (x, y, label)][-CAPACITY:])
        return self._points

    def remove(self, x: float, y: float) -> list[surface_data.Point]:
        """Remove the nearest point, unless it is far away or the last one; return all points."""

        def distance(point: surface_data.Point) -> float:
            return math.dist((x, y), point[:2])

        nearest = min(self._points, key=distance)
        if distance(nearest) < NEAR and len(self._points) > 1:
            self._set_points([point for point in self._points if point is not nearest])
        return self._points

    async def reset(self, settings: dict) -> None:
        """Stop training, create a new network and paint its predictions."""
        self.pause()
        self._rate = settings["rate"]
        # The rate is a schedule, which is called at each step, so it can change during training.
        self._run = Run(settings, lambda step: self._rate)
        # The old jitted step and its closure are a reference cycle.
        gc.collect()
        await self._attempt(self._run, lambda: self._show(self._run, None))

    def rate(self, rate: float) -> None:
        """Change the learning rate from the next step on."""
        self._rate = rate

    async def play(self) -> None:
        """Train and paint until paused; waits while the page is hidden."""
        run = self._current("play")
        run.speed.restart()
        run.playing = True

        async def train_and_show() -> None:
            await self._show(run, await run.run_slice(self._data))

        while run.playing:
            await self._attempt(run, train_and_show)
            await self._page.nextFrame()

    def pause(self) -> None:
        """Pause training after the current time slice."""
        if self._run is not None:
            self._run.playing = False

    async def step(self) -> None:
        """Take one step and paint."""
        run = self._current("step")
        run.speed.restart()

        async def step_and_show() -> None:
            await self._show(run, await run.advance(self._data, 1))

        await self._attempt(run, step_and_show)

    async def _attempt(self, run: Run, work: Callable[[], Awaitable[None]]) -> None:
        """Do some work; if the GPU loses the network meanwhile, begin again with a new one."""

        def recover() -> None:
            self._grid = surface_model.grid(SIDE)
            run.restart()
            self._page.recovered("surface", 0)

        await surviving(work, recover)

    async def _show(self, run: Run, result: tuple[float, float] | None) -> None:
        """Paint the predictions and send the metrics to the page."""
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

    def _set_points(self, points: list[surface_data.Point]) -> None:
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
            raise RuntimeError(f"{verb}: there is no network yet; call reset first")
        return self._run
