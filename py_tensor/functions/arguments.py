"""Check integers, numbers, functions, sequences, axes, shapes and operands given by the user."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from typing import Any

from ..dtypes import as_float, described, float32, shown, wrong_type
from ..errors import ArgumentError, DisposedError, DTypeError, ShapeError, SizeError, TraceError
from ..ir.node import node_of
from ..ops.elementwise import CAST
from ..ops.op_def import Shape
from ..runtime import host_data
from ..runtime.host_data import plain_number
from ..tensor import Tensor, as_tensor, node_behind
from ..typing import ArrayLike, Axis, ShapeLike

UNREADABLE = (TraceError, DisposedError)
"""Errors about a tensor whose value cannot be read. They keep their text."""


def integer(
    operation: str, name: str, value: Any, least: int | None = None, most: int | None = None
) -> int:
    """Return an integer as an int; raise ArgumentError for others and outside least .. most."""
    try:
        plain = index(value)
    except UNREADABLE:
        raise
    except (TypeError, DTypeError):
        raise wrong_type(operation, name, "an integer", value, "an int") from None
    if least is not None and plain < least:
        raise ArgumentError(
            f"{operation}: {name} is too small; got {shown(plain)}; use {least} or more"
        )
    if most is not None and plain > most:
        raise ArgumentError(
            f"{operation}: {name} is too large; got {shown(plain)}; use at most {most}"
        )
    return plain


MOST_ELEMENTS = (1 << 31) - 1
"""Largest length of an axis."""
MOST_STEPS = 1 << 20
"""Largest number of steps of a loop in Python that an argument may ask for."""


def number(operation: str, name: str, value: Any, *, finite: bool = False) -> float:
    """Return a real number as a float; integers beyond the range of floats become infinite.

    Raises ArgumentError for other values and, if `finite`, for NaN and infinity.
    """
    try:
        plain = plain_number(operation, value)
    except DTypeError:
        plain = None
    if not isinstance(plain, int | float):
        raise wrong_type(operation, name, "a number", value)
    real = as_float(plain)
    if finite and not math.isfinite(real):
        raise ArgumentError(
            f"{operation}: {name} must be finite; got {shown(plain)}; use a finite number"
        )
    return real


def flag(operation: str, name: str, value: Any) -> bool:
    """Return the truth of a value; raise ArgumentTypeError for arrays of several elements."""
    try:
        return bool(value)
    except UNREADABLE:
        raise
    except (TypeError, ValueError):
        raise wrong_type(operation, name, "True or False", value) from None


def function_of(operation: str, name: str, value: Any) -> Callable[..., Any]:
    """Return a callable; raise ArgumentTypeError for other values."""
    if not callable(value):
        raise wrong_type(operation, name, "a function", value)
    function: Callable[..., Any] = value
    return function


def items(operation: str, name: str, value: Any) -> tuple[Any, ...]:
    """Return the items of a sequence, an iterable or the first axis of an array.

    Raises ArgumentTypeError for other values, text and dicts.
    """
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping):
        try:
            iterator = iter(value)
        except TypeError:  # an array without axes
            iterator = None
        if iterator is not None:
            return tuple(iterator)
    raise wrong_type(operation, name, "a sequence", value, "a list or a tuple")


def choice(operation: str, name: str, value: Any, options: Iterable[str]) -> str:
    """Return one of several names; raise ArgumentError for other values."""
    names = tuple(options)
    if isinstance(value, str) and value in names:
        return str(value)
    *quoted, last = (f'"{option}"' for option in names)
    raise ArgumentError(
        f"{operation}: {name} is unknown; got {described(value)}; use {', '.join(quoted)} or {last}"
    )


def one_axis(operation: str, axis: Any, ndim: int) -> int:
    """Return a non-negative axis; raise ShapeError if it is outside -ndim .. ndim - 1."""
    position = axis if axis.__class__ is int else integer(operation, "axis", axis)
    if not -ndim <= position < ndim:
        axes = (
            f"{ndim} axes; use {-ndim} to {ndim - 1}"
            if ndim
            else "a tensor without axes; leave it out"
        )
        raise ShapeError(f"{operation}: axis out of range; got axis {shown(position)} for {axes}")
    return position % ndim


def some_axes(operation: str, axis: Axis, ndim: int) -> tuple[int, ...]:
    """Return sorted non-negative axes, given None (all axes), one axis, or several."""
    if axis is None:
        return tuple(range(ndim))
    listed = axis if isinstance(axis, Sequence) and not isinstance(axis, str) else (axis,)
    axes = [one_axis(operation, a, ndim) for a in listed]
    if len(set(axes)) < len(axes):
        raise ShapeError(f"{operation}: axis given twice; got {tuple(listed)}; name each axis once")
    return tuple(sorted(axes))


def out_of_range(operation: str, position: int, axis: int, length: int) -> ShapeError:
    """Return the error of an index that an axis does not have."""
    advice = f"use {-length} to {length - 1} along axis {axis}" if length else "the axis is empty"
    return ShapeError(
        f"{operation}: index {shown(position)} is out of range; got axis of size {length}; {advice}"
    )


def check_known_indices(
    operation: str, source: Any, indices: Tensor, axis: int, length: int
) -> None:
    """Raise ShapeError if an index is out of range and known without reading a tensor.

    `indices` are the integers that `source` was converted to. If `source` is a tensor, or has
    tensors, the values are on the device or pending, and nothing is checked.
    """
    buffer = indices._node.buffer
    if isinstance(source, Tensor) or buffer is None or buffer.host is None or not indices.size:
        return
    if hasattr(source, "min"):  # an array of NumPy, which is faster than a loop
        low, high = int(source.min()), int(source.max())
    else:
        values = host_data.unpack(memoryview(buffer.host), indices.dtype)
        low, high = min(values), max(values)
    if low < -length or high >= length:
        raise out_of_range(operation, low if low < -length else high, axis, length)


def lengths_of(operation: str, shape: ShapeLike, name: str = "shape") -> Shape:
    """Return integers of any sign, given one or several; they may be an array, as in NumPy."""
    several = isinstance(shape, Sequence) and not isinstance(shape, str)
    lengths: Any = shape if several or getattr(shape, "ndim", 0) == 1 else (shape,)
    return tuple([n if n.__class__ is int else integer(operation, name, n) for n in lengths])


def a_shape(operation: str, shape: ShapeLike) -> Shape:
    """Return a shape, given one length or several; raise ShapeError for negative lengths."""
    lengths = lengths_of(operation, shape)
    if any(n < 0 for n in lengths):
        raise ShapeError(
            f"{operation}: lengths must not be negative; got shape {lengths}; use lengths of at "
            "least 0"
        )
    if any(n > MOST_ELEMENTS for n in lengths):
        raise SizeError(
            f"{operation}: too many elements; got shape {shown(lengths)}; use fewer than 2**31 "
            "elements"
        )
    return lengths


def floating(operation: str, x: ArrayLike, kinds: str = "f") -> Tensor:
    """Convert an argument to a Tensor; raise DTypeError unless its dtype kind is one of `kinds`."""
    tensor = as_tensor(operation, x)
    dtype = node_behind(operation, tensor).spec.dtype
    if dtype.kind not in kinds:
        raise DTypeError(f'{operation}: dtype {dtype} is not floating; use x.astype("float32")')
    return tensor


def converted(operation: str, x: ArrayLike, kinds: str = "f") -> Tensor:
    """Convert an argument to a Tensor, integers and bool to float32, as NumPy does.

    Raises DTypeError for complex numbers unless `kinds` has "c".
    """
    tensor = as_tensor(operation, x)
    if node_behind(operation, tensor).spec.dtype.kind in "iub":
        return wide(tensor)
    return floating(operation, tensor, kinds)


def wide(x: Tensor) -> Tensor:
    """Convert x to float32 for accumulation: float16 overflows at 65504 and has 11 bits.

    Complex tensors are returned unchanged, since their parts are float32 already; so is float64.
    """
    if x.dtype.kind == "c" or (x.dtype.kind == "f" and x.dtype.itemsize >= float32.itemsize):
        return x
    return Tensor(node_of(CAST, (x._node,), float32))


def ddof_or(operation: str, correction: float, ddof: float | None) -> float:
    """Return NumPy's `ddof` if it is given, else the standard's `correction`."""
    name, less = ("correction", correction) if ddof is None else ("ddof", ddof)
    return number(operation, name, less)
