"""Op definitions of orthogonal decompositions: QR, eigenvalues, singular values.

The layout of matrices is that of `solve_ops`; all results of a decomposition are stored in one
tensor. Gradients follow Giles (2008), Roberts and Roberts, "QR and LQ decomposition matrix
backpropagation algorithms for square, wide, and deep matrices" (2020), and Wan and Zhang,
"Automatic differentiation for complex valued SVD" (2019). Eigenvectors of equal values are not
unique; terms that would divide by the difference of equal values count as zero.
"""

from __future__ import annotations

from typing import Any

from ..errors import GradientError
from ..functions import elementwise
from ..functions.creation import eye
from ..functions.manipulation import expand_dims
from ..ops.op_def import Decomposition, Shape
from ..tensor import Tensor, apply
from . import householder, jacobi, numpy_references
from .solve_ops import adjoint, lower_half, packed, parts_of, product, solved, unpacked


def triangular(a: Tensor, *, complete: bool = False) -> tuple[Tensor, Tensor]:
    """Return Q and R; needs at least as many rows as columns."""
    parts = parts_of(a)
    return _q_and_r(apply(QR, (packed(a),), (parts, complete)), a.shape[1], parts, complete)


def _q_and_r(both: Tensor, rows: int, parts: int, complete: bool) -> tuple[Tensor, Tensor]:
    if complete:
        q, r = both[..., : parts * rows], both[..., parts * rows :]
    else:
        q, r = both[:, :rows], both[:, rows:]
    return unpacked(q, parts), unpacked(r, parts)


def eigenvalues(a: Tensor) -> tuple[Tensor, Tensor]:
    """Return the eigenvalues of Hermitian matrices, ascending, and eigenvectors as columns."""
    parts = parts_of(a)
    return _values_and_vectors(apply(EIGH, (packed(a),), parts), parts)


def _values_and_vectors(both: Tensor, parts: int) -> tuple[Tensor, Tensor]:
    n = both.shape[2] // parts
    return both[:, n, :n], unpacked(both[:, :n], parts)


def singular_values(a: Tensor) -> Tensor:
    """Return the singular values, descending; needs at least as many rows as columns."""
    return apply(SVD, (packed(a),), (parts_of(a), False))


