"""Products of matrices, and determinants."""

from __future__ import annotations

import py_tensor as pt


def einsum(*xs, equation):
    return pt.einsum(equation, *xs)


def gemm(a, b, c=None, *, alpha=1.0, beta=1.0, transA=0, transB=0):
    product = alpha * ((a.mT if transA else a) @ (b.mT if transB else b))
    return product if c is None else product + beta * c


def matmul_integer(a, b, a_zero=None, b_zero=None):
    a, b = a.astype("int32"), b.astype("int32")
    if a_zero is not None:
        a = a - a_zero.astype("int32")
    return a @ (b if b_zero is None else b - b_zero.astype("int32"))


OPERATORS = {
    "Det": pt.linalg.det,
    "Einsum": einsum,
    "Gemm": gemm,
    "MatMul": pt.matmul,
    "MatMulInteger": matmul_integer,
}
