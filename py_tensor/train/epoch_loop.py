"""Run the batches of one epoch, and yield to the page in between.

Input: a source of batches and a step. Output: totals of the metrics.
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
from .metric_totals import MetricTotals, Row
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
    epoch: int = 0,
    after: Callable[[MetricTotals, list[Row]], Awaitable[None]] | None = None,
) -> MetricTotals:
    """Call `step` for each batch of an epoch, and return the totals of the metrics.

    At each yield `after` gets the totals and the log's new rows. Raises ArgumentError if there is
    no batch.
    """
    totals, log = MetricTotals(recipe.metrics), recipe.log()

    async def read_log() -> None:
        values: Any = await log.data()
        rows: list[Row] = values.tolist()[:waiting]
        for row in rows:
            totals.add(row)
        if after is not None:
            await after(totals, rows)

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
        await read_log()
        waiting = 0
        await control.wait_until_running()
        pace.yielded()
        if control.is_stopped:
            break
    if waiting:
        await read_log()
        await control.wait_until_running()
    if not totals.batches:
        raise ArgumentError(
            f"{recipe.operation}: epoch {epoch} has no batch; got {type(source.items).__name__}, "
            "which is empty or exhausted; pass an object that can be iterated in each epoch, or "
            "steps_per_epoch"
        )
    return totals
