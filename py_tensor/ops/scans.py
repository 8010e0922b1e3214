"""Scan rows: each element combined with all before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .elementwise import ADD, MULTIPLY
from .reductions import one, zero
from .rows import Scan


def _reference(function: str, initial: int) -> Callable[..., Any]:
    def scanned(xp: Any, x: Any, arg: tuple[int, bool]) -> Any:
        axis, include_initial = arg
        result = getattr(xp, function)(x, axis=axis, dtype=x.dtype)
        if not include_initial:
            return result
        first = xp.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), initial, x.dtype)
        return xp.concatenate([first, result], axis=axis)

    return scanned


# fmt: off
ROWS = (
    Scan(name="cumulative_sum", join=ADD, identity=zero, reference=_reference("cumsum", 0), public=False, doc="Sum of each element and all before it along an axis."),
    Scan(name="cumulative_prod", join=MULTIPLY, identity=one, reference=_reference("cumprod", 1), public=False, doc="Product of each element and all before it along an axis."),
)
