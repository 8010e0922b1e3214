"""Callbacks: methods that `fit` calls between batches and epochs."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from typing import Any

from ..dtypes import wrong_type
from ..errors import ArgumentError
from ..functions.arguments import choice, integer, number
from .trainer import Logs, Trainer, Weights


class Callback:
    """Base class of callbacks; each method does nothing unless overridden.

    Methods may be asynchronous. `self.trainer` is the `Trainer` of the current `fit`. Exceptions
    that a method raises end the training.

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

    def on_train_begin(self) -> object:
        """Handle the start of training, before the first epoch."""

    def on_epoch_begin(self, epoch: int) -> object:
        """Handle the start of an epoch, before its first batch.

        Args:
            epoch: Number of the epoch, counted from 0.
        """

    def on_batch_end(self, batch: int, logs: Logs) -> object:
        """Handle the end of a batch. If overridden, `fit` waits for the device after each batch.

        Args:
            batch: Number of the batch in its epoch, counted from 0.
            logs: The batch's own loss, as "loss".
        """

    def on_yield(self, batch: int, logs: Logs) -> object:
        """Handle a yield: the loop has waited for the device, about 30 times a second.

        Args:
            batch: Number of completed batches in this epoch.
            logs: Loss and metrics over the epoch so far.
        """

    def on_epoch_end(self, epoch: int, logs: Logs) -> object:
        """Handle the end of an epoch, after its last batch and its validation.

        Args:
            epoch: Number of the epoch, counted from 0.
            logs: Loss, metrics, their "val_" counterparts, and "learning_rate".
        """

    def on_train_end(self) -> object:
        """Handle the end of training: the last epoch or an early stop, but not an exception."""


class _AtEpochEnd(Callback):
    """Callback that calls a plain function with the epoch's number and its logs."""

    def __init__(self, function: Callable[[int, Logs], object]) -> None:
        self._function = function

    def on_epoch_end(self, epoch: int, logs: Logs) -> object:
        return self._function(epoch, logs)


class CallbackList:
    """Callbacks of one training, given as `Callback` objects or plain functions.

    Raises:
        ArgumentError: If a value is neither.
    """

    def __init__(self, operation: str, callbacks: Iterable[object]) -> None:
        self._callbacks = [_callback_of(operation, callback) for callback in callbacks]

    @property
    def needs_each_batch(self) -> bool:
        """Return True if a callback overrides `on_batch_end`."""
        return any(
            type(callback).on_batch_end is not Callback.on_batch_end for callback in self._callbacks
        )

    def attach(self, trainer: Trainer) -> None:
        """Give the trainer to all callbacks."""
        for callback in self._callbacks:
            callback.trainer = trainer

    async def call(self, method: str, *args: int | Logs) -> None:
        """Call a method of all callbacks in order, and await asynchronous ones."""
        for callback in self._callbacks:
            result = getattr(callback, method)(*args)
            if inspect.isawaitable(result):
                await result


def _callback_of(operation: str, callback: object) -> Callback:
    if isinstance(callback, Callback):
        return callback
    if callable(callback):
        return _AtEpochEnd(callback)
    raise ArgumentError(
        f"{operation}: argument must be a callback; got {callback!r:.60}; pass a "
        "pt.train.Callback or a function of an epoch and its logs"
    )


_LARGER_IS_BETTER = ("accuracy", "precision", "recall", "f1", "auc", "r2")


class _Best:
    """Best value of the logs so far."""

    def __init__(self, name: str, monitor: str, mode: str, min_delta: float) -> None:
        if not isinstance(monitor, str):
            raise wrong_type(name, "monitor", "a name of the logs", monitor)
        choice(name, "mode", mode, ("auto", "min", "max"))
        self.name = name
        self.monitor = monitor
        larger = mode == "max" or (mode == "auto" and monitor.endswith(_LARGER_IS_BETTER))
        self.sign = -1.0 if larger else 1.0
        self.min_delta = abs(number(name, "min_delta", min_delta))
        self.reset()

    def reset(self) -> None:
        self.value = math.inf

    def improves(self, logs: Logs) -> bool:
        if self.monitor not in logs:
            raise ArgumentError(
                f"{self.name}: value is not in the logs; got {self.monitor!r} of {sorted(logs)}; "
                "monitor one of these, or pass validation data"
            )
        value = self.sign * logs[self.monitor]
        if not value < self.value - self.min_delta:
            return False
        self.value = value
        return True


