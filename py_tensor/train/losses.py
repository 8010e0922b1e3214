"""Losses by name: functions of a model's outputs and the targets, with one value per sample.

Cross-entropies take probabilities under the names of Keras. Those of logits, the scores before
softmax or sigmoid, have names that end in `_of_logits`, and are more accurate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import nn
from ..errors import ArgumentError, DTypeError, ShapeError
from ..functions.arguments import wide
from ..tensor import Tensor

Loss = Callable[[Any, Any], Tensor]


def per_sample(values: Tensor) -> Tensor:
    """Return the mean over all axes but the first."""
    return values.mean(axis=tuple(range(1, values.ndim))) if values.ndim > 1 else values


def same_shapes(operation: str, outputs: Tensor, targets: Tensor) -> None:
    """Raise ShapeError if the shapes differ, because broadcasting would hide a mistake."""
    if outputs.shape != targets.shape:
        raise ShapeError(
            f"{operation}: outputs and targets must have the same shape; got {outputs.shape} and "
            f"{targets.shape}; reshape one of them"
        )


def labels_fit(operation: str, outputs: Tensor, targets: Tensor) -> None:
    """Raise DTypeError or ShapeError unless targets are one class number for each row of scores."""
    if targets.dtype.kind not in "iu":
        raise DTypeError(
            f"{operation}: targets must be class numbers; got dtype {targets.dtype}; use "
            'y.astype("int32"), or a metric or loss without "sparse" for one-hot targets'
        )
    if outputs.shape[:-1] != targets.shape:
        raise ShapeError(
            f"{operation}: targets do not match the scores; got {targets.shape} for "
            f"{outputs.shape}; pass one class number for each row of scores"
        )


def at_label(scores: Tensor, labels: Tensor) -> Tensor:
    """Select each row's score of its class without a gather, whose gradient would be a scatter."""
    return (scores * nn.one_hot(labels, scores.shape[-1])).sum(axis=-1)


def mean_squared_error(outputs: Tensor, targets: Tensor) -> Tensor:
    """Mean of (output - target)**2 for each sample."""
    same_shapes("mse", outputs, targets)
    return per_sample(nn.mean_squared_error(outputs, targets, reduction="none"))


def mean_absolute_error(outputs: Tensor, targets: Tensor) -> Tensor:
    """Mean of |output - target| for each sample."""
    same_shapes("mae", outputs, targets)
    return per_sample(nn.mean_absolute_error(outputs, targets, reduction="none"))


def mean_absolute_percentage_error(outputs: Tensor, targets: Tensor) -> Tensor:
    """Mean of 100 * |output - target| / |target| for each sample."""
    same_shapes("mape", outputs, targets)
    targets = wide(targets)
    errors = (wide(outputs) - targets).abs() / targets.abs().maximum(1e-7)
    return per_sample(errors * 100.0)


def huber(outputs: Tensor, targets: Tensor) -> Tensor:
    """Mean of `pt.nn.huber_loss` with delta 1 for each sample."""
    same_shapes("huber", outputs, targets)
    return per_sample(nn.huber_loss(outputs, targets, reduction="none"))


def sparse_categorical_crossentropy(outputs: Tensor, targets: Tensor) -> Tensor:
    """-log(output[target]) for probabilities (n, ..., classes) and class numbers (n, ...)."""
    labels_fit("sparse_categorical_crossentropy", outputs, targets)
    return per_sample(nn.nll_loss(_log_probabilities(outputs), targets, reduction="none"))


def categorical_crossentropy(outputs: Tensor, targets: Tensor) -> Tensor:
    """-sum(target * log(output)) for probabilities (n, ..., classes) of one shape."""
    same_shapes("categorical_crossentropy", outputs, targets)
    return per_sample(-(wide(targets) * _log_probabilities(outputs)).sum(axis=-1))


def _log_probabilities(outputs: Tensor) -> Tensor:
    """Return logarithms of probabilities, scaled to add up to 1 and limited, as in Keras."""
    outputs = wide(outputs)
    return (outputs / outputs.sum(axis=-1, keepdims=True)).clip(1e-7, 1.0 - 1e-7).log()


def binary_crossentropy(outputs: Tensor, targets: Tensor) -> Tensor:
    """`pt.nn.binary_cross_entropy` for each sample: outputs are probabilities."""
    same_shapes("binary_crossentropy", outputs, targets)
    return per_sample(nn.binary_cross_entropy(outputs, targets, reduction="none"))


