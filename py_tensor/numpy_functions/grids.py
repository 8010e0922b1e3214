"""Diagonals, triangles, index grids, and arrays from functions, iterators and ranges."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Buffer, Callable, Iterable, Iterator, Sequence
from typing import Any, cast

from .. import functions as F, linalg
from ..dtypes import as_dtype, bool_, float32, int32, shown, wrong_type
from ..errors import ArgumentError, DTypeError, ShapeError
from ..functions.arguments import (
    MOST_STEPS,
    a_shape,
    choice,
    flag,
    function_of,
    integer,
    items,
    number,
)
from ..functions.decorators import named
from ..functions.indexing import OUT_OF_RANGE, limited
from ..io.element_formats import TRUTH
from ..tensor import Tensor, as_tensor, from_host
from ..typing import ArrayLike, DTypeLike, ShapeLike


@named
def diag(v: ArrayLike, k: int = 0) -> Tensor:
    """Return a diagonal of a matrix, or the matrix with a vector on a diagonal.

    Args:
        v: Tensor or array-like of one or two axes.
        k: Diagonal: positive numbers are above the main one, which is 0 (default).

    Returns:
        Tensor of the dtype of v.

    Raises:
        ShapeError: If v has neither one nor two axes.

    >>> import py_tensor as pt
    >>> pt.diag([1, 2]).tolist()
    [[1, 0], [0, 2]]
    """
    x = as_tensor("diag", v)
    if x.ndim == 2:
        return linalg.diagonal(x, offset=k)
    if x.ndim != 1:
        raise ShapeError(f"diag: needs one or two axes; got shape {x.shape}; use diagflat")
    k = integer("diag", "k", k)
    n = x.size + abs(k)
    row, column = F.expand_dims(F.arange(n), axis=1), F.arange(n)
    # The vector is aligned with the columns of the diagonal above, or the rows of the one below.
    values = F.pad(x, ((abs(k), 0),))
    values = values if k >= 0 else F.expand_dims(values, axis=1)
    return F.where(column - row == k, values, F.zeros((), dtype=x.dtype))


@named
def diagflat(v: ArrayLike, k: int = 0) -> Tensor:
    """Return the matrix with the flattened elements on a diagonal.

    Args:
        v: Tensor or array-like.
        k: Diagonal: positive numbers are above the main one, which is 0 (default).

    Returns:
        Matrix of the dtype of v.

    >>> import py_tensor as pt
    >>> pt.diagflat([[1], [2]]).tolist()
    [[1, 0], [0, 2]]
    """
    return diag(F.flatten(as_tensor("diagflat", v)), k)


@named
def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Return the diagonals of the matrices in two axes, along a new last axis.

    Args:
        a: Tensor or array-like of two or more axes.
        offset: Diagonal: positive numbers are above the main one, which is 0 (default).
        axis1: Axis of the rows; 0 by default.
        axis2: Axis of the columns; 1 by default.

    Returns:
        Tensor of the dtype of a.

    Raises:
        ShapeError: If an axis does not exist or the axes are equal.

    >>> import py_tensor as pt
    >>> pt.diagonal([[1, 2], [3, 4]]).tolist()
    [1, 4]
    """
    x = F.moveaxis(as_tensor("diagonal", a), (axis1, axis2), (-2, -1))
    return linalg.diagonal(x, offset=offset)


