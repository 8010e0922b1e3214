"""Gradient clipping: by element, by the norm of each tensor, or by the norm of all tensors."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..dtypes import float32
from ..functions.arguments import converted
from ..ir.pytree import map_trees, tree_leaves, tree_map
from ..tensor import Tensor
from .settings import positive


def clip_by_value(gradients: Any, limit: float) -> Any:
    """Clip each element of a tree of gradients to the range from -limit to limit.

    Args:
        gradients: Tree of floating tensors, or of values that `pt.asarray` accepts.
        limit: Largest magnitude, above 0.

    Returns:
        Tree of the same structure, with tensors of the same shapes and dtypes.

    Raises:
        ArgumentError: If `limit` is not above 0.

    >>> import py_tensor as pt
    >>> pt.optim.clip_by_value([pt.asarray([0.5, -3.0])], 1.0)[0].tolist()
    [0.5, -1.0]
    """
    limit = positive("clip_by_value", "limit", limit)
    gradients = _tensors("clip_by_value", gradients)
    return tree_map(lambda gradient: gradient.clip(-limit, limit), gradients)


def clip_by_norm(gradients: Any, limit: float) -> Any:
    """Scale each tensor of a tree of gradients to a Euclidean norm of at most `limit`.

    Each is multiplied by limit / max(norm, limit), as in tf.clip_by_norm. Norms are computed in
    float32.

    Args:
        gradients: Tree of floating tensors, or of values that `pt.asarray` accepts.
        limit: Largest norm of each tensor, above 0.

    Returns:
        Tree of the same structure, with tensors of the same shapes and dtypes.

    Raises:
        ArgumentError: If `limit` is not above 0.

    >>> import py_tensor as pt
    >>> pt.optim.clip_by_norm([pt.asarray([3.0, 4.0])], 2.5)[0].tolist()
    [1.5, 2.0]
    """
    limit = positive("clip_by_norm", "limit", limit)
    gradients = _tensors("clip_by_norm", gradients)
    return tree_map(lambda gradient: _scaled(gradient, _square_norm(gradient), limit), gradients)


def clip_by_global_norm(gradients: Any, limit: float) -> Any:
    """Scale all gradients by one factor, to a total Euclidean norm of at most `limit`.

    Each is multiplied by limit / max(total norm, limit), as in tf.clip_by_global_norm. Norms are
    computed in float32.

    Args:
        gradients: Tree of floating tensors, or of values that `pt.asarray` accepts.
        limit: Largest norm of all tensors together, above 0.

    Returns:
        Tree of the same structure, with tensors of the same shapes and dtypes.

    Raises:
        ArgumentError: If `limit` is not above 0.

    >>> import py_tensor as pt
    >>> clipped = pt.optim.clip_by_global_norm([pt.asarray([3.0]), pt.asarray([4.0])], 2.5)
    >>> [gradient.tolist() for gradient in clipped]
    [[1.5], [2.0]]
    """
    limit = positive("clip_by_global_norm", "limit", limit)
    gradients = _tensors("clip_by_global_norm", gradients)
    squares = [_square_norm(gradient) for gradient in tree_leaves(gradients)]
    if not squares:
        return gradients
    total = sum(squares[1:], squares[0])
    return tree_map(lambda gradient: _scaled(gradient, total, limit), gradients)


def _tensors(operation: str, gradients: Any) -> Any:
    return map_trees(operation, partial(converted, operation), None, gradients)


def _wide(gradient: Tensor) -> Tensor:
    """Convert to float32: squares of float16 overflow from 256 on."""
    return gradient.astype(float32, copy=False)


def _square_norm(gradient: Tensor) -> Tensor:
    return _wide(gradient).square().sum()


def _scaled(gradient: Tensor, square_norm: Tensor, limit: float) -> Tensor:
    scaled = _wide(gradient) * (limit / square_norm.sqrt().maximum(limit))
    return scaled.astype(gradient.dtype, copy=False)
