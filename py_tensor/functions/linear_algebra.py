"""Linear algebra: matrix products."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..errors import ShapeError
from ..nodes import Node, node_of
from ..ops.contractions import DOT
from ..ops.rows import broadcast
from ..ops.views import BROADCAST, PERMUTE, RESHAPE
from ..tensor import Tensor, asarray, node_behind
from .manipulation import matrix_transpose
from .remembering import remembered


@remembered
def matmul(x1: Any, x2: Any, /) -> Tensor:
    """Matrix product over the last axis of x1 and the one before last of x2.

    Leading axes broadcast. A 1-d operand is a row (x1) or a column (x2), and its axis is gone in
    the result. Raises ShapeError for 0-d operands and lengths that differ.

    >>> import py_tensor as pt
    >>> pt.matmul(pt.asarray([[1.0, 2.0]]), pt.asarray([[3.0], [4.0]])).tolist()
    [[11.0]]
    """
    a, b = node_behind("matmul", asarray(x1)), node_behind("matmul", asarray(x2))
    p, q = a.spec.shape, b.spec.shape
    if not p or not q:
        raise ShapeError(f"matmul: operand has no axes; got shapes {p} and {q}; use multiply")
    a_shape = (1, *p) if len(p) == 1 else p
    b_shape = (*q, 1) if len(q) == 1 else q
    if a_shape[-1] != b_shape[-2]:
        axis = -2 if len(q) > 1 else 0
        raise ShapeError(
            f"matmul: inner lengths differ; got shapes {p} and {q}; "
            f"axis -1 of the first is {a_shape[-1]}, axis {axis} of the second is {b_shape[-2]}"
        )
    batch = broadcast("matmul", [a_shape[:-2], b_shape[:-2]])
    rows, inner, columns = a_shape[-2], a_shape[-1], b_shape[-1]
    if len(q) <= 2 and len(p) > 2:
        # One matrix for the whole batch: its rows are the batch's rows, one taller product.
        left = _reshaped(a, (1, math.prod(a_shape[:-1]), inner))
        right = _reshaped(b, (1, inner, columns))
    else:
        count = math.prod(batch)
        left = _reshaped(_spread(a, a_shape, batch), (count, rows, inner))
        right = _reshaped(_spread(b, b_shape, batch), (count, inner, columns))
    result = node_of(DOT, (left, right))
    shape = batch + ((rows,) if len(p) > 1 else ()) + ((columns,) if len(q) > 1 else ())
    return Tensor(_reshaped(result, shape))


def _reshaped(node: Node, shape: tuple[int, ...]) -> Node:
    return node if node.spec.shape == shape else node_of(RESHAPE, (node,), shape)


def _spread(node: Node, shape: tuple[int, ...], batch: tuple[int, ...]) -> Node:
    node = _reshaped(node, shape)
    full = batch + shape[-2:]
    return node if shape == full else node_of(BROADCAST, (node,), full)


def _transposed(self: Tensor) -> Tensor:
    """Axes in reverse order for two axes; the standard leaves other counts undefined."""
    node = node_behind("T", self)
    if len(node.spec.shape) != 2:
        raise ShapeError(f"T: needs two axes; got shape {node.spec.shape}; use mT or permute_dims")
    return Tensor(node_of(PERMUTE, (node,), (1, 0)))


def _reflected(self: Tensor, other: Any) -> Tensor:
    return matmul(other, self)


OPERATORS: dict[str, Any] = {
    "__matmul__": matmul,
    "__rmatmul__": _reflected,
    "T": property(_transposed),
    "mT": property(matrix_transpose),
    "matmul": matmul,
}

PUBLIC: dict[str, Callable[..., Tensor]] = {"matmul": matmul}
