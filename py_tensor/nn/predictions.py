"""Comparison of predicted classes with labels."""

from __future__ import annotations

from .. import functions as F
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import MOST_ELEMENTS, integer
from ..functions.decorators import named
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike
from .embedding import check_integers, one_hot


@named
def in_top_k(scores: ArrayLike, labels: ArrayLike, k: int = 1, /) -> Tensor:
    """Return True for each label if fewer than k scores exceed its score.

    Args:
        scores: Tensor of shape (..., classes) and a real dtype.
        labels: Integers of shape (...), from 0 to classes - 1.
        k: Number of classes, at least 1; default 1.

    Returns:
        bool tensor of shape (...).

    Raises:
        ArgumentError: If `k` is below 1 or above the number of classes.
        DTypeError: If the labels are not integers.
        ShapeError: If the labels do not fit the scores.

    >>> import py_tensor as pt
    >>> pt.nn.in_top_k([[0.1, 0.7, 0.2], [0.5, 0.4, 0.1]], [2, 2], 2).tolist()
    [True, False]
    """
    values, places = as_tensor("in_top_k", scores), as_tensor("in_top_k", labels)
    check_integers("in_top_k", places)
    if not values.ndim or values.shape[:-1] != places.shape:
        raise ShapeError(
            f"in_top_k: labels do not fit; got shapes {values.shape} and {places.shape}; pass one "
            "label for each row of scores"
        )
    k = integer("in_top_k", "k", k)
    if not 1 <= k <= values.shape[-1]:
        raise ArgumentError(
            f"in_top_k: k is out of range; got {k} for {values.shape[-1]} classes; use 1 or more"
        )
    own = F.take_along_axis(values, F.expand_dims(places, axis=-1))
    return F.sum(F.astype(values > own, "int32"), axis=-1) < k


@named
def confusion_matrix(
    labels: ArrayLike, predictions: ArrayLike, classes: int, /, *, weights: ArrayLike | None = None
) -> Tensor:
    """Count samples by true class (row) and predicted class (column).

    Args:
        labels: Vector of integers, the true classes.
        predictions: Vector of integers, the predicted classes.
        classes: Number of classes, at least 1. Samples of other classes are ignored.
        weights: Vector of weights that are summed instead of counting samples; None (default) for
            counts.

    Returns:
        Matrix of shape (classes, classes); int32, or float32 with `weights`.

    Raises:
        ArgumentError: If `classes` is below 1.
        DTypeError: If labels or predictions are not integers.
        ShapeError: If the operands are not vectors of one length.

    >>> import py_tensor as pt
    >>> pt.nn.confusion_matrix([0, 1, 1], [0, 0, 1], 2).tolist()
    [[1, 0], [1, 1]]
    """
    classes = integer("confusion_matrix", "classes", classes, 1, MOST_ELEMENTS)
    true, counts = (as_tensor("confusion_matrix", value) for value in (labels, predictions))
    shares = None if weights is None else as_tensor("confusion_matrix", weights)
    shapes = {part.shape for part in (true, counts, shares) if part is not None}
    if true.ndim != 1 or len(shapes) > 1:
        raise ShapeError(
            f"confusion_matrix: operands are not vectors of one length; got shapes {true.shape} "
            f"and {counts.shape}; pass one number for each sample"
        )
    rows, columns = one_hot(true, classes), one_hot(counts, classes)
    if shares is None:
        return F.astype(rows.T @ columns, "int32")
    return (rows * F.astype(shares, "float32").reshape((-1, 1))).T @ columns