@named
def trace(
    a: ArrayLike,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the sums of the diagonals of the matrices in two axes.

    Args:
        a: Tensor or array-like of two or more axes.
        offset: Diagonal: positive numbers are above the main one, which is 0 (default).
        axis1: Axis of the rows; 0 by default.
        axis2: Axis of the columns; 1 by default.
        dtype: Dtype to sum in; None (default) keeps that of a, or 32 bits for small integers.
        out: Tensor to write the result to; None (default) for a new one.

    Returns:
        Tensor without the two axes.

    Raises:
        ShapeError: If an axis does not exist or the axes are equal.

    >>> import py_tensor as pt
    >>> pt.trace([[1, 2], [3, 4]]).item()
    5
    """
    return F.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


_MOST_ROWS = 1 << 15
"""Largest matrix whose indices are listed."""


def _filled_triangle(n: int, k: int, m: int | None, lower: bool) -> tuple[Tensor, Tensor]:
    n = integer("tri_indices", "n", n, 0, _MOST_ROWS)
    columns = n if m is None else integer("tri_indices", "m", m, 0, _MOST_ROWS)
    k = integer("tri_indices", "k", k)
    places = [
        (row, column)
        for row in range(n)
        for column in range(columns)
        if (column - row <= k if lower else column - row >= k)
    ]
    return _coordinates(places)


def _coordinates(pairs: list[tuple[int, int]]) -> tuple[Tensor, Tensor]:
    rows, columns = (F.asarray([pair[at] for pair in pairs], dtype="int32") for at in (0, 1))
    return rows, columns


@named
def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """Return the indices of the lower triangle of an n by m matrix.

    Args:
        n: Number of rows.
        k: Last diagonal of the triangle; 0 by default.
        m: Number of columns; None (default) for n.

    Returns:
        Tuple of row and column indices, int32.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.tril_indices(2)]
    [[0, 1, 1], [0, 0, 1]]
    """
    return _filled_triangle(n, k, m, True)


@named
def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """Return the indices of the upper triangle of an n by m matrix.

    Args:
        n: Number of rows.
        k: First diagonal of the triangle; 0 by default.
        m: Number of columns; None (default) for n.

    Returns:
        Tuple of row and column indices, int32.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.triu_indices(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    return _filled_triangle(n, k, m, False)


def _matrix_shape(operation: str, arr: ArrayLike) -> tuple[int, int]:
    x = as_tensor(operation, arr)
    if x.ndim != 2:
        raise ShapeError(f"{operation}: needs two axes; got shape {x.shape}; reshape it first")
    return x.shape[0], x.shape[1]


@named
def tril_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Tensor, Tensor]:
    """Return the indices of the lower triangle of a matrix.

    Args:
        arr: Matrix.
        k: Last diagonal of the triangle; 0 by default.

    Returns:
        Tuple of row and column indices, int32.

    Raises:
        ShapeError: If `arr` is not a matrix.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.tril_indices_from(pt.ones((2, 2)))]
    [[0, 1, 1], [0, 0, 1]]
    """
    rows, columns = _matrix_shape("tril_indices_from", arr)
    return tril_indices(rows, k, columns)


@named
def triu_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Tensor, Tensor]:
    """Return the indices of the upper triangle of a matrix.

    Args:
        arr: Matrix.
        k: First diagonal of the triangle; 0 by default.

    Returns:
        Tuple of row and column indices, int32.

    Raises:
        ShapeError: If `arr` is not a matrix.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.triu_indices_from(pt.ones((2, 2)))]
    [[0, 0, 1], [0, 1, 1]]
    """
    rows, columns = _matrix_shape("triu_indices_from", arr)
    return triu_indices(rows, k, columns)


@named
def mask_indices(n: int, mask_func: Callable[..., Any], k: int = 0) -> tuple[Tensor, ...]:
    """Return the indices that a function such as `triu` keeps of an n by n matrix.

    The matrix is read back, since its zeros determine the number of indices.

    Args:
        n: Number of rows and columns.
        mask_func: Function `mask_func(matrix, k)`.
        k: Second argument of the function; 0 by default.

    Returns:
        Tuple of row and column indices, int32.

    >>> import py_tensor as pt
    >>> keep = lambda matrix, k: pt.triu(matrix, k=k)
    >>> [part.tolist() for part in pt.mask_indices(2, keep, 1)]
    [[0], [1]]
    """
    length = integer("mask_indices", "n", n, 0)
    keep = function_of("mask_indices", "mask_func", mask_func)
    kept = as_tensor("mask_indices", keep(F.ones((length, length), dtype="int32"), k))
    return F.nonzero(kept != 0)


@named
def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """Return the indices of the main diagonal of an array of `ndim` axes of length n.

    Args:
        n: Length of each axis.
        ndim: Number of axes; 2 by default.

    Returns:
        Tuple of `ndim` vectors, int32.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.diag_indices(3)]
    [[0, 1, 2], [0, 1, 2]]
    """
    ndim = integer("diag_indices", "ndim", ndim, 0, 64)
    return (F.arange(integer("diag_indices", "n", n)),) * ndim


