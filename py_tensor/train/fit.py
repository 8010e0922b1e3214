"""`fit`: train a model for a number of epochs."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..dtypes import wrong_type
from ..errors import ArgumentError
from ..functions.arguments import MOST_STEPS, function_of, integer, items as items_of, number
from ..optim import KERAS_SETTINGS, OPTIMIZERS, LossScaler, Optimizer, State
from ..sharding import automatic, mesh_in_use, process
from .batch_source import BatchSource
from .batches import Arrays, Batches, batches_of
from .callbacks import Callback, CallbackList
from .control import Control, control_of
from .evaluation import Metrics
from .losses import Loss, loss_of
from .metrics import metrics_of
from .progress import Progress, Report
from .steps import StepRecipe, call_of
from .trainer import History, Logs, Trainer
from .training import Training
from .yielding import YIELD_SECONDS

if TYPE_CHECKING:
    from jax.sharding import Mesh


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
    callbacks: Iterable[Callback | Callable[[int, Logs], object]] = (),
    shuffle: bool = True,
    seed: int = 0,
    steps_per_epoch: int | None = None,
    control: Control | None = None,
    progress: bool | Callable[[Report], object] = False,
    yield_every: float = YIELD_SECONDS,
    mesh: Mesh | None = None,
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
            `pt.optim.OPTIMIZERS`, with the settings that this name has in Keras.
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
    recipe = StepRecipe(
        "fit",
        call,
        loss_of("fit", loss),
        metrics_of("fit", metrics, loss),
        trainer.optimizer,
        _class_weights(class_weight),
        _scaler_of(loss_scaling),
        mesh,
    )
    batches = batches_of("fit", data, batch_size, shuffle, seed)
    hooks = CallbackList("fit", [*callbacks, *_progress_of(progress)])
    batches, validated = _split_off_validation(batches, validation, validation_split, batch_size)
    if mesh is not None:
        _divide_among_processes(mesh, batches, validated)
    source = BatchSource(batches, steps_per_epoch)
    await Training(trainer, recipe, source, validated, hooks, yield_every).run(count)
    return trainer.history


def _optimizer_of(value: object) -> Optimizer:
    if isinstance(value, str) and value in OPTIMIZERS:
        return OPTIMIZERS[value](**KERAS_SETTINGS.get(value, {}))
    if not isinstance(value, Optimizer):
        raise ArgumentError(
            f"fit: optimizer must be a pt.optim optimizer; got {value!r:.60}; use for example "
            f"pt.optim.adam(1e-3), or one of {', '.join(OPTIMIZERS)}"
        )
    return value


def _scaler_of(value: object) -> LossScaler | None:
    if isinstance(value, bool):
        return LossScaler() if value else None
    if not isinstance(value, LossScaler):
        raise wrong_type("fit", "loss_scaling", "a LossScaler", value, "True or a LossScaler")
    return value


def _progress_of(value: bool | Callable[[Report], object]) -> list[Progress]:
    if value is False:
        return []
    return [Progress(None if value is True else function_of("fit", "progress", value))]


def _split_off_validation(
    batches: Batches, validation: Any, part: float, batch_size: int
) -> tuple[Batches, Batches | None]:
    """Return the batches to train on, and those to validate on or None."""
    if not number("fit", "validation_split", part):
        return batches, None if validation is None else batches_of("fit", validation, batch_size)
    if validation is not None or not isinstance(batches, Arrays):
        raise ArgumentError(
            f"fit: validation_split requires arrays and no validation data; got "
            f"{type(batches).__name__}; pass validation= instead"
        )
    return batches.split("fit", part)


def _divide_among_processes(mesh: Mesh, *sources: Batches | None) -> None:
    """Keep the samples of this process in sources that are arrays."""
    rank, processes = process()
    for arrays in sources if processes > 1 else ():
        if isinstance(arrays, Arrays):
            arrays.divide(rank, processes, math.lcm(processes, mesh.devices.shape[0]))


def _class_weights(weights: Mapping[int, float] | None) -> tuple[float, ...] | None:
    if weights is None:
        return None
    if not isinstance(weights, Mapping):
        raise wrong_type("fit", "class_weight", "a dict", weights)
    weights = {
        integer("fit", "class number", label): number("fit", "weight", weight)
        for label, weight in weights.items()
    }
    if not weights or min(weights) < 0 or max(weights) >= MOST_STEPS:
        raise ArgumentError(
            f"fit: class_weight is invalid; got {dict(weights)}; pass non-negative weights by "
            "class number"
        )
    # take clamps to the end, so that larger class numbers read the last weight, 1.
    return tuple(weights.get(label, 1.0) for label in range(max(weights) + 2))
