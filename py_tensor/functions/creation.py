"""Creation functions: tensors out of shapes and numbers, made where used, never uploaded."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import conversion
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
)
from ..errors import ArgumentError, DTypeError
from ..nodes import node_of, scalar_node
from ..ops.sources import IOTA
from ..ops.views import BROADCAST
from ..runtime import backend, check_device
from ..tensor import Tensor, as_tensor, asarray, node_behind
from ..tracing import TracedNumber, fitting, kind_of, whole
from .axes import a_shape
from .elementwise import astype


def full(shape: Any, fill_value: complex, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor of that shape and of one value.

    `shape` is a length or several. `dtype` is taken from the value where it is not given: bool,
    int32, float32 or complex64. Raises ShapeError for negative lengths, DTypeError for a value that
    the dtype does not hold.

    >>> import py_tensor as pt
    >>> pt.full((2, 2), 7).tolist()
    [[7, 7], [7, 7]]
    """
    check_device("full", device)
    value: Any = fill_value
    if type(value) is not TracedNumber:
        value = conversion.plain_number("full", value)
    kind = kind_of(value)
    kinds = (bool, int, complex)
    natural = next((OF_PYTHON[known] for known in kinds if issubclass(kind, known)), float32)
    target = natural if dtype is None else as_dtype(dtype, "full")
    return _filled("full", a_shape("full", shape), value, target)


def _filled(operation: str, shape: tuple[int, ...], value: Any, dtype: DType) -> Tensor:
    backend().check_size(operation, shape, dtype)
    if issubclass(kind_of(value), complex) and dtype.kind != "c":
        raise DTypeError(
            f'{operation}: complex number for dtype {dtype}; got {value}; use dtype="complex64"'
        )
    if type(value) is TracedNumber or dtype.kind in "cf":
        value = fitting(operation, value, dtype)
    elif dtype.kind == "b":
        value = bool(value)
    else:
        value = whole(operation, dtype, value)
    return Tensor(node_of(BROADCAST, (scalar_node(value, dtype),), shape))


def zeros(shape: Any, *, dtype: Any = float32, device: Any = None) -> Tensor:
    """A tensor of zeros.

    `shape` is a length or several, `dtype` any. Raises ShapeError for negative lengths, DTypeError
    for dtypes that do not exist.

    >>> import py_tensor as pt
    >>> pt.zeros(3).tolist()
    [0.0, 0.0, 0.0]
    """
    check_device("zeros", device)
    return _filled("zeros", a_shape("zeros", shape), 0, as_dtype(dtype or float32, "zeros"))


def ones(shape: Any, *, dtype: Any = float32, device: Any = None) -> Tensor:
    """A tensor of ones.

    `shape` is a length or several, `dtype` any. Raises ShapeError for negative lengths, DTypeError
    for dtypes that do not exist.

    >>> import py_tensor as pt
    >>> pt.ones((1, 2)).tolist()
    [[1.0, 1.0]]
    """
    check_device("ones", device)
    return _filled("ones", a_shape("ones", shape), 1, as_dtype(dtype or float32, "ones"))


def empty(shape: Any, *, dtype: Any = float32, device: Any = None) -> Tensor:
    """A tensor whose values do not matter; they are zeros.

    Arguments and errors are those of `zeros`.

    >>> import py_tensor as pt
    >>> pt.empty((2, 3)).shape
    (2, 3)
    """
    check_device("empty", device)
    return _filled("empty", a_shape("empty", shape), 0, as_dtype(dtype or float32, "empty"))


def zeros_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros of another tensor's shape, and dtype unless one is given.

    Raises DTypeError for dtypes that do not exist.

    >>> import py_tensor as pt
    >>> pt.zeros_like(pt.asarray([1, 2])).tolist()
    [0, 0]
    """
    x = as_tensor("zeros_like", x)
    return zeros(x.shape, dtype=dtype or x.dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones of another tensor's shape, and dtype unless one is given.

    Raises DTypeError for dtypes that do not exist.

    >>> import py_tensor as pt
    >>> pt.ones_like(pt.asarray([1, 2])).tolist()
    [1, 1]
    """
    x = as_tensor("ones_like", x)
    return ones(x.shape, dtype=dtype or x.dtype, device=device)


