"""Where a result may differ from the reference by more than its row says, and why. Nothing is skipped."""

from __future__ import annotations

ABSOLUTE = {
    "logaddexp": (1e-6, "max + log1p(...) cancels where the result is near 0, in NumPy's float32 too"),
}
"""Absolute error allowed beside the row's relative one, by operation."""


def absolute(name: str) -> float:
    """The absolute error an operation may have."""
    return ABSOLUTE.get(name, (0.0, ""))[0]


OUTSIDE = {
    "sin": "float32 neighbours are coarse and the reduction of angles is good to about 1e5 only",
    "cos": "as sin",
    "tan": "as sin",
}
"""Operations whose values, for operands of 1e5 and more, only lie in the function's range."""
