"""One network from its first weights on, trained in turns short enough for the page to live."""

from collections.abc import Callable
from time import perf_counter

import surface_model
from speed import Speed

import py_tensor as pt

TURN_SECONDS = 0.06
LEAST, MOST = 8, 32
"""Steps in one turn: fewer would cost more waiting and painting than training."""

Data = tuple[pt.Tensor, pt.Tensor, pt.Tensor]
"""Places, labels and weights of points."""


class Run:
    """A network and the state of its optimizer."""

    def __init__(self, settings: dict, rate: Callable[[int], float]) -> None:
        pt.random.seed(settings["seed"])
        model = surface_model.network(settings["layers"], settings["activation"])
        optimizer = pt.optim.adam(rate)
        self._state = optimizer.init(model)
        self._step = surface_model.training_step(optimizer)
        self._stride = LEAST
        self.speed = Speed()
        self.playing = False

    def picture(self, places: pt.Tensor, colours: pt.Tensor) -> pt.Tensor:
        """What the network answers at these places, in these colours."""
        return surface_model.picture(self._state, places, colours)

    @property
    def step(self) -> int:
        """How many steps are done."""
        return self._state.step

    async def advance(self, data: Data, steps: int) -> tuple[float, float]:
        """Take so many steps; the loss and the accuracy that the last one began with."""
        for _ in range(steps):
            self._state, result = self._step(self._state, *data)
        loss, accuracy = (await result.data()).tolist()
        self.speed.reached(self.step)
        return loss, accuracy

    async def turn(self, data: Data) -> tuple[float, float]:
        """Take as many steps as fit into a turn."""
        start = perf_counter()
        result = await self.advance(data, self._stride)
        fitting = self._stride * TURN_SECONDS / (perf_counter() - start)
        self._stride = max(LEAST, min(MOST, round(fitting)))
        return result