def diag_indices_from(arr: ArrayLike) -> tuple[Tensor, ...]:
    """Return the indices of the main diagonal of an array whose axes have one length.

    Args:
        arr: Tensor or array-like of two or more axes.

    Returns:
        Tuple of a vector for each axis, int32.

    Raises:
        ShapeError: If there are fewer than two axes or their lengths differ.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.diag_indices_from(pt.ones((2, 2)))]
    [[0, 1], [0, 1]]
    """
    x = as_tensor("diag_indices_from", arr)
    if x.ndim < 2 or len(set(x.shape)) > 1:
        raise ShapeError(
            f"diag_indices_from: lengths differ; got shape {x.shape}; use equal lengths"
        )
    return diag_indices(x.shape[0], x.ndim)


@named
def indices(dimensions: Iterable[int], dtype: DTypeLike = "int32", sparse: bool = False) -> Any:
    """Return the index of each element of a grid along each axis.

    Args:
        dimensions: Shape of the grid.
        dtype: Dtype of the indices; int32 by default.
        sparse: Return vectors that broadcast instead; False by default.

    Returns:
        Tensor of shape (number of axes, *dimensions), or a tuple of tensors if `sparse`.

    >>> import py_tensor as pt
    >>> pt.indices((2, 2)).tolist()
    [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]
    """
    several = isinstance(dimensions, Iterator)
    lengths = a_shape("indices", tuple(dimensions) if several else cast("ShapeLike", dimensions))
    parts = _crossed([F.arange(n, dtype=dtype) for n in lengths])
    if flag("indices", "sparse", sparse):
        return parts
    if not parts:
        return F.zeros((0,), dtype=dtype)
    return F.stack([F.broadcast_to(part, lengths) for part in parts])


@named
def ix_(*args: ArrayLike) -> tuple[Tensor, ...]:
    """Return vectors of indices in shapes that select their grid: `x[pt.ix_(rows, columns)]`.

    Masks are read back.

    Args:
        args: Vectors of integers or bool.

    Returns:
        Tuple of tensors that broadcast.

    Raises:
        ShapeError: If an argument is not a vector.

    >>> import py_tensor as pt
    >>> [part.shape for part in pt.ix_([0, 2], [1])]
    [(2, 1), (1, 1)]
    """
    vectors = []
    for arg in args:
        x = as_tensor("ix_", arg, int32 if isinstance(arg, list) and not arg else None)
        if x.ndim != 1:
            raise ShapeError(f"ix_: needs vectors; got shape {x.shape}; use flatten")
        if x.dtype.kind == "b":
            (x,) = F.nonzero(x)
        vectors.append(x)
    return _crossed(vectors)


