"""Weight initializers: functions of a shape that draw random weights from `pt.random`.

`pt.random.seed` seeds them. The variance depends on the fans of a shape (..., inputs, outputs):
fan_in is the number of inputs of each output, and fan_out the number of outputs of each input. The
leading axes are those of a convolution's kernel, and multiply both fans.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from .. import random
from ..dtypes import float32
from ..errors import ShapeError
from ..functions.arguments import a_shape, flag, function_of, number
from ..functions.creation import eye, full, ones, zeros
from ..functions.decorators import named
from ..functions.elementwise import erfinv
from ..functions.manipulation import broadcast_to
from ..tensor import Tensor
from ..typing import DTypeLike

__all__ = [
    "constant",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "normal",
    "ones",
    "orthogonal",
    "truncated_normal",
    "uniform",
    "zeros",
]

InitializerFunction = Callable[..., Tensor]
"""Function of a shape and the keyword `dtype`."""


@named
def glorot_uniform(shape: Sequence[int], *, dtype: DTypeLike = float32) -> Tensor:
    """Draw weights uniformly from +-sqrt(6 / (fan_in + fan_out)).

    Source: Glorot and Bengio 2010, AISTATS.

    Args:
        shape: Shape with at least two axes, (..., inputs, outputs).
        dtype: float32 (default) or float16.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        DTypeError: If `dtype` is not floating.
        ShapeError: If there are fewer than two axes.

    >>> import py_tensor as pt
    >>> bool((pt.abs(pt.nn.initializers.glorot_uniform((4, 2))) <= 1).all())
    True
    """
    fan_in, fan_out = _fans("glorot_uniform", shape)
    return _uniform(shape, 2 / (fan_in + fan_out), dtype)


@named
def glorot_normal(shape: Sequence[int], *, dtype: DTypeLike = float32) -> Tensor:
    """Draw normal weights with variance 2 / (fan_in + fan_out).

    Source: Glorot and Bengio 2010, AISTATS.

    Args:
        shape: Shape with at least two axes, (..., inputs, outputs).
        dtype: float32 (default) or float16.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        DTypeError: If `dtype` is not floating.
        ShapeError: If there are fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.nn.initializers.glorot_normal((4, 2)).shape
    (4, 2)
    >>> bool(pt.abs(pt.nn.initializers.glorot_normal((100, 100)).std() - 0.1) < 0.01)
    True
    """
    fan_in, fan_out = _fans("glorot_normal", shape)
    return _normal(shape, 2 / (fan_in + fan_out), dtype)


@named
def he_uniform(shape: Sequence[int], *, dtype: DTypeLike = float32) -> Tensor:
    """Draw weights uniformly from +-sqrt(6 / fan_in), for layers before relu.

    Source: He et al. 2015, arXiv:1502.01852.

    Args:
        shape: Shape with at least two axes, (..., inputs, outputs).
        dtype: float32 (default) or float16.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        DTypeError: If `dtype` is not floating.
        ShapeError: If there are fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.nn.initializers.he_uniform((3, 3, 4, 2)).shape
    (3, 3, 4, 2)
    >>> bool((pt.abs(pt.nn.initializers.he_uniform((6, 2))) <= 1).all())
    True
    """
    return _uniform(shape, 2 / _fans("he_uniform", shape)[0], dtype)


@named
def he_normal(shape: Sequence[int], *, dtype: DTypeLike = float32) -> Tensor:
    """Draw normal weights with variance 2 / fan_in, for layers before relu.

    Source: He et al. 2015, arXiv:1502.01852.

    Args:
        shape: Shape with at least two axes, (..., inputs, outputs).
        dtype: float32 (default) or float16.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        DTypeError: If `dtype` is not floating.
        ShapeError: If there are fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.nn.initializers.he_normal((3, 3, 4, 2)).shape
    (3, 3, 4, 2)
    >>> bool(pt.abs(pt.nn.initializers.he_normal((200, 500)).std() - 0.1) < 0.005)
    True
    """
    return _normal(shape, 2 / _fans("he_normal", shape)[0], dtype)


@named
def lecun_uniform(shape: Sequence[int], *, dtype: DTypeLike = float32) -> Tensor:
    """Draw weights uniformly from +-sqrt(3 / fan_in), for layers before selu.

    Source: LeCun et al. 1998.

    Args:
        shape: Shape with at least two axes, (..., inputs, outputs).
        dtype: float32 (default) or float16.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        DTypeError: If `dtype` is not floating.
        ShapeError: If there are fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.nn.initializers.lecun_uniform((4, 2)).shape
    (4, 2)
    >>> bool((pt.abs(pt.nn.initializers.lecun_uniform((3, 2))) <= 1).all())
    True
    """
    return _uniform(shape, 1 / _fans("lecun_uniform", shape)[0], dtype)


@named
def lecun_normal(shape: Sequence[int], *, dtype: DTypeLike = float32) -> Tensor:
    """Draw normal weights with variance 1 / fan_in, for layers before selu.

    Source: LeCun et al. 1998.

    Args:
        shape: Shape with at least two axes, (..., inputs, outputs).
        dtype: float32 (default) or float16.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        DTypeError: If `dtype` is not floating.
        ShapeError: If there are fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.nn.initializers.lecun_normal((4, 2)).shape
    (4, 2)
    >>> bool(pt.abs(pt.nn.initializers.lecun_normal((100, 500)).std() - 0.1) < 0.005)
    True
    """
    return _normal(shape, 1 / _fans("lecun_normal", shape)[0], dtype)


def constant(value: float) -> InitializerFunction:
    """Return an initializer that fills tensors with a value.

    Args:
        value: Number.

    Returns:
        Function of a shape and the keyword `dtype`, for example for `bias_init`.

    >>> import py_tensor as pt
    >>> pt.nn.initializers.constant(0.5)((2,)).tolist()
    [0.5, 0.5]
    """
    value = number("constant", "value", value)
    return lambda shape, *, dtype=float32: full(shape, value, dtype=dtype)


def uniform(low: float = -0.05, high: float = 0.05) -> InitializerFunction:
    """Return an initializer that draws uniformly between two limits.

    Args:
        low: Lower limit; default -0.05, as in Keras.
        high: Upper limit; default 0.05.

    Returns:
        Function of a shape and the keyword `dtype`.

    >>> import py_tensor as pt
    >>> w = pt.nn.initializers.uniform(1.0, 2.0)((4, 3))
    >>> bool(((w >= 1.0) & (w < 2.0)).all())
    True
    """
    low, high = number("uniform", "low", low), number("uniform", "high", high)
    return lambda shape, *, dtype=float32: random.uniform(shape, low=low, high=high, dtype=dtype)


def normal(mean: float = 0.0, deviation: float = 0.05) -> InitializerFunction:
    """Return an initializer that draws from a normal distribution.

    Args:
        mean: Mean; default 0.0.
        deviation: Standard deviation; default 0.05, as in Keras.

    Returns:
        Function of a shape and the keyword `dtype`.

    >>> import py_tensor as pt
    >>> w = pt.nn.initializers.normal(2.0, 0.1)((100, 100))
    >>> bool(pt.abs(w.mean() - 2.0) < 0.01)
    True
    """
    mean = number("normal", "mean", mean)
    deviation = number("normal", "deviation", deviation)
    return lambda shape, *, dtype=float32: random.normal(
        shape, mean=mean, std=deviation, dtype=dtype
    )


def truncated_normal(mean: float = 0.0, deviation: float = 0.05) -> InitializerFunction:
    """Return an initializer that draws from a normal distribution cut off at two deviations.

    Args:
        mean: Mean; default 0.0.
        deviation: Standard deviation before the cut; default 0.05, as in Keras.

    Returns:
        Function of a shape and the keyword `dtype`.

    >>> import py_tensor as pt
    >>> w = pt.nn.initializers.truncated_normal(0.0, 0.5)((100, 100))
    >>> bool((pt.abs(w) <= 1.0).all())
    True
    """
    mean = number("truncated_normal", "mean", mean)
    deviation = number("truncated_normal", "deviation", deviation)
    # Uniform probabilities between those of two deviations, through the inverse distribution.
    limit = math.erf(math.sqrt(2.0))

    def initializer(shape: Sequence[int], *, dtype: DTypeLike = float32) -> Tensor:
        drawn = random.uniform(shape, low=-limit, high=limit)
        values = erfinv(drawn).clip(-math.sqrt(2.0), math.sqrt(2.0)) * (math.sqrt(2.0) * deviation)
        return (values + mean).astype(dtype, copy=False)

    return initializer


@named
def identity(shape: Sequence[int], *, dtype: DTypeLike = float32) -> Tensor:
    """Return a matrix with ones on the diagonal and zeros elsewhere.

    Args:
        shape: Shape of two axes.
        dtype: float32 (default) or float16.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        ShapeError: If there are not two axes.

    >>> import py_tensor as pt
    >>> pt.nn.initializers.identity((2, 3)).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    lengths = a_shape("identity", shape)
    if len(lengths) != 2:
        raise ShapeError(
            f"identity: shape must have two axes; got {lengths}; use it for matrices only"
        )
    rows, columns = lengths
    return eye(rows, columns, dtype=dtype)


