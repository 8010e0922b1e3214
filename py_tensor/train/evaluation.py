"""`evaluate` and `predict`: run a model without training it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

from ..errors import ArgumentError
from ..functions.arguments import number
from ..functions.joining import concat
from ..ir.pytree import tree_leaves, tree_map
from ..tensor import Tensor
from .batch_source import END, BatchSource
from .batches import Batch, Batches, batches_of, inputs_of, tensors_of
from .control import Control, control_of
from .epoch_loop import Prepared, run_epoch
from .losses import Loss, loss_of
from .metrics import Metric, metrics_of
from .steps import LOG_ROWS, StepRecipe, call_of, evaluation_step, prediction_step
from .trainer import Logs
from .yielding import YIELD_SECONDS, Pace

Metrics = Iterable[str | Metric | Callable[[Any, Any], Any]]


class ModelEvaluation:
    """Evaluate successive parameters of a model on the same data with one traced step."""

    def __init__(
        self, recipe: StepRecipe, items: Batches, yield_every: float, control: Control
    ) -> None:
        self.recipe = recipe
        self.source = BatchSource(items)
        self.control = control
        self.yield_every = yield_every
        self.step = Prepared(evaluation_step(recipe))

    async def of(self, params: Any) -> Logs:
        """Return the loss and the metrics by name."""

        async def evaluated(log: Tensor, batch: Batch, row: int) -> Tensor:
            return cast("Tensor", await self.step(batch, params, log, batch, row))

        pace = Pace(self.yield_every, LOG_ROWS)
        totals = await run_epoch(self.recipe, self.source, evaluated, pace, self.control)
        return totals.logs()


async def evaluate(
    model: Any,
    data: Any,
    *,
    loss: str | Loss,
    metrics: Metrics = (),
    batch_size: int = 32,
    control: Control | None = None,
    yield_every: float = YIELD_SECONDS,
) -> Logs:
    """Return the mean loss per sample and the metrics over a data set.

    The model is called with training=False if it takes that argument.

    Args:
        model: Callable tree of tensors, or a pair (function, params), as for `fit`.
        data: (x, y) or (x, y, weights) with samples along the first axis, or an iterable or
            asynchronous iterable of such batches.
        loss: Name from `pt.train.LOSSES`, or a function of outputs and targets.
        metrics: Names from `pt.train.METRICS`, `Metric` objects, or functions of outputs and
            targets; none by default.
        batch_size: Samples per batch if `data` is arrays; default 32.
        control: `Control` that pauses or stops the loop; None (default) for none.
        yield_every: Longest time in seconds between two yields to the event loop; default 1/30.
            0 yields after each batch.

    Returns:
        Dict of numbers by name: "loss" and one entry per metric.

    Raises:
        ArgumentError: If the model cannot be called, a name is unknown, or there is no batch.
        ShapeError: If numbers of samples differ, or outputs and targets do not fit.
        DTypeError: If a sparse loss or metric gets targets that are not integers.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> model = (lambda w, x: x * w, pt.ones(1))
    >>> data = pt.asarray([[1.0], [2.0]]), pt.asarray([[2.0], [4.0]])
    >>> asyncio.run(pt.train.evaluate(model, data, loss="mse", metrics=["mae"]))
    {'loss': 2.5, 'mae': 1.5}
    """
    call, params = call_of("evaluate", model)
    yield_every = number("evaluate", "yield_every", yield_every)
    recipe = StepRecipe(
        "evaluate", call, loss_of("evaluate", loss), metrics_of("evaluate", metrics, loss)
    )
    items = batches_of("evaluate", data, batch_size)
    control = control_of("evaluate", control)
    return await ModelEvaluation(recipe, items, yield_every, control).of(params)


async def predict(
    model: Any,
    data: Any,
    *,
    batch_size: int = 32,
    control: Control | None = None,
    yield_every: float = YIELD_SECONDS,
) -> Any:
    """Return the outputs of a model for all inputs, joined along their first axis.

    The model is called with training=False if it takes that argument.

    Args:
        model: Callable tree of tensors, or a pair (function, params), as for `fit`.
        data: Array, or dict or tuple of arrays with the same number of samples along the first
            axis, or an iterable of batches of inputs. If a batch is a tuple, its first item is
            used, so that the data of `fit` can be given.
        batch_size: Samples per batch if `data` is arrays; default 32.
        control: `Control` that pauses or stops the loop; None (default) for none.
        yield_every: Longest time in seconds between two yields to the event loop; default 1/30.
            0 yields after each batch.

    Returns:
        The model's outputs: tensors whose first axis counts all samples.

    Raises:
        ArgumentError: If the model cannot be called, or there is no batch.
        ShapeError: If numbers of samples differ.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> model = (lambda w, x: x * w, pt.ones(1))
    >>> asyncio.run(pt.train.predict(model, pt.asarray([[1.0], [2.0]]))).tolist()
    [[1.0], [2.0]]
    """
    call, params = call_of("predict", model)
    yield_every = number("predict", "yield_every", yield_every)
    control = control_of("predict", control)
    step = Prepared(prediction_step(call))
    pace = Pace(yield_every, LOG_ROWS)
    source = BatchSource(inputs_of("predict", data, batch_size))
    source.begin()
    outputs: list[Any] = []
    while not control.is_stopped and (item := await source.next()) is not END:
        inputs = tensors_of("predict", item[0] if isinstance(item, tuple) else item)
        outputs.append(await step(Batch(inputs, None, None), params, inputs))
        if pace.is_due():
            await tree_leaves(outputs[-1])[0].flatten()[:1].data()
            await control.wait_until_running()
            pace.yielded()
    if not outputs:
        raise ArgumentError(
            f"predict: there is no batch; got {type(data).__name__}; pass data that has samples"
        )
    if len(outputs) == 1:
        return outputs[0]
    return tree_map(lambda *parts: concat(parts), *outputs)
