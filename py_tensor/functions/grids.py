"""Creation functions over the places of a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ArgumentError, DTypeError, ShapeError
from ..tensor import Tensor, as_tensor
from .creation import arange, zeros
from .elementwise import PUBLIC as ELEMENTWISE
from .manipulation import broadcast_to, expand_dims, reshape


def meshgrid(*arrays: Any, indexing: str = "xy") -> tuple[Tensor, ...]:
    """For vectors of coordinates, the coordinates of each place of the grid that they span.

    With "xy" the second vector runs along the first axis, as for pictures; with "ij" the first
    does. Raises ShapeError for tensors of several axes.

    >>> import py_tensor as pt
    >>> x, y = pt.meshgrid(pt.asarray([1, 2, 3]), pt.asarray([4, 5]))
    >>> x.tolist(), y.tolist()
    ([[1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5]])
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f'meshgrid: indexing is neither "xy" nor "ij"; got {indexing!r}')
    vectors = [as_tensor("meshgrid", x) for x in arrays]
    for x in vectors:
        if x.ndim > 1:
            raise ShapeError(f"meshgrid: needs one axis each; got shape {x.shape}; use flatten")
        if x.dtype is not vectors[0].dtype:
            raise DTypeError(
                f"meshgrid: dtypes differ; got {vectors[0].dtype} and {x.dtype}; use .astype"
            )
    places = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        places[0], places[1] = 1, 0
    lengths = [0] * len(vectors)
    for x, place in zip(vectors, places, strict=True):
        lengths[place] = x.size
    return tuple(
        broadcast_to(
            reshape(x, tuple(x.size if at == place else 1 for at in range(len(vectors)))),
            tuple(lengths),
        )
        for x, place in zip(vectors, places, strict=True)
    )


def _triangle(operation: str, x: Any, keep: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    x = as_tensor(operation, x)
    if x.ndim < 2:
        raise ShapeError(f"{operation}: needs two axes; got shape {x.shape}; reshape it first")
    row, column = expand_dims(arange(x.shape[-2]), axis=1), arange(x.shape[-1])
    return ELEMENTWISE["where"](keep(row, column), x, zeros((), dtype=x.dtype))


def tril(x: Any, /, *, k: int = 0) -> Tensor:
    """The lower triangle of each matrix: zeros right of the diagonal `k` places right of the main.

    Shape and dtype are those of x. Raises ShapeError for fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.tril(pt.ones((2, 2))).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    return _triangle("tril", x, lambda row, column: column - row <= k)


def triu(x: Any, /, *, k: int = 0) -> Tensor:
    """The upper triangle of each matrix: zeros left of the diagonal `k` places right of the main.

    Shape and dtype are those of x. Raises ShapeError for fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.triu(pt.ones((2, 2))).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    return _triangle("triu", x, lambda row, column: column - row >= k)


PUBLIC: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (meshgrid, tril, triu)
}
