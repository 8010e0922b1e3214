"""`py_tensor.linalg`, under NumPy's name and with NumPy's parameters of `svd`."""

from typing import Any

from .. import linalg as _own
from ..errors import NumericError
from ..linalg import *
from ..linalg import __all__ as _names
from ..typing import ArrayLike

LinAlgError = NumericError
__all__ = sorted([*_names, "LinAlgError"])


def svd(
    a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Singular value decomposition of each matrix, as `py_tensor.linalg.svd` returns it.

    Args:
        a: Tensor of shape (..., m, n).
        full_matrices: True (default) for square matrices of vectors.
        compute_uv: False for the singular values alone; True by default.
        hermitian: Ignored.

    Returns:
        SVDResult of `U`, `S` and `Vh`, or the tensor of singular values.

    >>> import py_tensor.numpy as np
    >>> np.linalg.svd(np.eye(2) * 3, compute_uv=False).tolist()
    [3.0, 3.0]
    """
    return _own.svd(a, full_matrices) if compute_uv else _own.svdvals(a)