@named
def orthogonal(shape: Sequence[int], *, dtype: DTypeLike = float32) -> Tensor:
    """Draw a random matrix with orthonormal columns, or orthonormal rows if it is wide.

    All axes but the last count as one axis of rows. Newton-Schulz iteration brings the singular
    values of a normal matrix to 1, using matrix products only. Source: Saxe et al. 2013,
    arXiv:1312.6120.

    Args:
        shape: Shape with at least two axes, (..., inputs, outputs).
        dtype: float32 (default) or float16.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        ShapeError: If there are fewer than two axes.

    >>> import py_tensor as pt
    >>> w = pt.nn.initializers.orthogonal((4, 2))
    >>> bool((pt.abs(w.T @ w - pt.eye(2)) < 1e-5).all())
    True
    """
    _fans("orthogonal", shape)
    rows, columns = math.prod(shape[:-1]), shape[-1]
    short_side, long_side = sorted((rows, columns))
    # The singular values of a normal matrix are within sqrt(long_side) +- sqrt(short_side).
    largest = math.sqrt(long_side) + math.sqrt(short_side)
    smallest = max(math.sqrt(long_side) - math.sqrt(short_side), _MIN_SINGULAR_VALUE * largest)
    x = random.normal((short_side, long_side), std=1 / largest)
    for _ in range(math.ceil(math.log(largest / smallest, 1.5)) + _FINAL_STEPS):
        x = x * 1.5 - (x @ x.T) @ x * 0.5
    return (x if rows == short_side else x.T).reshape(tuple(shape)).astype(dtype, copy=False)


