"""Op definitions of elimination: systems of linear equations, determinants, Cholesky factors.

They operate on batches of matrices (batch, rows, columns). Gradients follow Giles, "Collected
matrix derivative results for forward and reverse mode algorithmic differentiation" (2008), and
Murray, "Differentiation of the Cholesky decomposition" (2016).

Operands and results are float32. Complex matrices store the imaginary parts after the real parts
along the last axis. The static argument is the number of parts of an element.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from .. import functions as F
from ..ops.op_def import Decomposition
from ..tensor import Tensor, apply
from . import gaussian_elimination, numpy_references


def parts_of(x: Tensor) -> int:
    return 2 if x.dtype.kind == "c" else 1


def packed(x: Tensor) -> Tensor:
    """Convert matrices to the layout of the ops."""
    return F.concat([F.real(x), F.imag(x)], axis=-1) if parts_of(x) == 2 else x


def unpacked(x: Tensor, parts: int) -> Tensor:
    """Convert an op's result to real or complex matrices."""
    if parts == 1:
        return x
    half = x.shape[-1] // 2
    return F.complex(x[..., :half], x[..., half:])


def adjoint(x: Tensor) -> Tensor:
    """Return the conjugate transpose of each matrix."""
    transposed = F.matrix_transpose(x)
    return F.conj(transposed) if parts_of(x) == 2 else transposed


def product(*matrices: Tensor) -> Tensor:
    """Multiply several matrices, from left to right."""
    return reduce(F.matmul, matrices)


def identity(x: Tensor) -> Tensor:
    """Return an identity matrix for each matrix of x, in its dtype."""
    return F.broadcast_to(F.eye(x.shape[-1], dtype=x.dtype), x.shape)


def lower_half(x: Tensor) -> Tensor:
    """Return the lower triangle with half of the diagonal."""
    return (F.tril(x) + F.tril(x, k=-1)) * 0.5


# --- functions of the op definitions --------------------------------------------------------------


def solved(a: Tensor, b: Tensor) -> Tensor:
    """Return X of A X = B."""
    parts = parts_of(a)
    return unpacked(apply(SOLVE, (packed(a), packed(b)), parts), parts)


def lower_factor(a: Tensor) -> Tensor:
    """Return L of A = L L^H."""
    parts = parts_of(a)
    return unpacked(apply(CHOLESKY, (packed(a),), parts), parts)


def determinant(a: Tensor) -> Tensor:
    """Return the determinants, (batch,)."""
    parts = parts_of(a)
    return F.reshape(unpacked(apply(DET, (packed(a),), parts), parts), (-1,))


def sign_and_logarithm(a: Tensor) -> tuple[Tensor, Tensor]:
    """Return signs and logarithms of absolute values of determinants, (batch,) each."""
    parts = parts_of(a)
    both = apply(SLOGDET, (packed(a),), parts)
    return F.reshape(unpacked(both[:, :parts], parts), (-1,)), both[:, parts]


# --- gradients ------------------------------------------------------------------------------------


def _cholesky(pt: Any, g: Tensor, y: Tensor, a: Tensor, parts: int) -> Tensor:
    g, y = unpacked(g, parts), unpacked(y, parts)
    inverse = solved(y, identity(y))
    middle = lower_half(product(adjoint(y), pt.tril(g)))
    whole = product(adjoint(inverse), middle, inverse)
    return packed((whole + adjoint(whole)) * 0.5)


def _to_right(pt: Any, g: Tensor, y: Tensor, a: Tensor, b: Tensor, parts: int) -> Tensor:
    return packed(solved(adjoint(unpacked(a, parts)), unpacked(g, parts)))


def _to_matrix(pt: Any, g: Tensor, y: Tensor, a: Tensor, b: Tensor, parts: int) -> Tensor:
    to_right = solved(adjoint(unpacked(a, parts)), unpacked(g, parts))
    return packed(-product(to_right, adjoint(unpacked(y, parts))))


def _by_inverse(factors: Tensor, a: Tensor) -> Tensor:
    """Multiply the adjoint of each matrix's inverse by a factor."""
    a = adjoint(a)
    return packed(F.reshape(factors, (-1, 1, 1)) * solved(a, identity(a)))


def _det(pt: Any, g: Tensor, y: Tensor, a: Tensor, parts: int) -> Tensor:
    value = unpacked(y, parts)
    value = pt.conj(value) if parts == 2 else value
    return _by_inverse(unpacked(g, parts) * value, unpacked(a, parts))


def _slogdet(pt: Any, g: Tensor, y: Tensor, a: Tensor, parts: int) -> Tensor:
    factors = g[:, parts]
    if parts == 2:
        # The phase of the sign changes by the imaginary part of the logarithm's change.
        phase = g[:, 1] * y[:, 0] - g[:, 0] * y[:, 1]
        factors = pt.complex(factors, phase)
    return _by_inverse(factors, unpacked(a, parts))


CHOLESKY = Decomposition(
    name="cholesky",
    method="cholesky",
    shape=lambda a, parts: a,
    lowering=gaussian_elimination.cholesky,
    jax="cholesky",
    reference=numpy_references.cholesky,
    gradient=(_cholesky,),
    doc="Lower Cholesky factors.",
)
SOLVE = Decomposition(
    name="solve",
    method="solve",
    shape=lambda a, b, parts: b,
    lowering=gaussian_elimination.solve,
    jax="solve",
    reference=numpy_references.solve,
    gradient=(_to_matrix, _to_right),
    doc="Solutions of systems of linear equations.",
)
DET = Decomposition(
    name="det",
    shape=lambda a, parts: (a[0], parts),
    lowering=gaussian_elimination.det,
    jax="det",
    reference=numpy_references.det,
    gradient=(_det,),
    doc="Determinants.",
)
SLOGDET = Decomposition(
    name="slogdet",
    shape=lambda a, parts: (a[0], parts + 1),
    lowering=gaussian_elimination.slogdet,
    jax="slogdet",
    reference=numpy_references.slogdet,
    gradient=(_slogdet,),
    doc="Signs of determinants, and logarithms of their absolute values.",
)
