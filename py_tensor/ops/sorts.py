"""Sort rows: where each element of an axis stands in order."""

from __future__ import annotations

from typing import Any

from .rows import Sort


def _argsort(xp: Any, x: Any, arg: tuple[int, bool]) -> Any:
    axis, descending = arg
    if not descending:
        return xp.argsort(x, axis=axis, kind="stable")
    backward = xp.argsort(xp.flip(x, axis=axis), axis=axis, kind="stable")
    return xp.flip(x.shape[axis] - 1 - backward, axis=axis)


# fmt: off
ARGSORT = Sort(name="argsort", reference=_argsort, public=False, doc="Places of the elements along an axis, in order.")

ROWS = (ARGSORT,)