class EarlyStopping(Callback):
    """Stop training if a value of the logs has not improved for more than `patience` epochs.

    Args:
        monitor: Name of the value in the logs; "val_loss" by default.
        patience: Number of consecutive epochs without improvement to tolerate; default 0.
        min_delta: Change that an improvement must exceed; default 0.
        mode: "min", "max" or "auto" (default). "auto" means "max" if the name ends with
            accuracy, precision, recall, f1, auc or r2, otherwise "min".
        restore_best: Give the model the weights of its best epoch at the end; default True.

    Raises:
        ArgumentError: If `mode` is unknown, or, during training, if the logs lack `monitor`.

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
        self._best = _Best("EarlyStopping", monitor, mode, min_delta)
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


class ReduceLROnPlateau(Callback):
    """Reduce the learning rate if a value of the logs has not improved for `patience` epochs.

    As keras.callbacks.ReduceLROnPlateau; torch waits for one epoch more.

    Args:
        monitor: Name of the value in the logs; "val_loss" by default.
        factor: Factor of the learning rate, between 0 and 1; default 0.1.
        patience: Number of consecutive epochs without improvement, 1 or more; default 10.
        min_delta: Change that an improvement must exceed; default 1e-4.
        mode: "min", "max" or "auto" (default), as for `EarlyStopping`.
        cooldown: Number of epochs after a reduction in which none are counted; default 0.
        min_lr: Lower limit of the learning rate; default 0.

    Raises:
        ArgumentError: If `mode` is unknown, `factor` is not between 0 and 1, or, during training,
            if the logs lack `monitor`.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> model, x = (lambda w, x: x * w, pt.ones(1)), pt.ones((4, 1))
    >>> reduce = pt.train.ReduceLROnPlateau("loss", factor=0.5, patience=1)
    >>> optimizer = pt.optim.sgd(0.1)
    >>> training = pt.train.fit(
    ...     model, (x, x), loss="mse", optimizer=optimizer, epochs=3, callbacks=[reduce]
    ... )
    >>> asyncio.run(training)["learning_rate"]
    [0.1, 0.05, 0.025]
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        *,
        factor: float = 0.1,
        patience: int = 10,
        min_delta: float = 1e-4,
        mode: str = "auto",
        cooldown: int = 0,
        min_lr: float = 0.0,
    ) -> None:
        factor = number("ReduceLROnPlateau", "factor", factor)
        if not 0 < factor < 1:
            raise ArgumentError(
                f"ReduceLROnPlateau: factor is out of range; got {factor}; use a number between "
                "0 and 1"
            )
        name = "ReduceLROnPlateau"
        self.factor, self.patience = factor, integer(name, "patience", patience)
        self.cooldown = integer(name, "cooldown", cooldown)
        self.min_lr = number(name, "min_lr", min_lr)
        self._best = _Best("ReduceLROnPlateau", monitor, mode, min_delta)

    def on_train_begin(self) -> None:
        self._best.reset()
        self._waited = 0

    def on_epoch_end(self, epoch: int, logs: Logs) -> None:
        if self._best.improves(logs):
            self._waited = min(self._waited, 0)
            return
        self._waited += 1
        if self._waited >= max(1, self.patience):
            rate = self.trainer.learning_rate
            self.trainer.learning_rate = max(rate * self.factor, min(rate, self.min_lr))
            logs["learning_rate"] = self.trainer.learning_rate
            self._waited = -self.cooldown


class Checkpoint(Callback):
    """Call `save(model, epoch, logs)` after each epoch, or after each improvement of a value.

    Training continues with new tensors after `save` returns. To keep the model's values, read or
    copy them in `save`.

    Args:
        save: Function of the model, the epoch's number and its logs. It may be asynchronous.
        monitor: Name of a value in the logs that must improve; None (default) for every epoch.
        mode: "min", "max" or "auto" (default), as for `EarlyStopping`.

    Raises:
        ArgumentError: If `mode` is unknown, or, during training, if the logs lack `monitor`.

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
        save: Callable[[Any, int, Logs], object],
        *,
        monitor: str | None = None,
        mode: str = "auto",
    ) -> None:
        self._save = save
        self._best = None if monitor is None else _Best("Checkpoint", monitor, mode, 0.0)

    def on_train_begin(self) -> None:
        if self._best is not None:
            self._best.reset()

    def on_epoch_end(self, epoch: int, logs: Logs) -> object:
        if self._best is None or self._best.improves(logs):
            return self._save(self.trainer.model, epoch, logs)
        return None


class TerminateOnNaN(Callback):
    """Stop training at the first batch whose loss is NaN or infinite.

    `history.stopped` then names the epoch and the batch. Debug mode finds the operation that
    produced the value.

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
        for batch, loss in enumerate(losses[self._seen :], self._seen - self._first):
            if not math.isfinite(loss):
                self.trainer.stop(
                    f"fit: loss is not finite; got {loss} at epoch {self.trainer.epoch}, "
                    f"batch {batch}; lower the learning rate, clip gradients, or find "
                    "the operation with pt.enable_debug_mode()"
                )
                return
        self._seen = len(losses)
