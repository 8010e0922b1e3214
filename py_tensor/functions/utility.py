"""Utility functions: differences of neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ArgumentError
from ..tensor import Tensor, as_tensor
from .axes import one_axis
from .elementwise import PUBLIC as ELEMENTWISE
from .joining import concat


def diff(
    x: Any, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None
) -> Tensor:
    """Each element less the one before it along an axis, `n` times over.

    `prepend` and `append` are tensors put before and behind x first. For bool, whether they differ.
    Raises ArgumentError for negative `n`.

    >>> import py_tensor as pt
    >>> pt.diff(pt.asarray([1, 4, 9, 16])).tolist(), pt.diff(pt.asarray([1, 4, 9]), n=2).tolist()
    ([3, 5, 7], [2])
    """
    result = as_tensor("diff", x)
    if n < 0:
        raise ArgumentError(f"diff: n is negative; got {n}; use 0 or more")
    place = one_axis("diff", axis, result.ndim)
    around = [as_tensor("diff", part) for part in (prepend, result, append) if part is not None]
    if len(around) > 1:
        result = concat(around, axis=place)
    less = ELEMENTWISE["not_equal" if result.dtype.kind == "b" else "subtract"]
    before: tuple[slice, ...] = (slice(None),) * place
    for _ in range(n):
        result = less(result[(*before, slice(1, None))], result[(*before, slice(-1))])
    return result


PUBLIC: dict[str, Callable[..., Any]] = {"diff": diff}
