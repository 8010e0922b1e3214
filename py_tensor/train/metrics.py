"""Metrics: sums over the samples of a batch, taken on the device, and a function of the totals.

Input: outputs, targets and weights of a batch. Output: sums, which add up over batches. A metric
is therefore data: a function that computes sums and a function that maps totals to a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

from .. import nn
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import MOST_STEPS, integer, items, wide
from ..functions.conversion import asarray
from ..functions.creation import ones
from ..tensor import Tensor
from .losses import (
    at_label,
    labels_fit,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    per_sample,
    same_shapes,
)

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Metric:
    """Definition of a metric: sums over samples, and a function of their totals.

    Args:
        name: Key of the metric in the logs.
        sums: Function (outputs, targets, weights) that returns a tuple of tensors. `weights` has
            shape (n,), one number per sample. It is traced, so it uses py_tensor functions.
        value: Function (weight, *totals) that returns the metric. `weight` is the sum of all
            weights; a total is a number, or a flat list if its shape is not ().
        shapes: Shapes of the tensors that `sums` returns.

    >>> import py_tensor as pt
    >>> def sums(outputs, targets, weights):
    ...     return (((outputs - targets) * weights).sum(),)
    >>> bias = pt.train.Metric("bias", sums, lambda weight, total: total / weight, ((),))
    >>> found = bias.sums(pt.asarray([3.0, 1.0]), pt.asarray([1.0, 1.0]), pt.ones(2))
    >>> bias.value(2.0, *(total.item() for total in found))
    1.0
    """

    name: str
    sums: Callable[[Any, Any, Tensor], tuple[Tensor, ...]]
    value: Callable[..., Any]
    shapes: tuple[Shape, ...]


def _along_samples(weights: Tensor, values: Tensor) -> Tensor:
    """Return the weight of each sample, to multiply values by it that have further axes."""
    return weights.reshape((weights.size,) + (1,) * (values.ndim - 1))


def _over_weight(weight: float, total: float) -> float:
    return total / weight if weight else 0.0


def _ratio(weight: float, part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def mean(name: str, of: Callable[[Any, Any], Tensor]) -> Metric:
    """Define a metric as the weighted mean over samples of a function's values.

    Args:
        name: Key of the metric in the logs.
        of: Function of outputs and targets that returns one value per sample, shape (n,), or one
            number, which then counts for each sample of its batch.

    Returns:
        The `Metric`.

    >>> import py_tensor as pt
    >>> pt.train.metrics.mean("bias", lambda outputs, targets: pt.mean(outputs - targets)).name
    'bias'
    """
    return Metric(name, _Weighted(name, of), _over_weight, ((),))


@dataclass(frozen=True)
class _Weighted:
    """Sum of weighted values."""

    name: str
    of: Callable[[Any, Any], Tensor]

    def __call__(self, outputs: Any, targets: Any, weights: Tensor) -> tuple[Tensor, ...]:
        values = self.of(outputs, targets)
        if values.shape not in ((), weights.shape):
            raise ShapeError(
                f"{self.name}: metric must be one value per sample; got shape {values.shape} for "
                f"{weights.size} samples; reduce it, for example with pt.mean"
            )
        return ((wide(values) * weights).sum(),)


def _sparse(outputs: Tensor, targets: Tensor) -> Tensor:
    labels_fit("sparse_categorical_accuracy", outputs, targets)
    return per_sample(wide(outputs.argmax(axis=-1) == targets))


def _categorical(outputs: Tensor, targets: Tensor) -> Tensor:
    same_shapes("categorical_accuracy", outputs, targets)
    return per_sample(wide(outputs.argmax(axis=-1) == targets.argmax(axis=-1)))


@dataclass(frozen=True)
class _Binary:
    threshold: float

    def __call__(self, outputs: Tensor, targets: Tensor) -> Tensor:
        same_shapes("binary_accuracy", outputs, targets)
        return per_sample(wide((outputs > self.threshold) == (targets > 0.5)))


@dataclass(frozen=True)
class _Accuracy:
    threshold: float

    def __call__(self, outputs: Tensor, targets: Tensor) -> Tensor:
        if targets.ndim == outputs.ndim - 1:
            return _sparse(outputs, targets)
        one = outputs.ndim < 2 or outputs.shape[-1] == 1
        return (_Binary(self.threshold) if one else _categorical)(outputs, targets)


@dataclass(frozen=True)
class _TopK:
    k: int

    def __call__(self, outputs: Tensor, targets: Tensor) -> Tensor:
        labels_fit("top_k_accuracy", outputs, targets)
        scores = wide(outputs)
        own = at_label(scores, targets).reshape((*targets.shape, 1))
        return per_sample(wide((scores > own).sum(axis=-1) < self.k))


def accuracy(threshold: float = 0.0) -> Metric:
    """Define the fraction of samples whose class is predicted correctly.

    The form depends on the shapes: sparse if targets lack the last axis of the scores, binary if
    there is one score per sample, otherwise categorical.

    Args:
        threshold: Single scores above it are positive; 0 (default) for logits, 0.5 for
            probabilities.

    Returns:
        A `Metric` named "accuracy". Its sums raise ShapeError if outputs and targets do not fit,
        and DTypeError if sparse targets are not integers.

    >>> import py_tensor as pt
    >>> metric = pt.train.accuracy()
    >>> sums = metric.sums(pt.asarray([[0.0, 9.0], [5.0, 1.0]]), pt.asarray([1, 1]), pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    0.5
    """
    return mean("accuracy", _Accuracy(threshold))


def sparse_categorical_accuracy() -> Metric:
    """Define the fraction of samples whose largest score has the target's class number.

    Outputs are scores (n, ..., classes), targets integers (n, ...).

    Returns:
        A `Metric`. Its sums raise DTypeError if targets are not integers, and ShapeError if they
        are not one class number for each row of scores.

    >>> import py_tensor as pt
    >>> metric = pt.train.sparse_categorical_accuracy()
    >>> sums = metric.sums(pt.asarray([[0.0, 9.0], [5.0, 1.0]]), pt.asarray([1, 1]), pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    0.5
    """
    return mean("sparse_categorical_accuracy", _sparse)


def categorical_accuracy() -> Metric:
    """Define the fraction of samples whose score and target are largest at the same class.

    Outputs and targets have one shape (n, ..., classes); targets are one-hot or probabilities.

    Returns:
        A `Metric`. Its sums raise ShapeError if the shapes differ.

    >>> import py_tensor as pt
    >>> metric = pt.train.categorical_accuracy()
    >>> scores, targets = pt.asarray([[0.0, 9.0], [5.0, 1.0]]), pt.asarray([[0, 1], [0, 1]])
    >>> sums = metric.sums(scores, targets, pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    0.5
    """
    return mean("categorical_accuracy", _categorical)


def binary_accuracy(threshold: float = 0.0) -> Metric:
    """Define the fraction of outputs that are on the target's side of the threshold.

    An output is positive above `threshold`, a target above 0.5. Both have one shape.

    Args:
        threshold: 0 (default) for logits, 0.5 for probabilities.

    Returns:
        A `Metric`. Its sums raise ShapeError if the shapes differ.

    >>> import py_tensor as pt
    >>> metric = pt.train.binary_accuracy()
    >>> sums = metric.sums(pt.asarray([3.0, -2.0]), pt.asarray([1, 1]), pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    0.5
    """
    return mean("binary_accuracy", _Binary(threshold))


def top_k_accuracy(k: int = 5) -> Metric:
    """Define the fraction of samples for which fewer than k scores exceed the target's score.

    Outputs are scores (n, ..., classes), targets integers (n, ...).

    Args:
        k: Number of classes that count as predicted; default 5.

    Returns:
        A `Metric` named f"top_{k}_accuracy". Its sums raise DTypeError if targets are not
        integers, and ShapeError if they are not one class number for each row of scores.

    >>> import py_tensor as pt
    >>> metric = pt.train.top_k_accuracy(2)
    >>> scores = pt.asarray([[0.0, 9.0, 5.0], [5.0, 1.0, 0.0]])
    >>> sums = metric.sums(scores, pt.asarray([2, 2]), pt.ones(2))
    >>> metric.name, metric.value(2.0, *(total.item() for total in sums))
    ('top_2_accuracy', 0.5)
    """
    return mean(f"top_{k}_accuracy", _TopK(k))


def mse() -> Metric:
    """Define the mean of (output - target)**2 for outputs and targets of one shape.

    Returns:
        A `Metric`. Its sums raise ShapeError if the shapes differ.

    >>> import py_tensor as pt
    >>> metric = pt.train.mse()
    >>> sums = metric.sums(pt.asarray([3.0, 1.0]), pt.asarray([1.0, 1.0]), pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    2.0
    """
    return mean("mse", mean_squared_error)


def mae() -> Metric:
    """Define the mean of |output - target| for outputs and targets of one shape.

    Returns:
        A `Metric`. Its sums raise ShapeError if the shapes differ.

    >>> import py_tensor as pt
    >>> metric = pt.train.mae()
    >>> sums = metric.sums(pt.asarray([3.0, 1.0]), pt.asarray([1.0, 1.0]), pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    1.0
    """
    return mean("mae", mean_absolute_error)


@dataclass(frozen=True)
class _TruePositives:
    """Sum of true positives, and of all positives: predicted (precision) or actual (recall)."""

    name: str
    threshold: float
    label: int | None
    of_predicted: bool

    def __call__(self, outputs: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, ...]:
        if self.label is None:
            same_shapes(self.name, outputs, targets)
            predicted, actual = outputs > self.threshold, targets > 0.5
        else:
            labels_fit(self.name, outputs, targets)
            predicted, actual = outputs.argmax(axis=-1) == self.label, targets == self.label
        predicted, actual = wide(predicted), wide(actual)
        weights = _along_samples(weights, predicted)
        counted = predicted if self.of_predicted else actual
        return (predicted * actual * weights).sum(), (counted * weights).sum()


def precision(threshold: float = 0.0, *, label: int | None = None) -> Metric:
    """Define the fraction of predicted positives that are true, TP / (TP + FP).

    The value is 0 if nothing is predicted positive.

    Args:
        threshold: Outputs above it are positive; 0 (default) for logits, 0.5 for probabilities.
            Targets above 0.5 are positive. Both have one shape.
        label: Class number to measure instead. Outputs are then scores (n, ..., classes), targets
            integers (n, ...), and a sample is positive if its largest score is at this class.
            None (default) for the threshold.

    Returns:
        A `Metric`. Its sums raise ShapeError if outputs and targets do not fit, and DTypeError
        if `label` is given and targets are not integers.

    >>> import py_tensor as pt
    >>> metric = pt.train.precision()
    >>> sums = metric.sums(pt.asarray([3.0, 2.0]), pt.asarray([1, 0]), pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    0.5
    """
    sums = _TruePositives("precision", threshold, label, of_predicted=True)
    return Metric("precision", sums, _ratio, ((), ()))


def recall(threshold: float = 0.0, *, label: int | None = None) -> Metric:
    """Define the fraction of actual positives that are predicted, TP / (TP + FN).

    The value is 0 if there are no positives.

    Args:
        threshold: Outputs above it are positive; 0 (default) for logits, 0.5 for probabilities.
        label: Class number to measure instead, as for `precision`; None (default) for the
            threshold.

    Returns:
        A `Metric`. Its sums raise the errors of `precision`.

    >>> import py_tensor as pt
    >>> metric = pt.train.recall()
    >>> sums = metric.sums(pt.asarray([3.0, -2.0]), pt.asarray([1, 0]), pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    1.0
    """
    sums = _TruePositives("recall", threshold, label, of_predicted=False)
    return Metric("recall", sums, _ratio, ((), ()))


@dataclass(frozen=True)
class _Confusion:
    classes: int

    def __call__(self, outputs: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, ...]:
        labels_fit("confusion_matrix", outputs, targets)
        predicted = outputs.argmax(axis=-1).flatten()
        weights = _along_samples(weights, targets).broadcast_to(targets.shape).flatten()
        targets = targets.flatten()
        return (nn.confusion_matrix(targets, predicted, self.classes, weights=weights),)


@dataclass(frozen=True)
class _Rows:
    """Split a flat list into rows of equal length."""

    length: int

    def __call__(self, weight: float, total: list[float]) -> list[list[float]]:
        return [total[start : start + self.length] for start in range(0, len(total), self.length)]


def confusion_matrix(classes: int) -> Metric:
    """Define the matrix that counts samples by true class (row) and predicted class (column).

    Outputs are scores (n, ..., classes), targets integers (n, ...).

    Args:
        classes: Number of classes, at least 1.

    Returns:
        A `Metric` whose value is nested lists of shape (classes, classes). Its sums raise the
        errors of `sparse_categorical_accuracy`.

    Raises:
        ArgumentError: If `classes` is below 1.

    >>> import py_tensor as pt
    >>> metric = pt.train.confusion_matrix(2)
    >>> scores = pt.asarray([[0.0, 9.0], [5.0, 1.0]])
    >>> (counts,) = metric.sums(scores, pt.asarray([1, 1]), pt.ones(2))
    >>> metric.shapes, metric.value(2.0, counts.flatten().tolist())
    (((2, 2),), [[0.0, 0.0], [1.0, 1.0]])
    """
    classes = integer("confusion_matrix", "classes", classes)
    if classes < 1:
        raise ArgumentError(f"confusion_matrix: too few classes; got {classes}; use 1 or more")
    shapes = ((classes, classes),)
    return Metric("confusion_matrix", _Confusion(classes), _Rows(classes), shapes)


@dataclass(frozen=True)
class _Positives:
    """Sums of true positives, of predicted positives and of actual ones."""

    precision: _TruePositives

    def __call__(self, outputs: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, ...]:
        true, predicted = self.precision(outputs, targets, weights)
        _, actual = replace(self.precision, of_predicted=False)(outputs, targets, weights)
        return true, predicted, actual


def _harmonic(weight: float, true: float, predicted: float, actual: float) -> float:
    return 2 * true / (predicted + actual) if predicted + actual else 0.0


def f1(threshold: float = 0.0, *, label: int | None = None) -> Metric:
    """Define the harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN).

    The value is 0 if there are no positives.

    Args:
        threshold: Outputs above it are positive; 0 (default) for logits, 0.5 for probabilities.
        label: Class number to measure instead, as for `precision`; None (default) for the
            threshold.

    Returns:
        A `Metric`. Its sums raise the errors of `precision`.

    >>> import py_tensor as pt
    >>> metric = pt.train.f1()
    >>> sums = metric.sums(pt.asarray([3.0, -2.0, 1.0]), pt.asarray([1, 1, 1]), pt.ones(3))
    >>> metric.value(3.0, *(total.item() for total in sums))
    0.8
    """
    sums = _Positives(_TruePositives("f1", threshold, label, of_predicted=True))
    return Metric("f1", sums, _harmonic, ((), (), ()))


@dataclass(frozen=True)
class _AtThresholds:
    """Sums of true and of false positives at each threshold."""

    thresholds: tuple[float, ...]
    logits: bool

    def __call__(self, outputs: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, ...]:
        same_shapes("auc", outputs, targets)
        scores = wide(outputs.sigmoid() if self.logits else outputs).reshape((-1, 1))
        weights = _along_samples(weights, outputs)
        actual = wide(targets > 0.5)
        predicted = wide(scores > asarray(list(self.thresholds)))
        true, false = (
            (part * weights).reshape((1, -1)) @ predicted for part in (actual, 1.0 - actual)
        )
        return true.flatten(), false.flatten()


def _area(weight: float, true: list[float], false: list[float]) -> float:
    """Return the area under the curve by trapezoids; the first threshold is below all scores."""
    if not true[0] or not false[0]:
        return 0.0
    steps = zip(pairwise(true), pairwise(false), strict=True)
    area = sum((a + b) / 2 * (c - d) for (a, b), (c, d) in steps)
    return area / true[0] / false[0]


def auc(thresholds: int = 200, *, logits: bool = True) -> Metric:
    """Define the area under the curve of true over false positive rates, from 0 to 1.

    The curve has one point per threshold, between which it is straight, as in keras.metrics.AUC.
    The value is 0 if all targets are positive, or none is.

    Args:
        thresholds: Number of thresholds, 2 or more, evenly spaced over probabilities; default 200.
        logits: Outputs are logits, to which the sigmoid is applied; if False, they are
            probabilities. Default True.

    Returns:
        A `Metric`. Its sums raise ShapeError if the shapes differ.

    Raises:
        ArgumentError: If there are fewer than 2 thresholds.

    >>> import py_tensor as pt
    >>> metric = pt.train.auc(3, logits=False)
    >>> scores, targets = pt.asarray([0.0, 0.6, 0.3, 0.9]), pt.asarray([0, 0, 1, 1])
    >>> sums = metric.sums(scores, targets, pt.ones(4))
    >>> metric.value(4.0, *(total.tolist() for total in sums))
    0.5
    """
    thresholds = integer("auc", "thresholds", thresholds, most=MOST_STEPS)
    if thresholds < 2:
        raise ArgumentError(f"auc: too few thresholds; got {thresholds}; use for example 200")
    inner = [k / (thresholds - 1) for k in range(1, thresholds - 1)]
    edges = (-1e-7, *inner, 1.0 + 1e-7)
    return Metric("auc", _AtThresholds(edges, logits), _area, ((thresholds,), (thresholds,)))


def _residuals(outputs: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, ...]:
    same_shapes("r2", outputs, targets)
    weights = _along_samples(weights, outputs)
    p, y = wide(outputs), wide(targets)
    parts = ((p - y).square(), y, y.square(), ones(y.shape))
    return tuple((part * weights).sum() for part in parts)


def _explained(weight: float, residual: float, total: float, square: float, count: float) -> float:
    variation = square - total * total / count if count else 0.0
    return 1 - residual / variation if variation > 0 else 0.0


def r2() -> Metric:
    """Define the coefficient of determination, 1 - sum((output - target)**2) / variation.

    The variation is the sum of squared distances of all targets from their mean. The value is 1 for
    exact outputs, 0 for outputs that are the mean, and 0 if the targets are all equal.

    Returns:
        A `Metric`. Its sums raise ShapeError if the shapes differ.

    >>> import py_tensor as pt
    >>> metric = pt.train.r2()
    >>> sums = metric.sums(pt.asarray([1.0, 2.0, 4.0]), pt.asarray([1.0, 2.0, 3.0]), pt.ones(3))
    >>> metric.value(3.0, *(total.item() for total in sums))
    0.5
    """
    return Metric("r2", _residuals, _explained, ((), (), (), ()))


def mape() -> Metric:
    """Define the mean of 100 * |output - target| / |target|, in percent.

    A target closer to 0 than 1e-7 counts as 1e-7.

    Returns:
        A `Metric`. Its sums raise ShapeError if the shapes differ.

    >>> import py_tensor as pt
    >>> metric = pt.train.mape()
    >>> sums = metric.sums(pt.asarray([3.0, 1.0]), pt.asarray([2.0, 1.0]), pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    25.0
    """
    return mean("mape", mean_absolute_percentage_error)


METRICS: dict[str, Callable[[], Metric]] = {
    function.__name__: function
    for function in (
        accuracy,
        sparse_categorical_accuracy,
        categorical_accuracy,
        binary_accuracy,
        top_k_accuracy,
        mse,
        mae,
        mape,
        precision,
        recall,
        f1,
        auc,
        r2,
    )
}
"""Metrics by the names that `metrics=` accepts, with default arguments."""
OF_PROBABILITIES: dict[str, Callable[[], Metric]] = {
    "auc": partial(auc, logits=False),
    **{f.__name__: partial(f, 0.5) for f in (accuracy, binary_accuracy, precision, recall, f1)},
}
"""Metrics by the same names if the loss is "binary_crossentropy", which takes probabilities."""


def metrics_of(
    operation: str, metrics: Iterable[object], loss: object = None
) -> tuple[Metric, ...]:
    """Convert names, `Metric` objects and functions of one value per sample to metrics.

    Metrics by name take probabilities if the loss "binary_crossentropy" does.
    Raises ArgumentError for unknown names and for names that occur twice.
    """
    named = METRICS | (OF_PROBABILITIES if loss == "binary_crossentropy" else {})
    checked: list[Metric] = []
    for metric in items(operation, "metrics", metrics):
        if isinstance(metric, Metric):
            checked.append(metric)
        elif isinstance(metric, str) and metric in named:
            checked.append(named[metric]())
        elif callable(metric):
            checked.append(mean(getattr(metric, "__name__", type(metric).__name__), metric))
        else:
            raise ArgumentError(
                f"{operation}: unknown metric; got {metric!r:.60}; use one of "
                f"{', '.join(METRICS)}, a Metric or a function of outputs and targets"
            )
    names = [metric.name for metric in checked]
    if len(set(names)) < len(names):
        raise ArgumentError(
            f"{operation}: metrics must have different names; got {names}; rename one"
        )
    return tuple(checked)
