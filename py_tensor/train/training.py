"""Train for several epochs: steps, totals of the metrics, validation and callbacks.

Input: a trainer, a recipe of its step and sources of batches. Output: the trainer's history.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from ..errors import BackendError
from ..tensor import Tensor
from .batch_source import BatchSource
from .batches import Batch, Batches
from .callbacks import CallbackList
from .epoch_loop import Prepared, run_epoch
from .evaluation import ModelEvaluation
from .metric_totals import MetricTotals, Row
from .steps import LOG_ROWS, StepRecipe, train_step
from .trainer import Trainer
from .yielding import Pace


class Training:
    """Loop over epochs. `validation` has batches to evaluate after each epoch, or is None."""

    def __init__(
        self,
        trainer: Trainer,
        recipe: StepRecipe,
        source: BatchSource,
        validation: Batches | None,
        hooks: CallbackList,
        yield_every: float,
    ) -> None:
        self.trainer = trainer
        self.recipe = recipe
        self.source = source
        self.hooks = hooks
        self.pace = Pace(0.0 if hooks.needs_each_batch else yield_every, LOG_ROWS)
        self.step = Prepared(train_step(recipe))
        self.scale = None if recipe.scaler is None else recipe.scaler.init()
        self.evaluation: ModelEvaluation | None = None
        if validation is not None:
            plain = replace(recipe, optimizer=None, class_weights=None, scaler=None)
            self.evaluation = ModelEvaluation(plain, validation, yield_every, trainer.control)
        hooks.attach(trainer)

    async def run(self, epochs: int) -> None:
        """Train, and write the new values to the model at the end, also after an exception."""
        trainer, control = self.trainer, self.trainer.control
        with _writing_back(trainer):
            await self.hooks.call("on_train_begin")
            for epoch in range(epochs):
                if control.is_stopped:
                    break
                await self._run_epoch(epoch)
            await self.hooks.call("on_train_end")
        trainer.history.stopped = control.reason
        trainer.history.state = trainer.state

    async def _run_epoch(self, epoch: int) -> None:
        """Train for an epoch; without validation and `on_epoch_end` if training is stopped."""
        trainer, source = self.trainer, self.source
        trainer.epoch, trainer.batch = epoch, 0
        trainer.batches = source.batches or trainer.batches
        await self.hooks.call("on_epoch_begin", epoch)
        totals = await run_epoch(
            self.recipe, source, self._train, self.pace, trainer.control, epoch, self._report
        )
        trainer.batches = totals.batches
        logs = totals.logs()
        trainer.history.epochs.append(logs)
        if trainer.control.is_stopped:
            return
        if self.evaluation is not None:
            results = await self.evaluation.of(trainer.state.params)
            logs |= {f"val_{name}": value for name, value in results.items()}
        logs["learning_rate"] = trainer.learning_rate
        await self.hooks.call("on_epoch_end", epoch, logs)

    async def _train(self, log: Tensor, batch: Batch, row: int) -> Tensor:
        """Train on a batch and return the log with its row."""
        states = self.trainer.state, self.scale
        (self.trainer.state, self.scale), log = await self.step(batch, states, log, batch, row)
        return log

    async def _report(self, totals: MetricTotals, rows: list[Row]) -> None:
        """Call the callbacks at a yield."""
        self.trainer.history.losses += [row[0] for row in rows]
        self.trainer.batch = totals.batches
        if self.pace.most == 1:
            await self.hooks.call("on_batch_end", totals.batches - 1, {"loss": rows[0][0]})
        await self.hooks.call("on_yield", totals.batches, totals.logs())


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
