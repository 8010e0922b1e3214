"""Metrics: sums over the samples of a batch, taken on the device, and the number they end in.

Comes in: outputs, targets and weights of a batch; goes out: sums, which add up over batches. So a
metric is a row: what it sums up, and how the totals become its value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .. import nn
from ..errors import ArgumentError, ShapeError
from ..functions.floating import wide
from ..tensor import Tensor
from .losses import (
    at_label,
    labels_fit,
    mean_absolute_error,
    mean_squared_error,
    per_sample,
    same_shapes,
)

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Metric:
    """What is summed up over samples, and what becomes of the totals.

    `sums(outputs, targets, weights)` gives tensors of the shapes in `shapes`; `weights` is a vector
    of one weight a sample. `value(weight, *totals)` gives the metric out of the weight of all
    samples and the totals: numbers, or flat lists where a shape is not ().

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


def _over_weight(weight: float, total: float) -> float:
    return total / weight if weight else 0.0


def _ratio(weight: float, part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def mean(name: str, of: Callable[[Any, Any], Tensor]) -> Metric:
    """The weighted mean over samples of what a function gives, one value a sample.

    A function that gives one number for the batch counts for each of its samples.

    >>> import py_tensor as pt
    >>> pt.train.metrics.mean("bias", lambda outputs, targets: pt.mean(outputs - targets)).name
    'bias'
    """
    return Metric(name, _Weighted(name, of), _over_weight, ((),))


@dataclass(frozen=True)
class _Weighted:
    """Weighted values, summed up."""

    name: str
    of: Callable[[Any, Any], Tensor]

    def __call__(self, outputs: Any, targets: Any, weights: Tensor) -> tuple[Tensor, ...]:
        values = self.of(outputs, targets)
        if values.shape not in ((), weights.shape):
            raise ShapeError(
                f"{self.name}: metric is not one value a sample; got shape {values.shape} for "
                f"{weights.size} samples; reduce it, with pt.mean for instance"
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


def _accuracy(outputs: Tensor, targets: Tensor) -> Tensor:
    if targets.ndim == outputs.ndim - 1:
        return _sparse(outputs, targets)
    one = outputs.ndim < 2 or outputs.shape[-1] == 1
    return _Binary(0.0)(outputs, targets) if one else _categorical(outputs, targets)


@dataclass(frozen=True)
class _TopK:
    k: int

    def __call__(self, outputs: Tensor, targets: Tensor) -> Tensor:
        labels_fit("top_k_accuracy", outputs, targets)
        scores = wide(outputs)
        own = at_label(scores, targets).reshape((*targets.shape, 1))
        return per_sample(wide((scores > own).sum(axis=-1) < self.k))


def accuracy() -> Metric:
    """The part of samples whose class is found.

    Sparse where targets lack the scores' last axis; binary, for logits, where there is one score a
    sample; else categorical. Raises ShapeError where outputs and targets do not fit, DTypeError
    where sparse targets are no integers.

    >>> import py_tensor as pt
    >>> pt.train.accuracy().name
    'accuracy'
    """
    return mean("accuracy", _accuracy)


def sparse_categorical_accuracy() -> Metric:
    """The part of samples whose largest of (n, ..., classes) scores is at the target's number.

    Raises DTypeError where targets are no integers, ShapeError where they are not one for each
    place of the scores.

    >>> import py_tensor as pt
    >>> metric = pt.train.sparse_categorical_accuracy()
    >>> sums = metric.sums(pt.asarray([[0.0, 9.0], [5.0, 1.0]]), pt.asarray([1, 1]), pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    0.5
    """
    return mean("sparse_categorical_accuracy", _sparse)


def categorical_accuracy() -> Metric:
    """The part of samples whose largest score is where the one-hot target's largest is.

    Raises ShapeError where the shapes differ.

    >>> import py_tensor as pt
    >>> metric = pt.train.categorical_accuracy()
    >>> scores, targets = pt.asarray([[0.0, 9.0], [5.0, 1.0]]), pt.asarray([[0, 1], [0, 1]])
    >>> sums = metric.sums(scores, targets, pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    0.5
    """
    return mean("categorical_accuracy", _categorical)


def binary_accuracy(threshold: float = 0.0) -> Metric:
    """The part of outputs that are above the threshold where targets are above 0.5.

    A threshold of 0 is for logits; give 0.5 for probabilities. Raises ShapeError where the shapes
    differ.

    >>> import py_tensor as pt
    >>> metric = pt.train.binary_accuracy()
    >>> sums = metric.sums(pt.asarray([3.0, -2.0]), pt.asarray([1, 1]), pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    0.5
    """
    return mean("binary_accuracy", _Binary(threshold))


def top_k_accuracy(k: int = 5) -> Metric:
    """The part of samples for which fewer than k scores are larger than the target's.

    Targets are class numbers, one for each place of the scores; errors are those of
    `sparse_categorical_accuracy`.

    >>> import py_tensor as pt
    >>> pt.train.top_k_accuracy(3).name
    'top_3_accuracy'
    """
    return mean(f"top_{k}_accuracy", _TopK(k))


def mse() -> Metric:
    """The mean of squared differences between outputs and targets of one shape.

    Raises ShapeError where the shapes differ.

    >>> import py_tensor as pt
    >>> metric = pt.train.mse()
    >>> sums = metric.sums(pt.asarray([3.0, 1.0]), pt.asarray([1.0, 1.0]), pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    2.0
    """
    return mean("mse", mean_squared_error)


def mae() -> Metric:
    """The mean of absolute differences between outputs and targets of one shape.

    Raises ShapeError where the shapes differ.

    >>> import py_tensor as pt
    >>> metric = pt.train.mae()
    >>> sums = metric.sums(pt.asarray([3.0, 1.0]), pt.asarray([1.0, 1.0]), pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    1.0
    """
    return mean("mae", mean_absolute_error)


@dataclass(frozen=True)
class _Found:
    """How many are found and right, and how many there are: of those found, or of the right."""

    name: str
    threshold: float
    label: int | None
    of_found: bool

    def __call__(self, outputs: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, ...]:
        if self.label is None:
            same_shapes(self.name, outputs, targets)
            found, right = outputs > self.threshold, targets > 0.5
        else:
            labels_fit(self.name, outputs, targets)
            found, right = outputs.argmax(axis=-1) == self.label, targets == self.label
        found, right = wide(found), wide(right)
        each = weights.reshape((weights.size,) + (1,) * (found.ndim - 1))
        counted = found if self.of_found else right
        return (found * right * each).sum(), (counted * each).sum()


def precision(threshold: float = 0.0, *, label: int | None = None) -> Metric:
    """Of what was found, the part that is right; 0 where nothing was found.

    Found is what is above the threshold (0 is for logits), and right are targets above 0.5. With a
    `label`, found are samples whose largest score is at that class, and right those of that class.
    Raises ShapeError where outputs and targets do not fit together, DTypeError where a `label`
    meets targets that are no integers.

    >>> import py_tensor as pt
    >>> metric = pt.train.precision()
    >>> sums = metric.sums(pt.asarray([3.0, 2.0]), pt.asarray([1, 0]), pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    0.5
    """
    return Metric("precision", _Found("precision", threshold, label, True), _ratio, ((), ()))


def recall(threshold: float = 0.0, *, label: int | None = None) -> Metric:
    """Of what is right, the part that was found, as for `precision`; 0 where nothing is right.

    Errors are those of `precision`.

    >>> import py_tensor as pt
    >>> metric = pt.train.recall()
    >>> sums = metric.sums(pt.asarray([3.0, -2.0]), pt.asarray([1, 0]), pt.ones(2))
    >>> metric.value(2.0, *(total.item() for total in sums))
    1.0
    """
    return Metric("recall", _Found("recall", threshold, label, False), _ratio, ((), ()))


@dataclass(frozen=True)
class _Confusion:
    classes: int

    def __call__(self, outputs: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, ...]:
        labels_fit("confusion_matrix", outputs, targets)
        each = weights.reshape((weights.size,) + (1,) * targets.ndim)
        rows = (nn.one_hot(targets, self.classes) * each).reshape((-1, self.classes))
        columns = nn.one_hot(outputs.argmax(axis=-1), self.classes).reshape((-1, self.classes))
        return (rows.transpose() @ columns,)


@dataclass(frozen=True)
class _Rows:
    """A flat list as rows of equal length."""

    length: int

    def __call__(self, weight: float, total: list[float]) -> list[list[float]]:
        return [total[at : at + self.length] for at in range(0, len(total), self.length)]


def confusion_matrix(classes: int) -> Metric:
    """How many samples of each class, by row, were taken for each class, by column: nested lists.

    Targets and errors are those of `sparse_categorical_accuracy`; raises ArgumentError for no
    classes.

    >>> import py_tensor as pt
    >>> pt.train.confusion_matrix(10).shapes
    ((10, 10),)
    """
    if classes < 1:
        raise ArgumentError(f"confusion_matrix: too few classes; got {classes}; use 1 or more")
    shapes = ((classes, classes),)
    return Metric("confusion_matrix", _Confusion(classes), _Rows(classes), shapes)


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
        precision,
        recall,
    )
}
"""What `metrics=` may name; the others take settings."""


def metrics_of(operation: str, given: Iterable[Any]) -> tuple[Metric, ...]:
    """Metrics out of metrics, names, and functions that give one value a sample.

    Raises ArgumentError for other names, and for one name twice.
    """
    found: list[Metric] = []
    for metric in given:
        if isinstance(metric, Metric):
            found.append(metric)
        elif isinstance(metric, str) and metric in METRICS:
            found.append(METRICS[metric]())
        elif callable(metric):
            found.append(mean(getattr(metric, "__name__", type(metric).__name__), metric))
        else:
            raise ArgumentError(
                f"{operation}: no metric of that name; got {metric!r}; "
                f"use one of {', '.join(METRICS)}, a Metric or a function of outputs and targets"
            )
    names = [metric.name for metric in found]
    if len(set(names)) < len(names):
        raise ArgumentError(
            f"{operation}: two metrics of one name; got {names}; give each another name"
        )
    return tuple(found)
