"""Losses: how far predictions are from labels, as one number or one for each.

All take the predictions first, then the labels, of one shape unless said otherwise; then `weights`
that broadcast against the losses, and `reduction`: "mean", which is sum(weights * losses) /
sum(weights), "sum" of weights * losses, or "none". Losses are computed in float32 and are float32.
Raised are DTypeError for predictions that are not floating, ShapeError for shapes that do not fit,
ArgumentError for other reductions.
"""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError, ShapeError
from ..functions.axes import one_axis
from ..functions.creation import PUBLIC as CREATION
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.floating import floating, wide
from ..functions.manipulation import broadcast_to
from ..functions.remembering import remembered
from ..ops.rows import broadcast
from ..tensor import Tensor, as_tensor
from .embedding import check_integers
from .softmaxes import log_softmax, logsumexp

_where = ELEMENTWISE["where"]


@remembered
def mean_squared_error(
    predictions: Any, labels: Any, /, *, weights: Any = None, reduction: str = "mean"
) -> Tensor:
    """(predictions - labels)**2, element by element, reduced.

    Both have one shape, and predictions a floating dtype; all is computed in float32. `weights`
    broadcast to the losses. `reduction` is "mean", sum(weights * losses) / sum(weights), "sum" of
    weights * losses, or "none". Raises DTypeError and ShapeError for operands that do not fit,
    ArgumentError for other reductions.

    >>> import py_tensor as pt
    >>> pt.nn.mean_squared_error(pt.asarray([1.0, 2.0]), [3.0, 2.0]).item()
    2.0
    """
    p, y = _pair("mean_squared_error", predictions, labels)
    return _reduced("mean_squared_error", (p - y).square(), weights, reduction)


@remembered
def mean_absolute_error(
    predictions: Any, labels: Any, /, *, weights: Any = None, reduction: str = "mean"
) -> Tensor:
    """abs(predictions - labels), element by element, reduced.

    Operands, `weights`, `reduction` and errors are those of `mean_squared_error`.

    >>> import py_tensor as pt
    >>> pt.nn.mean_absolute_error(pt.asarray([1.0, 2.0]), [3.0, 2.0]).item()
    1.0
    """
    p, y = _pair("mean_absolute_error", predictions, labels)
    return _reduced("mean_absolute_error", (p - y).abs(), weights, reduction)


