"""Session of the digits section: the images, the network and the drawn digit."""

import asyncio
import gc
import json
from collections.abc import Callable, Sequence

import digits_data
import digits_model
from context_loss import surviving
from digits_run import Run
from drawn_digit import Stroke, image_of
from json_numbers import finite
from pyodide.ffi import to_js

import py_tensor as pt


class DigitsSession:
    """Trains one network at a time and classifies the drawn digit meanwhile."""

    def __init__(self, page, show_numbers: Callable[[], None]) -> None:
        self._page = page
        self._show_numbers = show_numbers
        self._rate = 0.0
        self._strokes: Sequence[Stroke] = []
        self._drawn: pt.Tensor | None = None
        self._run: Run | None = None

    def open(self, data: bytes) -> dict:
        """Load the file of digits; return the number of training images, and the test images."""
        self._training, self._testing = digits_data.load(data)
        return {
            "trained": self._training.count,
            "pixels": memoryview(self._testing.pixels).tolist(),
            "labels": self._testing.labels.tolist(),
        }

    async def reset(self, settings: dict) -> None:
        """Stop training and create a new network."""
        if self._run is not None:
            self._run.control.stop()
        self._rate = settings["rate"]
        # The rate is a schedule, which is called at each step, so it can change during training.
        self._run = Run(settings, lambda step: self._rate, self._report, self._test)
        # The old network and its training are a reference cycle.
        gc.collect()
        await self._test(self._run)
        await self._report(self._run)

    async def train(self, epochs: int) -> str | None:
        """Train for more epochs; return why training ended early, or None."""
        run = self._current("train")
        end = run.epoch + epochs

        async def train() -> str | None:
            return await run.train(self._training, end - run.epoch)

        stop_reason = await surviving(train, self._recover)
        gc.collect()
        self._show_numbers()
        return stop_reason

    def pause(self) -> None:
        """Pause training after the current steps."""
        self._current("pause").pause()

    def resume(self) -> None:
        """Continue paused training."""
        self._current("resume").resume()

    def rate(self, rate: float) -> None:
        """Change the learning rate from the next step on."""
        self._rate = rate

    async def draw(self, strokes: Sequence[Stroke]) -> dict | None:
        """Convert strokes to an image in the format of the data set, and classify it."""
        self._strokes = strokes
        self._place_drawn()
        if self._drawn is None:
            return None
        return await surviving(self._read_drawn, self._recover)

    def _place_drawn(self) -> None:
        """Put the image of the strokes on the GPU."""
        strokes = self._strokes
        self._drawn = pt.reshape(image_of(strokes), (1, 8, 8)) if strokes else None

    async def _read_drawn(self) -> dict:
        pixels, probabilities = await asyncio.gather(self._drawn.data(), self._classify_drawn())
        return {"pixels": pixels.tolist()[0], "probabilities": probabilities}

    def _recover(self) -> None:
        """Create again what the GPU has lost."""
        self._place_drawn()
        if self._run is not None:
            self._run.recover()
            self._page.recovered("digits", self._run.epoch)

    async def _classify_drawn(self) -> list[float | None] | None:
        """Return the probability of each digit for the drawn one."""
        if self._drawn is None or self._run is None:
            return None
        scores = digits_model.probabilities(self._run.model, self._drawn)
        return finite((await scores.data()).tolist()[0])

    async def _test(self, run: Run) -> None:
        """Send the probabilities for all test images to the page."""
        scores = digits_model.probabilities(run.model, self._testing.pixels)
        values = (await scores.data()).cast("B")
        if run is self._run:
            self._page.digitsTest(run.step, to_js(values))

    async def _report(self, run: Run) -> None:
        """Send the progress of training to the page."""
        drawn = await self._classify_drawn()
        if run is not self._run:
            return
        memory = pt.memory()
        report = {
            **run.progress(),
            "drawn": drawn,
            "tensors": memory.num_tensors,
            "gpuBytes": memory.num_bytes_in_gpu,
        }
        self._page.digits(json.dumps(report))
        self._show_numbers()

    def _current(self, verb: str) -> Run:
        if self._run is None:
            raise RuntimeError(f"{verb}: there is no network yet; call reset first")
        return self._run
