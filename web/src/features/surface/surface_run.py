"""Training of one network, in time slices that keep the worker responsive."""

from collections.abc import Callable
from time import perf_counter

import surface_model
from speed import Speed

import py_tensor as pt

SLICE_SECONDS = 0.06
MIN_STEPS, MAX_STEPS = 8, 32
"""Limits of the steps per time slice. With fewer, waiting and painting would dominate."""

Data = tuple[pt.Tensor, pt.Tensor, pt.Tensor]
"""Coordinates, labels and weights of the points."""


class Run:
    """A network and the state of its optimizer."""

    def __init__(self, settings: dict, rate: Callable[[int], float]) -> None:
        self._settings = settings
        self._optimizer = pt.optim.adam(rate)
        self._step = surface_model.training_step(self._optimizer)
        self._stride = MIN_STEPS
        self.speed = Speed()
        self.playing = False
        self.restart()

    def restart(self) -> None:
        """Begin again with a new network."""
        settings = self._settings
        pt.random.seed(settings["seed"])
        model = surface_model.network(settings["layers"], settings["activation"])
        self._state = self._optimizer.init(model)

    def picture(self, places: pt.Tensor, colours: pt.Tensor) -> pt.Tensor:
        """Picture of the predictions at these places."""
        return surface_model.picture(self._state, places, colours)

    @property
    def step(self) -> int:
        """Number of steps done."""
        return self._state.step

    async def advance(self, data: Data, steps: int) -> tuple[float, float]:
        """Take steps; return loss and accuracy before the last one."""
        for _ in range(steps):
            self._state, result = self._step(self._state, *data)
        loss, accuracy = (await result.data()).tolist()
        self.speed.reached(self.step)
        return loss, accuracy

    async def run_slice(self, data: Data) -> tuple[float, float]:
        """Take as many steps as fit into `SLICE_SECONDS`."""
        start = perf_counter()
        result = await self.advance(data, self._stride)
        fitting = self._stride * SLICE_SECONDS / (perf_counter() - start)
        self._stride = max(MIN_STEPS, min(MAX_STEPS, round(fitting)))
        return result
