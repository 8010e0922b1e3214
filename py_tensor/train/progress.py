"""How far training is, as text and as HTML, and a callback that shows it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from time import perf_counter
from typing import Any

from .callbacks import Callback
from .trainer import Logs

WIDTH = 20
"""Of a bar made of text."""


@dataclass(frozen=True)
class Report:
    """How far training is: `str` gives a line of text, notebooks and pages show HTML.

    >>> import py_tensor as pt
    >>> print(pt.train.Report(epoch=0, epochs=2, batch=5, batches=10, logs={"loss": 0.5}))
    epoch 1/2 [==========          ] 5/10 loss: 0.5
    """

    epoch: int
    epochs: int
    batch: int
    """Batches of this epoch that are done."""
    batches: int | None
    """Batches of an epoch; None where that is not known yet."""
    seconds: float = 0.0
    """Since this epoch began."""
    logs: Logs = field(default_factory=dict)
    is_over: bool = False
    """Whether this epoch is over, its validation included."""

    @property
    def part(self) -> float | None:
        """The part of this epoch that is done, from 0 to 1.

        >>> import py_tensor as pt
        >>> report = pt.train.Report(epoch=0, epochs=2, batch=5, batches=10, logs={"loss": 0.5})
        >>> report.part
        0.5
        """
        return min(self.batch / self.batches, 1.0) if self.batches else None

    @property
    def values(self) -> str:
        """The numbers among the logs.

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
    """Shows a `Report` some times a second: `show(report)`, or else what fits the place.

    Without `show`, tqdm draws a bar for each epoch where it is installed; elsewhere each epoch
    prints its line when it is over.

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
        self._show = show
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
    """A bar of tqdm's for each epoch; None where it is not installed, and in a page."""
    if sys.platform == "emscripten":
        return None
    try:
        from tqdm import tqdm  # type: ignore[import-untyped,unused-ignore]
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
