"""State of a training that callbacks see, and the history that `fit` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError
from ..functions.parts import separate
from ..ir.pytree import tree_leaves, tree_map
from ..optim import Optimizer, Rate, State
from ..optim.flat_params import copied
from ..sharding import shard
from ..tensor import Tensor, realize
from .control import Control

if TYPE_CHECKING:
    from jax.sharding import Mesh

    from ..plot import Plot

Logs = dict[str, Any]
"""Values by name: "loss", metrics, and those of validation data as "val_loss" and so on."""


@dataclass
class History:
    """Logs of each epoch and loss of each batch; `fit` returns it.

    `history[name]` is the list of a value over the epochs. It raises KeyError if an epoch's logs
    lack the name.

    Args:
        epochs: Logs of each epoch, in order.
        losses: Loss of each batch of all epochs, in order.
        stopped: Reason why training ended early, or None.
        state: Optimizer's state after the training, from which `fit(..., state=...)` continues.

    >>> import py_tensor as pt
    >>> history = pt.train.History([{"loss": 2.0}, {"loss": 1.0}])
    >>> history["loss"]
    [2.0, 1.0]
    """

    epochs: list[Logs] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    """Loss of each batch of all epochs, in order."""
    stopped: str | None = None
    """Reason why training ended early, or None."""
    state: State | None = field(default=None, repr=False, compare=False)
    """Optimizer's state after the training, from which `fit(..., state=...)` continues."""

    def __getitem__(self, name: str) -> list[Any]:
        return [logs[name] for logs in self.epochs]

    def plot(self, *names: str, **options: Any) -> Plot:
        """Plot values over the epochs, or the loss of each batch of a single epoch.

        Args:
            names: Names of the values; default all numbers of the logs except the learning rate.
            options: Arguments of `pt.plot.Plot`, for example `log="y"`.

        Returns:
            `Plot` with a line for each name.

        Raises:
            ArgumentError: If no epoch's logs have a name.

        >>> import py_tensor as pt
        >>> history = pt.train.History([{"loss": 2.0}, {"loss": 1.0}])
        >>> history.plot("loss")
        loss  █▁  1 to 2
        """
        from ..plot import Plot

        known = {name for logs in self.epochs for name in logs}
        for name in names:
            if name not in known:
                raise ArgumentError(
                    f"plot: history has no value of this name; got {name!r}; use one of "
                    f"{', '.join(sorted(known)) or 'none: there are no epochs'}"
                )
        if not names and len(self.epochs) < 2:
            plot = Plot(**{"x_label": "batch", **options})
            return plot.line(self.losses, label="loss") if self.losses else plot
        shown = names or tuple(
            name
            for name in dict.fromkeys(name for logs in self.epochs for name in logs)
            if name != "learning_rate"
            and all(isinstance(logs.get(name, 0.0), (int, float)) for logs in self.epochs)
        )
        plot = Plot(**{"x_label": "epoch", **options})
        numbers = range(1, len(self.epochs) + 1)
        for name in shown:
            plot.line(numbers, [logs.get(name) for logs in self.epochs], label=name)
        return plot

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_()


Weights = tuple[tuple[Tensor, ...], tuple[Any, ...]]


class Trainer:
    """State of a running `fit`; callbacks access it as `self.trainer`.

    `fit` creates it. Its attributes `epoch`, `epochs`, `batch`, `batches`, `history`, `optimizer`
    and `state` describe the training so far.

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
        epochs: int,
        control: Control,
        state: State | None = None,
        mesh: Mesh | None = None,
        shardings: Mapping[str, Any] | None = None,
    ) -> None:
        self._model = model
        self._params = params
        self._scale = _Scale()
        self.optimizer = self._scale.applied(optimizer)
        self.epochs = epochs
        self.control = control
        placed = params if mesh is None else shard(params, mesh, shardings or ())
        self.state: State = optimizer.init(placed)
        if state is not None:
            self.state = _continued(self.state, state)
        self.history = History()
        self.epoch = 0
        self.batch = 0
        """Number of completed batches in this epoch."""
        self.batches: int | None = None
        """Number of batches per epoch, or None if unknown."""

    @property
    def model(self) -> Any:
        """Return the model given to `fit`, with the values trained so far."""
        self.write_back()
        return self._model

    @property
    def learning_rate(self) -> float:
        """Learning rate of the next step.

        Setting it multiplies this and all later rates, also those of groups, by one factor.
        """
        return self.optimizer.rate(self.state.step)

    @learning_rate.setter
    def learning_rate(self, rate: float) -> None:
        before = self.learning_rate
        if not rate >= 0 or not before:
            raise ArgumentError(
                f"learning_rate: rate cannot be set; got {rate} after {before}; use 0 or more, and "
                "do not set a rate that is 0"
            )
        self._scale.factor *= rate / before

    def stop(self, reason: str = "stopped") -> None:
        """End training after this batch, or after the batches already submitted.

        Args:
            reason: Text kept as `history.stopped`; default "stopped".
        """
        self.control.stop(reason)

    def write_back(self) -> None:
        """Copy the values trained so far to the model's tensors."""
        moved = []
        new = tree_leaves(self.state.params)
        for old, value in zip(tree_leaves(self._params), new, strict=True):
            if isinstance(old, Tensor):
                separate(old)
                old._move(value._node)
                moved.append(old)
        # Unrealized views would keep the flat parameter vectors alive.
        realize(*moved)

    def snapshot(self) -> Weights:
        """Return the current weights for `restore`; they stay on the device."""
        return tuple(map(copied, self.state.vectors)), tuple(map(copied, self.state.others))

    def restore(self, weights: Weights) -> None:
        """Reset the weights to a snapshot.

        Args:
            weights: Result of `snapshot`.
        """
        vectors, untrained = (tuple(map(copied, leaves)) for leaves in weights)
        self.state = replace(self.state, vectors=vectors, others=untrained)


class _Scale:
    """Factor of all learning rates of an optimizer, which callbacks can change."""

    def __init__(self) -> None:
        self.factor = 1.0

    def applied(self, optimizer: Optimizer) -> Optimizer:
        groups = {
            name: {
                key: self._rate(value) if key == "learning_rate" else value for key, value in own
            }
            for name, own in optimizer.groups
        }
        return replace(optimizer, learning_rate=self._rate(optimizer.learning_rate), groups=groups)

    def _rate(self, rate: Rate) -> Rate:
        return lambda step: (rate(step) if callable(rate) else rate) * self.factor


def _continued(start: State, before: State) -> State:
    """Return the start state with the slots and the step of an earlier training."""
    if not _fits(start, before):
        raise ArgumentError(
            f"fit: state does not fit the model and the optimizer; got slots {sorted(before.slots)}"
            f" for {sorted(start.slots)}; pass the history.state of a fit with the same optimizer "
            "and parameters of the same shapes"
        )
    if start.layout == before.layout:
        return replace(start, slots=tree_map(copied, before.slots), step=before.step)
    return start.with_tree({**before.to_tree(), "params": start.params})


def _fits(start: State, before: State) -> bool:
    shapes = [[part and part.shape for part in s.layout.slices] for s in (start, before)]
    return (
        start.layout.structure == before.layout.structure
        and shapes[0] == shapes[1]
        and start.slots.keys() == before.slots.keys()
    )
