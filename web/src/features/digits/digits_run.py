"""Training of one network, with progress reports."""

from collections.abc import Awaitable, Callable
from time import perf_counter

import digits_model
from digits_data import Images
from json_numbers import finite
from speed import Speed

import py_tensor as pt

REPORT_SECONDS = 0.25
"""Least time between reports; a page that draws more of them has no time for its visitor."""


class Run(pt.train.Callback):
    """A network and its training; `report` and, after epochs, `test` are awaited now and then."""

    def __init__(
        self,
        settings: dict,
        rate: Callable[[int], float],
        report: Callable[["Run"], Awaitable[None]],
        test: Callable[["Run"], Awaitable[None]],
    ) -> None:
        pt.random.seed(settings["seed"])
        self._model = digits_model.MODELS[settings["model"]]()
        self._optimizer = digits_model.OPTIMIZERS[settings["optimizer"]](rate)
        self._batch_size = settings["batch"]
        self._seed = settings["seed"]
        self._report, self._test = report, test
        self.control = pt.train.Control()
        self.trainer: pt.train.Trainer | None = None
        self._saved = pt.io.to_bytes(self._model)
        self.epoch = 0
        self.step = 0
        self._speed = Speed()
        self._losses: list[float] = []
        self._reported = self._tested = 0.0

    async def train(self, images: Images, epochs: int) -> str | None:
        """Train for more epochs; return why training ended early, or None."""
        history = await digits_model.learn(
            self._model,
            images.pixels,
            images.labels,
            optimizer=self._optimizer,
            batch_size=self._batch_size,
            epochs=epochs,
            # With the same seed, the images would be in the same order again.
            seed=self._seed + self.epoch,
            callbacks=[self],
            control=self.control,
        )
        await self._tell()
        return history.stopped

    @property
    def model(self) -> pt.nn.Module:
        """The network in its current state of training."""
        return self._model if self.trainer is None else self.trainer.model

    def recover(self) -> None:
        """Go back to the weights of the last complete epoch, after the GPU has lost the others."""
        self._model = pt.io.from_bytes(self._saved, like=self._model)
        self.trainer = None

    def pause(self) -> None:
        self.control.pause()

    def resume(self) -> None:
        self._speed.restart()
        self.control.resume()

    def progress(self) -> dict:
        """Return the progress of training, with the losses since the last call."""
        losses, self._losses = self._losses, []
        return {
            "epoch": self.epoch,
            "step": self.step,
            "losses": finite(losses),
            "steps": self._speed.per_second,
            "images": self._speed.per_second * self._batch_size,
        }

    def on_train_begin(self) -> None:
        self._seen = 0
        self._speed.restart()

    async def on_yield(self, batch: int, logs: dict) -> None:
        losses = self.trainer.history.losses
        self._losses += losses[self._seen :]
        self.step += len(losses) - self._seen
        self._seen = len(losses)
        self._speed.reached(self.step)
        # The last report before a pause must show the step at which training paused.
        if self.control.is_paused or perf_counter() - self._reported > REPORT_SECONDS:
            self._reported = perf_counter()
            await self._report(self)

    async def on_epoch_end(self, epoch: int, logs: dict) -> None:
        self._saved = await pt.io.to_bytes_async(self.model)
        self.epoch += 1
        if perf_counter() - self._tested > REPORT_SECONDS:
            await self._tell()

    async def _tell(self) -> None:
        await self._test(self)
        await self._report(self)
        self._reported = self._tested = perf_counter()
