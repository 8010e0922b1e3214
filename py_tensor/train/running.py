"""An epoch: a step for each batch, with turns for the page in between.

Comes in: a source of batches and a step; goes out: rows of the log, read some at a time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ..debugging import is_debug_mode
from ..errors import ArgumentError
from ..functions.creation import zeros
from ..jitting import Jitted
from ..tensor import Tensor
from ..warming import warmup
from .batches import Batch, as_batch
from .control import Control
from .meter import Meter
from .pace import Pace
from .source import END, Source
from .steps import ROWS, Recipe


class Prepared:
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


async def run_epoch(
    recipe: Recipe,
    source: Source,
    step: Callable[[Tensor, Batch, int], Awaitable[Tensor]],
    pace: Pace,
    control: Control,
    after: Callable[[list[list[float]]], Awaitable[None]],
) -> None:
    """Runs an epoch: `step` for each batch, and `after` with the log's rows at each turn."""
    log = zeros((ROWS, recipe.width))
    waiting = 0
    source.begin()
    pace.begin()
    while (item := await source.next()) is not END:
        log = await step(log, as_batch(recipe.operation, item), waiting)
        waiting += 1
        # A pause holds no batch.
        del item
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


def check_some(operation: str, epoch: int, meter: Meter, source: Source) -> None:
    """Raises ArgumentError where an epoch had no batch."""
    if not meter.batches:
        raise ArgumentError(
            f"{operation}: no batch in epoch {epoch}; got {type(source.items).__name__}, which is "
            "empty or used up; give something that can be iterated in each epoch, or "
            "steps_per_epoch"
        )
