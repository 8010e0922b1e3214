"""Losses by name: functions of a model's outputs and the targets that give one value a sample.

Crossentropies take logits, the scores before softmax or sigmoid, since only from those can they be
computed without overflow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import nn
from ..errors import ArgumentError, DTypeError, ShapeError
from ..functions.floating import wide
from ..tensor import Tensor

Loss = Callable[[Any, Any], Tensor]


def per_sample(values: Tensor) -> Tensor:
    """The mean over all axes but the first."""
    return values.mean(axis=tuple(range(1, values.ndim))) if values.ndim > 1 else values


def same_shapes(operation: str, outputs: Tensor, targets: Tensor) -> None:
    """Raises ShapeError where they differ: broadcasting would hide a mistake."""
    if outputs.shape != targets.shape:
        raise ShapeError(
            f"{operation}: outputs and targets differ in shape; got {outputs.shape} and "
            f"{targets.shape}; reshape one of them"
        )


def labels_fit(operation: str, outputs: Tensor, targets: Tensor) -> None:
    """Raises DTypeError or ShapeError unless targets are a class for each row of scores."""
    if targets.dtype.kind not in "iu":
        raise DTypeError(
            f"{operation}: targets are no class numbers; got dtype {targets.dtype}; "
            'use y.astype("int32"), or a metric or loss without "sparse" for one-hot targets'
        )
    if outputs.shape[:-1] != targets.shape:
        raise ShapeError(
            f"{operation}: targets do not fit the scores; got {targets.shape} for "
            f"{outputs.shape}; give one class number for each row of scores"
        )


def at_label(scores: Tensor, labels: Tensor) -> Tensor:
    """The score of each row's class; without a gather, whose gradient would be a scatter."""
    return (scores * nn.one_hot(labels, scores.shape[-1])).sum(axis=-1)


def mean_squared_error(outputs: Tensor, targets: Tensor) -> Tensor:
    """(output - target)**2, its mean for each sample."""
    same_shapes("mse", outputs, targets)
    return per_sample(nn.mean_squared_error(outputs, targets, reduction="none"))


def mean_absolute_error(outputs: Tensor, targets: Tensor) -> Tensor:
    """|output - target|, its mean for each sample."""
    same_shapes("mae", outputs, targets)
    return per_sample(nn.mean_absolute_error(outputs, targets, reduction="none"))


def huber(outputs: Tensor, targets: Tensor) -> Tensor:
    """`pt.nn.huber_loss` with delta 1, its mean for each sample."""
    same_shapes("huber", outputs, targets)
    return per_sample(nn.huber_loss(outputs, targets, reduction="none"))


def sparse_categorical_crossentropy(outputs: Tensor, targets: Tensor) -> Tensor:
    """-log(softmax(output)[target]) for logits (n, ..., classes) and class numbers (n, ...)."""
    labels_fit("sparse_categorical_crossentropy", outputs, targets)
    return per_sample(nn.sparse_softmax_cross_entropy(outputs, targets, reduction="none"))


def categorical_crossentropy(outputs: Tensor, targets: Tensor) -> Tensor:
    """-sum(target * log(softmax(output))) for logits and probabilities (n, ..., classes)."""
    same_shapes("categorical_crossentropy", outputs, targets)
    return per_sample(nn.softmax_cross_entropy(outputs, targets, reduction="none"))


def binary_crossentropy(outputs: Tensor, targets: Tensor) -> Tensor:
    """log(1 + exp(output)) - output * target for logits and targets from 0 to 1 of one shape."""
    same_shapes("binary_crossentropy", outputs, targets)
    return per_sample(nn.sigmoid_cross_entropy(outputs, targets, reduction="none"))


LOSSES: dict[str, Loss] = {
    "mse": mean_squared_error,
    "mae": mean_absolute_error,
    "huber": huber,
    "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
    "categorical_crossentropy": categorical_crossentropy,
    "binary_crossentropy": binary_crossentropy,
}
"""What `loss=` may name."""


def loss_of(operation: str, loss: str | Loss) -> Loss:
    """The function that a name stands for, or the function given.

    Raises ArgumentError for other names.
    """
    if callable(loss):
        return loss
    if loss not in LOSSES:
        raise ArgumentError(
            f"{operation}: no loss of that name; got {loss!r}; use one of {', '.join(LOSSES)}, "
            "or a function of outputs and targets"
        )
    return LOSSES[loss]


def batch_loss(operation: str, values: Any, weights: Tensor | None, count: int) -> Tensor:
    """One number for a batch: the mean of one value a sample, weighted if there are weights.

    Raises ShapeError for what is neither a number nor one value a sample.
    """
    shape = values.shape if isinstance(values, Tensor) else type(values).__name__
    if shape == () and weights is None:
        return wide(values)
    if shape == ():
        raise ShapeError(
            f"{operation}: loss is one number, which weights of samples cannot change; "
            f"got shape () for {count} samples; return one value a sample"
        )
    if shape != (count,):
        raise ShapeError(
            f"{operation}: loss is neither a number nor one value a sample; got {shape} for "
            f"{count} samples; reduce it, with pt.mean for instance"
        )
    if weights is None:
        return wide(values).mean()
    return (wide(values) * weights).sum() / weights.sum()
