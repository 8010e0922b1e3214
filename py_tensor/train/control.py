"""Pause, resume and stop a loop from callbacks, other tasks or a page's buttons."""

from __future__ import annotations

import asyncio

from ..dtypes import wrong_type


class Control:
    """Switch that pauses and stops `fit`, `evaluate` or `predict`.

    The loops check it each time they have waited for the device.

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
        """Reason given to `stop`, or None."""

    @property
    def is_paused(self) -> bool:
        """Return True while the loop is paused."""
        return not self._running.is_set()

    @property
    def is_stopped(self) -> bool:
        """Return True after `stop`."""
        return self.reason is not None

    def pause(self) -> None:
        """Make the loop wait, with all its state, until `resume` or `stop`."""
        if not self.is_stopped:
            self._running.clear()

    def resume(self) -> None:
        """End a pause."""
        self._running.set()

    def stop(self, reason: str = "stopped") -> None:
        """End the loop as if it had finished. A stopped control cannot be resumed.

        Args:
            reason: Text kept in `self.reason`; a second call does not replace it.

        >>> import py_tensor as pt
        >>> control = pt.train.Control()
        >>> control.stop("enough")
        >>> control.is_stopped, control.reason
        (True, 'enough')
        """
        self.reason = self.reason or reason
        self._running.set()

    async def wait_until_running(self) -> None:
        """Yield to the event loop, and wait while paused."""
        await asyncio.sleep(0)
        await self._running.wait()


def control_of(operation: str, control: object) -> Control:
    """Return the control, or a new one for None; raise ArgumentTypeError for anything else."""
    if control is None:
        return Control()
    if not isinstance(control, Control):
        raise wrong_type(operation, "control", "a Control", control)
    return control
