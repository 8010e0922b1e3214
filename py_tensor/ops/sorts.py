"""Definitions of sorts: the indices that sort the elements along an axis."""

from __future__ import annotations

from typing import Any

from .op_def import Sort

ALL_PAIRS_LIMIT = 1 << 22
"""Number of comparisons up to which comparing all pairs is faster than a sorting network's draws."""


def _argsort(xp: Any, x: Any, arg: tuple[int, bool]) -> Any:
    axis, descending = arg
    if not descending:
        return xp.argsort(x, axis=axis, kind="stable")
    backward = xp.argsort(xp.flip(x, axis=axis), axis=axis, kind="stable")
    return xp.flip(x.shape[axis] - 1 - backward, axis=axis)


# fmt: off
ARGSORT = Sort(name="argsort", reference=_argsort, public=False, doc="Return the indices that sort the elements along an axis.")

OP_DEFS = (ARGSORT,)
