"""Pausing, resuming and stopping a loop from callbacks, other tasks, or a page's buttons."""

from __future__ import annotations

import asyncio


class Control:
    """A switch for `fit`, `evaluate` or `predict`; they look at it after each batch they wait for.

    >>> import py_tensor as pt
    >>> control = pt.train.Control()
    >>> control.pause()
    >>> control.is_paused, control.is_stopped
    (True, False)
    >>> control.resume()
    >>> control.is_paused
    False
    """

    def __init__(self) -> None:
        self._running = asyncio.Event()
        self._running.set()
        self.reason: str | None = None
        """Why it was stopped."""

    @property
    def is_paused(self) -> bool:
        return not self._running.is_set()

    @property
    def is_stopped(self) -> bool:
        return self.reason is not None

    def pause(self) -> None:
        """The loop waits, with all its state, until `resume` or `stop`."""
        if not self.is_stopped:
            self._running.clear()

    def resume(self) -> None:
        """Ends a pause."""
        self._running.set()

    def stop(self, reason: str = "stopped") -> None:
        """The loop ends as if it were done, for good; the first reason given stays.

        >>> import py_tensor as pt
        >>> control = pt.train.Control()
        >>> control.stop("enough")
        >>> control.is_stopped, control.reason
        (True, 'enough')
        """
        self.reason = self.reason or reason
        self._running.set()

    async def turn(self) -> None:
        """Lets the event loop do other things, and waits while paused."""
        await asyncio.sleep(0)
        await self._running.wait()
