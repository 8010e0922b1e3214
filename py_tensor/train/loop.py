"""`fit`, `evaluate` and `predict`: batch after batch, with turns for the page in between."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..debugging import is_debug_mode
from ..errors import ArgumentError
from ..functions.creation import zeros
from ..functions.joining import concat
from ..jitting import Jitted
from ..optim import Optimizer
from ..pytree import tree_leaves, tree_map
from ..tensor import Tensor, asarray
from ..warming import warmup
from .batches import Arrays, Batch, as_batch, batches_of, inputs_of
from .callbacks import callbacks_of, waits_for_batches
from .control import Control
from .losses import Loss, loss_of
from .meter import Meter
from .metrics import Metric, metrics_of
from .pace import TURN_SECONDS, Pace
from .progress import Progress, Report
from .source import END, Source
from .steps import ROWS, Recipe, call_of, evaluation_step, prediction_step, traced, train_step
from .trainer import History, Logs, Trainer

Metrics = Iterable[str | Metric | Callable[[Any, Any], Any]]


async def fit(
    model: Any,
    data: Any,
    *,
    loss: str | Loss,
    optimizer: Optimizer,
    epochs: int = 1,
    batch_size: int = 32,
    metrics: Metrics = (),
    validation: Any = None,
    validation_split: float = 0.0,
    class_weight: Mapping[int, float] | None = None,
    callbacks: Iterable[Any] = (),
    shuffle: bool = True,
    seed: int = 0,
    steps_per_epoch: int | None = None,
    control: Control | None = None,
    progress: bool | Callable[[Report], Any] = False,
    turn: float = TURN_SECONDS,
) -> History:
    """The history of training a model, whose tensors have their new values afterwards.

    `model` is a tree of tensors called as model(x) or model(x, training=True), or a pair (function,
    params), called as function(params, x) or with `training`. `data` is (x, y) or (x, y, weights),
    arrays of as many samples, which are shuffled in each epoch and cut into batches; or anything
    that gives such batches when iterated, also asynchronously, from which `steps_per_epoch` are
    taken if given. `loss` is a name (see `pt.train.LOSSES`) or a function of outputs and targets
    that gives a number, or one value a sample, which weights of samples and classes then multiply.
    `metrics` are names, `Metric`s or functions like a loss. Validation data is of the same forms;
    `validation_split` takes the last part of arrays instead. `callbacks` are `Callback`s, or
    functions of an epoch's number and its logs; `progress` shows reports, or calls a function with
    them. `control` pauses and stops from elsewhere. The event loop gets a turn every `turn`
    seconds; with 0, after each batch.

    A loss that is NaN or infinite goes on like any other unless the callback `TerminateOnNaN`
    stops it. Raises ArgumentError, ShapeError and DTypeError for data and losses that do not fit.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> x, y = pt.asarray([[1.0], [2.0]]), pt.asarray([[2.0], [4.0]])
    >>> model = (lambda w, x: x * w, pt.zeros(1))
    >>> history = asyncio.run(
    ...     pt.train.fit(model, (x, y), loss="mse", optimizer=pt.optim.sgd(0.1), epochs=20)
    ... )
    >>> round(model[1].item(), 3)
    2.0
    """
    if not isinstance(optimizer, Optimizer):
        raise ArgumentError(
            f"fit: optimizer is none; got {optimizer!r:.60}; give pt.optim.adam(1e-3), say"
        )
    call, params = call_of("fit", model)
    chosen = metrics_of("fit", metrics)
    weights = _class_weights(class_weight)
    recipe = Recipe("fit", call, loss_of("fit", loss), chosen, optimizer, weights)
    items = batches_of("fit", data, batch_size, shuffle, seed)
    held = _held("fit", items, validation, validation_split, batch_size)
    source = Source(items, steps_per_epoch)
    shown = [] if progress is False else [Progress(None if progress is True else progress)]
    hooks = callbacks_of("fit", [*callbacks, *shown])
    control = control or Control()
    trainer = Trainer(model, params, optimizer, hooks, epochs, control)
    pace = Pace(0.0 if waits_for_batches(hooks) else turn, ROWS)
    step = _Prepared(traced(train_step, recipe))

    async def train(log: Tensor, batch: Batch, at: int) -> Tensor:
        await step.prepare(batch, trainer.state, log, batch, at)
        trainer.state, log = step.jitted(trainer.state, log, batch, at)
        return log

    async def after(rows: list[list[float]]) -> None:
        for row in rows:
            meter.add(row)
            trainer.history.losses.append(row[0])
        trainer.batch = meter.batches
        if pace.most == 1:
            await trainer.tell("on_batch_end", meter.batches - 1, {"loss": rows[0][0]})
        await trainer.tell("on_yield", meter.batches, meter.logs())

    try:
        await trainer.tell("on_train_begin")
        for epoch in range(epochs):
            if control.is_stopped:
                break
            trainer.epoch, trainer.batch = epoch, 0
            trainer.batches = source.batches or trainer.batches
            meter = Meter(chosen)
            await trainer.tell("on_epoch_begin", epoch)
            await _run("fit", source, train, recipe.width, pace, control, after)
            _check_some("fit", epoch, meter, data)
            trainer.batches = meter.batches
            logs = meter.logs()
            trainer.history.epochs.append(logs)
            if control.is_stopped:
                break
            if held is not None:
                plain = replace(recipe, optimizer=None, class_weights=None)
                results = await _evaluated(plain, trainer.state.params, held, turn, control)
                logs |= {f"val_{name}": value for name, value in results.items()}
            logs["learning_rate"] = trainer.learning_rate
            await trainer.tell("on_epoch_end", epoch, logs)
        await trainer.tell("on_train_end")
    finally:
        trainer.write_back()
    trainer.history.stopped = control.reason
    return trainer.history


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
    return await _evaluated(recipe, params, items, turn, control or Control())


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
    step = _Prepared(traced(prediction_step, call))
    pace = Pace(turn, ROWS)
    source = Source(inputs_of("predict", data, batch_size))
    source.begin()
    outputs: list[Any] = []
    while not control.is_stopped and (item := await source.next()) is not END:
        inputs = tree_map(asarray, item[0] if isinstance(item, tuple) else item)
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


class _Prepared:
    """A step whose programs are compiled before it is called, while the page lives on."""

    def __init__(self, jitted: Jitted) -> None:
        self.jitted = jitted
        self.known: set[int] = set()

    async def prepare(self, batch: Batch, *args: Any) -> None:
        """Waits until it is compiled for batches of that many samples."""
        if batch.samples in self.known or is_debug_mode():
            return
        self.known.add(batch.samples)
        await warmup(self.jitted, *args)


async def _run(
    operation: str,
    source: Source,
    step: Callable[[Tensor, Batch, int], Awaitable[Tensor]],
    width: int,
    pace: Pace,
    control: Control,
    after: Callable[[list[list[float]]], Awaitable[None]],
) -> None:
    """Runs an epoch: `step` for each batch, and `after` with the log's rows at each turn."""
    log = zeros((ROWS, width))
    waiting = 0
    source.begin()
    pace.begin()
    while (item := await source.next()) is not END:
        log = await step(log, as_batch(operation, item), waiting)
        waiting += 1
        if not pace.is_turn():
            continue
        await after(await _rows(log, waiting))
        waiting = 0
        await control.turn()
        pace.turned()
        if control.is_stopped:
            return
    if waiting:
        await after(await _rows(log, waiting))
        await control.turn()


