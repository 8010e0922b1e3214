"""Scales of a plot: from values to pixels, and the values that are marked on an axis."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..functions.elementwise import log10
from ..functions.searching import where
from ..tensor import Tensor

TICKS = 6
"""Approximate number of ticks of an axis."""


@dataclass(frozen=True)
class Linear:
    """Scale on which equal differences are equally long; `whole` marks integers only."""

    whole: bool = False

    def forward(self, values: Any) -> Any:
        """Map values to positions that are linear on the screen; NaN if that is impossible."""
        return values

    def back(self, position: float) -> float:
        """Return the value at a position."""
        return position

    def ticks(self, low: float, high: float, number: int = TICKS) -> list[tuple[float, str]]:
        """Return about `number` round values from `low` to `high` with their labels.

        >>> Linear().ticks(0.0, 0.7)
        [(0.0, '0'), (0.2, '0.2'), (0.4, '0.4'), (0.6, '0.6')]
        """
        rough = (high - low) / number or 1.0
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
        if self.whole:
            step = max(1.0, step)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        digits = max(0, -math.floor(math.log10(step)))
        values = [round(at * step, digits) for at in range(first, last + 1)]
        return [(value, _label(value, digits)) for value in values]


@dataclass(frozen=True)
class Logarithmic:
    """Scale on which equal ratios are equally long."""

    def forward(self, values: Any) -> Any:
        if isinstance(values, Tensor):
            return where(values > 0, log10(where(values > 0, values, 1.0)), math.nan)
        return math.log10(values) if values > 0 else math.nan

    def back(self, position: float) -> float:
        return float(10.0**position)

    def ticks(self, low: float, high: float, number: int = TICKS) -> list[tuple[float, str]]:
        """Return powers of ten, or round values in between if there are few of them.

        >>> [label for _, label in Logarithmic().ticks(-3.0, 1.0)]
        ['0.001', '0.01', '0.1', '1', '10']
        """
        first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
        step = max(1, math.ceil((last - first) / (number + 2)))
        ticks = [(float(at), f"{10.0**at:g}") for at in range(first, last + 1, step)]
        if len(ticks) > 2:
            return ticks
        between = [
            (math.log10(factor) + at, f"{factor * 10.0**at:.4g}")
            for at in range(math.floor(low), math.ceil(high) + 1)
            for factor in (1, 2, 5)
        ]
        inside = [tick for tick in between if low <= tick[0] <= high]
        if len(inside) > 1:
            return inside
        return [(at, f"{10.0**at:.4g}") for at, _ in Linear().ticks(low, high, number)]


type Scale = Linear | Logarithmic


def _label(value: float, digits: int) -> str:
    if value and not 1e-4 <= abs(value) < 1e6:
        return f"{value:.6g}"
    return f"{value:.{digits}f}" if value else "0"


def limits(values: Iterable[float], margin: float) -> tuple[float, float]:
    """Return the range of the finite values with a margin; 0 to 1 if there is none."""
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return 0.0, 1.0
    low, high = min(finite), max(finite)
    extra = (high - low) * margin or (abs(low) * 0.1 or 0.5)
    return low - extra, high + extra