def singular_vectors(a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return U, the singular values and V; needs at least as many rows as columns."""
    parts = parts_of(a)
    return _u_s_v(apply(SVD, (packed(a),), (parts, True)), a.shape[1], parts)


def _u_s_v(all_three: Tensor, rows: int, parts: int) -> tuple[Tensor, Tensor, Tensor]:
    n = all_three.shape[2] // parts
    u, v = all_three[:, :rows], all_three[:, rows : rows + n]
    return unpacked(u, parts), all_three[:, rows + n, :n], unpacked(v, parts)


# --- gradients ------------------------------------------------------------------------------------


def _inverse_or_zero(x: Tensor) -> Tensor:
    where = elementwise.where
    return where(x == 0.0, 0.0, 1.0 / where(x == 0.0, 1.0, x))


def differences(values: Tensor) -> Tensor:
    """Return (batch, n, n): 1 / (value j - value i), 0 if they are equal."""
    return _inverse_or_zero(expand_dims(values, axis=1) - expand_dims(values, axis=2))


def _differences_of_squares(values: Tensor) -> Tensor:
    """Return (batch, n, n): 1 / (square of value j - square of value i), 0 if they are equal.

    Computed as a product: a GPU may round `a * a - b * b` once instead of twice, which leaves a
    remainder for equal values.
    """
    return differences(values) * _inverse_or_zero(
        expand_dims(values, axis=1) + expand_dims(values, axis=2)
    )


def on_diagonal(values: Tensor) -> Tensor:
    """Return (batch, n, n) with these diagonals."""
    return expand_dims(values, axis=1) * eye(values.shape[1])


def _qr(pt: Any, g: Tensor, y: Tensor, a: Tensor, arg: tuple[int, bool]) -> Tensor:
    parts, complete = arg
    if complete:
        raise GradientError(
            "qr: the complete decomposition has no gradient; got a matrix of shape "
            f'{(a.shape[1], a.shape[2] // parts)}; use mode="reduced"'
        )
    (q, r), (to_q, to_r) = (_q_and_r(x, a.shape[1], parts, complete) for x in (y, g))
    lower = lower_half(product(r, adjoint(to_r)) - product(adjoint(to_q), q))
    total = to_q + product(q, lower + adjoint(lower))
    return packed(adjoint(solved(r, adjoint(total))))


def _eigh(pt: Any, g: Tensor, y: Tensor, a: Tensor, parts: int) -> Tensor:
    (values, vectors), (to_values, to_vectors) = (_values_and_vectors(x, parts) for x in (y, g))
    across = adjoint(vectors)
    inner = product(across, to_vectors) * differences(values) + on_diagonal(to_values)
    whole = product(vectors, inner, across)
    return packed((whole + adjoint(whole)) * 0.5)


def _svd(pt: Any, g: Tensor, y: Tensor, a: Tensor, arg: tuple[int, bool]) -> Tensor:
    parts, vectors = arg
    matrix = unpacked(a, parts)
    if not vectors:
        u, _, v = singular_vectors(matrix)
        return packed(product(u * expand_dims(g, axis=1), adjoint(v)))
    (u, s, v), (to_u, to_s, to_v) = (_u_s_v(x, a.shape[1], parts) for x in (y, g))
    across, down = expand_dims(s, axis=1), expand_dims(s, axis=2)
    factors = _differences_of_squares(s)
    by_u, by_v = product(adjoint(u), to_u), product(adjoint(v), to_v)
    inner = (by_u - adjoint(by_u)) * factors * across
    inner = inner + (by_v - adjoint(by_v)) * factors * down + on_diagonal(to_s)
    if parts == 2:
        # Both vectors of a pair may be multiplied by one phase; a change of only one counts for
        # both.
        phase = pt.imag(by_v) * pt.eye(s.shape[1]) * _inverse_or_zero(down)
        inner = inner - pt.complex(0.0, phase)
    whole = product(u, inner)
    if matrix.shape[1] > matrix.shape[2]:
        # The part of the cotangent of U outside its column space; V is square.
        whole = whole + (to_u - product(u, by_u)) * _inverse_or_zero(across)
    return packed(product(whole, adjoint(v)))


def _qr_shape(a: Shape, arg: tuple[int, bool]) -> Shape:
    batch, rows, columns = a
    parts, complete = arg
    if complete:
        return (batch, rows, parts * rows + columns)
    return (batch, rows + columns // parts, columns)


def _svd_shape(a: Shape, arg: tuple[int, bool]) -> Shape:
    batch, rows, columns = a
    parts, vectors = arg
    n = columns // parts
    return (batch, rows + n + 1, columns) if vectors else (batch, n)


QR = Decomposition(
    name="qr",
    method="qr",
    shape=_qr_shape,
    lowering=householder.qr,
    jax="qr",
    reference=numpy_references.qr,
    gradient=(_qr,),
    doc="Q and R, one below the other, or next to each other if complete.",
)
EIGH = Decomposition(
    name="eigh",
    shape=lambda a, parts: (a[0], a[1] + 1, a[2]),
    lowering=jacobi.eigh,
    jax="eigh",
    reference=numpy_references.eigh,
    gradient=(_eigh,),
    doc="Eigenvectors as columns, and below them eigenvalues.",
)
SVD = Decomposition(
    name="svd",
    shape=_svd_shape,
    lowering=jacobi.svd,
    jax="svd",
    reference=numpy_references.svd,
    gradient=(_svd,),
    doc="U, V and the singular values, one below the other, or the values alone.",
)