@remembered
def huber_loss(
    predictions: Any,
    labels: Any,
    /,
    *,
    delta: float = 1.0,
    weights: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """error**2 / 2 up to abs(error) = delta, from there on delta * (abs(error) - delta / 2).

    Element by element, reduced. (Huber 1964, doi:10.1214/aoms/1177703732.) Operands, `weights`,
    `reduction` and errors are those of `mean_squared_error`.

    >>> import py_tensor as pt
    >>> pt.nn.huber_loss(pt.asarray([1.0, 4.0]), [0.0, 0.0], reduction="none").tolist()
    [0.5, 3.5]
    """
    p, y = _pair("huber_loss", predictions, labels)
    error = (p - y).abs()
    near = error.minimum(float(delta))
    losses = near.square() * 0.5 + (error - near) * float(delta)
    return _reduced("huber_loss", losses, weights, reduction)


@remembered
def log_loss(
    predictions: Any,
    labels: Any,
    /,
    *,
    epsilon: float = 1e-7,
    weights: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """-labels * log(predictions + epsilon) - (1 - labels) * log(1 - predictions + epsilon).

    Element by element, reduced; predictions are probabilities. `sigmoid_cross_entropy`, of logits,
    is more accurate. Operands, `weights`, `reduction` and errors are those of `mean_squared_error`.

    >>> import py_tensor as pt
    >>> pt.nn.log_loss(pt.asarray([0.5]), [1.0], epsilon=0.0).item() == pt.log(2).item()
    True
    """
    p, y = _pair("log_loss", predictions, labels)
    epsilon = float(epsilon)
    losses = -(y * (p + epsilon).log() + (1.0 - y) * (1.0 - p + epsilon).log())
    return _reduced("log_loss", losses, weights, reduction)


@remembered
def hinge_loss(
    predictions: Any, labels: Any, /, *, weights: Any = None, reduction: str = "mean"
) -> Tensor:
    """max(0, 1 - (2 * labels - 1) * predictions) for labels 0 and 1, element by element, reduced.

    Operands, `weights`, `reduction` and errors are those of `mean_squared_error`.

    >>> import py_tensor as pt
    >>> pt.nn.hinge_loss(pt.asarray([0.5, 2.0, 0.5]), [1, 1, 0], reduction="none").tolist()
    [0.5, 0.0, 1.5]
    """
    p, y = _pair("hinge_loss", predictions, labels)
    return _reduced("hinge_loss", (1.0 - (y * 2.0 - 1.0) * p).relu(), weights, reduction)


@remembered
def sigmoid_cross_entropy(
    logits: Any,
    labels: Any,
    /,
    *,
    label_smoothing: float = 0.0,
    weights: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """-labels * log(sigmoid(logits)) - (1 - labels) * log(1 - sigmoid(logits)), reduced.

    Labels are probabilities, 0 .. 1, which `label_smoothing` s moves towards one half: labels * (1
    - s) + s / 2. Accurate for logits of any size. Operands, `weights`, `reduction` and errors are
    those of `mean_squared_error`.

    >>> import py_tensor as pt
    >>> pt.nn.sigmoid_cross_entropy(pt.asarray([1000.0, -1000.0]), [1, 1]).item()
    500.0
    """
    x, y = _pair("sigmoid_cross_entropy", logits, labels)
    if label_smoothing != 0:
        y = y * float(1 - label_smoothing) + float(label_smoothing) * 0.5
    # Two terms of one sign: max(x, 0) - x * y + log1p(exp(-abs(x))) is the same, but has no
    # derivative of its own at 0, where training often starts.
    losses = y * (-x).logaddexp(0.0) + (1.0 - y) * x.logaddexp(0.0)
    return _reduced("sigmoid_cross_entropy", losses, weights, reduction)


@remembered
def softmax_cross_entropy(
    logits: Any,
    labels: Any,
    /,
    *,
    axis: int = -1,
    label_smoothing: float = 0.0,
    weights: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """-sum(labels * log(softmax(logits))) along an axis, reduced.

    Labels are probabilities of each class, as `one_hot` gives, which `label_smoothing` s moves
    towards all being equal: labels * (1 - s) + s / classes. `weights` belong to the losses, which
    lack the axis. All else is as for `mean_squared_error`; raises ShapeError for an axis that does
    not exist, too.

    >>> import py_tensor as pt
    >>> logits, labels = pt.asarray([[0.0, 1000.0]]), pt.asarray([[1.0, 0.0]])
    >>> pt.nn.softmax_cross_entropy(logits, labels).item()
    1000.0
    """
    x, y = _pair("softmax_cross_entropy", logits, labels)
    place = one_axis("softmax_cross_entropy", axis, x.ndim)
    if label_smoothing != 0:
        y = y * float(1 - label_smoothing) + float(label_smoothing) / max(1, x.shape[place])
    losses = -(y * log_softmax(x, axis=place)).sum(axis=place)
    return _reduced("softmax_cross_entropy", losses, weights, reduction)


@remembered
def sparse_softmax_cross_entropy(
    logits: Any, labels: Any, /, *, weights: Any = None, reduction: str = "mean"
) -> Tensor:
    """-log(softmax(logits)) at the class each label names, along the last axis, reduced.

    Labels are integers of shape logits.shape[:-1]; one out of 0 .. classes - 1 gives NaN. The
    losses have the labels' shape. Raises DTypeError for labels that are not integers. All else is
    as for `mean_squared_error`.

    >>> import py_tensor as pt
    >>> pt.nn.sparse_softmax_cross_entropy(pt.asarray([[0.0, 1000.0]]), [0]).item()
    1000.0
    """
    operation = "sparse_softmax_cross_entropy"
    x, y = wide(floating(operation, logits)), as_tensor(operation, labels)
    check_integers(operation, y)
    if x.ndim == 0 or y.shape != x.shape[:-1]:
        raise ShapeError(
            f"{operation}: shapes do not fit; got {x.shape} and {y.shape}; labels have the logits' "
            "shape without its last axis"
        )
    classes = x.shape[-1]
    named = y.astype("int32").reshape((*y.shape, 1)) == CREATION["arange"](classes)
    losses = logsumexp(x, axis=-1) - _where(named, x, 0.0).sum(axis=-1)
    known = (y >= 0).logical_and(y < classes)
    return _reduced(operation, _where(known, losses, float("nan")), weights, reduction)


@remembered
def cosine_distance(
    predictions: Any,
    labels: Any,
    /,
    *,
    axis: int = -1,
    weights: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """1 less the cosine of the angle between predictions and labels along an axis, reduced.

    Vectors may have any length; one shorter than 1e-8 counts as that long. `weights` belong to the
    losses, which lack the axis. All else is as for `mean_squared_error`; raises ShapeError for an
    axis that does not exist, too.

    >>> import py_tensor as pt
    >>> x, y = pt.asarray([[3.0, 0.0], [1.0, 0.0]]), pt.asarray([[2.0, 0.0], [0.0, 5.0]])
    >>> pt.nn.cosine_distance(x, y, reduction="none").tolist()
    [0.0, 1.0]
    """
    p, y = _pair("cosine_distance", predictions, labels)
    place = one_axis("cosine_distance", axis, p.ndim)
    # One square root of each: the product of two squares leaves float32 much sooner.
    sizes = [v.square().sum(axis=place).maximum(1e-16).rsqrt() for v in (p, y)]
    losses = 1.0 - (p * y).sum(axis=place) * sizes[0] * sizes[1]
    return _reduced("cosine_distance", losses, weights, reduction)


@remembered
def kl_divergence(
    predictions: Any,
    labels: Any,
    /,
    *,
    axis: int = -1,
    epsilon: float = 1e-7,
    weights: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """sum(labels * log(labels / predictions)) along an axis, reduced; labels of 0 add nothing.

    Both are probabilities; predictions below `epsilon` count as that. `weights` belong to the
    losses, which lack the axis. (Kullback and Leibler 1951, doi:10.1214/aoms/1177729694.) All else
    is as for `mean_squared_error`; raises ShapeError for an axis that does not exist, too.

    >>> import py_tensor as pt
    >>> pt.nn.kl_divergence(pt.asarray([[0.5, 0.5]]), [[1.0, 0.0]]).item() == pt.log(2).item()
    True
    """
    p, y = _pair("kl_divergence", predictions, labels)
    place = one_axis("kl_divergence", axis, p.ndim)
    # What is not chosen must stay finite, in its derivative too.
    known = _where(y > 0, y, 1.0)
    terms = _where(y > 0, y * (known.log() - p.maximum(float(epsilon)).log()), 0.0)
    return _reduced("kl_divergence", terms.sum(axis=place), weights, reduction)


def _pair(operation: str, predictions: Any, labels: Any) -> tuple[Tensor, Tensor]:
    """Both in float32. Raises ShapeError where they would have to broadcast."""
    p, y = wide(floating(operation, predictions)), as_tensor(operation, labels)
    if p.shape != y.shape:
        raise ShapeError(
            f"{operation}: shapes differ; got {p.shape} and {y.shape}; "
            "give labels the predictions' shape"
        )
    return p, wide(y)


def _reduced(operation: str, losses: Tensor, weights: Any, reduction: str) -> Tensor:
    if reduction not in ("mean", "sum", "none"):
        raise ArgumentError(
            f"{operation}: no reduction of that name; got {reduction!r}; "
            'use "mean", "sum" or "none"'
        )
    if weights is not None:
        given = wide(as_tensor(operation, weights))
        if broadcast(operation, [losses.shape, given.shape]) != losses.shape:
            raise ShapeError(
                f"{operation}: weights have more elements than the losses; got shapes "
                f"{given.shape} and {losses.shape}; give weights that broadcast to the losses"
            )
        losses = losses * given
        if reduction == "mean":
            return losses.sum() / broadcast_to(given, losses.shape).sum()
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else losses.mean()
