"""What happens between batches and epochs: methods that do nothing until they are overridden."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from ..errors import ArgumentError
from .trainer import Logs, Trainer, Weights


class Callback:
    """Base of callbacks. Methods may be asynchronous; `self.trainer` is the training under way.

    `on_yield` is called whenever the loop has waited for the device, some 30 times a second; its
    logs are those of the epoch so far. `on_batch_end` is called after each batch with its own loss,
    which costs a wait for each.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> class Stop(pt.train.Callback):
    ...     def on_epoch_end(self, epoch, logs):
    ...         if logs["loss"] < 0.1:
    ...             self.trainer.stop("good enough")
    >>> model, x = (lambda w, x: x * w, pt.ones(1)), pt.ones((4, 1))
    >>> training = pt.train.fit(
    ...     model, (x, x), loss="mse", optimizer=pt.optim.sgd(), callbacks=[Stop()], epochs=9
    ... )
    >>> asyncio.run(training).stopped
    'good enough'
    """

    trainer: Trainer

    def on_train_begin(self) -> Any:
        """Before the first epoch."""

    def on_epoch_begin(self, epoch: int) -> Any:
        """Before the first batch of an epoch; they count from 0."""

    def on_batch_end(self, batch: int, logs: Logs) -> Any:
        """After a batch; they count from 0 in each epoch. `logs` has its loss."""

    def on_yield(self, batch: int, logs: Logs) -> Any:
        """After `batch` batches of this epoch, all of which are done."""

    def on_epoch_end(self, epoch: int, logs: Logs) -> Any:
        """After the last batch of an epoch, and its validation."""

    def on_train_end(self) -> Any:
        """After all; also where training stopped, not where it raised."""


class _AtEpochEnd(Callback):
    """A plain function of the number of an epoch and its logs."""

    def __init__(self, function: Callable[[int, Logs], Any]) -> None:
        self._function = function

    def on_epoch_end(self, epoch: int, logs: Logs) -> Any:
        return self._function(epoch, logs)


def callbacks_of(operation: str, given: Iterable[Any]) -> list[Callback]:
    """Callbacks, out of them and of plain functions. Raises ArgumentError for others."""
    found = []
    for callback in given:
        if isinstance(callback, Callback):
            found.append(callback)
        elif callable(callback):
            found.append(_AtEpochEnd(callback))
        else:
            raise ArgumentError(
                f"{operation}: no callback; got {callback!r:.60}; "
                "give a pt.train.Callback, or a function of an epoch and its logs"
            )
    return found


def waits_for_batches(callbacks: Iterable[Callback]) -> bool:
    """Whether one of them is to be called after each batch."""
    return any(type(callback).on_batch_end is not Callback.on_batch_end for callback in callbacks)


_LARGER_IS_BETTER = ("accuracy", "precision", "recall")


class _Best:
    """Whether a value of the logs is better than all before."""

    def __init__(self, name: str, monitor: str, mode: str, min_delta: float) -> None:
        if mode not in ("auto", "min", "max"):
            raise ArgumentError(f'{name}: no such mode; got {mode!r}; use "auto", "min" or "max"')
        self.name = name
        self.monitor = monitor
        larger = mode == "max" or (mode == "auto" and monitor.endswith(_LARGER_IS_BETTER))
        self.sign = -1.0 if larger else 1.0
        self.min_delta = abs(min_delta)
        self.reset()

    def reset(self) -> None:
        self.value = math.inf

    def improves(self, logs: Logs) -> bool:
        if self.monitor not in logs:
            raise ArgumentError(
                f"{self.name}: no such value in the logs; got {self.monitor!r} of {sorted(logs)}; "
                "monitor one of these, or give validation data"
            )
        value = self.sign * logs[self.monitor]
        if not value < self.value - self.min_delta:
            return False
        self.value = value
        return True


class EarlyStopping(Callback):
    """Stops training when a value of the logs has not improved for `patience` epochs.

    Improving means by more than `min_delta`. `mode` is "min", "max", or "auto": "max" where the
    name ends with accuracy, precision or recall. With `restore_best` the model gets the weights of
    the best epoch in the end. Raises ArgumentError where the logs have no such value.

    >>> import py_tensor as pt
    >>> pt.train.EarlyStopping("val_accuracy", patience=3).patience
    3
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        *,
        patience: int = 0,
        min_delta: float = 0.0,
        mode: str = "auto",
        restore_best: bool = True,
    ) -> None:
        self.patience = patience
        self.restore_best = restore_best
        self.best_epoch = 0
        self._best = _Best("early_stopping", monitor, mode, min_delta)
        self._weights: Weights | None = None

    def on_train_begin(self) -> None:
        self._best.reset()
        self.best_epoch = 0

    def on_epoch_end(self, epoch: int, logs: Logs) -> None:
        if self._best.improves(logs):
            self.best_epoch = epoch
            if self.restore_best:
                self._weights = self.trainer.snapshot()
        elif epoch - self.best_epoch > self.patience:
            self.trainer.stop(
                f"{self._best.monitor} has not improved since epoch {self.best_epoch}"
            )

    def on_train_end(self) -> None:
        if self._weights is not None:
            self.trainer.restore(self._weights)
            self._weights = None


