"""What runs for each batch, as functions under `pt.jit`, and the log on the device that they fill.

The log has a row a batch: the loss, the weight of the samples, and the sums of the metrics. It is
read once in many batches, so that training need not wait for it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from types import CodeType
from typing import Any

from ..autodiff import value_and_grad
from ..dtypes import float32
from ..errors import ArgumentError, ShapeError
from ..functions.creation import arange, full, ones
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.indexing import take
from ..functions.joining import concat
from ..jitting import Jitted, jit
from ..optim import Optimizer, State
from ..tensor import Tensor, as_tensor
from .batches import Batch
from .losses import Loss, batch_loss
from .metrics import Metric

ROWS = 64
"""Batches that the log has room for."""


@dataclass(frozen=True)
class Call:
    """How outputs are made of parameters and inputs: by a function, or by the model they are."""

    function: Callable[..., Any] | None
    takes_training: bool

    def __call__(self, params: Any, inputs: Any, training: bool) -> Any:
        named = {"training": training} if self.takes_training else {}
        if self.function is None:
            return params(inputs, **named)
        return self.function(params, inputs, **named)


def call_of(operation: str, model: Any) -> tuple[Call, Any]:
    """How a model is called, and its parameters.

    It is a tree that can be called as model(x) or model(x, training=...), or a pair (function,
    params), called as function(params, x) or with `training`. Raises ArgumentError for others.
    """
    if isinstance(model, tuple) and len(model) == 2 and callable(model[0]):
        function, params = model
        return Call(function, _takes_training(function)), params
    if callable(model):
        return Call(None, _takes_training(type(model).__call__)), model
    raise ArgumentError(
        f"{operation}: model cannot be called; got {type(model).__name__}; "
        "give a tree with __call__(self, x), or a pair (function, params)"
    )


def _takes_training(function: Any) -> bool:
    """Whether it has an argument of that name; evaluates no annotations, as `inspect` may."""
    function = inspect.unwrap(function)
    plain = getattr(function, "__func__", function)
    code: CodeType | None = getattr(plain, "__code__", None)
    if code is None:
        own = type(function).__call__
        return hasattr(own, "__code__") and _takes_training(own)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return "training" in names or bool(code.co_flags & inspect.CO_VARKEYWORDS)


@dataclass(frozen=True)
class Recipe:
    """All that a step depends on beside tensors."""

    operation: str
    call: Call
    loss: Loss
    metrics: tuple[Metric, ...]
    optimizer: Optimizer | None = None
    class_weights: tuple[float, ...] | None = None

    @property
    def width(self) -> int:
        """How many numbers a batch has in the log."""
        return 2 + sum(prod(shape) for metric in self.metrics for shape in metric.shapes)

    def weighted(self, batch: Batch) -> Tensor | None:
        """The weight of each sample, None where all count the same."""
        weights = batch.weights
        if weights is not None and weights.shape != (batch.samples,):
            raise ShapeError(
                f"{self.operation}: weights of samples do not fit; got shape {weights.shape} for "
                f"{batch.samples} samples; give one number a sample"
            )
        weights = None if weights is None else weights.astype(float32, copy=False)
        if self.class_weights is None:
            return weights
        of_class = take(as_tensor(self.operation, self.class_weights), batch.targets)
        return of_class if weights is None else weights * of_class

    def value(self, outputs: Any, batch: Batch) -> Tensor:
        """The loss of a batch, one number."""
        values = self.loss(outputs, batch.targets)
        return batch_loss(self.operation, values, self.weighted(batch), batch.samples)

    def row(self, value: Tensor, outputs: Any, batch: Batch) -> Tensor:
        """What the log gets of a batch."""
        weights = self.weighted(batch)
        if weights is None:
            weight = full((), float(batch.samples))
            weights = ones(batch.samples)
        else:
            weight = weights.sum()
        sums = [
            part for metric in self.metrics for part in metric.sums(outputs, batch.targets, weights)
        ]
        parts = [part.astype(float32, copy=False).flatten() for part in (value, weight, *sums)]
        return concat(parts)


def _written(log: Tensor, row: Tensor, at: int) -> Tensor:
    mine = arange(ROWS).reshape((ROWS, 1)) == at
    result: Tensor = ELEMENTWISE["where"](mine, row, log)
    return result


def train_step(recipe: Recipe) -> Jitted:
    """`(state, log, batch, at)` to the next state, and the log with this batch in row `at`."""

    def step(state: State, log: Tensor, batch: Batch, at: int) -> tuple[State, Tensor]:
        def objective(params: Any) -> tuple[Tensor, Any]:
            outputs = recipe.call(params, batch.inputs, True)
            return recipe.value(outputs, batch), outputs

        (value, outputs), gradients = value_and_grad(objective, has_aux=True)(state.params)
        assert recipe.optimizer is not None
        after = recipe.optimizer.update(state, gradients)
        return after, _written(log, recipe.row(value, outputs, batch), at)

    return jit(step, donate_argnums=(0, 1))  # type: ignore[no-any-return]


def evaluation_step(recipe: Recipe) -> Jitted:
    """`(params, log, batch, at)` to the log with this batch in row `at`."""

    def step(params: Any, log: Tensor, batch: Batch, at: int) -> Tensor:
        outputs = recipe.call(params, batch.inputs, False)
        return _written(log, recipe.row(recipe.value(outputs, batch), outputs, batch), at)

    return jit(step, donate_argnums=1)  # type: ignore[no-any-return]


def prediction_step(call: Call) -> Jitted:
    """`(params, inputs)` to outputs."""

    def step(params: Any, inputs: Any) -> Any:
        return call(params, inputs, False)

    return jit(step)  # type: ignore[no-any-return]
