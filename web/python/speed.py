"""How many steps a second training makes at present."""

from collections import deque
from time import perf_counter

WINDOW_SECONDS = 2.0


class Speed:
    """Steps a second over the last two seconds without a rest."""

    def __init__(self) -> None:
        self._reached: deque[tuple[float, int]] = deque()

    def rest(self) -> None:
        """What comes now until the next step counts as no time."""
        self._reached.clear()

    def reached(self, step: int) -> None:
        """So many steps are done."""
        now = perf_counter()
        self._reached.append((now, step))
        while self._reached[0][0] < now - WINDOW_SECONDS:
            self._reached.popleft()

    @property
    def per_second(self) -> float:
        """0 until two moments are known."""
        if len(self._reached) < 2:
            return 0.0
        (start, first), (end, last) = self._reached[0], self._reached[-1]
        return (last - first) / (end - start) if end > start else 0.0