_MIN_SINGULAR_VALUE = 1e-6
"""Smallest relative singular value assumed; 1 in 5,000 square matrices of 100 rows has less."""
_FINAL_STEPS = 6
"""Number of steps from a singular value of 0.67 to 1 within float32's precision."""


_replaced: ContextVar[bool] = ContextVar("replaced", default=False)
_whole: ContextVar[Sequence[int] | None] = ContextVar("whole", default=None)


def initial(
    operation: str,
    initializer: InitializerFunction,
    shape: Sequence[int],
    dtype: DTypeLike,
    whole: Sequence[int] | None = None,
) -> Tensor:
    """Call an initializer; raise ArgumentTypeError unless it is a function.

    `whole` is the shape that has the fans, if the tensor is a block of a larger one.
    """
    make = function_of(operation, "initializer", initializer)
    if _replaced.get():
        return broadcast_to(zeros((), dtype=dtype), tuple(shape))
    token = _whole.set(whole)
    try:
        first: Tensor = make(shape, dtype=dtype)
    finally:
        _whole.reset(token)
    return first


@contextmanager
def replaced_values() -> Iterator[None]:
    """Make parameters of layers without values, also larger ones than the GPU can store.

    A file has their values.
    """
    token = _replaced.set(True)
    try:
        yield
    finally:
        _replaced.reset(token)


def initial_bias(
    operation: str, bias: bool, initializer: InitializerFunction, outputs: int, dtype: DTypeLike
) -> Tensor | None:
    """Return the first value of a layer's bias; None if the layer has none."""
    if not flag(operation, "bias", bias):
        return None
    return initial(operation, initializer, (outputs,), dtype)


def _fans(operation: str, shape: Sequence[int]) -> tuple[int, int]:
    """Return (fan_in, fan_out), each at least 1."""
    lengths = a_shape(operation, _whole.get() or shape)
    if len(lengths) < 2:
        raise ShapeError(
            f"{operation}: shape must have axes for inputs and outputs; got {lengths}; add an "
            "axis, or use zeros, ones or pt.random"
        )
    *kernel, inputs, outputs = lengths
    return max(1, math.prod(kernel) * inputs), max(1, math.prod(kernel) * outputs)


def _uniform(shape: Sequence[int], variance: float, dtype: DTypeLike) -> Tensor:
    limit = math.sqrt(3 * variance)
    return random.uniform(shape, low=-limit, high=limit, dtype=dtype)


def _normal(shape: Sequence[int], variance: float, dtype: DTypeLike) -> Tensor:
    return random.normal(shape, std=math.sqrt(variance), dtype=dtype)
