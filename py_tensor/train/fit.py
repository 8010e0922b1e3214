"""`fit`: train a model for a number of epochs."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from ..dtypes import wrong_type
from ..errors import ArgumentError, BackendError
from ..functions.arguments import MOST_STEPS, function_of, integer, items as items_of, number
from ..optim import OPTIMIZERS, LossScaler, Optimizer, State
from ..sharding import automatic, mesh_in_use, process
from ..tensor import Tensor
from .batch_source import BatchSource
from .batches import Arrays, Batch, batches_of
from .callbacks import CallbackList
from .control import Control, control_of
from .epoch_loop import Prepared, check_some, run_epoch
from .evaluation import Evaluation, Metrics
from .losses import Loss, loss_of
from .metric_totals import Meter
from .metrics import metrics_of
from .progress import Progress, Report
from .steps import LOG_ROWS, StepRecipe, call_of, train_step
from .trainer import History, Trainer
from .yielding import YIELD_SECONDS, Pace


async def fit(
    model: Any,
    data: Any,
    *,
    loss: str | Loss,
    optimizer: str | Optimizer,
    state: State | None = None,
    epochs: int = 1,
    batch_size: int = 32,
    metrics: Metrics = (),
    validation: Any = None,
    validation_split: float = 0.0,
    class_weight: Mapping[int, float] | None = None,
    loss_scaling: bool | LossScaler = False,
    callbacks: Iterable[Any] = (),
    shuffle: bool = True,
    seed: int = 0,
    steps_per_epoch: int | None = None,
    control: Control | None = None,
    progress: bool | Callable[[Report], Any] = False,
    yield_every: float = YIELD_SECONDS,
    mesh: Any = None,
    shardings: Mapping[str, Any] | None = None,
) -> History:
    """Train a model and return the history of the training.

    The model's tensors have their new values afterwards, also after an exception. A NaN or
    infinite loss does not end training unless the callback `TerminateOnNaN` is given.

    Args:
        model: Tree of tensors called as model(x) or model(x, training=True), or a pair
            (function, params) called as function(params, x), also with `training`.
        data: (x, y) or (x, y, weights) with samples along the first axis, or an iterable or
            asynchronous iterable of such batches. Inputs and targets may be trees of arrays;
            nested lists of numbers count as arrays. Weights are one number per sample.
        loss: Name from `pt.train.LOSSES`, or a function of outputs and targets. It returns one
            value per sample, shape (n,), which weights multiply, or a number.
        optimizer: Optimizer from `pt.optim`, for example `pt.optim.adam(1e-3)`, or a name from
            `pt.optim.OPTIMIZERS`, which has that optimizer's default settings.
        state: `history.state` of an earlier call with the same optimizer and structure of the
            parameters: its slots and number of steps continue, and the values of the parameters are
            the model's. None (default) starts anew.
        epochs: Number of passes over the data; default 1.
        batch_size: Samples per batch if `data` is arrays; default 32.
        metrics: Names from `pt.train.METRICS`, `Metric` objects, or functions like a loss; none
            by default.
        validation: Data of the same forms, evaluated after each epoch; None (default) for none.
        validation_split: Fraction of the arrays' last samples to validate on; default 0.
        class_weight: Factor of the loss by class number; classes not named have 1. None
            (default) for 1 everywhere.
        loss_scaling: `pt.optim.LossScaler` for training with float16, or True for one with its
            default settings; steps whose gradients overflow are skipped. Default False.
        callbacks: `Callback` objects, or functions of an epoch's number and its logs.
        shuffle: Visit the samples of arrays in a new random order each epoch; default True.
        seed: Seed of that order; default 0.
        steps_per_epoch: Batches per epoch; the next epoch continues with the next batch. None
            (default) for one pass over the data.
        control: `Control` that pauses or stops training; None (default) for none.
        progress: True shows a bar as `pt.progress` does, a function is called with each `Report`;
            default False.
        yield_every: Longest time in seconds between two yields to the event loop; default 1/30.
            0 yields after each batch.
        mesh: `pt.sharding.mesh` of devices that compute together: the rows of each batch are
            divided along its first axis. In a job of several processes each gives batches of its
            own. If `data` is arrays, all give the same ones, each computes its part of a batch, and
            samples that cannot be divided evenly are left out. None (default) for the mesh of
            `pt.sharding.use`, or one device.
        shardings: Specs of parameters by patterns of their names, as for `pt.sharding.shard`, for
            example {"layers.*.weight": (None, "model")}; all other parameters are on each device.
            None (default) for no such parameters.

    Returns:
        `History` of the logs of each epoch and the loss of each batch.

    Raises:
        ArgumentError: If an argument has an unknown name or form, or an epoch has no batch.
        ShapeError: If numbers of samples differ, or outputs, targets, weights or the loss do
            not fit.
        DTypeError: If a sparse loss or metric gets targets that are not integers.
        BackendError: If `mesh` is given without the JAX backend, or another process has ended.

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
    count = integer("fit", "epochs", epochs, 0, sys.maxsize)
    optimizer = _optimizer_of(optimizer)
    if state is not None and not isinstance(state, State):
        raise wrong_type("fit", "state", "a state of the optimizer", state, "history.state")
    yield_every = number("fit", "yield_every", yield_every)
    if steps_per_epoch is not None:
        steps_per_epoch = integer("fit", "steps_per_epoch", steps_per_epoch, 1, sys.maxsize)
    callbacks = items_of("fit", "callbacks", callbacks)
    call, params = call_of("fit", model)
    control = control_of("fit", control)
    mesh = mesh_in_use() if mesh is None else automatic("fit", mesh)
    trainer = Trainer(model, params, optimizer, epochs, control, state, mesh, shardings)
    chosen = metrics_of("fit", metrics)
    weights = _class_weights(class_weight)
    scaler = LossScaler() if loss_scaling is True else None
    if not isinstance(loss_scaling, bool):
        if not isinstance(loss_scaling, LossScaler):
            raise wrong_type(
                "fit", "loss_scaling", "a LossScaler", loss_scaling, "True or a LossScaler"
            )
        scaler = loss_scaling
    recipe = StepRecipe(
        "fit", call, loss_of("fit", loss), chosen, trainer.optimizer, weights, scaler, mesh
    )
    scale = None if scaler is None else scaler.init()
    items = batches_of("fit", data, batch_size, shuffle, seed)
    reports = (
        []
        if progress is False
        else [Progress(None if progress is True else function_of("fit", "progress", progress))]
    )
    hooks = CallbackList("fit", [*callbacks, *reports])
    items, validated = _split_off_validation("fit", items, validation, validation_split, batch_size)
    rank, processes = process()
    if mesh is not None and processes > 1:
        for arrays in (items, validated):
            if isinstance(arrays, Arrays):
                arrays.divide(rank, processes, math.lcm(processes, mesh.devices.shape[0]))
    source = BatchSource(items, steps_per_epoch)
    plain = replace(recipe, optimizer=None, class_weights=None, scaler=None)
    evaluation = None if validated is None else Evaluation(plain, validated, yield_every, control)
    hooks.attach(trainer)
    pace = Pace(0.0 if hooks.needs_each_batch else yield_every, LOG_ROWS)
    step = Prepared(train_step(recipe))

    async def train(log: Tensor, batch: Batch, at: int) -> Tensor:
        nonlocal scale
        await step.prepare(batch, (trainer.state, scale), log, batch, at)
        (trainer.state, scale), log = step.jitted((trainer.state, scale), log, batch, at)
        return log

    async def after(rows: list[list[float]]) -> None:
        for row in rows:
            meter.add(row)
            trainer.history.losses.append(row[0])
        trainer.batch = meter.batches
        if pace.most == 1:
            await hooks.call("on_batch_end", meter.batches - 1, {"loss": rows[0][0]})
        await hooks.call("on_yield", meter.batches, meter.logs())

    with _writing_back(trainer):
        await hooks.call("on_train_begin")
        for epoch in range(count):
            if control.is_stopped:
                break
            trainer.epoch, trainer.batch = epoch, 0
            trainer.batches = source.batches or trainer.batches
            meter = Meter(chosen)
            await hooks.call("on_epoch_begin", epoch)
            await run_epoch(recipe, source, train, pace, control, after)
            check_some("fit", epoch, meter, source)
            trainer.batches = meter.batches
            logs = meter.logs()
            trainer.history.epochs.append(logs)
            if control.is_stopped:
                break
            if evaluation is not None:
                results = await evaluation.of(trainer.state.params)
                logs |= {f"val_{name}": value for name, value in results.items()}
            logs["learning_rate"] = trainer.learning_rate
            await hooks.call("on_epoch_end", epoch, logs)
        await hooks.call("on_train_end")
    trainer.history.stopped = control.reason
    trainer.history.state = trainer.state
    return trainer.history