def sparse_categorical_crossentropy_of_logits(outputs: Tensor, targets: Tensor) -> Tensor:
    """-log(softmax(output)[target]) for logits (n, ..., classes) and class numbers (n, ...)."""
    labels_fit("sparse_categorical_crossentropy_of_logits", outputs, targets)
    return per_sample(nn.sparse_softmax_cross_entropy(outputs, targets, reduction="none"))


def categorical_crossentropy_of_logits(outputs: Tensor, targets: Tensor) -> Tensor:
    """-sum(target * log(softmax(output))) for logits and probabilities (n, ..., classes)."""
    same_shapes("categorical_crossentropy_of_logits", outputs, targets)
    return per_sample(nn.softmax_cross_entropy(outputs, targets, reduction="none"))


def binary_crossentropy_of_logits(outputs: Tensor, targets: Tensor) -> Tensor:
    """log(1 + exp(output)) - output * target for logits and targets in [0, 1] of one shape."""
    same_shapes("binary_crossentropy_of_logits", outputs, targets)
    return per_sample(nn.sigmoid_cross_entropy(outputs, targets, reduction="none"))


def nll(outputs: Tensor, targets: Tensor) -> Tensor:
    """-output[target] for logarithms of probabilities (n, ..., classes) and class numbers."""
    labels_fit("nll", outputs, targets)
    return per_sample(nn.nll_loss(outputs, targets, reduction="none"))


def cosine(outputs: Tensor, targets: Tensor) -> Tensor:
    """1 - cosine of the angle between output and target along the last axis."""
    same_shapes("cosine", outputs, targets)
    return per_sample(nn.cosine_distance(outputs, targets, reduction="none"))


def kl_divergence(outputs: Tensor, targets: Tensor) -> Tensor:
    """sum(target * log(target / output)) for probabilities (n, ..., classes)."""
    same_shapes("kl_divergence", outputs, targets)
    return per_sample(nn.kl_divergence(outputs, targets, reduction="none"))


def hinge(outputs: Tensor, targets: Tensor) -> Tensor:
    """Mean of max(0, 1 - (2 * target - 1) * output) for targets of 0 and 1."""
    same_shapes("hinge", outputs, targets)
    return per_sample(nn.hinge_loss(outputs, targets, reduction="none"))


LOSSES: dict[str, Loss] = {
    "mse": mean_squared_error,
    "mae": mean_absolute_error,
    "mape": mean_absolute_percentage_error,
    "huber": huber,
    "hinge": hinge,
    "cosine": cosine,
    "kl_divergence": kl_divergence,
    "nll": nll,
    "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
    "sparse_categorical_crossentropy_of_logits": sparse_categorical_crossentropy_of_logits,
    "categorical_crossentropy": categorical_crossentropy,
    "categorical_crossentropy_of_logits": categorical_crossentropy_of_logits,
    "binary_crossentropy": binary_crossentropy,
    "binary_crossentropy_of_logits": binary_crossentropy_of_logits,
}
"""Losses by the names that `loss=` accepts."""


def loss_of(operation: str, loss: str | Loss) -> Loss:
    """Return the loss of a name, or the function given; raise ArgumentError for unknown names."""
    if callable(loss):
        return loss
    if not isinstance(loss, str) or loss not in LOSSES:
        raise ArgumentError(
            f"{operation}: unknown loss; got {loss!r:.60}; use one of {', '.join(LOSSES)}, or a "
            "function of outputs and targets"
        )
    return LOSSES[loss]


def batch_loss(operation: str, values: Any, weights: Tensor | None, count: int) -> Tensor:
    """Reduce the loss of a batch to a number: the mean over samples, weighted if weights are given.

    Raises ShapeError if `values` is neither a number nor one value per sample.
    """
    shape = values.shape if isinstance(values, Tensor) else type(values).__name__
    if shape == () and weights is None:
        return wide(values)
    if shape == ():
        raise ShapeError(
            f"{operation}: sample weights require a loss per sample; got shape () for {count} "
            "samples; return one value per sample"
        )
    if shape != (count,):
        raise ShapeError(
            f"{operation}: loss must be a number or one value per sample; got {shape} for {count} "
            "samples; reduce it, for example with pt.mean"
        )
    if weights is None:
        return wide(values).mean()
    return (wide(values) * weights).sum() / weights.sum()
