"""Reduce tensors along axes, or accumulate elements along one axis.

`keepdims` keeps reduced axes with length 1.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ..dtypes import as_dtype, bool_, float32, uint8, wrong_type
from ..errors import ArgumentError, ShapeError
from ..ir.node import OpNode, node_of
from ..ir.tracer import ScalarTracer
from ..ops import OP_DEFS
from ..ops.elementwise import CAST
from ..ops.op_def import Reduction, Scan
from ..ops.views import RESHAPE
from ..runtime.host_data import plain_number
from ..tensor import Tensor, as_tensor, node_behind
from ..typing import ArrayLike, Axis, DTypeLike, Scalar
from . import elementwise, manipulation
from .arguments import converted, ddof_or, flag, one_axis, some_axes, wide
from .complex_numbers import imag, real
from .decorators import documented, remembered
from .elementwise import astype, sqrt, square
from .manipulation import broadcast_to, pad

_REDUCTIONS = {op.name: op for op in OP_DEFS.values() if isinstance(op, Reduction)}
_SCANS = {op.name: op for op in OP_DEFS.values() if isinstance(op, Scan)}
_NEEDS_ELEMENTS = ("max", "min", "argmax", "argmin")
_OF_BOOLS = {"max": "any", "min": "all"}
REDUCTION = """
Args:
    axis: Axis or tuple of axes to reduce; None (default) for all.
    dtype: Dtype to convert x to first; None (default) keeps it.
    out: Tensor to write the result to; None (default) for a new one.
    keepdims: Keep reduced axes with length 1; False by default.
    initial: Element to add to the reduced ones; None (default) for none.
    where: Mask of the elements to reduce, which broadcasts; None (default) for all.
    ddof: NumPy's name of `correction`, which it replaces; None by default.
    correction: Number subtracted from the count of elements; 0 by default.

Raises:
    ShapeError: If an axis does not exist.
"""


def reduction[Function: Callable[..., Any]](function: Function) -> Function:
    """Decorate a reduction: add the contract that they share to its docstring."""
    return documented(REDUCTION)(function)


def _squeezed(node: OpNode, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    if flag("reduce", "keepdims", keepdims) or not axes:
        return Tensor(node)
    shape = tuple(n for axis, n in enumerate(node.spec.shape) if axis not in axes)
    return Tensor(node_of(RESHAPE, (node,), shape))


def _reduce(op: Reduction, x: ArrayLike, axis: Axis, keepdims: bool) -> Tensor:
    node = node_behind(op.name, as_tensor(op.name, x))
    shape = node.spec.shape
    axes = some_axes(op.name, axis, len(shape))
    if op.name in _NEEDS_ELEMENTS and builtins.any(shape[a] == 0 for a in axes):
        raise ShapeError(
            f"{op.name}: no elements along axis {axes}; got shape {shape}; use at least one element"
        )
    if node.spec.dtype is bool_ and op.name in _NEEDS_ELEMENTS:
        if op.name in _OF_BOOLS:
            op = _REDUCTIONS[_OF_BOOLS[op.name]]
        else:
            node = node_of(CAST, (node,), uint8)
    return _squeezed(node_of(op, (node,), axes), axes, keepdims)


def _given(
    operation: str,
    x: ArrayLike,
    axis: Axis,
    initial: Scalar | None,
    mask: ArrayLike | None,
    neutral: Scalar | None,
) -> ArrayLike:
    """Apply NumPy's arguments `where` and `initial` to the elements to reduce."""
    if initial is None and mask is None:
        return x
    tensor = as_tensor(operation, x)
    if initial is not None and not isinstance(initial, ScalarTracer):
        plain = plain_number(operation, initial)
        if not isinstance(plain, int | float | complex):
            raise wrong_type(operation, "initial", "a number", initial)
        initial = plain
    if mask is not None:
        value = initial if neutral is None else neutral
        if value is None:
            raise ArgumentError(f"{operation}: where needs initial; got none; give initial")
        tensor = elementwise.where(mask, tensor, value)
    if initial is not None and tensor.ndim:
        first = some_axes(operation, axis, tensor.ndim)[0]
        tensor = pad(
            tensor,
            [(0, int(at == first)) for at in range(tensor.ndim)],
            "constant",
            constant_values=initial,
        )
    return tensor


