"""Create tensors from shapes, ranges, grids and triangles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, overload

from ..dtypes import (
    DOUBLE_END,
    OF_PYTHON,
    DType,
    as_dtype,
    as_float,
    float32,
    int32,
    limited,
    of_scalar,
    uint32,
    wrong_type,
)
from ..errors import ArgumentError, DTypeError, ShapeError
from ..ir.node import node_of, scalar_node
from ..ir.tracer import ScalarTracer, element, kind_of, whole
from ..ops.sources import IOTA
from ..ops.views import BROADCAST
from ..runtime import host_data
from ..runtime.executor import backend, check_device
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, DTypeLike, ShapeLike
from .arguments import MOST_ELEMENTS, a_shape, choice, flag, integer
from .conversion import asarray
from .decorators import named
from .elementwise import astype, where
from .manipulation import broadcast_to, expand_dims, moveaxis, reshape


@named
def full(
    shape: ShapeLike,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    device: str | None = None,
) -> Tensor:
    """Create a tensor filled with one value.

    Args:
        shape: Length or sequence of lengths.
        fill_value: Python number, or tensor or array-like that broadcasts to the shape.
        dtype: Dtype of the result; None (default) for bool, int32, float32 or complex64 by the type
            of the value.
        device: The backend in use, or None (default).

    Returns:
        Tensor of the given shape.

    Raises:
        ShapeError: If a length is negative.
        DTypeError: If the dtype cannot hold the value.

    >>> import py_tensor as pt
    >>> pt.full((2, 2), 7).tolist()
    [[7, 7], [7, 7]]
    """
    check_device("full", device)
    if isinstance(fill_value, list | tuple) or getattr(fill_value, "shape", None):
        return broadcast_to(asarray(fill_value, dtype), a_shape("full", shape))
    value: Any = fill_value
    if type(value) is not ScalarTracer:
        value = host_data.plain_number("full", value)
        if not isinstance(value, int | float | complex):
            raise wrong_type("full", "fill_value", "a number", value)
    kind = kind_of(value)
    kinds = (bool, int, complex)
    natural = next((OF_PYTHON[known] for known in kinds if issubclass(kind, known)), float32)
    target = natural if dtype is None else as_dtype(dtype, "full")
    return _filled("full", a_shape("full", shape), value, target)


def _filled(operation: str, shape: tuple[int, ...], value: Any, dtype: DType) -> Tensor:
    backend().check_size(operation, shape, dtype)
    if issubclass(kind_of(value), complex) and dtype.kind != "c":
        raise DTypeError(
            f"{operation}: dtype {dtype} cannot hold complex numbers; got {value}; use "
            'dtype="complex64"'
        )
    scalar = scalar_node(element(operation, value, dtype), dtype)
    return Tensor(node_of(BROADCAST, (scalar,), shape))


def _constant(
    operation: str, shape: ShapeLike, value: int, dtype: DTypeLike | None, device: str | None
) -> Tensor:
    check_device(operation, device)
    lengths = a_shape(operation, shape)
    return _filled(
        operation, lengths, value, as_dtype(float32 if dtype is None else dtype, operation)
    )


def zeros(shape: ShapeLike, dtype: DTypeLike = float32, *, device: str | None = None) -> Tensor:
    """Create a tensor filled with zeros.

    Args:
        shape: Length or sequence of lengths.
        dtype: Dtype of the result; float32 by default.
        device: The backend in use, or None (default).

    Returns:
        Tensor of the given shape and dtype.

    Raises:
        ShapeError: If a length is negative.
        DTypeError: If the dtype does not exist.

    >>> import py_tensor as pt
    >>> pt.zeros(3).tolist()
    [0.0, 0.0, 0.0]
    """
    return _constant("zeros", shape, 0, dtype, device)


def ones(shape: ShapeLike, dtype: DTypeLike = float32, *, device: str | None = None) -> Tensor:
    """Create a tensor filled with ones.

    Args:
        shape: Length or sequence of lengths.
        dtype: Dtype of the result; float32 by default.
        device: The backend in use, or None (default).

    Returns:
        Tensor of the given shape and dtype.

    Raises:
        ShapeError: If a length is negative.
        DTypeError: If the dtype does not exist.

    >>> import py_tensor as pt
    >>> pt.ones((1, 2)).tolist()
    [[1.0, 1.0]]
    """
    return _constant("ones", shape, 1, dtype, device)


def empty(shape: ShapeLike, dtype: DTypeLike = float32, *, device: str | None = None) -> Tensor:
    """Create a tensor whose values do not matter; they are zeros.

    Args:
        shape: Length or sequence of lengths.
        dtype: Dtype of the result; float32 by default.
        device: The backend in use, or None (default).

    Returns:
        Tensor of the given shape and dtype.

    Raises:
        ShapeError: If a length is negative.
        DTypeError: If the dtype does not exist.

    >>> import py_tensor as pt
    >>> pt.empty((2, 3)).shape
    (2, 3)
    """
    return _constant("empty", shape, 0, dtype, device)


@named
def zeros_like(
    x: ArrayLike, /, dtype: DTypeLike | None = None, *, device: str | None = None
) -> Tensor:
    """Create zeros in the shape of another tensor.

    Args:
        x: Tensor or array-like that gives the shape.
        dtype: Dtype of the result; None (default) for that of x.
        device: The backend in use, or None (default).

    Returns:
        Tensor of the shape of x.

    Raises:
        DTypeError: If the dtype does not exist.

    >>> import py_tensor as pt
    >>> pt.zeros_like(pt.asarray([1, 2])).tolist()
    [0, 0]
    """
    x = as_tensor("zeros_like", x)
    return zeros(x.shape, dtype=x.dtype if dtype is None else dtype, device=device)


@named
def ones_like(
    x: ArrayLike, /, dtype: DTypeLike | None = None, *, device: str | None = None
) -> Tensor:
    """Create ones in the shape of another tensor.

    Args:
        x: Tensor or array-like that gives the shape.
        dtype: Dtype of the result; None (default) for that of x.
        device: The backend in use, or None (default).

    Returns:
        Tensor of the shape of x.

    Raises:
        DTypeError: If the dtype does not exist.

    >>> import py_tensor as pt
    >>> pt.ones_like(pt.asarray([1, 2])).tolist()
    [1, 1]
    """
    x = as_tensor("ones_like", x)
    return ones(x.shape, dtype=x.dtype if dtype is None else dtype, device=device)


@named
def full_like(
    x: ArrayLike,
    /,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    device: str | None = None,
) -> Tensor:
    """Create a tensor filled with one value, in the shape of another tensor.

    Args:
        x: Tensor or array-like that gives the shape.
        fill_value: Python number, or tensor or array-like that broadcasts to the shape.
        dtype: Dtype of the result; None (default) for that of x.
        device: The backend in use, or None (default).

    Returns:
        Tensor of the shape of x.

    Raises:
        DTypeError: If the dtype cannot hold the value.

    >>> import py_tensor as pt
    >>> pt.full_like(pt.asarray([1, 2]), 5).tolist()
    [5, 5]
    """
    x = as_tensor("full_like", x)
    return full(x.shape, fill_value, dtype=x.dtype if dtype is None else dtype, device=device)


@named
def empty_like(
    x: ArrayLike, /, dtype: DTypeLike | None = None, *, device: str | None = None
) -> Tensor:
    """Create a tensor in the shape of another one whose values do not matter; they are zeros.

    Args:
        x: Tensor or array-like that gives the shape.
        dtype: Dtype of the result; None (default) for that of x.
        device: The backend in use, or None (default).

    Returns:
        Tensor of the shape of x.

    Raises:
        DTypeError: If the dtype does not exist.

    >>> import py_tensor as pt
    >>> pt.empty_like(pt.asarray([1, 2])).shape
    (2,)
    """
    x = as_tensor("empty_like", x)
    return empty(x.shape, dtype=x.dtype if dtype is None else dtype, device=device)


def _iota(shape: tuple[int, ...]) -> Tensor:
    return Tensor(node_of(IOTA, (), shape))


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    dtype: DTypeLike | None = None,
    *,
    device: str | None = None,
) -> Tensor:
    """Create the vector start, start + step, ... up to but not including stop.

    If numbers are fractional and the dtype is an integer one, the first two values are truncated
    and their difference becomes the step.

    Args:
        start: First value; the end, if it is the only argument, and the first value is then 0.
        stop: End, which the result does not include; None (default) if only `start` is given.
        step: Difference between values; 1 by default.
        dtype: Dtype of the result; None (default) for int32 if all arguments are integers, else
            float32.
        device: The backend in use, or None (default).

    Returns:
        Vector of ceil((stop - start) / step) elements, none if that is negative.

    Raises:
        ArgumentError: If `step` is zero or the length is not finite.
        DTypeError: If an integer dtype cannot hold the first or the last value.

    >>> import py_tensor as pt
    >>> pt.arange(2, 8, 2).tolist()
    [2, 4, 6]
    """
    check_device("arange", device)
    if stop is None:
        start, stop = 0, start
    limits = {"start": start, "stop": stop, "step": step}
    start, stop, step = (_real("arange", name, value) for name, value in limits.items())
    if step == 0:
        raise ArgumentError("arange: step must not be zero; got step 0; use another step")
    integers = all(isinstance(v, int) for v in (start, stop, step))
    target = as_dtype(dtype, "arange") if dtype is not None else int32 if integers else float32
    if integers:
        length = int(max(0, -(-(stop - start) // step)))
    else:
        length = _length(*map(as_float, (start, stop, step)))
    backend().check_size("arange", (length,), target)
    position = _iota((length,))
    if target.kind in "iu":
        if not integers and length:
            first = whole("arange", target, start)
            start, step = first, whole("arange", target, start + step) - first if length > 1 else 0
        return _counted(position, int(start), int(step), target)
    return astype(astype(position, float32) * as_float(step) + as_float(start), target)


def _real(operation: str, name: str, value: Any) -> Any:
    """Return a real Python number, an int if it is one."""
    plain = host_data.plain_number(operation, value)
    if not isinstance(plain, int | float):
        raise wrong_type(operation, name, "a number", value)
    return plain


def _length(start: float, stop: float, step: float) -> int:
    steps = (stop - start) / step
    if not math.isfinite(steps):
        raise ArgumentError(
            f"arange: length must be finite; got {start} to {stop} by {step}; use finite numbers"
        )
    return max(0, math.ceil(steps))


def _counted(position: Tensor, start: int, step: int, dtype: DType) -> Tensor:
    """Return position * step + start in integers."""
    for at in (0, position.size - 1) if position.size else ():
        of_scalar("arange", start + at * step, dtype)
    wide = uint32 if dtype is uint32 else int32
    # Intermediate results may wrap: the last step is exact modulo 2**32.
    start, step = ((v - wide.lowest) % 2**32 + wide.lowest for v in (start, step))
    position = astype(position, wide)
    return astype(position * step + start if (start, step) != (0, 1) else position, dtype)


@overload
@named
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    /,
    num: int = ...,
    endpoint: bool = ...,
    retstep: Literal[False] = ...,
    dtype: DTypeLike | None = ...,
    axis: int = ...,
    *,
    device: str | None = ...,
) -> Tensor: ...
@overload
@named
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    /,
    num: int = ...,
    endpoint: bool = ...,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = ...,
    axis: int = ...,
    device: str | None = ...,
) -> tuple[Tensor, Any]: ...
@named
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    /,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: str | None = None,
) -> Any:
    """Create `num` evenly spaced values from `start` to `stop`.

    Args:
        start: First value, real or complex, or a tensor of them.
        stop: Last value, real or complex, or a tensor of them.
        num: Number of values; 50 by default.
        endpoint: Include `stop`; True by default.
        retstep: Also return the distance of values; False by default.
        dtype: Dtype of the result; None (default) for float32, or complex64 if a limit is complex.
            Values are rounded down for integer dtypes.
        axis: Axis of the values if a limit is a tensor; 0 by default.
        device: The backend in use, or None (default).

    Returns:
        Vector of `num` elements, or a tensor with that axis if a limit is a tensor. With `retstep`,
        a tuple of it and the distance.

    Raises:
        ArgumentError: If `num` is negative.
        DTypeError: If a limit is complex and the dtype real, or an integer dtype cannot hold a
            value.

    >>> import py_tensor as pt
    >>> pt.linspace(0, 1, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    check_device("linspace", device)
    num = integer("linspace", "num", num, 0, MOST_ELEMENTS)
    endpoint, retstep = flag("linspace", "endpoint", endpoint), flag("linspace", "retstep", retstep)
    if any(isinstance(v, list | tuple) or getattr(v, "shape", None) for v in (start, stop)):
        return _between(start, stop, num, endpoint, retstep, dtype, axis)
    first, last = (host_data.plain_number("linspace", v) for v in (start, stop))
    for name, value in (("start", first), ("stop", last)):
        if not isinstance(value, int | float | complex):
            raise wrong_type("linspace", name, "a number", value)
    number: Any = complex if isinstance(first, complex) or isinstance(last, complex) else float
    target = as_dtype(dtype, "linspace") if dtype is not None else OF_PYTHON[number]
    steps = num - 1 if endpoint else num
    first, last = (number(limited(v, DOUBLE_END)) for v in (first, last))
    step = (last - first) / steps if steps > 0 else 0.0
    if target.kind in "iu" and number is float:
        # float32 holds integers of at most 24 bits exactly.
        backend().check_size("linspace", (num,), target)
        numbers = [at * step + first for at in range(num)]
        if endpoint and num > 1:
            numbers[-1] = last
        floors = [math.floor(v) if math.isfinite(v) else v for v in numbers]
        whole_numbers = as_tensor("linspace", floors, target)
        return (whole_numbers, step) if retstep else whole_numbers
    position = astype(_iota((num,)), float32)
    values = position * step + first
    if endpoint and num > 1:
        # Rounding must not move the last value away from `stop`.
        values = where(position == float(num - 1), last, values)
    result = astype(values, target)
    return (result, step) if retstep else result


def _between(
    start: ArrayLike,
    stop: ArrayLike,
    num: int,
    endpoint: bool,
    retstep: bool,
    dtype: DTypeLike | None,
    axis: int,
) -> Any:
    """Return evenly spaced values between the elements of tensors."""
    first, last = (as_tensor("linspace", v) for v in (start, stop))
    first, last = (x if x.dtype.kind in "fc" else astype(x, float32) for x in (first, last))
    steps = max(num - 1 if endpoint else num, 1)
    step = (last - first) / float(steps)
    at = reshape(astype(arange(num), float32), (num, *(1,) * step.ndim))
    values = step * at + first
    if endpoint and num > 1:
        values = where(at == float(num - 1), last, values)
    values = moveaxis(values if dtype is None else astype(values, dtype), 0, axis)
    return (values, step) if retstep else values


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    k: int = 0,
    dtype: DTypeLike | None = None,
    *,
    device: str | None = None,
) -> Tensor:
    """Create a matrix with ones on one diagonal and zeros elsewhere.

    Args:
        n_rows: Number of rows.
        n_cols: Number of columns; None (default) for `n_rows`.
        k: Diagonal to fill: positive numbers are above the main one, which is 0 (default).
        dtype: Dtype of the result; None (default) for float32.
        device: The backend in use, or None (default).

    Returns:
        Tensor of shape (n_rows, n_cols).

    Raises:
        ShapeError: If a length is negative.
        DTypeError: If the dtype does not exist.

    >>> import py_tensor as pt
    >>> pt.eye(2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    check_device("eye", device)
    n_rows = integer("eye", "n_rows", n_rows)
    columns = n_rows if n_cols is None else integer("eye", "n_cols", n_cols)
    k = max(-n_rows, min(integer("eye", "k", k), columns))
    target = float32 if dtype is None else as_dtype(dtype, "eye")
    shape = a_shape("eye", (n_rows, columns))
    backend().check_size("eye", shape, target)
    position = _iota(shape)
    width = max(columns, 1)
    return astype(position % width - position // width == k, target)


def meshgrid(
    *arrays: ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Tensor, ...]:
    """Return the coordinates of each point of the grid that vectors span.

    Args:
        arrays: Vectors of coordinates, all of one dtype.
        copy: Ignored; True by default.
        sparse: Return vectors that broadcast instead; False by default.
        indexing: "xy" (default) puts the second vector along the first axis, as in images; "ij"
            puts the first vector there.

    Returns:
        Tuple of one tensor per vector, each of the shape of the grid.

    Raises:
        ShapeError: If a tensor has several axes.
        DTypeError: If the dtypes differ.
        ArgumentError: If `indexing` is neither "xy" nor "ij".

    >>> import py_tensor as pt
    >>> x, y = pt.meshgrid(pt.asarray([1, 2, 3]), pt.asarray([4, 5]))
    >>> x.tolist(), y.tolist()
    ([[1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5]])
    """
    choice("meshgrid", "indexing", indexing, ("xy", "ij"))
    vectors = [as_tensor("meshgrid", x) for x in arrays]
    for x in vectors:
        if x.ndim > 1:
            raise ShapeError(
                f"meshgrid: inputs must have one axis each; got shape {x.shape}; use flatten"
            )
        if x.dtype is not vectors[0].dtype:
            raise DTypeError(
                f"meshgrid: dtypes must be equal; got {vectors[0].dtype} and {x.dtype}; use .astype"
            )
    places = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        places[0], places[1] = 1, 0
    lengths = [0] * len(vectors)
    for x, axis in zip(vectors, places, strict=True):
        lengths[axis] = x.size
    parts = tuple(
        reshape(x, tuple(x.size if at == axis else 1 for at in range(len(vectors))))
        for x, axis in zip(vectors, places, strict=True)
    )
    return (
        parts
        if flag("meshgrid", "sparse", sparse)
        else tuple(broadcast_to(part, tuple(lengths)) for part in parts)
    )


def _triangle(operation: str, x: ArrayLike, keep: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    x = as_tensor(operation, x)
    if x.ndim < 2:
        raise ShapeError(
            f"{operation}: input must have two axes; got shape {x.shape}; reshape it first"
        )
    row, column = expand_dims(arange(x.shape[-2]), axis=1), arange(x.shape[-1])
    return where(keep(row, column), x, zeros((), dtype=x.dtype))


@named
def tril(x: ArrayLike, /, k: int = 0) -> Tensor:
    """Return the lower triangle of each matrix, with zeros above it.

    Args:
        x: Tensor or array-like of shape (..., m, n) and any dtype.
        k: Last diagonal to keep: positive numbers are above the main one, which is 0 (default).

    Returns:
        Tensor of the shape and dtype of x.

    Raises:
        ShapeError: If x has fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.tril(pt.ones((2, 2))).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    k = integer("tril", "k", k)
    return _triangle("tril", x, lambda row, column: column - row <= k)


@named
def triu(x: ArrayLike, /, k: int = 0) -> Tensor:
    """Return the upper triangle of each matrix, with zeros below it.

    Args:
        x: Tensor or array-like of shape (..., m, n) and any dtype.
        k: First diagonal to keep: positive numbers are above the main one, which is 0 (default).

    Returns:
        Tensor of the shape and dtype of x.

    Raises:
        ShapeError: If x has fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.triu(pt.ones((2, 2))).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    k = integer("triu", "k", k)
    return _triangle("triu", x, lambda row, column: column - row >= k)
