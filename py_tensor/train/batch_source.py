"""Iterate over batches, epoch by epoch, from any synchronous or asynchronous iterable."""

from __future__ import annotations

from collections.abc import AsyncIterable
from operator import length_hint
from typing import Any

from .batches import Batches

END = object()
"""Sentinel that `next` returns after the last batch of an epoch."""


class BatchSource:
    """Batches of an epoch: all of `items`, or the next `steps` of them if `steps` is given."""

    def __init__(self, items: Batches, steps: int | None = None) -> None:
        self.items = items
        self.steps = steps
        self.left: int | None = None
        self.iterator: Any = None
        self.begun = False
        """True after the iterator has returned an item."""

    @property
    def batches(self) -> int | None:
        """Number of batches in an epoch, or None if unknown."""
        if self.steps:
            return self.steps
        length = length_hint(self.items, -1)
        return length if length >= 0 else None

    def begin(self) -> None:
        """Begin an epoch."""
        self.left = self.steps
        if self.steps is None or self.iterator is None:
            self._restart()

    def _restart(self) -> None:
        self.begun = False
        items = self.items
        self.iterator = aiter(items) if isinstance(items, AsyncIterable) else iter(items)

    async def next(self) -> Any:
        """Return the next batch of the epoch, or END."""
        if self.left == 0:
            return END
        item = await self._item()
        if item is END and self.left is not None and self.begun:
            self._restart()
            item = await self._item()
        if item is not END and self.left is not None:
            self.left -= 1
        return item

    async def _item(self) -> Any:
        if hasattr(self.iterator, "__anext__"):
            item = await anext(self.iterator, END)
        else:
            item = next(self.iterator, END)
        self.begun = self.begun or item is not END
        return item
