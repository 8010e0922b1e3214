"""Progress of a training as text and as HTML, and the callback that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

from ..display.bars import Live, bar_html, bar_text
from ..functions.arguments import function_of
from .callbacks import Callback
from .trainer import Logs


@dataclass(frozen=True)
class Report:
    """Progress of a training: `str` returns a line of text, notebooks and pages show HTML.

    Args:
        epoch: Number of the epoch, counted from 0.
        epochs: Number of all epochs.
        batch: Number of completed batches in this epoch.
        batches: Number of batches per epoch, or None if not known yet.
        seconds: Time since the epoch began; default 0.
        logs: Loss and metrics so far, by name.
        is_over: True if the epoch and its validation are complete; default False.

    >>> import py_tensor as pt
    >>> print(pt.train.Report(epoch=0, epochs=2, batch=5, batches=10, logs={"loss": 0.5}))
    epoch 1/2 [==========          ] 5/10 loss: 0.5
    """

    epoch: int
    epochs: int
    batch: int
    """Number of completed batches in this epoch."""
    batches: int | None
    """Number of batches per epoch, or None if not known yet."""
    seconds: float = 0.0
    """Seconds since this epoch began."""
    logs: Logs = field(default_factory=dict)
    is_over: bool = False
    """True if this epoch and its validation are complete."""

    @property
    def part(self) -> float | None:
        """Completed fraction of this epoch, from 0 to 1; None if the number of batches is unknown.

        >>> import py_tensor as pt
        >>> report = pt.train.Report(epoch=0, epochs=2, batch=5, batches=10, logs={"loss": 0.5})
        >>> report.part
        0.5
        """
        return min(self.batch / self.batches, 1.0) if self.batches else None

    @property
    def values(self) -> str:
        """Numbers in the logs, as text.

        >>> import py_tensor as pt
        >>> report = pt.train.Report(epoch=0, epochs=2, batch=5, batches=10, logs={"loss": 0.5})
        >>> report.values
        'loss: 0.5'
        """
        return ", ".join(
            f"{name}: {value:.4g}"
            for name, value in self.logs.items()
            if isinstance(value, (int, float))
        )

    def __str__(self) -> str:
        done = f"{self.batch} batches" if self.batches is None else f"{self.batch}/{self.batches}"
        tail = f"{done} {self.values}".rstrip()
        return bar_text(f"epoch {self.epoch + 1}/{self.epochs}", self.part, tail)

    def _repr_html_(self) -> str:
        return bar_html(f"epoch {self.epoch + 1} of {self.epochs}", self.part, self.values)


class Progress(Callback):
    """Callback that shows a `Report` about 30 times a second.

    Args:
        show: Function that is called with each report. None (default) shows one bar for all epochs,
            as `pt.progress` does.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> reports = []
    >>> show = pt.train.Progress(reports.append)
    >>> model, x = (lambda w, x: x * w, pt.ones(1)), pt.ones((4, 1))
    >>> task = pt.train.fit(model, (x, x), loss="mse", optimizer=pt.optim.sgd(), callbacks=[show])
    >>> history = asyncio.run(task)
    >>> print(reports[-1])
    epoch 1/1 [====================] 1/1 loss: 0, learning_rate: 0.001
    """

    def __init__(self, show: Callable[[Report], object] | None = None) -> None:
        self._show = None if show is None else function_of("Progress", "show", show)
        self._live: Live | None = None
        self._last: Report | None = None
        self._start = 0.0

    def on_train_begin(self) -> None:
        self._live = Live() if self._show is None else None

    def on_train_end(self) -> None:
        if self._live is not None and self._last is not None:
            self._live.end(self._last)

    def on_epoch_begin(self, epoch: int) -> object:
        self._start = perf_counter()
        return self._shown(0, {})

    def on_yield(self, batch: int, logs: Logs) -> object:
        return self._shown(batch, logs)

    def on_epoch_end(self, epoch: int, logs: Logs) -> object:
        return self._shown(self.trainer.batch, logs, is_over=True)

    def _shown(self, batch: int, logs: Logs, is_over: bool = False) -> object:
        trainer = self.trainer
        seconds = perf_counter() - self._start
        report = Report(
            trainer.epoch, trainer.epochs, batch, trainer.batches, seconds, logs, is_over
        )
        if self._live is None:
            assert self._show is not None
            return self._show(report)
        self._last = report
        self._live.update(report)
        return None
