"""Progress of a training as text and as HTML, and the callback that shows it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from time import perf_counter
from typing import Any

from ..functions.arguments import function_of
from .callbacks import Callback
from .trainer import Logs

WIDTH = 20
"""Width of a text bar in characters."""


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
        head = f"epoch {self.epoch + 1}/{self.epochs}"
        if self.part is None:
            return f"{head} {self.batch} batches {self.values}"
        bar = ("=" * round(WIDTH * self.part)).ljust(WIDTH)
        return f"{head} [{bar}] {self.batch}/{self.batches} {self.values}"

    def _repr_html_(self) -> str:
        whole = f' max="{self.batches}" value="{self.batch}"' if self.batches else ""
        return (
            f"<label>epoch {self.epoch + 1} of {self.epochs} <progress{whole}></progress> "
            f"{escape(self.values)}</label>"
        )


class Progress(Callback):
    """Callback that shows a `Report` about 30 times a second.

    Args:
        show: Function that is called with each report. None (default) draws a tqdm bar per epoch
            if tqdm is installed and this is not a page; otherwise it prints a line per epoch.

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

    def __init__(self, show: Callable[[Report], Any] | None = None) -> None:
        self._show = None if show is None else function_of("Progress", "show", show)
        self._bar: Any = None
        self._start = 0.0

    def on_train_begin(self) -> None:
        if self._show is None:
            self._show = _bars() or _print

    def on_epoch_begin(self, epoch: int) -> Any:
        self._start = perf_counter()
        return self._shown(0, {})

    def on_yield(self, batch: int, logs: Logs) -> Any:
        return self._shown(batch, logs)

    def on_epoch_end(self, epoch: int, logs: Logs) -> Any:
        return self._shown(self.trainer.batch, logs, is_over=True)

    def _shown(self, batch: int, logs: Logs, is_over: bool = False) -> Any:
        trainer = self.trainer
        seconds = perf_counter() - self._start
        assert self._show is not None
        return self._show(
            Report(trainer.epoch, trainer.epochs, batch, trainer.batches, seconds, logs, is_over)
        )


def _print(report: Report) -> None:
    if report.is_over:
        print(report)


def _bars() -> Callable[[Report], None] | None:
    """Return a function that draws a tqdm bar per epoch, or None without tqdm and in a page."""
    if sys.platform == "emscripten":
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    bars: dict[int, Any] = {}

    def show(report: Report) -> None:
        if report.epoch not in bars:
            bars[report.epoch] = tqdm(
                total=report.batches, desc=f"epoch {report.epoch + 1}/{report.epochs}"
            )
        bar = bars[report.epoch]
        bar.set_postfix_str(report.values, refresh=False)
        bar.update(report.batch - bar.n)
        if report.is_over:
            bar.close()
            del bars[report.epoch]

    return show
