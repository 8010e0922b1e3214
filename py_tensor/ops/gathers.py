"""Gather rows: elements of one operand at places another names."""

from __future__ import annotations

from typing import Any

from .rows import Gather


def _take(xp: Any, x: Any, indices: Any, axis: int) -> Any:
    length = x.shape[axis]
    # Wide enough for unsigned indices and for adding the length.
    places = indices.astype(xp.int64)
    places = xp.clip(xp.where(places < 0, places + length, places), 0, length - 1)
    return xp.take(x, places, axis=axis)


# fmt: off
TAKE = Gather(name="take", reference=_take, weight=6, public=False, doc="Slices at the given places of an axis.")

ROWS = (TAKE,)
