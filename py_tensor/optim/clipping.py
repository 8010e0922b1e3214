"""Gradients held within limits: element by element, each tensor by its norm, or all by one norm."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..dtypes import float32
from ..errors import ArgumentError
from ..pytree import tree_leaves, tree_map
from ..tensor import Tensor, as_tensor


def positive(operation: str, setting: str, value: Any) -> float:
    """The number. Raises ArgumentError unless it is above 0."""
    if not value > 0:
        raise ArgumentError(f"{operation}: {setting} is not above 0; got {value}; give a limit")
    return float(value)


def clip_by_value(gradients: Any, limit: float) -> Any:
    """A tree of gradients with each element held between -limit and limit.

    Raises ArgumentError for a limit that is not above 0.

    >>> import py_tensor as pt
    >>> pt.optim.clip_by_value([pt.asarray([0.5, -3.0])], 1.0)[0].tolist()
    [0.5, -1.0]
    """
    limit = positive("clip_by_value", "limit", limit)
    gradients = _tensors("clip_by_value", gradients)
    return tree_map(lambda gradient: gradient.clip(-limit, limit), gradients)


def clip_by_norm(gradients: Any, limit: float) -> Any:
    """A tree of gradients with each tensor scaled to a Euclidean norm of at most `limit`.

    Each is multiplied by limit / max(norm, limit), as in tf.clip_by_norm. Raises ArgumentError for
    a limit that is not above 0.

    >>> import py_tensor as pt
    >>> pt.optim.clip_by_norm([pt.asarray([3.0, 4.0])], 2.5)[0].tolist()
    [1.5, 2.0]
    """
    limit = positive("clip_by_norm", "limit", limit)
    gradients = _tensors("clip_by_norm", gradients)
    return tree_map(lambda gradient: _scaled(gradient, _square_norm(gradient), limit), gradients)


def clip_by_global_norm(gradients: Any, limit: float) -> Any:
    """A tree of gradients, all scaled alike to a Euclidean norm of at most `limit` in total.

    Each is multiplied by limit / max(norm of all, limit), as in tf.clip_by_global_norm. Raises
    ArgumentError for a limit that is not above 0.

    >>> import py_tensor as pt
    >>> clipped = pt.optim.clip_by_global_norm([pt.asarray([3.0]), pt.asarray([4.0])], 2.5)
    >>> [gradient.tolist() for gradient in clipped]
    [[1.5], [2.0]]
    """
    limit = positive("clip_by_global_norm", "limit", limit)
    gradients = _tensors("clip_by_global_norm", gradients)
    squares = [_square_norm(gradient) for gradient in tree_leaves(gradients)]
    total = sum(squares[1:], squares[0]) if squares else None
    return tree_map(lambda gradient: _scaled(gradient, total, limit), gradients)


def _tensors(operation: str, gradients: Any) -> Any:
    return tree_map(partial(as_tensor, operation), gradients)


def _wide(gradient: Tensor) -> Tensor:
    """As float32: squares of halves overflow from 256 on."""
    return gradient.astype(float32, copy=False)


def _square_norm(gradient: Tensor) -> Tensor:
    return _wide(gradient).square().sum()


def _scaled(gradient: Tensor, square_norm: Any, limit: float) -> Any:
    scaled = _wide(gradient) * (limit / square_norm.sqrt().maximum(limit))
    return scaled.astype(gradient.dtype, copy=False)
