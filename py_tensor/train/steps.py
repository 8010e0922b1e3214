"""Jitted functions that run for each batch, and the log on the device that they fill.

The log has a row per batch: the loss, the weight of the samples, and the sums of the metrics. It
is read once in many batches, so that training need not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, cast

from .. import functions as F
from ..dtypes import float32
from ..errors import ArgumentError, ShapeError
from ..functions.elementwise import where
from ..ir.pytree import open_node
from ..nn.module import modules_of
from ..nn.regularizers import regularization_loss
from ..optim import LossScale, LossScaler, Optimizer, State
from ..sharding import shard, shard_batch
from ..signatures import parameters_of
from ..tensor import Tensor, as_tensor
from ..transforms.autodiff import value_and_grad
from ..transforms.jit.api import Jitted, jit
from .batches import Batch
from .losses import Loss, batch_loss
from .metrics import Metric

if TYPE_CHECKING:
    from jax.sharding import Mesh

LOG_ROWS = 64
"""Number of rows (batches) in the log."""


@dataclass(frozen=True)
class StepCall:
    """Map parameters and inputs to outputs, by a function or by calling the model itself."""

    function: Callable[..., Any] | None
    takes_training: bool

    def __call__(self, params: Any, inputs: Any, training: bool) -> Any:
        named = {"training": training} if self.takes_training else {}
        if self.function is None:
            return params(inputs, **named)
        return self.function(params, inputs, **named)


def call_of(operation: str, model: Any) -> tuple[StepCall, Any]:
    """Return the call of a model and its parameters.

    The model is a callable tree, called as model(x) or model(x, training=...), or a pair (function,
    params), called as function(params, x) or with `training`. Raises ArgumentError for others.
    """
    if isinstance(model, tuple) and len(model) == 2 and callable(model[0]):
        function, params = model
        return StepCall(function, _takes_training(function)), params
    if not callable(model):
        raise ArgumentError(
            f"{operation}: model must be callable; got {type(model).__name__}; pass a tree with "
            "__call__(self, x) or a pair (function, params)"
        )
    if open_node(model) is None:
        raise ArgumentError(
            f"{operation}: model has no parameters; got {type(model).__name__}; pass a module, or "
            "a pair (function, params)"
        )
    return StepCall(None, _takes_training(model)), model


def _takes_training(function: Callable[..., Any]) -> bool:
    parameters = parameters_of(function)
    return parameters is not None and parameters.accepts_keyword("training")


@dataclass(frozen=True)
class StepRecipe:
    """Static arguments of a step: everything it depends on except tensors."""

    operation: str
    call: StepCall
    loss: Loss
    metrics: tuple[Metric, ...]
    optimizer: Optimizer | None = None
    class_weights: tuple[float, ...] | None = None
    scaler: LossScaler | None = None
    mesh: Mesh | None = None
    """Devices among which the rows of a batch are divided, or None."""

    def placed(self, batch: Batch) -> Batch:
        """Return a batch on the devices of the mesh."""
        return batch if self.mesh is None else cast("Batch", shard_batch(batch, self.mesh))

    def log(self) -> Tensor:
        """Return an empty log."""
        return self.whole(F.zeros((LOG_ROWS, self.width)))

    def written(self, log: Tensor, row: Tensor, at: int) -> Tensor:
        """Return the log with a row."""
        mine = F.arange(LOG_ROWS).reshape((LOG_ROWS, 1)) == at
        return self.whole(where(mine, row, log))

    def whole(self, tensor: Tensor) -> Tensor:
        """Return a tensor with all elements on each device."""
        return tensor if self.mesh is None else cast("Tensor", shard(tensor, self.mesh))

    @property
    def width(self) -> int:
        """Number of values per row of the log."""
        return 2 + sum(prod(shape) for metric in self.metrics for shape in metric.shapes)

    def weighted(self, batch: Batch) -> Tensor | None:
        """Return the weight of each sample, or None if all count the same."""
        weights = batch.weights
        if weights is not None and weights.shape != (batch.samples,):
            raise ShapeError(
                f"{self.operation}: sample weights have the wrong shape; got shape {weights.shape} "
                f"for {batch.samples} samples; pass one number per sample"
            )
        weights = None if weights is None else weights.astype(float32, copy=False)
        if self.class_weights is None:
            return weights
        of_class = F.take(as_tensor(self.operation, self.class_weights), batch.targets)
        return of_class if weights is None else weights * of_class

    def value(self, params: Any, outputs: Any, batch: Batch) -> Tensor:
        """Return the loss of a batch, with the penalties of the model, as a scalar."""
        values = self.loss(outputs, batch.targets)
        value = batch_loss(self.operation, values, self.weighted(batch), batch.samples)
        if any(module.regularizers for module in modules_of(params)):
            value = value + regularization_loss(params)
        return value

    def row(self, value: Tensor, outputs: Any, batch: Batch) -> Tensor:
        """Return the log's row for a batch."""
        weights = self.weighted(batch)
        if weights is None:
            weight = F.full((), float(batch.samples))
            weights = F.ones(batch.samples)
        else:
            weight = weights.sum()
        sums = [
            part for metric in self.metrics for part in metric.sums(outputs, batch.targets, weights)
        ]
        parts = [part.astype(float32, copy=False).flatten() for part in (value, weight, *sums)]
        return F.concat(parts)


def train_step(recipe: StepRecipe) -> Jitted:
    """Return the jitted function of `(state, scale)`, a log, a batch and a number of a row.

    It returns the next (state, scale), and the log with that row. The scale is that of the
    recipe's scaler, or None.
    """
    optimizer, scaler = recipe.optimizer, recipe.scaler
    assert optimizer is not None

    def step(
        states: tuple[State, LossScale | None], log: Tensor, batch: Batch, at: int
    ) -> tuple[tuple[State, LossScale | None], Tensor]:
        state, scale = states

        def objective(params: Any) -> tuple[Tensor, Any]:
            outputs = recipe.call(params, batch.inputs, True)
            value = recipe.value(params, outputs, batch)
            scaled = value if scaler is None or scale is None else scaler.scaled(scale, value)
            return scaled, (value, outputs)

        (_, (value, outputs)), gradients = value_and_grad(objective, has_aux=True)(state.params)
        if scaler is None or scale is None:
            state = optimizer.update(state, gradients)
        else:
            state, scale = scaler.update(scale, optimizer, state, gradients)
        return (state, scale), recipe.written(log, recipe.row(value, outputs, batch), at)

    return cast("Jitted", jit(step, donate_argnums=(0, 1)))


def evaluation_step(recipe: StepRecipe) -> Jitted:
    """Return the jitted function `(params, log, batch, at)` -> log with row `at`."""

    def step(params: Any, log: Tensor, batch: Batch, at: int) -> Tensor:
        outputs = recipe.call(params, batch.inputs, False)
        return recipe.written(
            log, recipe.row(recipe.value(params, outputs, batch), outputs, batch), at
        )

    return cast("Jitted", jit(step, donate_argnums=1))


def prediction_step(call: StepCall) -> Jitted:
    """Return the jitted function `(params, inputs)` -> outputs."""

    def step(params: Any, inputs: Any) -> Any:
        return call(params, inputs, False)

    return cast("Jitted", jit(step))
