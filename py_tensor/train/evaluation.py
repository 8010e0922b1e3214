"""`evaluate` and `predict`: what a model gives, without training it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ..errors import ArgumentError
from ..functions.joining import concat
from ..pytree import tree_leaves, tree_map
from ..tensor import Tensor, as_tensor
from .batches import Batch, batches_of, inputs_of
from .control import Control
from .losses import Loss, loss_of
from .meter import Meter
from .metrics import Metric, metrics_of
from .pace import TURN_SECONDS, Pace
from .running import Prepared, check_some, run_epoch
from .source import END, Source
from .steps import ROWS, Recipe, call_of, evaluation_step, prediction_step
from .trainer import Logs

Metrics = Iterable[str | Metric | Callable[[Any, Any], Any]]


class Evaluation:
    """Evaluates models of one kind on the same data, again and again; traced once."""

    def __init__(self, recipe: Recipe, items: Iterable[Any], turn: float, control: Control) -> None:
        self.recipe = recipe
        self.source = Source(items)
        self.control = control
        self.turn = turn
        self.step = Prepared(evaluation_step(recipe))

    async def of(self, params: Any) -> Logs:
        """The loss and the metrics, by name."""
        step, meter = self.step, Meter(self.recipe.metrics)

        async def evaluated(log: Tensor, batch: Batch, at: int) -> Tensor:
            await step.prepare(batch, params, log, batch, at)
            result: Tensor = step.jitted(params, log, batch, at)
            return result

        async def after(rows: list[list[float]]) -> None:
            for row in rows:
                meter.add(row)

        pace = Pace(self.turn, ROWS)
        await run_epoch(self.recipe, self.source, evaluated, pace, self.control, after)
        check_some(self.recipe.operation, 0, meter, self.source)
        return meter.logs()


async def evaluate(
    model: Any,
    data: Any,
    *,
    loss: str | Loss,
    metrics: Metrics = (),
    batch_size: int = 32,
    control: Control | None = None,
    turn: float = TURN_SECONDS,
) -> Logs:
    """The loss of a sample and the metrics over all of some data, by name.

    Arguments and errors are those of `fit`; the model is called with training=False.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> model = (lambda w, x: x * w, pt.ones(1))
    >>> data = pt.asarray([[1.0], [2.0]]), pt.asarray([[2.0], [4.0]])
    >>> asyncio.run(pt.train.evaluate(model, data, loss="mse", metrics=["mae"]))
    {'loss': 2.5, 'mae': 1.5}
    """
    call, params = call_of("evaluate", model)
    recipe = Recipe("evaluate", call, loss_of("evaluate", loss), metrics_of("evaluate", metrics))
    items = batches_of("evaluate", data, batch_size)
    return await Evaluation(recipe, items, turn, control or Control()).of(params)


async def predict(
    model: Any,
    data: Any,
    *,
    batch_size: int = 32,
    control: Control | None = None,
    turn: float = TURN_SECONDS,
) -> Any:
    """The outputs of a model for all inputs, joined along their first axis.

    `data` is an array, a dict or tuple of arrays of as many samples, or something that gives
    batches of inputs when iterated; of batches that are tuples the first part is taken, as data for
    `fit` have it. The model is called with training=False. Raises ArgumentError where there is no
    batch.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> model = (lambda w, x: x * w, pt.ones(1))
    >>> asyncio.run(pt.train.predict(model, pt.asarray([[1.0], [2.0]]))).tolist()
    [[1.0], [2.0]]
    """
    call, params = call_of("predict", model)
    control = control or Control()
    step = Prepared(prediction_step(call))
    pace = Pace(turn, ROWS)
    source = Source(inputs_of("predict", data, batch_size))
    source.begin()
    outputs: list[Any] = []
    tensor = partial(as_tensor, "predict")
    while not control.is_stopped and (item := await source.next()) is not END:
        inputs = tree_map(tensor, item[0] if isinstance(item, tuple) else item)
        await step.prepare(Batch(inputs, None, None), params, inputs)
        outputs.append(step.jitted(params, inputs))
        if pace.is_turn():
            await tree_leaves(outputs[-1])[0].flatten()[:1].data()
            await control.turn()
            pace.turned()
    if not outputs:
        raise ArgumentError(
            f"predict: no batch; got {type(data).__name__}; give data that has samples"
        )
    if len(outputs) == 1:
        return outputs[0]
    return tree_map(lambda *parts: concat(parts), *outputs)
