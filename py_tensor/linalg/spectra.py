"""Rows of orthogonal decompositions: QR, eigenvalues, singular values.

Operations on batches of float32 matrices (batch, rows, columns). What a decomposition gives lies in
one tensor, whose parts are views. Gradients are by Giles (2008), Walter and Lehmann, "Algorithmic
differentiation of linear algebra functions with application in optimum experimental design" (2010),
for QR, and Townsend, "Differentiating the singular value decomposition" (2016). Vectors of equal
values are not unique; the terms that would divide by the values' difference count as zero.
"""

from __future__ import annotations

from typing import Any

from ..errors import GradientError
from ..ops.rows import Composite, Shape
from . import references, reflections, rotations
from .systems import lower_half, solved, turned

T = Any
"""A tensor, where `pt` has the public functions."""


def _inverse_or_zero(pt: Any, x: T) -> T:
    return pt.where(x == 0.0, 0.0, 1.0 / pt.where(x == 0.0, 1.0, x))


def _differences(pt: Any, values: T) -> T:
    """(batch, n, n): 1 over value j less value i, 0 where they are equal."""
    return _inverse_or_zero(pt, pt.expand_dims(values, axis=1) - pt.expand_dims(values, axis=2))


def _qr(pt: Any, g: T, y: T, a: T, complete: bool) -> T:
    if complete:
        raise GradientError(
            "qr: the complete decomposition has no gradient; got a matrix of shape "
            f'{a.shape[1:]}; use mode="reduced"'
        )
    m = a.shape[1]
    q, r, to_q, to_r = y[:, :m], y[:, m:], g[:, :m], g[:, m:]
    inner = pt.matmul(r, turned(pt, to_r)) - pt.matmul(turned(pt, to_q), q)
    lower = lower_half(pt, inner)
    total = to_q + pt.matmul(q, lower + turned(pt, lower))
    return turned(pt, solved(pt, r, turned(pt, total)))


def _eigh(pt: Any, g: T, y: T, a: T, arg: None) -> T:
    n = a.shape[1]
    vectors, values, to_vectors, to_values = y[:, :n], y[:, n], g[:, :n], g[:, n]
    across = turned(pt, vectors)
    inner = _differences(pt, values) * pt.matmul(across, to_vectors)
    inner = inner + pt.expand_dims(to_values, axis=1) * pt.eye(n)
    whole = pt.matmul(pt.matmul(vectors, inner), across)
    return (whole + turned(pt, whole)) * 0.5


def _svd(pt: Any, g: T, y: T, a: T, vectors: bool) -> T:
    m, n = a.shape[1:]
    if not vectors:
        y = pt.apply(SVD, (a,), True)
        zeros = pt.zeros((a.shape[0], m + n, n))
        g = pt.concat([zeros, pt.expand_dims(g, axis=1)], axis=1)
    u, v, s = y[:, :m], y[:, m:-1], y[:, -1:]
    to_u, to_v, to_s = g[:, :m], g[:, m:-1], g[:, -1:]
    s_down = turned(pt, s)
    factors = _differences(pt, y[:, -1] * y[:, -1])
    by_u, by_v = (pt.matmul(turned(pt, x), to) for x, to in ((u, to_u), (v, to_v)))
    inner = factors * (by_u - turned(pt, by_u)) * s
    inner = inner + s_down * (factors * (by_v - turned(pt, by_v)))
    inner = inner + to_s * pt.eye(n)
    whole = pt.matmul(u, inner)
    if m > n:
        # The part of the cotangent of U outside of its columns; V has all columns there are.
        whole = whole + (to_u - pt.matmul(u, by_u)) * _inverse_or_zero(pt, s)
    return pt.matmul(whole, turned(pt, v))


def _qr_shape(a: Shape, complete: bool) -> Shape:
    batch, rows, columns = a
    return (batch, rows, rows + columns) if complete else (batch, rows + columns, columns)


def _svd_shape(a: Shape, vectors: bool) -> Shape:
    batch, rows, columns = a
    return (batch, rows + columns + 1, columns) if vectors else (batch, columns)


QR = Composite(
    name="qr",
    shape=_qr_shape,
    lowering=reflections.qr,
    reference=references.qr,
    gradient=(_qr,),
    public=False,
    doc="Q and R, one below the other, or if complete one behind the other.",
)
EIGH = Composite(
    name="eigh",
    shape=lambda a, arg: (a[0], a[1] + 1, a[1]),
    lowering=rotations.eigh,
    reference=references.eigh,
    gradient=(_eigh,),
    public=False,
    doc="Eigenvectors as columns, and below them eigenvalues.",
)
SVD = Composite(
    name="svd",
    shape=_svd_shape,
    lowering=rotations.svd,
    reference=references.svd,
    gradient=(_svd,),
    public=False,
    doc="U, V and the singular values, one below the other, or the values alone.",
)
