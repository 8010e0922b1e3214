"""Rows that eliminate: systems of linear equations, determinants, Cholesky factors.

Operations on batches of matrices (batch, rows, columns), and their gradients by Giles, "Collected
matrix derivative results for forward and reverse mode algorithmic differentiation" (2008), and
Murray, "Differentiation of the Cholesky decomposition" (2016).

A row takes and gives float32; of complex matrices the imaginary parts stand behind the real ones
along the last axis, and the static argument says how many parts an element has.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from ..functions.complexes import complex, imag, real
from ..functions.creation import eye
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.grids import tril
from ..functions.joining import concat
from ..functions.linear_algebra import matmul
from ..functions.manipulation import broadcast_to, matrix_transpose, reshape
from ..ops.rows import Composite
from ..tensor import Tensor, apply
from . import elimination, references


def parts_of(x: Tensor) -> int:
    return 2 if x.dtype.kind == "c" else 1


def packed(x: Tensor) -> Tensor:
    """Matrices as the rows take them."""
    return concat([real(x), imag(x)], axis=-1) if parts_of(x) == 2 else x


def unpacked(x: Tensor, parts: int) -> Tensor:
    """Matrices as they are, out of what a row gives."""
    if parts == 1:
        return x
    half = x.shape[-1] // 2
    return complex(x[..., :half], x[..., half:])


def adjoint(x: Tensor) -> Tensor:
    """Each matrix transposed, and conjugated."""
    turned = matrix_transpose(x)
    return ELEMENTWISE["conj"](turned) if parts_of(x) == 2 else turned


def product(*matrices: Tensor) -> Tensor:
    """The product of several matrices, from the left."""
    return reduce(matmul, matrices)


def identity(x: Tensor) -> Tensor:
    """As many identity matrices as x has matrices, of its dtype."""
    return broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape)


def lower_half(x: Tensor) -> Tensor:
    """The lower triangle with half of the diagonal."""
    return (tril(x) + tril(x, k=-1)) * 0.5


# --- what others compute with the rows ------------------------------------------------------------


def solved(a: Tensor, b: Tensor) -> Tensor:
    """X of A X = B."""
    parts = parts_of(a)
    return unpacked(apply(SOLVE, (packed(a), packed(b)), parts), parts)


def lower_factor(a: Tensor) -> Tensor:
    """L of A = L L^H."""
    parts = parts_of(a)
    return unpacked(apply(CHOLESKY, (packed(a),), parts), parts)


def determinant(a: Tensor) -> Tensor:
    """(batch)."""
    parts = parts_of(a)
    return reshape(unpacked(apply(DET, (packed(a),), parts), parts), (-1,))


def sign_and_logarithm(a: Tensor) -> tuple[Tensor, Tensor]:
    """Of determinants, (batch) each."""
    parts = parts_of(a)
    both = apply(SLOGDET, (packed(a),), parts)
    return reshape(unpacked(both[:, :parts], parts), (-1,)), both[:, parts]


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
    """A factor for each matrix times the adjoint of its inverse."""
    a = adjoint(a)
    return packed(reshape(factors, (-1, 1, 1)) * solved(a, identity(a)))


def _det(pt: Any, g: Tensor, y: Tensor, a: Tensor, parts: int) -> Tensor:
    value = unpacked(y, parts)
    value = pt.conj(value) if parts == 2 else value
    return _by_inverse(unpacked(g, parts) * value, unpacked(a, parts))


def _slogdet(pt: Any, g: Tensor, y: Tensor, a: Tensor, parts: int) -> Tensor:
    factors = g[:, parts]
    if parts == 2:
        # The sign turns by the imaginary part of what the logarithm grows by.
        turn = g[:, 1] * y[:, 0] - g[:, 0] * y[:, 1]
        factors = pt.complex(factors, turn)
    return _by_inverse(factors, unpacked(a, parts))


CHOLESKY = Composite(
    name="cholesky",
    shape=lambda a, parts: a,
    lowering=elimination.cholesky,
    reference=references.cholesky,
    gradient=(_cholesky,),
    public=False,
    doc="Lower Cholesky factors.",
)
SOLVE = Composite(
    name="solve",
    shape=lambda a, b, parts: b,
    lowering=elimination.solve,
    reference=references.solve,
    gradient=(_to_matrix, _to_right),
    public=False,
    doc="Solutions of systems of linear equations.",
)
DET = Composite(
    name="det",
    shape=lambda a, parts: (a[0], parts),
    lowering=elimination.det,
    reference=references.det,
    gradient=(_det,),
    public=False,
    doc="Determinants.",
)
SLOGDET = Composite(
    name="slogdet",
    shape=lambda a, parts: (a[0], parts + 1),
    lowering=elimination.slogdet,
    reference=references.slogdet,
    gradient=(_slogdet,),
    public=False,
    doc="Signs of determinants, and logarithms of their absolute values.",
)
