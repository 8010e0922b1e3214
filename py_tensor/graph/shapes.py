"""Check the shapes of an operation's inputs, and infer the shape of its output."""

from __future__ import annotations

import math
from operator import index
from typing import Any, NamedTuple

from ..errors import ArgumentError, ShapeError
from ..ops.op_def import Shape
from .symbols import SymbolicTensor


def wrong(operation: str, problem: str, advice: str, *tensors: SymbolicTensor) -> ShapeError:
    """Return the error for tensors whose shapes are incompatible an operation."""
    got = " and ".join(map(repr, tensors))
    return ShapeError(f"{operation}: {problem}; got {got}; {advice}")


def reshaped(x: SymbolicTensor, shape: Shape) -> Shape:
    if x.size != math.prod(shape):
        raise ShapeError(
            f"reshape: number of elements must not change; got {x!r} for shape {shape}; use a "
            f"shape of {x.size} elements"
        )
    return shape


def elementwise(
    operation: str, x1: SymbolicTensor, x2: SymbolicTensor, rows: bool = False
) -> Shape:
    """Accept equal shapes or a single element; with `rows`, also a matrix and one of its rows."""
    if x1.size == 1:
        return x2.shape
    if x2.size == 1 or x1.shape == x2.shape:
        return x1.shape
    matrix, row = (x1, x2) if len(x1.shape) == 2 else (x2, x1)
    if rows and (len(matrix.shape), len(row.shape)) == (2, 1) and matrix.shape[1:] == row.shape:
        return matrix.shape
    more = ", or a matrix and one of its rows" if rows else ""
    advice = f"use equal shapes, or a single element{more}"
    raise wrong(operation, "shapes are incompatible", advice, x1, x2)


def equal(operation: str, x1: SymbolicTensor, x2: SymbolicTensor) -> Shape:
    if x1.shape != x2.shape:
        raise wrong(operation, "shapes must be equal", "use equal shapes", x1, x2)
    return x1.shape


def single(operation: str, x: SymbolicTensor) -> None:
    if x.size != 1:
        raise wrong(operation, "coefficient must be a single number", "use shape ()", x)


def concatenated(
    operation: str, x1: SymbolicTensor, x2: SymbolicTensor, ndim: int, axis: int
) -> Shape:
    for x in (x1, x2):
        if len(x.shape) != ndim:
            raise wrong(operation, "wrong number of axes", f"use {ndim}", x)
    if not 0 <= axis < ndim:
        raise ShapeError(
            f"{operation}: axis out of range; got axis {axis} for {ndim} axes; use 0 to {ndim - 1}"
        )
    if any(a != b for at, (a, b) in enumerate(zip(x1.shape, x2.shape, strict=True)) if at != axis):
        advice = f"shapes may differ along axis {axis} only"
        raise wrong(operation, "shapes are incompatible", advice, x1, x2)
    joined = list(x1.shape)
    joined[axis] += x2.shape[axis]
    return tuple(joined)


def product(x1: SymbolicTensor, x2: SymbolicTensor) -> Shape:
    """Accept matrices and vectors, at least one of them a matrix."""
    ndims = len(x1.shape), len(x2.shape)
    if ndims not in ((2, 2), (1, 2), (2, 1)):
        advice = "use two matrices, or a matrix and a vector"
        raise wrong("matmul", "operands must be matrices, or a matrix and a vector", advice, x1, x2)
    if x1.shape[-1] != x2.shape[0]:
        advice = (
            "the last axis of the first operand must be as long as the first axis of the second"
        )
        raise wrong("matmul", "inner lengths must be equal", advice, x1, x2)
    return x1.shape[:-1] + x2.shape[1:]


class GraphWindows(NamedTuple):
    """Square windows over an image: the result's shape, and the geometry of the windows."""

    shape: Shape
    field_size: int
    stride: int
    zero_pad: int


def windowed(
    operation: str,
    x: SymbolicTensor,
    field_size: int,
    depth: int,
    stride: int,
    zero_pad: int | None,
) -> GraphWindows:
    """Return windows that fill the padded image exactly."""
    field_size = _whole(operation, "field_size", field_size, 1)
    stride = _whole(operation, "stride", stride, 1)
    if zero_pad is None:
        zero_pad = (x.shape[0] * (stride - 1) - stride + field_size) // 2
    zero_pad = _whole(operation, "zero_pad", zero_pad, 0)
    lengths = []
    for length in x.shape[:2]:
        span = length + 2 * zero_pad - field_size
        if span < 0 or span % stride:
            raise ShapeError(
                f"{operation}: windows do not fill the image exactly; got field_size {field_size}, "
                f"stride {stride} and zero_pad {zero_pad} for {x!r}; length + 2 * zero_pad - "
                "field_size must be a non-negative multiple of stride"
            )
        lengths.append(span // stride + 1)
    return GraphWindows((lengths[0], lengths[1], depth), field_size, stride, zero_pad)


def _whole(operation: str, name: str, value: Any, low: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or index(value) < low:
        raise ArgumentError(
            f"{operation}: {name} is invalid; got {value!r}; use an integer of at least {low}"
        )
    return index(value)
