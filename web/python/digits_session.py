"""The digits' state: the images, the network that learns them, and the digit on the pad."""

import asyncio
import gc
import json
from collections.abc import Callable, Sequence

import digits_data
import digits_model
from digits_run import Run
from drawn_digit import Stroke, image_of
from json_numbers import finite
from pyodide.ffi import to_js

import py_tensor as pt


class DigitsSession:
    """One network at a time, which learns the digits and is asked about others meanwhile."""

    def __init__(self, page, show_numbers: Callable[[], None]) -> None:
        self._page = page
        self._show_numbers = show_numbers
        self._rate = 0.0
        self._drawn: pt.Tensor | None = None
        self._run: Run | None = None

    def open(self, data: bytes) -> dict:
        """Take the file of digits; how many are trained on, and those held out for testing."""
        self._training, self._testing = digits_data.load(data)
        return {
            "trained": self._training.count,
            "pixels": memoryview(self._testing.pixels).tolist(),
            "labels": self._testing.labels.tolist(),
        }

    async def reset(self, settings: dict) -> None:
        """Begin with a new network; the training of the one before it ends."""
        if self._run is not None:
            self._run.control.stop()
        self._rate = settings["rate"]
        # A schedule is asked at each step, so that the rate may change while training goes on.
        self._run = Run(settings, lambda step: self._rate, self._report, self._test)
        # A network and its training refer to each other.
        gc.collect()
        await self._test(self._run)
        await self._report(self._run)

    async def train(self, epochs: int) -> str | None:
        """Train so many epochs more; why it ended before, or None."""
        ended = await self._current("train").train(self._training, epochs)
        gc.collect()
        self._show_numbers()
        return ended

    def pause(self) -> None:
        """Let training wait after the steps under way."""
        self._current("pause").pause()

    def resume(self) -> None:
        """End the pause."""
        self._current("resume").resume()

    def rate(self, rate: float) -> None:
        """Train at another learning rate from the next step on."""
        self._rate = rate

    async def draw(self, strokes: Sequence[Stroke]) -> dict | None:
        """The pad's strokes as an image like the others, and what the network takes it for."""
        self._drawn = pt.reshape(image_of(strokes), (1, 8, 8)) if strokes else None
        if self._drawn is None:
            return None
        pixels, probabilities = await asyncio.gather(self._drawn.data(), self._recognised())
        return {"pixels": pixels.tolist()[0], "probabilities": probabilities}

    async def _recognised(self) -> list[float | None] | None:
        """How likely each digit is for what is on the pad."""
        if self._drawn is None or self._run is None:
            return None
        found = digits_model.probabilities(self._run.model, self._drawn)
        return finite((await found.data()).tolist()[0])

    async def _test(self, run: Run) -> None:
        """Send how likely each digit is for every image held out."""
        found = digits_model.probabilities(run.model, self._testing.pixels)
        values = (await found.data()).cast("B")
        if run is self._run:
            self._page.digitsTest(run.step, to_js(values))

    async def _report(self, run: Run) -> None:
        """Send how far training is."""
        drawn = await self._recognised()
        if run is not self._run:
            return
        memory = pt.memory()
        report = {
            **run.news(),
            "drawn": drawn,
            "tensors": memory.num_tensors,
            "gpuBytes": memory.num_bytes_in_gpu,
        }
        self._page.digits(json.dumps(report))
        self._show_numbers()

    def _current(self, verb: str) -> Run:
        if self._run is None:
            raise RuntimeError(f"{verb}: no network; got none so far; reset makes one")
        return self._run
