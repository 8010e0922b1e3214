"""Linear algebra: the array API standard's linalg extension, and what NumPy has beyond it.

Every function takes stacks of matrices in the last two axes, and is lazy, differentiable and usable
under `pt.jit`. Integers are refused, but by `cross`, `diagonal`, `matmul`, `matrix_transpose`,
`outer`, `tensordot`, `trace` and `vecdot`. float16 is computed in float32. As a shader cannot
raise, what has no result is NaN: the inverse of a singular matrix, say. `eig` and `eigvals` alone
are computed on the host: they read their operand.

    elimination     loops of pivots that solve, and give determinants and Cholesky factors
    reflections     loops of Householder's reflections that give QR
    rotations       loops of Jacobi's rotations that give eigenvalues and singular values
    systems         the rows of the first, with their gradients
    spectra         the rows of the others
    schur           Francis' iteration on the host, for matrices that are not Hermitian
    stacks          operands as batches of matrices
    eigen, factors, solving, norms, products: the public functions

>>> import py_tensor as pt
>>> pt.linalg.inv(pt.asarray([[2.0, 0.0], [0.0, 4.0]])).tolist()
[[0.5, 0.0], [0.0, 0.25]]
"""

from .eigen import EigResult, eig, eigvals
from .factors import (
    EighResult,
    QRResult,
    SVDResult,
    cholesky,
    eigh,
    eigvalsh,
    qr,
    svd,
    svdvals,
)
from .norms import cond, matrix_norm, vector_norm
from .products import (
    cross,
    diagonal,
    matmul,
    matrix_power,
    matrix_transpose,
    outer,
    tensordot,
    trace,
    vecdot,
)
from .solving import (
    LstsqResult,
    SlogdetResult,
    det,
    inv,
    lstsq,
    matrix_rank,
    pinv,
    slogdet,
    solve,
)

__all__ = [
    "EigResult",
    "EighResult",
    "LstsqResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]