@contextmanager
def _writing_back(trainer: Trainer) -> Iterator[None]:
    """Give the model its new values at the end, also after an exception."""
    try:
        yield
    except BackendError:
        # The values may be lost, too, with a device or another process.
        with suppress(BackendError):
            trainer.write_back()
        raise
    except BaseException:
        trainer.write_back()
        raise
    trainer.write_back()


def _optimizer_of(given: Any) -> Optimizer:
    if isinstance(given, str) and given in OPTIMIZERS:
        return OPTIMIZERS[given]()
    if not isinstance(given, Optimizer):
        raise ArgumentError(
            f"fit: optimizer must be a pt.optim optimizer; got {given!r:.60}; use for example "
            f"pt.optim.adam(1e-3), or one of {', '.join(OPTIMIZERS)}"
        )
    return given


def _split_off_validation(
    operation: str, items: Iterable[Any], validation: Any, part: float, batch_size: int
) -> tuple[Iterable[Any], Iterable[Any] | None]:
    """Return the batches to train on, and those to validate on or None."""
    if not number(operation, "validation_split", part):
        given = None if validation is None else batches_of(operation, validation, batch_size)
        return items, given
    if validation is not None or not isinstance(items, Arrays):
        raise ArgumentError(
            f"{operation}: validation_split requires arrays and no validation data; got "
            f"{type(items).__name__}; pass validation= instead"
        )
    return items.split(operation, part)


def _class_weights(given: Mapping[int, float] | None) -> tuple[float, ...] | None:
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise wrong_type("fit", "class_weight", "a dict", given)
    given = {
        integer("fit", "class number", at): number("fit", "weight", weight)
        for at, weight in given.items()
    }
    if not given or min(given) < 0 or max(given) >= MOST_STEPS:
        raise ArgumentError(
            f"fit: class_weight is invalid; got {dict(given)}; pass non-negative weights by class "
            "number"
        )
    # take clamps to the end, so that larger class numbers read the last weight, 1.
    return tuple(given.get(at, 1.0) for at in range(max(given) + 2))
