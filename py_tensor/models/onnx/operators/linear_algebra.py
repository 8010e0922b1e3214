"""Products of matrices, and determinants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .... import linalg
from ....functions.einstein_sums import einsum
from ....nn.split_matrix import SplitMatrix
from ....tensor import Tensor
from .shared import Operator


def einstein_sum(*xs: Tensor, equation: str) -> Tensor:
    return einsum(equation, *xs)


def matmul(a: Tensor, b: Tensor | SplitMatrix) -> Tensor:
    return a @ b


def gemm(
    a: Tensor,
    b: Tensor | SplitMatrix,
    c: Tensor | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Tensor:
    product: Tensor = (a.mT if transA else a) @ (b.T if transB else b)
    if alpha != 1:
        product = _scaled(product, alpha)
    if c is None:
        return product
    return product + (c if beta == 1 else _scaled(c, beta))


def _scaled(x: Tensor, factor: float) -> Tensor:
    return (x * factor).astype(x.dtype)


def weight_order(attributes: Mapping[str, Any], rank: int) -> tuple[int, ...] | None:
    return (1, 0) if attributes.get("transB") and rank == 2 else None


OPERATORS = {
    "Det": Operator(linalg.det),
    "Einsum": Operator(einstein_sum),
    "Gemm": Operator(gemm, orders={"b": weight_order}, split=("b",)),
    "MatMul": Operator(matmul, split=("b",)),
}
