"""Current number of training steps per second."""

from collections import deque
from time import perf_counter

WINDOW_SECONDS = 2.0


class Speed:
    """Rate of steps over the last two seconds, not counting pauses."""

    def __init__(self) -> None:
        self._reached: deque[tuple[float, int]] = deque()

    def restart(self) -> None:
        """Start a new measurement at the next step."""
        self._reached.clear()

    def reached(self, step: int) -> None:
        """Record that `step` steps are done."""
        now = perf_counter()
        self._reached.append((now, step))
        while self._reached[0][0] < now - WINDOW_SECONDS:
            self._reached.popleft()

    @property
    def per_second(self) -> float:
        """Steps per second, or 0 before the second recorded step."""
        if len(self._reached) < 2:
            return 0.0
        (start, first), (end, last) = self._reached[0], self._reached[-1]
        return (last - first) / (end - start) if end > start else 0.0
