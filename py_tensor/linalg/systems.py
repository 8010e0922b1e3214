"""Rows that eliminate: systems of linear equations, determinants, Cholesky factors.

Operations on batches of float32 matrices (batch, rows, columns). Gradients are by Giles, "Collected
matrix derivative results for forward and reverse mode algorithmic differentiation" (2008), and
Murray, "Differentiation of the Cholesky decomposition" (2016).
"""

from __future__ import annotations

from typing import Any

from ..ops.rows import Composite
from . import elimination, references

T = Any
"""A tensor, where `pt` has the public functions."""


def turned(pt: Any, x: T) -> T:
    return pt.matrix_transpose(x)


def _identity(pt: Any, x: T) -> T:
    """As many identity matrices as x has matrices."""
    return pt.broadcast_to(pt.eye(x.shape[-1]), x.shape)


def solved(pt: Any, a: T, b: T) -> T:
    return pt.apply(SOLVE, (a, b))


def _inverse_transposed(pt: Any, a: T) -> T:
    return solved(pt, turned(pt, a), _identity(pt, a))


def lower_half(pt: Any, x: T) -> T:
    """The lower triangle, of whose diagonal half is taken."""
    return (pt.tril(x) + pt.tril(x, k=-1)) * 0.5


def _cholesky(pt: Any, g: T, y: T, a: T, arg: None) -> T:
    inverse = solved(pt, y, _identity(pt, y))
    middle = lower_half(pt, pt.matmul(turned(pt, y), pt.tril(g)))
    whole = pt.matmul(turned(pt, inverse), pt.matmul(middle, inverse))
    return (whole + turned(pt, whole)) * 0.5


def _to_right(pt: Any, g: T, y: T, a: T, b: T, arg: None) -> T:
    return solved(pt, turned(pt, a), g)


def _to_matrix(pt: Any, g: T, y: T, a: T, b: T, arg: None) -> T:
    return -pt.matmul(solved(pt, turned(pt, a), g), turned(pt, y))


def _det(pt: Any, g: T, y: T, a: T, arg: None) -> T:
    return pt.reshape(g * y, (-1, 1, 1)) * _inverse_transposed(pt, a)


def _slogdet(pt: Any, g: T, y: T, a: T, arg: None) -> T:
    return pt.reshape(g[:, 1], (-1, 1, 1)) * _inverse_transposed(pt, a)


CHOLESKY = Composite(
    name="cholesky",
    shape=lambda a, arg: a,
    lowering=elimination.cholesky,
    reference=references.cholesky,
    gradient=(_cholesky,),
    public=False,
    doc="Lower Cholesky factors.",
)
SOLVE = Composite(
    name="solve",
    shape=lambda a, b, arg: b,
    lowering=elimination.solve,
    reference=references.solve,
    gradient=(_to_matrix, _to_right),
    public=False,
    doc="Solutions of systems of linear equations.",
)
DET = Composite(
    name="det",
    shape=lambda a, arg: a[:1],
    lowering=elimination.det,
    reference=references.det,
    gradient=(_det,),
    public=False,
    doc="Determinants.",
)
SLOGDET = Composite(
    name="slogdet",
    shape=lambda a, arg: (a[0], 2),
    lowering=elimination.slogdet,
    reference=references.slogdet,
    gradient=(_slogdet,),
    public=False,
    doc="Signs of determinants, and logarithms of their absolute values.",
)
