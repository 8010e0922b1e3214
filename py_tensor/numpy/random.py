"""NumPy's older interface to random numbers: functions of one generator that all share.

Parameters have NumPy's order: `normal(loc, scale, size)`. The key is that of `pt.random`.

>>> import py_tensor.numpy as np
>>> np.random.seed(0)
>>> np.random.uniform(-1, 1, (2, 3)).shape
(2, 3)
"""

from typing import Any

from ..numpy_functions.generator import (
    SHARED as _SHARED,
    Generator as Generator,
    RandomState as RandomState,
    default_rng as default_rng,
)

_METHODS = {name for name in dir(RandomState) if name[0] != "_"} - {"spawn", "integers"}
__all__ = sorted({"Generator", "RandomState", "default_rng", *_METHODS})


def __getattr__(name: str) -> Any:
    if name not in _METHODS:
        raise AttributeError(f"module '{__name__}' has no attribute {name!r}")
    return getattr(_SHARED, name)


def __dir__() -> list[str]:
    return __all__