def full_like(
    x: Tensor, /, fill_value: complex, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """One value in another tensor's shape, and dtype unless one is given.

    Raises DTypeError for a value that the dtype does not hold.

    >>> import py_tensor as pt
    >>> pt.full_like(pt.asarray([1, 2]), 5).tolist()
    [5, 5]
    """
    x = as_tensor("full_like", x)
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor like another whose values do not matter; they are zeros.

    Raises DTypeError for dtypes that do not exist.

    >>> import py_tensor as pt
    >>> pt.empty_like(pt.asarray([1, 2])).shape
    (2,)
    """
    x = as_tensor("empty_like", x)
    return empty(x.shape, dtype=dtype or x.dtype, device=device)


def _iota(shape: tuple[int, ...]) -> Tensor:
    return Tensor(node_of(IOTA, (), shape))


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: Any = None,
    device: Any = None,
) -> Tensor:
    """start, start + step, ... up to before stop; with one argument, from 0 up to before it.

    A vector, of int32 where all are integers, else of float32, unless `dtype` is given. Of floats
    for an integer dtype, the first two are cut to integers, and the others go on by their
    difference. Raises ArgumentError for step 0 and infinite lengths, DTypeError where the dtype is
    of integers and does not hold the first or the last one.

    >>> import py_tensor as pt
    >>> pt.arange(2, 8, 2).tolist()
    [2, 4, 6]
    """
    check_device("arange", device)
    if stop is None:
        start, stop = 0, start
    start, stop, step = (conversion.plain_number("arange", v) for v in (start, stop, step))
    if step == 0:
        raise ArgumentError("arange: step is zero; got step 0; use a step other than 0")
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


def _length(start: float, stop: float, step: float) -> int:
    steps = (stop - start) / step
    if not math.isfinite(steps):
        raise ArgumentError(
            f"arange: length is not finite; got {start} to {stop} by {step}; give finite numbers"
        )
    return max(0, math.ceil(steps))


def _counted(position: Tensor, start: int, step: int, dtype: DType) -> Tensor:
    """Each position times step, plus start, in integers."""
    for at in (0, position.size - 1) if position.size else ():
        of_scalar("arange", start + at * step, dtype)
    wide = uint32 if dtype is uint32 else int32
    # What fits in the end is right modulo 2**32, whatever was on the way.
    start, step = ((v - wide.lowest) % 2**32 + wide.lowest for v in (start, step))
    position = astype(position, wide)
    return astype(position * step + start if (start, step) != (0, 1) else position, dtype)


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> Tensor:
    """`num` evenly spaced values from `start` to `stop`, the last unless `endpoint` is False.

    A vector of float32, of complex64 where a limit is complex, unless `dtype` is given; for integer
    dtypes, values are rounded down. Raises ArgumentError for negative `num`, DTypeError for complex
    limits and a real dtype, and where an integer dtype does not hold a value.

    >>> import py_tensor as pt
    >>> pt.linspace(0, 1, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    check_device("linspace", device)
    if num < 0:
        raise ArgumentError(f"linspace: num is negative; got {num}; use 0 or more")
    first, last = (conversion.plain_number("linspace", v) for v in (start, stop))
    number: Any = complex if isinstance(first, complex) or isinstance(last, complex) else float
    target = as_dtype(dtype, "linspace") if dtype is not None else OF_PYTHON[number]
    steps = num - 1 if endpoint else num
    first, last = (number(limited(v, DOUBLE_END)) for v in (first, last))
    step = (last - first) / steps if steps > 0 else 0.0
    if target.kind in "iu" and number is float:
        # Of integers, float32 has 24 bits.
        backend().check_size("linspace", (num,), target)
        numbers = [at * step + first for at in range(num)]
        if endpoint and num > 1:
            numbers[-1] = last
        floors = [math.floor(v) if math.isfinite(v) else v for v in numbers]
        return as_tensor("linspace", floors, target)
    position = astype(_iota((num,)), float32)
    values = position * step + first
    if endpoint and num > 1:
        # Rounding must not move the last value away from `stop`.
        from .elementwise import PUBLIC as elementwise

        values = elementwise["where"](position == float(num - 1), last, values)
    return astype(values, target)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None
) -> Tensor:
    """Ones on the diagonal `k` places right of the main one, zeros elsewhere.

    Shape (n_rows, n_cols), as many columns as rows where None; float32 unless `dtype` is given.
    Raises ShapeError for negative lengths, DTypeError for dtypes that do not exist.

    >>> import py_tensor as pt
    >>> pt.eye(2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    check_device("eye", device)
    columns = n_rows if n_cols is None else n_cols
    k = max(-n_rows, min(k, columns))
    target = float32 if dtype is None else as_dtype(dtype, "eye")
    shape = a_shape("eye", (n_rows, columns))
    position = _iota(shape)
    width = max(columns, 1)
    return astype(position % width - position // width == k, target)


def copy(x: Tensor, /) -> Tensor:
    """Another handle on the same value.

    Changing one in place leaves the other. Raises DisposedError where x has ended.

    >>> import py_tensor as pt
    >>> x = pt.asarray([1])
    >>> y = pt.copy(x)
    >>> x += 1
    >>> y.tolist()
    [1]
    """
    return Tensor(node_behind("copy", as_tensor("copy", x)))


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor of the values of an array of another library that lies in the CPU's memory.

    Host data is always copied: ArgumentError for `copy=False`. Needs NumPy for what offers DLPack
    but no buffer.

    >>> import py_tensor as pt
    >>> pt.from_dlpack(pt.asarray([1, 2])).tolist()
    [1, 2]
    """
    check_device("from_dlpack", device)
    if copy is False and not isinstance(x, Tensor):
        raise ArgumentError(
            "from_dlpack: host data is always copied; got copy=False; leave copy out"
        )
    if isinstance(x, Tensor):
        return asarray(x, copy=copy)
    return as_tensor("from_dlpack", conversion.through_dlpack(x))


PUBLIC: dict[str, Callable[..., Tensor]] = {
    function.__name__: function
    for function in (
        arange,
        asarray,
        copy,
        empty,
        empty_like,
        eye,
        from_dlpack,
        full,
        full_like,
        linspace,
        ones,
        ones_like,
        zeros,
        zeros_like,
    )
}