def _crossed(vectors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return vectors along axes of their own."""
    return tuple(
        F.reshape(vector, tuple(vector.size if axis == own else 1 for axis in range(len(vectors))))
        for own, vector in enumerate(vectors)
    )


def _range_of(item: Any) -> Tensor:
    """Return the values of a slice: an imaginary step is the number of values."""
    start = 0 if item.start is None else item.start
    step = 1 if item.step is None else item.step
    if isinstance(step, complex):
        return F.linspace(start, item.stop, int(abs(step)))
    return F.arange(start, item.stop, step)


class _Grid:
    """Grids of values that indexing with slices creates: `pt.mgrid[0:2, 0:1:5j]`.

    >>> import py_tensor as pt
    >>> pt.mgrid[0:2, 0:3].shape, [part.shape for part in pt.ogrid[0:2, 0:3]]
    ((2, 2, 3), [(2, 1), (1, 3)])
    """

    def __init__(self, sparse: bool) -> None:
        self._sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, tuple):
            return _range_of(key)
        vectors = [_range_of(item) for item in key]
        dtype = F.result_type(*vectors)
        parts = _crossed([F.astype(vector, dtype, copy=False) for vector in vectors])
        if self._sparse:
            return parts
        return F.stack(F.broadcast_arrays(*parts))


class _Joiner:
    """Join arrays, numbers and slices by indexing: `pt.r_[0:3, 5, [7, 8]]`; `c_` joins columns.

    >>> import py_tensor as pt
    >>> pt.r_[0:3, 5, [7, 8]].tolist()
    [0, 1, 2, 5, 7, 8]
    >>> pt.c_[[1, 2], [3, 4]].tolist()
    [[1, 3], [2, 4]]
    """

    def __init__(self, axis: int, ndim: int, first: int) -> None:
        self._layout = (axis, ndim, first)

    def __getitem__(self, key: Any) -> Tensor:
        items = list(key) if isinstance(key, tuple) else [key]
        axis, ndim, first = self._layout
        if items and isinstance(items[0], str):
            try:
                layout = [int(part) for part in items.pop(0).split(",")]
            except ValueError:
                raise ArgumentError(
                    "r_: directive is not made of integers; got letters; use 'axis,ndim,place'"
                ) from None
            axis, ndim, first = (*layout, *self._layout[len(layout) :])
        parts = []
        for item in items:
            x = _range_of(item) if isinstance(item, slice) else as_tensor("r_", item)
            missing = max(ndim - x.ndim, 0)
            before = missing if first == -1 else min(first, missing)
            shape = (*(1,) * before, *x.shape, *(1,) * (missing - before))
            parts.append(F.reshape(x, shape))
        dtype = F.result_type(*parts)
        return F.concat([F.astype(part, dtype, copy=False) for part in parts], axis=axis)


class _Slices:
    """Return the key itself: `pt.s_[1:3, ...]` is `(slice(1, 3), ...)`.

    >>> import py_tensor as pt
    >>> pt.s_[1:3, ...]
    (slice(1, 3, None), Ellipsis)
    """

    def __init__(self, always_tuple: bool) -> None:
        self._always_tuple = always_tuple

    def __getitem__(self, key: Any) -> Any:
        return (key,) if self._always_tuple and not isinstance(key, tuple) else key


mgrid = _Grid(sparse=False)
ogrid = _Grid(sparse=True)
r_ = _Joiner(0, 1, -1)
c_ = _Joiner(-1, 2, 0)
s_ = _Slices(always_tuple=False)
index_exp = _Slices(always_tuple=True)


@named
def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = "float32") -> Tensor:
    """Return a matrix with ones on and below a diagonal, and zeros above.

    Args:
        N: Number of rows.
        M: Number of columns; None (default) for N.
        k: Last diagonal of ones; 0 by default.
        dtype: Dtype of the result; float32 by default.

    Returns:
        Tensor of shape (N, M).

    >>> import py_tensor as pt
    >>> pt.tri(2, 3).tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    """
    return F.tril(F.ones((N, N if M is None else M), dtype=dtype), k=k)


@named
def identity(n: int, dtype: DTypeLike | None = None) -> Tensor:
    """Return the identity matrix.

    Args:
        n: Number of rows and columns.
        dtype: Dtype of the result; None (default) for float32.

    Returns:
        Tensor of shape (n, n).

    >>> import py_tensor as pt
    >>> pt.identity(2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return F.eye(n, dtype=dtype)


@named
def logspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Return powers of a base with evenly spaced exponents.

    Args:
        start: First exponent.
        stop: Last exponent.
        num: Number of values; 50 by default.
        endpoint: Include `stop`; True by default.
        base: Base; 10 by default.
        dtype: Dtype of the result; None (default) for float32.

    Returns:
        Vector of `num` elements.

    >>> import py_tensor as pt
    >>> [round(value, 2) for value in pt.logspace(0, 2, 3).tolist()]
    [1.0, 10.0, 100.0]
    """
    root = number("logspace", "base", base, finite=True)
    endpoint = flag("logspace", "endpoint", endpoint)
    powers = [_power(root, value) for value in _evenly(start, stop, num, endpoint)]
    return _of_floats(powers, dtype)


def _of_floats(values: list[float], dtype: DTypeLike | None) -> Tensor:
    """Round numbers to float32, and convert them to a dtype if there is one."""
    return F.astype(
        F.asarray(values, dtype="float32"), float32 if dtype is None else dtype, copy=False
    )


def _power(base: float, exponent: float) -> float:
    """Return a real power; NaN if there is none, infinity if it is too large."""
    try:
        power: Any = base**exponent
    except (OverflowError, ZeroDivisionError):
        return math.inf
    return math.nan if isinstance(power, complex) else float(power)


def _evenly(start: float, stop: float, num: int, endpoint: bool) -> list[float]:
    """Return evenly spaced numbers in Python's precision, which float32 powers need."""
    num = integer("logspace", "num", num, 0, MOST_STEPS)
    first = number("logspace", "start", start, finite=True)
    last = number("logspace", "stop", stop, finite=True)
    steps = num - 1 if endpoint else num
    step = (last - first) / steps if steps > 0 else 0.0
    values = [first + at * step for at in range(num)]
    return [*values[:-1], last] if endpoint and num > 1 else values


@named
def geomspace(
    start: float, stop: float, num: int = 50, endpoint: bool = True, dtype: DTypeLike | None = None
) -> Tensor:
    """Return numbers whose quotients are constant.

    Args:
        start: First value.
        stop: Last value, of the same sign.
        num: Number of values; 50 by default.
        endpoint: Include `stop`; True by default.
        dtype: Dtype of the result; None (default) for float32.

    Returns:
        Vector of `num` elements.

    Raises:
        ArgumentError: If a limit is zero, or their signs differ.

    >>> import py_tensor as pt
    >>> [round(value, 2) for value in pt.geomspace(1, 1000, 4).tolist()]
    [1.0, 10.0, 100.0, 1000.0]
    """
    first = number("geomspace", "start", start, finite=True)
    last = number("geomspace", "stop", stop, finite=True)
    if first * last <= 0:
        raise ArgumentError(f"geomspace: limits need one sign; got {first} and {last}")
    sign = math.copysign(1.0, first)
    endpoint = flag("geomspace", "endpoint", endpoint)
    exponents = _evenly(math.log(abs(first)), math.log(abs(last)), num, endpoint)
    values = [sign * math.exp(value) for value in exponents]
    if values:
        values[0] = first
    if endpoint and num > 1:
        values[-1] = last
    return _of_floats(values, dtype)


@named
def fromfunction(
    function: Callable[..., Any],
    shape: Sequence[int],
    *,
    dtype: DTypeLike = "float32",
    **kwargs: Any,
) -> Any:
    """Call a function with the index of each element along each axis.

    Args:
        function: Function of a tensor of indices for each axis.
        shape: Shape of the grid.
        dtype: Dtype of the indices; float32 by default.
        kwargs: Further named arguments of the function.

    Returns:
        The function's result.

    >>> import py_tensor as pt
    >>> pt.fromfunction(lambda i, j: i + j, (2, 2), dtype="int32").tolist()
    [[0, 1], [1, 2]]
    """
    grid = indices(shape, dtype=dtype)
    return function_of("fromfunction", "function", function)(
        *(grid[at] for at in range(grid.shape[0])), **kwargs
    )


@named
def fromiter(iter: Iterable[Any], dtype: DTypeLike, count: int = -1) -> Tensor:
    """Create a vector from an iterable of numbers.

    Args:
        iter: Iterable of numbers.
        dtype: Dtype of the result.
        count: Number of elements to read; -1 (default) for all.

    Returns:
        Vector.

    Raises:
        ShapeError: If the iterable ends before `count` elements.

    >>> import py_tensor as pt
    >>> pt.fromiter((x * x for x in range(4)), "int32").tolist()
    [0, 1, 4, 9]
    """
    count = integer("fromiter", "count", count)
    values = items("fromiter", "iter", iter) if count < 0 else _first(iter, count)
    if count > len(values):
        raise ShapeError(f"fromiter: too few elements; got {len(values)}; give {count}")
    return F.asarray(values, dtype=dtype)


def _first(iterable: Any, count: int) -> tuple[Any, ...]:
    if not isinstance(iterable, Iterable):
        raise wrong_type("fromiter", "iter", "an iterable", iterable)
    return tuple(itertools.islice(iterable, min(count, sys.maxsize)))


@named
def frombuffer(
    buffer: Buffer, dtype: DTypeLike = "float32", count: int = -1, offset: int = 0
) -> Tensor:
    """Create a vector from the bytes of a buffer.

    Args:
        buffer: Object with the buffer protocol, for example bytes.
        dtype: Dtype of the elements; float32 by default.
        count: Number of elements; -1 (default) for all.
        offset: Position of the first byte; 0 by default.

    Returns:
        Vector.

    Raises:
        ShapeError: If the buffer is too short or its size is no multiple of the element's.

    >>> import py_tensor as pt
    >>> pt.frombuffer(bytes([1, 0, 2, 0]), "int16").tolist()
    [1, 2]
    """
    target = as_dtype(dtype, "frombuffer")
    try:
        whole = memoryview(buffer).cast("B")
    except TypeError:
        raise wrong_type("frombuffer", "buffer", "a contiguous buffer", buffer) from None
    count = integer("frombuffer", "count", count)
    data = whole[integer("frombuffer", "offset", offset, 0, len(whole)) :]
    if count < 0 and len(data) % target.itemsize:
        raise ShapeError(
            f"frombuffer: size does not fit; got {len(data)} bytes; "
            f"use a multiple of {target.itemsize}"
        )
    length = len(data) // target.itemsize if count < 0 else count
    if length * target.itemsize > len(data):
        raise ShapeError(f"frombuffer: buffer too short; got {len(data)} bytes for {length}")
    elements = bytes(data[: length * target.itemsize])
    if target is bool_:
        elements = elements.translate(TRUTH)
    return from_host(elements, (length,), target, "frombuffer")


@named
def fromstring(string: str, dtype: DTypeLike = "float32", count: int = -1, *, sep: str) -> Tensor:
    """Create a vector from a text of numbers.

    Args:
        string: Text.
        dtype: Dtype of the result; float32 by default.
        count: Number of elements; -1 (default) for all.
        sep: Separator; white space matches any white space.

    Returns:
        Vector.

    Raises:
        DTypeError: If a part is not a number.

    >>> import py_tensor as pt
    >>> pt.fromstring("1 2 3", sep=" ").tolist()
    [1.0, 2.0, 3.0]
    """
    if not isinstance(string, str) or not isinstance(sep, str):
        name, text = ("sep", sep) if isinstance(string, str) else ("string", string)
        raise wrong_type("fromstring", name, "text", text)
    count = integer("fromstring", "count", count)
    parts = [part for part in string.split(sep if sep.strip() else None) if part.strip()]
    target = as_dtype(dtype, "fromstring")
    number = {"f": float, "c": complex}.get(target.kind, int)
    try:
        values = [number(part) for part in (parts if count < 0 else parts[:count])]
    except ValueError as error:
        raise DTypeError(f"fromstring: not a number; got {error}; check sep and dtype") from None
    return F.asarray(values, dtype=target)


@named
def unravel_index(indices: ArrayLike, shape: ShapeLike, order: str = "C") -> tuple[Tensor, ...]:
    """Convert positions in the flattened array to indices along each axis.

    Args:
        indices: Tensor or array-like of integers.
        shape: Shape of the array.
        order: "C" (default) for row-major order, "F" for column-major order.

    Returns:
        Tuple of a tensor for each axis, int32.

    >>> import py_tensor as pt
    >>> [part.item() for part in pt.unravel_index(5, (2, 3))]
    [1, 2]
    """
    rest = F.astype(as_tensor("unravel_index", indices), "int32", copy=False)
    lengths = a_shape("unravel_index", shape)
    first_is_fastest = isinstance(order, str) and order == "F"
    coordinates = []
    for length in lengths if first_is_fastest else reversed(lengths):
        coordinates.append(rest % max(length, 1))
        rest = rest // max(length, 1)
    return tuple(coordinates if first_is_fastest else reversed(coordinates))


@named
def ravel_multi_index(
    multi_index: Sequence[ArrayLike],
    dims: ShapeLike,
    mode: str | Sequence[str] = "raise",
    order: str = "C",
) -> Tensor:
    """Convert indices along each axis to positions in the flattened array.

    Args:
        multi_index: Sequence of a tensor of indices for each axis.
        dims: Shape of the array.
        mode: "raise" (default) checks the indices, which reads them back; "wrap" takes them modulo
            the lengths; "clip" limits them. A tuple gives a mode for each axis.
        order: "C" (default) for row-major order, "F" for column-major order.

    Returns:
        Tensor of positions, int32.

    Raises:
        ShapeError: If an index is out of range with mode "raise", or the number of axes differs.

    >>> import py_tensor as pt
    >>> pt.ravel_multi_index(([1, 0], [2, 1]), (2, 3)).tolist()
    [5, 1]
    """
    lengths = a_shape("ravel_multi_index", dims)
    parts = [
        as_tensor("ravel_multi_index", part)
        for part in items("ravel_multi_index", "multi_index", multi_index)
    ]
    modes = mode if isinstance(mode, tuple) else (mode,) * len(lengths)
    if len(parts) != len(lengths):
        raise ShapeError(
            f"ravel_multi_index: numbers of axes differ; got {len(parts)} for shape {lengths}"
        )
    axes = list(zip(parts, lengths, modes, strict=True))
    total: Any = 0
    for part, length, how in reversed(axes) if isinstance(order, str) and order == "F" else axes:
        total = total * length + in_range("ravel_multi_index", part, length, how)
    return as_tensor("ravel_multi_index", total)


def in_range(operation: str, places: Tensor, length: int, mode: str) -> Tensor:
    """Return non-negative indices: checked, taken modulo the length, or limited to it."""
    places = F.astype(places, "int32", copy=False)
    if choice(operation, "mode", mode, OUT_OF_RANGE) != "raise":
        return limited(mode, places, length)
    if bool(F.any((places < 0) | (places >= length))):
        raise ShapeError(
            f"{operation}: index out of range for length {length}; got {places.tolist()!s:.60}; "
            f"use 0 to {length - 1}"
        )
    return places


def ndindex(*shape: int | Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Iterate over the indices of an array's elements.

    Args:
        shape: Lengths, or one sequence of them.

    Returns:
        Iterator of tuples of ints.

    >>> import py_tensor as pt
    >>> list(pt.ndindex(1, 2))
    [(0, 0), (0, 1)]
    """
    sizes: Any = shape[0] if len(shape) == 1 else shape
    lengths = a_shape("ndindex", sizes)
    if lengths and max(lengths) > sys.maxsize:
        raise ShapeError(f"ndindex: lengths are too large; got {shown(max(lengths))}; use less")
    return itertools.product(*map(range, lengths))


def ndenumerate(arr: ArrayLike) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Iterate over indices and elements; the elements are read back once, as Python numbers.

    Args:
        arr: Tensor or array-like.

    Returns:
        Iterator of pairs of an index and a number.

    >>> import py_tensor as pt
    >>> list(pt.ndenumerate([[7, 8]]))
    [((0, 0), 7), ((0, 1), 8)]
    """
    x = as_tensor("ndenumerate", arr)
    return zip(ndindex(x.shape), F.flatten(x).tolist(), strict=True)


@named
def require(
    a: ArrayLike, dtype: DTypeLike | None = None, requirements: str | Sequence[str] | None = None
) -> Tensor:
    """Convert an argument to a tensor; requirements on memory have no effect.

    Args:
        a: Tensor or array-like.
        dtype: Dtype; None (default) keeps it.
        requirements: Ignored.

    Returns:
        Tensor.

    >>> import py_tensor as pt
    >>> pt.require([1, 2], "float32").tolist()
    [1.0, 2.0]
    """
    return F.asarray(a, dtype=dtype)


@named
def asarray_chkfinite(a: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """Convert an argument to a tensor and check that all elements are finite, which reads them.

    Args:
        a: Tensor or array-like.
        dtype: Dtype; None (default) keeps it.

    Returns:
        Tensor.

    Raises:
        ArgumentError: If an element is infinite or NaN.

    >>> import py_tensor as pt
    >>> pt.asarray_chkfinite([1.0, 2.0]).tolist()
    [1.0, 2.0]
    """
    x = F.asarray(a, dtype=dtype)
    if x.dtype.kind in "fc" and not bool(F.all(F.isfinite(x))):
        raise ArgumentError("asarray_chkfinite: an element is infinite or NaN; use isfinite")
    return x
