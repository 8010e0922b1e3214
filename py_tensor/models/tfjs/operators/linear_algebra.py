"""Products of matrices."""

from __future__ import annotations

from .... import functions as F
from ....tensor import Tensor
from ...execution import Operator
from ...options import Ints, single
from .images import fused


def matmul(
    a: Tensor,
    b: Tensor,
    *args: Tensor,
    transpose_a: bool = False,
    transpose_b: bool = False,
    fused_ops: list[str] | None = None,
    epsilon: float = 1e-4,
    leakyrelu_alpha: float = 0.2,
) -> Tensor:
    product = (a.mT if transpose_a else a) @ (b.mT if transpose_b else b)
    return fused(product, args, fused_ops, epsilon=epsilon, leakyrelu_alpha=leakyrelu_alpha)


def batch_matmul(a: Tensor, b: Tensor, *, adj_x: bool = False, adj_y: bool = False) -> Tensor:
    return (_adjoint(a) if adj_x else a) @ (_adjoint(b) if adj_y else b)


def _adjoint(x: Tensor) -> Tensor:
    return F.conj(x.mT) if x.dtype.kind == "c" else x.mT


def _einsum(*xs: Tensor, equation: str) -> Tensor:
    return F.einsum(equation, *xs)


def band(x: Tensor, lower: int | Ints, upper: int | Ints) -> Tensor:
    below, above = single(lower), single(upper)
    if above >= 0:
        x = F.tril(x, k=above)
    return F.triu(x, k=-below) if below >= 0 else x


OPERATORS = {
    "BatchMatMul": Operator(batch_matmul),
    "BatchMatMulV2": Operator(batch_matmul),
    "Einsum": Operator(_einsum),
    "MatMul": Operator(matmul),
    "MatrixBandPart": Operator(band, host=("lower", "upper")),
    "_FusedMatMul": Operator(matmul),
}
