"""How many batches run between two turns of the event loop.

Waiting for the GPU after each batch costs milliseconds; never waiting freezes the page, since the
GPU draws it, too, behind all that was asked of it before.
"""

from __future__ import annotations

from time import perf_counter

TURN_SECONDS = 1 / 30
"""How long the page has to wait for its turn, and the GPU may be busy, at most."""


class Pace:
    """Counts batches; `most` are run before a turn at most."""

    def __init__(self, seconds: float, most: int) -> None:
        self.seconds = seconds
        self.most = most if seconds > 0 else 1
        self.stride = 1
        self.begin()

    def begin(self) -> None:
        """Counts from now."""
        self.done = 0
        self.start = perf_counter()

    def is_turn(self) -> bool:
        """Whether, after one more batch, it is time for a turn."""
        self.done += 1
        return self.done >= self.stride

    def turned(self) -> None:
        """A turn is over: the next comes later if this one came early, and sooner if late."""
        elapsed = perf_counter() - self.start
        if elapsed > self.seconds:
            self.stride = max(1, self.stride // 2)
        elif 2 * elapsed < self.seconds:
            self.stride = min(self.most, 2 * self.stride)
        self.begin()