async def _rows(log: Tensor, count: int) -> list[list[float]]:
    rows: Any = (await log.data()).tolist()
    return rows[:count]  # type: ignore[no-any-return]


async def _evaluated(
    recipe: Recipe, params: Any, items: Iterable[Any], turn: float, control: Control
) -> Logs:
    step = _Prepared(traced(evaluation_step, recipe))
    meter = Meter(recipe.metrics)

    async def run(log: Tensor, batch: Batch, at: int) -> Tensor:
        await step.prepare(batch, params, log, batch, at)
        result: Tensor = step.jitted(params, log, batch, at)
        return result

    async def after(rows: list[list[float]]) -> None:
        for row in rows:
            meter.add(row)

    source = Source(items)
    await _run(recipe.operation, source, run, recipe.width, Pace(turn, ROWS), control, after)
    _check_some(recipe.operation, 0, meter, items)
    return meter.logs()


def _check_some(operation: str, epoch: int, meter: Meter, data: Any) -> None:
    if not meter.batches:
        raise ArgumentError(
            f"{operation}: no batch in epoch {epoch}; got {type(data).__name__}, which is empty or "
            "used up; give something that can be iterated in each epoch, or steps_per_epoch"
        )


def _held(
    operation: str, items: Iterable[Any], validation: Any, part: float, batch_size: int
) -> Iterable[Any] | None:
    """The batches to validate on, None for no validation."""
    if not part:
        return None if validation is None else batches_of(operation, validation, batch_size)
    if validation is not None or not isinstance(items, Arrays):
        raise ArgumentError(
            f"{operation}: validation_split needs arrays to split and no validation data; "
            f"got {type(items).__name__}; give validation="
        )
    return items.split(operation, part)


def _class_weights(given: Mapping[int, float] | None) -> tuple[float, ...] | None:
    if given is None:
        return None
    if not given or min(given) < 0:
        raise ArgumentError(
            f"fit: class_weight does not fit; got {dict(given)}; give weights by class number"
        )
    # Classes beyond read the last number: take goes no further than the end.
    return tuple(float(given.get(at, 1.0)) for at in range(max(given) + 2))
