"""Choose the number of batches between two yields to the event loop.

Waiting for the GPU after each batch costs milliseconds. Never waiting freezes the page, because
the GPU draws the page only after all work that was submitted before.
"""

from __future__ import annotations

from time import perf_counter

YIELD_SECONDS = 1 / 30
"""Longest time in seconds between two yields, and of queued GPU work."""


class Pace:
    """Counter of batches that adapts their number between two yields, up to `most`."""

    def __init__(self, seconds: float, most: int) -> None:
        self.seconds = seconds
        self.most = most if seconds > 0 else 1
        self.stride = 1
        self.begin()

    def begin(self) -> None:
        """Restart the counter and the clock."""
        self.done = 0
        self.start = perf_counter()

    def is_due(self) -> bool:
        """Count a batch and return True if the loop should yield."""
        self.done += 1
        return self.done >= self.stride

    def yielded(self) -> None:
        """Adapt after a yield: halve the number of batches if it came late, double it if early."""
        elapsed = perf_counter() - self.start
        if elapsed > self.seconds:
            self.stride = max(1, self.stride // 2)
        elif 2 * elapsed < self.seconds:
            self.stride = min(self.most, 2 * self.stride)
        self.begin()
