"""Elementwise functions: each element of the result is computed of those in its place.

One for each public row of the op table, and those with optional operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dtypes import as_dtype
from ..nodes import node_of
from ..ops import ROWS
from ..ops.elementwise import CAST
from ..ops.rows import Elementwise
from ..runtime import check_device
from ..tensor import Tensor, apply, as_tensor, node_behind, operand_of
from .from_rows import function_of, operators_of

_INFINITY = float("inf")


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
    """The values converted to `dtype`; floats to integers truncate, integers wrap.

    Raises DTypeError for dtypes that WebGL lacks, and for complex numbers that are to be real.

    >>> import py_tensor as pt
    >>> pt.astype(pt.asarray([1.7, -1.7]), "int32").tolist()
    [1, -1]
    """
    check_device("astype", device)
    target = as_dtype(dtype, "astype")
    x = as_tensor("astype", x)
    node = node_behind("astype", x)
    if node.spec.dtype is target:
        return Tensor(node) if copy else x
    return Tensor(node_of(CAST, (node,), target))


def clip(x: Any, /, min: Any = None, max: Any = None) -> Tensor:
    """The values held between `min` and `max`, numbers or tensors; None for no limit.

    All are broadcast together. Where `min` is larger than `max` the result is `max`. Raises
    DTypeError for bool and complex operands, ShapeError for shapes that do not broadcast.

    >>> import py_tensor as pt
    >>> pt.clip(pt.asarray([1, 5, 9]), 2, 6).tolist()
    [2, 5, 6]
    """
    x = operand_of("clip", x)
    min, max = (limit if limit is None else operand_of("clip", limit) for limit in (min, max))
    if min is None and max is None:
        return Tensor(node_behind("clip", as_tensor("clip", x)))
    if max is None:
        return apply(ROWS["maximum"], (x, min))
    if min is None:
        return apply(ROWS["minimum"], (x, max))
    return apply(ROWS["clip"], (x, min, max))


PUBLIC: dict[str, Callable[..., Tensor]] = {
    row.name: function_of(row)
    for row in ROWS.values()
    if isinstance(row, Elementwise) and row.public
} | {"astype": astype, "clip": clip}

OPERATORS: dict[str, Callable[..., Tensor]] = {
    name: operator
    for row in ROWS.values()
    if isinstance(row, Elementwise) and row.dunder
    for name, operator in operators_of(row, PUBLIC[row.name]).items()
}
