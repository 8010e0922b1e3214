"""`fit`: a model is trained, epoch after epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..errors import ArgumentError
from ..optim import Optimizer
from ..tensor import Tensor
from .batches import Arrays, Batch, batches_of
from .callbacks import callbacks_of, waits_for_batches
from .control import Control
from .evaluation import Evaluation, Metrics
from .losses import Loss, loss_of
from .meter import Meter
from .metrics import metrics_of
from .pace import TURN_SECONDS, Pace
from .progress import Progress, Report
from .running import Prepared, check_some, run_epoch
from .source import Source
from .steps import ROWS, Recipe, call_of, train_step
from .trainer import History, Trainer


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
    source = Source(items, steps_per_epoch)
    shown = [] if progress is False else [Progress(None if progress is True else progress)]
    hooks = callbacks_of("fit", [*callbacks, *shown])
    control = control or Control()
    validated = _held("fit", items, validation, validation_split, batch_size)
    plain = replace(recipe, optimizer=None, class_weights=None)
    held = None if validated is None else Evaluation(plain, validated, turn, control)
    trainer = Trainer(model, params, optimizer, hooks, epochs, control)
    pace = Pace(0.0 if waits_for_batches(hooks) else turn, ROWS)
    step = Prepared(train_step(recipe))

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
            await run_epoch(recipe, source, train, pace, control, after)
            check_some("fit", epoch, meter, source)
            trainer.batches = meter.batches
            logs = meter.logs()
            trainer.history.epochs.append(logs)
            if control.is_stopped:
                break
            if held is not None:
                results = await held.of(trainer.state.params)
                logs |= {f"val_{name}": value for name, value in results.items()}
            logs["learning_rate"] = trainer.learning_rate
            await trainer.tell("on_epoch_end", epoch, logs)
        await trainer.tell("on_train_end")
    finally:
        trainer.write_back()
    trainer.history.stopped = control.reason
    return trainer.history


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
