"""Run the batches of one epoch, and yield to the page in between.

Input: a source of batches and a step. Output: rows of the log, several at a time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ..diagnostics.debug import is_debug_mode
from ..errors import ArgumentError
from ..tensor import Tensor
from ..transforms.jit.api import Jitted
from ..transforms.jit.precompile import warmup
from .batch_source import END, BatchSource
from .batches import Batch, as_batch
from .control import Control
from .metric_totals import MetricTotals
from .steps import StepRecipe
from .yielding import Pace


class Prepared:
    """Jitted step whose programs are compiled before its first call, without blocking the page."""

    def __init__(self, jitted: Jitted) -> None:
        self.jitted = jitted
        self.known: set[int] = set()

    async def __call__(self, batch: Batch, *args: Any) -> Any:
        """Call the step after it is compiled for batches of this many samples."""
        if batch.samples not in self.known and not is_debug_mode():
            self.known.add(batch.samples)
            await warmup(self.jitted, *args)
        return self.jitted(*args)


async def run_epoch(
    recipe: StepRecipe,
    source: BatchSource,
    step: Callable[[Tensor, Batch, int], Awaitable[Tensor]],
    pace: Pace,
    control: Control,
    after: Callable[[list[list[float]]], Awaitable[None]],
) -> None:
    """Call `step` for each batch of an epoch, and `after` with the log's new rows at each yield."""
    log = recipe.log()
    waiting = 0
    source.begin()
    pace.begin()
    while (item := await source.next()) is not END:
        log = await step(log, recipe.placed(as_batch(recipe.operation, item)), waiting)
        waiting += 1
        # A paused loop must not keep the batch's memory.
        del item
        if not pace.is_due():
            continue
        await after(await _rows(log, waiting))
        waiting = 0
        await control.wait_until_running()
        pace.yielded()
        if control.is_stopped:
            return
    if waiting:
        await after(await _rows(log, waiting))
        await control.wait_until_running()


async def _rows(log: Tensor, count: int) -> list[list[float]]:
    values: Any = await log.data()
    rows: list[list[float]] = values.tolist()
    return rows[:count]


def check_some(operation: str, epoch: int, totals: MetricTotals, source: BatchSource) -> None:
    """Raise ArgumentError if an epoch had no batch."""
    if not totals.batches:
        raise ArgumentError(
            f"{operation}: epoch {epoch} has no batch; got {type(source.items).__name__}, which is "
            "empty or exhausted; pass an object that can be iterated in each epoch, or "
            "steps_per_epoch"
        )
