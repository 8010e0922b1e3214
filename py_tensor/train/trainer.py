"""A training under way, as callbacks see it, and what is left of it in the end."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..optim import Optimizer, State
from ..pytree import tree_leaves
from ..tensor import Tensor, asarray, realize
from .control import Control

if TYPE_CHECKING:
    from .callbacks import Callback

Logs = dict[str, Any]
"""Values by name: "loss", metrics, the same of validation data as "val_loss" and so on."""


@dataclass
class History:
    """What `fit` gives: the logs of each epoch, the loss of each batch.

    `history[name]` is the list of a value by epochs; raises KeyError for names that logs lack.

    >>> import py_tensor as pt
    >>> history = pt.train.History([{"loss": 2.0}, {"loss": 1.0}])
    >>> history["loss"]
    [2.0, 1.0]
    """

    epochs: list[Logs] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    """Of all batches, in their order."""
    stopped: str | None = None
    """Why training ended before its last epoch."""

    def __getitem__(self, name: str) -> list[Any]:
        return [logs[name] for logs in self.epochs]


Weights = tuple[tuple[Tensor, ...], tuple[Any, ...]]


class Trainer:
    """What `fit` works on; callbacks have it as `self.trainer`.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> class Stop(pt.train.Callback):
    ...     def on_epoch_end(self, epoch, logs):
    ...         self.trainer.stop(f"rate {self.trainer.learning_rate}")
    >>> model = (lambda w, x: x * w, pt.zeros(1))
    >>> x, optimizer = pt.ones((4, 1)), pt.optim.sgd(0.1)
    >>> training = pt.train.fit(model, (x, x), loss="mse", optimizer=optimizer, callbacks=[Stop()])
    >>> asyncio.run(training).stopped
    'rate 0.1'
    """

    def __init__(
        self,
        model: Any,
        params: Any,
        optimizer: Optimizer,
        callbacks: Sequence[Callback],
        epochs: int,
        control: Control,
    ) -> None:
        self._model = model
        self._params = params
        self.optimizer = optimizer
        self.callbacks = callbacks
        self.epochs = epochs
        self.control = control
        self.state: State = optimizer.init(params)
        self.history = History()
        self.epoch = 0
        self.batch = 0
        """How many batches of this epoch are done."""
        self.batches: int | None = None
        """How many batches an epoch has, where that is known."""
        for callback in callbacks:
            callback.trainer = self

    @property
    def model(self) -> Any:
        """The model that `fit` was given, with its tensors as they are trained so far."""
        self.write_back()
        return self._model

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next step."""
        return self.optimizer.rate(self.state.step)

    def stop(self, reason: str = "stopped") -> None:
        """Ends training after this batch, or after the batches already under way."""
        self.control.stop(reason)

    def write_back(self) -> None:
        """Gives the model's tensors their values so far."""
        moved = []
        new = tree_leaves(self.state.params)
        for old, value in zip(tree_leaves(self._params), new, strict=True):
            if isinstance(old, Tensor):
                old._move(value._node)
                moved.append(old)
        # Views would keep the vectors that they are parts of.
        realize(*moved)

    def snapshot(self) -> Weights:
        """The weights as they are now, for `restore`; on the device, where no copy is made yet."""
        return tuple(map(_copied, self.state.vectors)), tuple(map(_copied, self.state.others))

    def restore(self, weights: Weights) -> None:
        """Weights are again what they were when the snapshot was taken."""
        vectors, others = (tuple(map(_copied, leaves)) for leaves in weights)
        self.state = replace(self.state, vectors=vectors, others=others)

    async def tell(self, event: str, *args: Any) -> None:
        """Calls that method of all callbacks, and waits for those that are asynchronous."""
        for callback in self.callbacks:
            result = getattr(callback, event)(*args)
            if inspect.isawaitable(result):
                await result


def _copied(leaf: Any) -> Any:
    return asarray(leaf, copy=True) if isinstance(leaf, Tensor) else leaf