def _chosen(mask: ArrayLike, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    """Count the elements that a mask selects; float32."""
    there = broadcast_to(astype(mask, float32), x.shape)
    return _squeezed(node_of(OP_DEFS["sum"], (there._node,), axes), axes, keepdims)


def _total(
    op: Reduction, x: ArrayLike, axis: Axis, dtype: DTypeLike | None, keepdims: bool
) -> Tensor:
    if dtype is None:
        return _reduce(op, x, axis, keepdims)
    target = as_dtype(dtype, op.name)
    return astype(_reduce(op, astype(x, target), axis, keepdims), target, copy=False)


def _position(op: Reduction, x: ArrayLike, axis: int | None, keepdims: bool) -> Tensor:
    tensor = as_tensor(op.name, x)
    node = node_behind(op.name, tensor)
    if axis is not None:
        return _reduce(op, tensor, one_axis(op.name, axis, len(node.spec.shape)), keepdims)
    flat = Tensor(node_of(RESHAPE, (node,), (node.spec.size,)))
    result = _reduce(op, flat, 0, False)
    if flag(op.name, "keepdims", keepdims):
        return Tensor(node_of(RESHAPE, (result._node,), (1,) * len(node.spec.shape)))
    return result


@remembered
@reduction
def sum(
    x: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    keepdims: bool = False,
    initial: Scalar | None = None,
    where: ArrayLike | None = None,
) -> Tensor:
    """Return the sum of the elements along axes.

    Args:
        x: Tensor or array-like of any dtype and any shape.

    Returns:
        Tensor of the shape of x without the reduced axes.
        It has the dtype of x or `dtype`; 32 bits for small integers and bool.

    >>> import py_tensor as pt
    >>> pt.sum(pt.asarray([[0, 2], [3, 4]]), axis=0).tolist()
    [3, 6]
    """
    elements = _given("sum", x, axis, None, where, 0)
    total = _total(_REDUCTIONS["sum"], elements, axis, dtype, keepdims)
    return total if initial is None else elementwise.add(total, initial)


@remembered
@reduction
def prod(
    x: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    keepdims: bool = False,
    initial: Scalar | None = None,
    where: ArrayLike | None = None,
) -> Tensor:
    """Return the product of the elements along axes.

    Args:
        x: Tensor or array-like of any dtype and any shape.

    Returns:
        Tensor of the shape of x without the reduced axes.
        It has the dtype of x or `dtype`; 32 bits for small integers and bool.

    >>> import py_tensor as pt
    >>> pt.prod(pt.asarray([[0, 2], [3, 4]]), axis=0).tolist()
    [0, 8]
    """
    elements = _given("prod", x, axis, None, where, 1)
    total = _total(_REDUCTIONS["prod"], elements, axis, dtype, keepdims)
    return total if initial is None else elementwise.multiply(total, initial)


@remembered
@reduction
def max(
    x: ArrayLike,
    /,
    axis: Axis = None,
    out: Tensor | None = None,
    keepdims: bool = False,
    initial: Scalar | None = None,
    where: ArrayLike | None = None,
) -> Tensor:
    """Return the largest element along axes; NaN if any element is NaN.

    Args:
        x: Tensor or array-like of any dtype and shape. Complex numbers are ordered by
            their real parts, then by their imaginary parts.
        where: Mask of the elements to reduce, which broadcasts; None (default) for all.
            It needs `initial`.

    Returns:
        Tensor of the shape of x without the reduced axes.
        It has the dtype of x.

    Raises:
        ShapeError: If an axis does not exist or has no elements.

    >>> import py_tensor as pt
    >>> pt.max(pt.asarray([[0, 2], [3, 4]]), axis=0).tolist()
    [3, 4]
    """
    elements = _given("max", x, axis, initial, where, None)
    return _reduce(_REDUCTIONS["max"], elements, axis, keepdims)


@remembered
@reduction
def min(
    x: ArrayLike,
    /,
    axis: Axis = None,
    out: Tensor | None = None,
    keepdims: bool = False,
    initial: Scalar | None = None,
    where: ArrayLike | None = None,
) -> Tensor:
    """Return the smallest element along axes; NaN if any element is NaN.

    Args:
        x: Tensor or array-like of any dtype and shape. Complex numbers are ordered by
            their real parts, then by their imaginary parts.
        where: Mask of the elements to reduce, which broadcasts; None (default) for all.
            It needs `initial`.

    Returns:
        Tensor of the shape of x without the reduced axes.
        It has the dtype of x.

    Raises:
        ShapeError: If an axis does not exist or has no elements.

    >>> import py_tensor as pt
    >>> pt.min(pt.asarray([[0, 2], [3, 4]]), axis=0).tolist()
    [0, 2]
    """
    elements = _given("min", x, axis, initial, where, None)
    return _reduce(_REDUCTIONS["min"], elements, axis, keepdims)


@remembered
@reduction
def any(
    x: ArrayLike,
    /,
    axis: Axis = None,
    out: Tensor | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Tensor:
    """Return True if any element along axes is not zero.

    Args:
        x: Tensor or array-like of any dtype and any shape.

    Returns:
        Tensor of the shape of x without the reduced axes.
        Its dtype is bool.

    >>> import py_tensor as pt
    >>> pt.any(pt.asarray([[0, 2], [3, 4]]), axis=0).tolist()
    [True, True]
    """
    elements = _given("any", x, axis, None, where, False)
    return _reduce(_REDUCTIONS["any"], elements, axis, keepdims)


@remembered
@reduction
def all(
    x: ArrayLike,
    /,
    axis: Axis = None,
    out: Tensor | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Tensor:
    """Return True if all elements along axes are not zero.

    Args:
        x: Tensor or array-like of any dtype and any shape.

    Returns:
        Tensor of the shape of x without the reduced axes.
        Its dtype is bool.

    >>> import py_tensor as pt
    >>> pt.all(pt.asarray([[0, 2], [3, 4]]), axis=0).tolist()
    [False, True]
    """
    elements = _given("all", x, axis, None, where, True)
    return _reduce(_REDUCTIONS["all"], elements, axis, keepdims)


@remembered
def argmax(
    x: ArrayLike, /, axis: int | None = None, out: Tensor | None = None, *, keepdims: bool = False
) -> Tensor:
    """Return the index of the first largest element along one axis.

    Args:
        x: Tensor or array-like of any dtype and shape. Complex numbers are ordered by
            their real parts, then by their imaginary parts.
        axis: Axis to search; None (default) for the position in the flattened tensor.
        out: Tensor to write the result to; None (default) for a new one.
        keepdims: Keep the axis with length 1; False by default.

    Returns:
        Tensor of positions, int32, of the shape of x without the axis.

    Raises:
        ShapeError: If an axis does not exist or has no elements.

    >>> import py_tensor as pt
    >>> pt.argmax(pt.asarray([3, 9, 4])).item()
    1
    """
    return _position(_REDUCTIONS["argmax"], x, axis, keepdims)


@remembered
def argmin(
    x: ArrayLike, /, axis: int | None = None, out: Tensor | None = None, *, keepdims: bool = False
) -> Tensor:
    """Return the index of the first smallest element along one axis.

    Args:
        x: Tensor or array-like of any dtype and shape. Complex numbers are ordered by
            their real parts, then by their imaginary parts.
        axis: Axis to search; None (default) for the position in the flattened tensor.
        out: Tensor to write the result to; None (default) for a new one.
        keepdims: Keep the axis with length 1; False by default.

    Returns:
        Tensor of positions, int32, of the shape of x without the axis.

    Raises:
        ShapeError: If an axis does not exist or has no elements.

    >>> import py_tensor as pt
    >>> pt.argmin(pt.asarray([3, 9, 4])).item()
    0
    """
    return _position(_REDUCTIONS["argmin"], x, axis, keepdims)


def _count(x: Tensor, axes: tuple[int, ...]) -> int:
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    return count


def _divided(total: Any, count: float) -> Any:
    """Divide a total by a count; NaN if the count is not positive.

    NaN is added, not multiplied: compilers may fold 0 times an unknown number to 0.
    """
    if count > 0:
        return total * (1.0 / count)
    nan = float("nan")
    return total + (complex(nan, nan) if total.dtype.kind == "c" else nan)


@remembered
@reduction
def mean(
    x: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Tensor:
    """Arithmetic mean of the elements along axes.

    Args:
        x: Tensor or array-like; integers and bool count as float32.

    Returns:
        Tensor of the dtype of x, or float32; NaN if there are no elements.

    >>> import py_tensor as pt
    >>> pt.mean(pt.asarray([1.0, 3.0])).item()
    2.0
    """
    x = converted("mean", x if dtype is None else astype(x, dtype), "cf")
    axes = some_axes("mean", axis, x.ndim)
    values = wide(x if where is None else elementwise.where(where, x, 0))
    total = _squeezed(node_of(OP_DEFS["sum"], (values._node,), axes), axes, keepdims)
    if where is None:
        result = _divided(total, _count(x, axes))
    else:
        result = total / _chosen(where, x, axes, keepdims)
    return astype(result, x.dtype, copy=False)


@remembered
@reduction
def var(
    x: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    ddof: float | None = None,
    keepdims: bool = False,
    *,
    correction: float = 0.0,
    where: ArrayLike | None = None,
) -> Tensor:
    """Variance along axes: the sum of squared distances from the mean over (count - correction).

    Args:
        x: Tensor or array-like; integers and bool count as float32.
        correction: Number subtracted from the count; 0 (default) for the population variance, 1 for
            the sample variance.

    Returns:
        Tensor of the dtype of x, or float32; NaN unless the count is larger than `correction`.
        The result for complex x is real.

    >>> import py_tensor as pt
    >>> pt.var(pt.asarray([1.0, 3.0])).item()
    1.0
    """
    x = converted("var", x if dtype is None else astype(x, dtype), "cf")
    axes = some_axes("var", axis, x.ndim)
    values = wide(x)
    distance = values - mean(values, axis=axes, keepdims=True, where=where)
    if where is not None:
        distance = elementwise.where(where, distance, 0.0)
    squares = squared_size(distance)
    total = _squeezed(node_of(OP_DEFS["sum"], (squares._node,), axes), axes, keepdims)
    less = ddof_or("var", correction, ddof)
    if where is None:
        result = _divided(total, _count(x, axes) - less)
    else:
        count = _chosen(where, x, axes, keepdims) - float(less)
        result = elementwise.where(count > 0.0, total / count, float("nan"))
    return result if x.dtype.kind == "c" else astype(result, x.dtype, copy=False)


def squared_size(x: Tensor) -> Tensor:
    """Return the square of the absolute value; a real tensor."""
    return square(x) if x.dtype.kind != "c" else square(real(x)) + square(imag(x))


@remembered
@reduction
def std(
    x: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    ddof: float | None = None,
    keepdims: bool = False,
    *,
    correction: float = 0.0,
    where: ArrayLike | None = None,
) -> Tensor:
    """Standard deviation along axes: the square root of `var`.

    Args:
        x: Tensor or array-like; integers and bool count as float32.
        correction: Number subtracted from the count of elements, as in `var`; 0 by default.

    Returns:
        Tensor of the dtype of x, or float32; NaN unless the count is larger than `correction`.
        The result for complex x is real.

    >>> import py_tensor as pt
    >>> pt.std(pt.asarray([1.0, 3.0])).item()
    1.0
    """
    less = ddof_or("std", correction, ddof)
    return sqrt(var(x, axis, dtype, keepdims=keepdims, correction=less, where=where))


def _accumulate(
    op: Scan,
    x: ArrayLike,
    axis: int | None,
    dtype: DTypeLike | None,
    include_initial: bool,
    exclusive: bool,
    reverse: bool,
) -> Tensor:
    tensor = as_tensor(op.name, x)
    shape = node_behind(op.name, tensor).spec.shape
    if axis is None and len(shape) != 1:
        raise ShapeError(
            f"{op.name}: axis is required; got shape {shape}; "
            + ("pass axis" if shape else "reshape it to one axis")
        )
    along = one_axis(op.name, 0 if axis is None else axis, len(shape))
    target = None if dtype is None else as_dtype(dtype, op.name)
    if target is not None:
        tensor = astype(tensor, target, copy=False)
    # float16 overflows at 65504, so it accumulates in float32, as in mean.
    half = tensor.dtype.kind == "f" and tensor.dtype.itemsize == 2
    wide = astype(tensor, float32) if half else tensor
    include_initial = flag(op.name, "include_initial", include_initial)
    exclusive = flag(op.name, "exclusive", exclusive)
    wide = manipulation.flip(wide, axis=along) if flag(op.name, "reverse", reverse) else wide
    result = Tensor(node_of(op, (wide._node,), (along, include_initial or exclusive)))
    if exclusive and not include_initial:
        result = result[(slice(None),) * along + (slice(-1),)]
    result = manipulation.flip(result, axis=along) if reverse else result
    target = tensor.dtype if half else target
    return result if target is None else astype(result, target, copy=False)


@remembered
def cumulative_sum(
    x: ArrayLike,
    /,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
    *,
    out: Tensor | None = None,
    exclusive: bool = False,
    reverse: bool = False,
) -> Tensor:
    """Return the sum of each element and all before it along an axis.

    Args:
        x: Tensor or array-like of any dtype.
        axis: Axis to go along; may be None (default) if x has one axis.
        dtype: Dtype to convert x to first; None (default) keeps it.
        include_initial: Prepend the value of an empty sequence; False by default.
        out: Tensor to write the result to; None (default) for a new one.
        exclusive: Leave the element itself out; False by default.
        reverse: Begin at the end of the axis; False by default.

    Returns:
        Tensor of the shape of x, one longer along the axis with `include_initial`.
        It has the dtype of x or `dtype`; 32 bits for small integers and bool.

    Raises:
        ShapeError: If the axis does not exist, or is None and x has not exactly one axis.

    >>> import py_tensor as pt
    >>> pt.cumulative_sum(pt.asarray([2, 3, 4])).tolist()
    [2, 5, 9]
    """
    return _accumulate(
        _SCANS["cumulative_sum"], x, axis, dtype, include_initial, exclusive, reverse
    )


@remembered
def cumulative_prod(
    x: ArrayLike,
    /,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
    *,
    out: Tensor | None = None,
    exclusive: bool = False,
    reverse: bool = False,
) -> Tensor:
    """Return the product of each element and all before it along an axis.

    Args:
        x: Tensor or array-like of any dtype.
        axis: Axis to go along; may be None (default) if x has one axis.
        dtype: Dtype to convert x to first; None (default) keeps it.
        include_initial: Prepend the value of an empty sequence; False by default.
        out: Tensor to write the result to; None (default) for a new one.
        exclusive: Leave the element itself out; False by default.
        reverse: Begin at the end of the axis; False by default.

    Returns:
        Tensor of the shape of x, one longer along the axis with `include_initial`.
        It has the dtype of x or `dtype`; 32 bits for small integers and bool.

    Raises:
        ShapeError: If the axis does not exist, or is None and x has not exactly one axis.

    >>> import py_tensor as pt
    >>> pt.cumulative_prod(pt.asarray([2, 3, 4])).tolist()
    [2, 6, 24]
    """
    return _accumulate(
        _SCANS["cumulative_prod"], x, axis, dtype, include_initial, exclusive, reverse
    )


# Spellings of NumPy.
amax = max
amin = min