class Checkpoint(Callback):
    """Calls `save(model, epoch, logs)` after each epoch, or where a value of the logs improves.

    `save` may be asynchronous, and is waited for; training goes on with other tensors, so that it
    may keep the model's values only by reading or copying them. `monitor` names the value, None for
    each epoch, and `mode` is as for `EarlyStopping`. Raises ArgumentError for other modes, and
    where the logs have no such value.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> keep = pt.train.Checkpoint(lambda model, epoch, logs: print(epoch, logs["loss"]))
    >>> model, x = (lambda w, x: x * w, pt.ones(1)), pt.ones((4, 1))
    >>> task = pt.train.fit(model, (x, x), loss="mse", optimizer=pt.optim.sgd(), callbacks=[keep])
    >>> history = asyncio.run(task)
    0 0.0
    """

    def __init__(
        self,
        save: Callable[[Any, int, Logs], Any],
        *,
        monitor: str | None = None,
        mode: str = "auto",
    ) -> None:
        self._save = save
        self._best = None if monitor is None else _Best("checkpoint", monitor, mode, 0.0)

    def on_train_begin(self) -> None:
        if self._best is not None:
            self._best.reset()

    def on_epoch_end(self, epoch: int, logs: Logs) -> Any:
        if self._best is None or self._best.improves(logs):
            return self._save(self.trainer.model, epoch, logs)
        return None


class TerminateOnNaN(Callback):
    """Stops training at the first batch whose loss is NaN or infinite.

    `history.stopped` then says which. Debug mode finds the operation it came from.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> model, x = (lambda w, x: x * w, pt.asarray([pt.nan])), pt.ones((4, 1))
    >>> stop = pt.train.TerminateOnNaN()
    >>> task = pt.train.fit(model, (x, x), loss="mse", optimizer=pt.optim.sgd(), callbacks=[stop])
    >>> asyncio.run(task).stopped.partition(";")[0]
    'fit: loss is not finite'
    """

    def __init__(self) -> None:
        self._seen = 0

    def on_epoch_begin(self, epoch: int) -> None:
        self._seen = len(self.trainer.history.losses)
        self._first = self._seen

    def on_yield(self, batch: int, logs: Logs) -> None:
        losses = self.trainer.history.losses
        for at in range(self._seen, len(losses)):
            if not math.isfinite(losses[at]):
                self.trainer.stop(
                    f"fit: loss is not finite; got {losses[at]} at epoch {self.trainer.epoch}, "
                    f"batch {at - self._first}; lower the learning rate, clip gradients, or find "
                    "the operation with pt.enable_debug_mode()"
                )
                return
        self._seen = len(losses)
