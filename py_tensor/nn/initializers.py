"""Initial weights: functions of a shape that draw from `pt.random`, seeded by `pt.random.seed`.

The spread depends on the fans: how many inputs each output has, and how many outputs each input
has. In a shape (..., inputs, outputs) the axes before are those of a kernel, and multiply both.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import random
from ..dtypes import float32
from ..errors import ShapeError
from ..functions.creation import ones, zeros
from ..tensor import Tensor

__all__ = [
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "lecun_normal",
    "lecun_uniform",
    "ones",
    "orthogonal",
    "zeros",
]

Initializer = Callable[..., Tensor]
"""Called with a shape, and by keyword with `dtype`."""


def glorot_uniform(shape: Any, *, dtype: Any = float32) -> Tensor:
    """Uniform in +-sqrt(6 / (fan_in + fan_out)). (Glorot and Bengio 2010, AISTATS.)

    Raises ShapeError for fewer than two axes, DTypeError for dtypes that are not floating.

    >>> import py_tensor as pt
    >>> bool((pt.abs(pt.nn.initializers.glorot_uniform((4, 2))) <= 1).all())
    True
    """
    fan_in, fan_out = _fans("glorot_uniform", shape)
    return _uniform(shape, 2 / (fan_in + fan_out), dtype)


def glorot_normal(shape: Any, *, dtype: Any = float32) -> Tensor:
    """Normal with variance 2 / (fan_in + fan_out). (Glorot and Bengio 2010, AISTATS.)

    Errors are those of `glorot_uniform`.

    >>> import py_tensor as pt
    >>> pt.nn.initializers.glorot_normal((4, 2)).shape
    (4, 2)
    """
    fan_in, fan_out = _fans("glorot_normal", shape)
    return _normal(shape, 2 / (fan_in + fan_out), dtype)


def he_uniform(shape: Any, *, dtype: Any = float32) -> Tensor:
    """Uniform in +-sqrt(6 / fan_in), for layers before relu. (He et al. 2015, arXiv:1502.01852.)

    Errors are those of `glorot_uniform`.

    >>> import py_tensor as pt
    >>> pt.nn.initializers.he_uniform((3, 3, 4, 2)).shape
    (3, 3, 4, 2)
    """
    return _uniform(shape, 2 / _fans("he_uniform", shape)[0], dtype)


def he_normal(shape: Any, *, dtype: Any = float32) -> Tensor:
    """Normal with variance 2 / fan_in, for layers before relu. (He et al. 2015, arXiv:1502.01852.)

    Errors are those of `glorot_uniform`.

    >>> import py_tensor as pt
    >>> pt.nn.initializers.he_normal((3, 3, 4, 2)).shape
    (3, 3, 4, 2)
    """
    return _normal(shape, 2 / _fans("he_normal", shape)[0], dtype)


def lecun_uniform(shape: Any, *, dtype: Any = float32) -> Tensor:
    """Uniform in +-sqrt(3 / fan_in), for layers before selu. (LeCun et al. 1998.)

    Errors are those of `glorot_uniform`.

    >>> import py_tensor as pt
    >>> pt.nn.initializers.lecun_uniform((4, 2)).shape
    (4, 2)
    """
    return _uniform(shape, 1 / _fans("lecun_uniform", shape)[0], dtype)


def lecun_normal(shape: Any, *, dtype: Any = float32) -> Tensor:
    """Normal with variance 1 / fan_in, for layers before selu. (LeCun et al. 1998.)

    Errors are those of `glorot_uniform`.

    >>> import py_tensor as pt
    >>> pt.nn.initializers.lecun_normal((4, 2)).shape
    (4, 2)
    """
    return _normal(shape, 1 / _fans("lecun_normal", shape)[0], dtype)


def orthogonal(shape: Any, *, dtype: Any = float32) -> Tensor:
    """A matrix with orthonormal columns, or rows where those are fewer; the axes before fold.

    A normal matrix whose singular values Newton and Schulz's iteration brings to 1, by products of
    matrices alone. (Saxe et al. 2013, arXiv:1312.6120.) Raises ShapeError for fewer than two axes.

    >>> import py_tensor as pt
    >>> w = pt.nn.initializers.orthogonal((4, 2))
    >>> bool((pt.abs(w.T @ w - pt.eye(2)) < 1e-5).all())
    True
    """
    _fans("orthogonal", shape)
    rows, columns = math.prod(shape[:-1]), shape[-1]
    few, many = sorted((rows, columns))
    # Singular values of a normal matrix lie within sqrt(many) +- sqrt(few).
    largest = math.sqrt(many) + math.sqrt(few)
    smallest = max(math.sqrt(many) - math.sqrt(few), _SMALLEST * largest)
    x = random.normal((few, many), 0.0, 1 / largest)
    for _ in range(math.ceil(math.log(largest / smallest, 1.5)) + _CONVERGED):
        x = x * 1.5 - (x @ x.T) @ x * 0.5
    return (x if rows == few else x.T).reshape(tuple(shape)).astype(dtype, copy=False)


_SMALLEST = 1e-6
"""The least singular value reckoned with: a square matrix of 100 rows has one in 5,000 below it."""
_CONVERGED = 6
"""Steps that bring a singular value from 0.67 to 1 within float32's precision."""


def _fans(operation: str, shape: Any) -> tuple[int, int]:
    """The numbers of inputs and outputs, from 1 on."""
    if len(shape) < 2:
        raise ShapeError(
            f"{operation}: shape has no inputs and outputs; got {tuple(shape)}; "
            "give at least two axes, or use zeros, ones or pt.random"
        )
    *kernel, inputs, outputs = shape
    return max(1, math.prod(kernel) * inputs), max(1, math.prod(kernel) * outputs)


def _uniform(shape: Any, variance: float, dtype: Any) -> Tensor:
    limit = math.sqrt(3 * variance)
    return random.uniform(shape, -limit, limit, dtype=dtype)


def _normal(shape: Any, variance: float, dtype: Any) -> Tensor:
    return random.normal(shape, 0.0, math.sqrt(variance), dtype=dtype)
