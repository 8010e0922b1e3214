"""Functions under the names of `jax.scipy`, loaded by `import py_tensor.scipy`.

>>> import py_tensor as pt
>>> round(pt.scipy.special.logsumexp(pt.zeros(2)).item(), 4)
0.6931
"""

from . import (
    integrate as integrate,
    linalg as linalg,
    ndimage as ndimage,
    signal as signal,
    sparse as sparse,
    special as special,
    stats as stats,
)

__all__ = ["integrate", "linalg", "ndimage", "signal", "sparse", "special", "stats"]
