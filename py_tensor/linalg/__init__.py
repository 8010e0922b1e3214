"""Linear algebra: the array API standard's linalg extension, and further functions of NumPy.

Every function takes stacks of matrices in the last two axes, and is lazy, differentiable and usable
under `pt.jit`. Integers become float32, except in `cross`, `diagonal`, `matmul`,
`matrix_transpose`, `outer`, `tensordot`, `trace` and `vecdot`. float16 is computed in float32. A
shader cannot raise, so undefined results are NaN, for example the inverse of a singular matrix.
Only `eig` and `eigvals` are computed on the host; they read back their operand.

    batching              operands as batches of matrices
    gaussian_elimination  loops of pivots for solutions, determinants and Cholesky factors
    householder           loops of Householder reflections for QR
    jacobi                loops of Jacobi rotations for eigenvalues and singular values
    solve_ops             op definitions of elimination, with their gradients
    eigen_ops             op definitions of the other decompositions
    schur                 Francis' iteration on the host, for matrices that are not Hermitian
    solvers, factors, eigen, norms, products, composed: the public functions

>>> import py_tensor as pt
>>> pt.linalg.inv(pt.asarray([[2.0, 0.0], [0.0, 4.0]])).tolist()
[[0.5, 0.0], [0.0, 0.25]]
"""

from typing import TYPE_CHECKING

from ..functions.linear_algebra import matmul as matmul, tensordot as tensordot, vecdot as vecdot
from ..functions.manipulation import matrix_transpose as matrix_transpose
from ..late import import_names

if TYPE_CHECKING:
    from .composed import *
    from .eigen import *
    from .factors import *
    from .norms import *
    from .products import *
    from .solvers import *

_NAMES = {
    "composed": "multi_dot norm tensorinv tensorsolve",
    "eigen": "EigResult eig eigvals",
    "factors": "EighResult QRResult SVDResult cholesky eigh eigvalsh qr svd svdvals",
    "norms": "cond matrix_norm vector_norm",
    "products": "cross diagonal matrix_power outer trace",
    "solvers": "LstsqResult SlogdetResult det inv lstsq matrix_rank pinv slogdet solve",
}
"""Names by module, separated by spaces."""
__all__ = sorted(
    ["matmul", "tensordot", "vecdot", "matrix_transpose", *import_names(__name__, _NAMES)]
)
