"""Where a result may differ from the reference by more than its row says, and why."""

from __future__ import annotations

from typing import Any

import numpy as np

ABSOLUTE = {
    "logaddexp": (
        1e-6,
        "max + log1p(...) cancels where the result is near 0, in NumPy's float32 too",
    ),
}
"""Absolute error allowed beside the row's relative one, by operation."""


def absolute(name: str) -> float:
    """The absolute error an operation may have."""
    return ABSOLUTE.get(name, (0.0, ""))[0]


def stored(engine: Any, x: Any) -> Any:
    """What a float16 array holds after a draw: SwiftShader writes infinities as NaN (0x7fff)."""
    renderer = engine.limits["renderer"] if engine.name == "webgl" else ""
    if "SwiftShader" not in renderer or x.dtype != np.float16:
        return x
    return np.where(np.isinf(x), np.float16(np.nan), x)
