"""Loss functions: the distance of predictions from labels, reduced to one number on request.

All take predictions first and labels second, then `weights` and `reduction`. They compute in
float32 and return float32.
"""

from __future__ import annotations

from .. import functions as F
from ..dtypes import float32
from ..errors import ShapeError
from ..functions.arguments import choice, floating, integer, number, one_axis, wide
from ..functions.data_types import lowest_stored
from ..functions.decorators import remembered
from ..ops.op_def import broadcast
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike
from .embedding import check_integers
from .softmax import log_softmax, logsumexp


@remembered
def mean_squared_error(
    predictions: ArrayLike,
    labels: ArrayLike,
    /,
    *,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute (predictions - labels)**2 elementwise and reduce it.

    Args:
        predictions: Tensor of any shape and a floating dtype.
        labels: Numbers of the same shape.
        weights: Tensor that broadcasts to the losses; None (default) for 1.
        reduction: "mean" (default) for sum(weights * losses) / sum(weights), "sum" for sum(weights
            * losses), or "none".

    Returns:
        float32 scalar; with "none", float32 tensor of the predictions' shape.

    Raises:
        ArgumentError: If `reduction` is unknown.
        DTypeError: If predictions are not floating.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> pt.nn.mean_squared_error(pt.asarray([1.0, 2.0]), [3.0, 2.0]).item()
    2.0
    """
    p, y = _operands("mean_squared_error", predictions, labels)
    return _reduced("mean_squared_error", (p - y).square(), weights, reduction)


@remembered
def mean_absolute_error(
    predictions: ArrayLike,
    labels: ArrayLike,
    /,
    *,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute abs(predictions - labels) elementwise and reduce it.

    Args:
        predictions: Tensor of any shape and a floating dtype.
        labels: Numbers of the same shape.
        weights: Tensor that broadcasts to the losses; None (default) for 1.
        reduction: "mean" (default) for sum(weights * losses) / sum(weights), "sum" for sum(weights
            * losses), or "none".

    Returns:
        float32 scalar; with "none", float32 tensor of the predictions' shape.

    Raises:
        ArgumentError: If `reduction` is unknown.
        DTypeError: If predictions are not floating.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> pt.nn.mean_absolute_error(pt.asarray([1.0, 2.0]), [3.0, 2.0]).item()
    1.0
    """
    p, y = _operands("mean_absolute_error", predictions, labels)
    return _reduced("mean_absolute_error", (p - y).abs(), weights, reduction)


@remembered
def huber_loss(
    predictions: ArrayLike,
    labels: ArrayLike,
    /,
    *,
    delta: float = 1.0,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute a squared error for small errors and a linear one for large, and reduce it.

    With error = abs(predictions - labels): error**2 / 2 for errors up to delta, and delta * (error
    - delta / 2) for larger ones. Source: Huber 1964, doi:10.1214/aoms/1177703732.

    Args:
        predictions: Tensor of any shape and a floating dtype.
        labels: Numbers of the same shape.
        delta: Error at which the loss becomes linear; default 1.0.
        weights: Tensor that broadcasts to the losses; None (default) for 1.
        reduction: "mean" (default) for sum(weights * losses) / sum(weights), "sum" for sum(weights
            * losses), or "none".

    Returns:
        float32 scalar; with "none", float32 tensor of the predictions' shape.

    Raises:
        ArgumentError: If `reduction` is unknown.
        DTypeError: If predictions are not floating.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> pt.nn.huber_loss(pt.asarray([1.0, 4.0]), [0.0, 0.0], reduction="none").tolist()
    [0.5, 3.5]
    """
    p, y = _operands("huber_loss", predictions, labels)
    error = (p - y).abs()
    clipped = error.minimum(number("huber_loss", "delta", delta))
    losses = clipped.square() * 0.5 + (error - clipped) * number("huber_loss", "delta", delta)
    return _reduced("huber_loss", losses, weights, reduction)


@remembered
def log_loss(
    predictions: ArrayLike,
    labels: ArrayLike,
    /,
    *,
    epsilon: float = 1e-7,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the cross-entropy of probabilities and binary labels, and reduce it.

    Formula: -labels * log(predictions + epsilon) - (1 - labels) * log(1 - predictions + epsilon).
    Prefer `sigmoid_cross_entropy`, which takes logits and is more accurate.

    Args:
        predictions: Probabilities; tensor of any shape and a floating dtype.
        labels: Probabilities from 0 to 1, of the same shape.
        epsilon: Number added inside the logarithms; default 1e-7.
        weights: Tensor that broadcasts to the losses; None (default) for 1.
        reduction: "mean" (default) for sum(weights * losses) / sum(weights), "sum" for sum(weights
            * losses), or "none".

    Returns:
        float32 scalar; with "none", float32 tensor of the predictions' shape.

    Raises:
        ArgumentError: If `reduction` is unknown.
        DTypeError: If predictions are not floating.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> round(pt.nn.log_loss(pt.asarray([0.5]), [1.0], epsilon=0.0).item(), 4)
    0.6931
    """
    p, y = _operands("log_loss", predictions, labels)
    epsilon = number("log_loss", "epsilon", epsilon)
    losses = -(y * (p + epsilon).log() + (1.0 - y) * (1.0 - p + epsilon).log())
    return _reduced("log_loss", losses, weights, reduction)


@remembered
def hinge_loss(
    predictions: ArrayLike,
    labels: ArrayLike,
    /,
    *,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute max(0, 1 - (2 * labels - 1) * predictions) elementwise and reduce it.

    Args:
        predictions: Tensor of any shape and a floating dtype.
        labels: 0 and 1, of the same shape.
        weights: Tensor that broadcasts to the losses; None (default) for 1.
        reduction: "mean" (default) for sum(weights * losses) / sum(weights), "sum" for sum(weights
            * losses), or "none".

    Returns:
        float32 scalar; with "none", float32 tensor of the predictions' shape.

    Raises:
        ArgumentError: If `reduction` is unknown.
        DTypeError: If predictions are not floating.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> pt.nn.hinge_loss(pt.asarray([0.5, 2.0, 0.5]), [1, 1, 0], reduction="none").tolist()
    [0.5, 0.0, 1.5]
    """
    p, y = _operands("hinge_loss", predictions, labels)
    return _reduced("hinge_loss", (1.0 - (y * 2.0 - 1.0) * p).relu(), weights, reduction)


@remembered
def sigmoid_cross_entropy(
    logits: ArrayLike,
    labels: ArrayLike,
    /,
    *,
    label_smoothing: float = 0.0,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the cross-entropy of logits and binary labels, and reduce it.

    Formula: -labels * log(sigmoid(logits)) - (1 - labels) * log(1 - sigmoid(logits)), accurate for
    logits of any size.

    Args:
        logits: Tensor of any shape and a floating dtype.
        labels: Probabilities from 0 to 1, of the same shape.
        label_smoothing: Number s from 0 to 1 that replaces labels by labels * (1 - s) + s / 2;
            default 0.0.
        weights: Tensor that broadcasts to the losses; None (default) for 1.
        reduction: "mean" (default) for sum(weights * losses) / sum(weights), "sum" for sum(weights
            * losses), or "none".

    Returns:
        float32 scalar; with "none", float32 tensor of the logits' shape.

    Raises:
        ArgumentError: If `reduction` is unknown.
        DTypeError: If logits are not floating.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> pt.nn.sigmoid_cross_entropy(pt.asarray([1000.0, -1000.0]), [1, 1]).item()
    500.0
    """
    x, y = _operands("sigmoid_cross_entropy", logits, labels)
    smoothing = number("sigmoid_cross_entropy", "label_smoothing", label_smoothing)
    if smoothing != 0:
        y = y * (1.0 - smoothing) + smoothing * 0.5
    # max(x, 0) - x * y + log1p(exp(-abs(x))) is equal, but its terms are not differentiable at 0,
    # where training often starts.
    losses = y * (-x).logaddexp(0.0) + (1.0 - y) * x.logaddexp(0.0)
    return _reduced("sigmoid_cross_entropy", losses, weights, reduction)


@remembered
def softmax_cross_entropy(
    logits: ArrayLike,
    labels: ArrayLike,
    /,
    *,
    axis: int = -1,
    label_smoothing: float = 0.0,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute -sum(labels * log(softmax(logits))) along an axis and reduce it.

    Args:
        logits: Tensor of any shape with at least one axis, and a floating dtype.
        labels: Probability of each class, of the same shape; for example from `one_hot`.
        axis: Axis of the classes; default -1.
        label_smoothing: Number s from 0 to 1 that replaces labels by labels * (1 - s) + s /
            classes; default 0.0.
        weights: Tensor that broadcasts to the losses, which lack the axis; None (default) for 1.
        reduction: "mean" (default) for sum(weights * losses) / sum(weights), "sum" for sum(weights
            * losses), or "none".

    Returns:
        float32 scalar; with "none", float32 tensor of the logits' shape without the axis.

    Raises:
        ArgumentError: If `reduction` is unknown.
        DTypeError: If logits are not floating.
        ShapeError: If the shapes are incompatible, or the axis does not exist.

    >>> import py_tensor as pt
    >>> logits, labels = pt.asarray([[0.0, 1000.0]]), pt.asarray([[1.0, 0.0]])
    >>> pt.nn.softmax_cross_entropy(logits, labels).item()
    1000.0
    """
    x, y = _operands("softmax_cross_entropy", logits, labels)
    axis_index = one_axis("softmax_cross_entropy", axis, x.ndim)
    smoothing = number("softmax_cross_entropy", "label_smoothing", label_smoothing)
    if smoothing != 0:
        y = y * (1.0 - smoothing) + smoothing / max(1, x.shape[axis_index])
    losses = -(y * log_softmax(x, axis=axis_index)).sum(axis=axis_index)
    return _reduced("softmax_cross_entropy", losses, weights, reduction)


@remembered
def sparse_softmax_cross_entropy(
    logits: ArrayLike,
    labels: ArrayLike,
    /,
    *,
    ignore_index: int | None = None,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute -log(softmax(logits)) at integer labels, and reduce it.

    Args:
        logits: Tensor of shape (..., classes) and a floating dtype.
        labels: Integers of shape logits.shape[:-1]; a label outside 0 .. classes - 1 gives NaN.
        ignore_index: Label of losses that are 0 and do not count in the mean; None (default) for
            none.
        weights: Tensor that broadcasts to the losses; None (default) for 1.
        reduction: "mean" (default) for sum(weights * losses) / sum(weights), "sum" for sum(weights
            * losses), or "none".

    Returns:
        float32 scalar; with "none", float32 tensor of the labels' shape.

    Raises:
        ArgumentError: If `reduction` is unknown.
        DTypeError: If logits are not floating, or labels are not integers.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> pt.nn.sparse_softmax_cross_entropy(pt.asarray([[0.0, 1000.0]]), [0]).item()
    1000.0
    """
    operation = "sparse_softmax_cross_entropy"
    x, at_label, in_range = _labelled(operation, logits, labels)
    losses = logsumexp(x, axis=-1) - F.where(at_label, x, 0.0).sum(axis=-1)
    losses = F.where(in_range, losses, float("nan"))
    return _counted(operation, losses, labels, ignore_index, weights, reduction)


@remembered
def nll_loss(
    log_probabilities: ArrayLike,
    labels: ArrayLike,
    /,
    *,
    ignore_index: int | None = None,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute -log_probabilities at integer labels, the negative log-likelihood, and reduce it.

    On the result of `log_softmax` this is `sparse_softmax_cross_entropy` of the logits.

    Args:
        log_probabilities: Tensor of shape (..., classes) and a floating dtype.
        labels: Integers of that shape without the last axis; a label outside 0 .. classes - 1
            gives NaN.
        ignore_index: Label of losses that are 0 and do not count in the mean; None (default) for
            none.
        weights: Tensor that broadcasts to the losses; None (default) for 1.
        reduction: "mean" (default) for sum(weights * losses) / sum(weights), "sum" for sum(weights
            * losses), or "none".

    Returns:
        float32 scalar; with "none", float32 tensor of the labels' shape.

    Raises:
        ArgumentError: If `reduction` is unknown.
        DTypeError: If probabilities are not floating, or labels are not integers.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> pt.nn.nll_loss(pt.asarray([[-1.0, -3.0], [-2.0, -4.0]]), [1, 0]).item()
    2.5
    """
    x, at_label, in_range = _labelled("nll_loss", log_probabilities, labels)
    losses = -F.where(at_label, x, 0.0).sum(axis=-1)
    losses = F.where(in_range, losses, float("nan"))
    return _counted("nll_loss", losses, labels, ignore_index, weights, reduction)


def _counted(
    operation: str,
    losses: Tensor,
    labels: ArrayLike,
    ignored: int | None,
    weights: ArrayLike | None,
    reduction: str,
) -> Tensor:
    """Reduce the losses of the labels that are not ignored."""
    if ignored is None:
        return _reduced(operation, losses, weights, reduction)
    counted: Tensor = as_tensor(operation, labels) != integer(operation, "ignore_index", ignored)
    factor = wide(counted)
    if weights is not None:
        factor = factor * wide(as_tensor(operation, weights))
    return _reduced(operation, F.where(counted, losses, 0.0), factor, reduction)


def _labelled(
    operation: str, scores: ArrayLike, labels: ArrayLike
) -> tuple[Tensor, Tensor, Tensor]:
    """Return scores in float32, where they are at their label, and which labels are in range."""
    x, y = wide(floating(operation, scores)), as_tensor(operation, labels)
    check_integers(operation, y)
    if x.ndim == 0 or y.shape != x.shape[:-1]:
        raise ShapeError(
            f"{operation}: shapes are incompatible; got {x.shape} and {y.shape}; labels must have "
            "the logits' shape without the last axis"
        )
    classes = x.shape[-1]
    at_label = y.astype("int32").reshape((*y.shape, 1)) == F.arange(classes)
    return x, at_label, (y >= 0).logical_and(y < classes)


@remembered
def binary_cross_entropy(
    predictions: ArrayLike,
    labels: ArrayLike,
    /,
    *,
    epsilon: float = 1e-7,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the cross-entropy of probabilities and binary labels, and reduce it.

    Formula: -labels * log(p) - (1 - labels) * log(1 - p), where p is predictions limited to epsilon
    .. 1 - epsilon, as in Keras. Prefer `sigmoid_cross_entropy`, which takes logits and is more
    accurate.

    Args:
        predictions: Probabilities; tensor of any shape and a floating dtype.
        labels: Probabilities from 0 to 1, of the same shape.
        epsilon: Distance of the predictions from 0 and 1; default 1e-7.
        weights: Tensor that broadcasts to the losses; None (default) for 1.
        reduction: "mean" (default) for sum(weights * losses) / sum(weights), "sum" for sum(weights
            * losses), or "none".

    Returns:
        float32 scalar; with "none", float32 tensor of the predictions' shape.

    Raises:
        ArgumentError: If `reduction` is unknown.
        DTypeError: If predictions are not floating.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> round(pt.nn.binary_cross_entropy(pt.asarray([0.5, 1.0]), [1.0, 1.0]).item(), 4)
    0.3466
    """
    p, y = _operands("binary_cross_entropy", predictions, labels)
    p = p.clip(
        number("binary_cross_entropy", "epsilon", epsilon),
        1.0 - number("binary_cross_entropy", "epsilon", epsilon),
    )
    losses = -(y * p.log() + (1.0 - y) * (1.0 - p).log())
    return _reduced("binary_cross_entropy", losses, weights, reduction)


@remembered
def ctc_loss(
    logits: ArrayLike,
    labels: ArrayLike,
    /,
    *,
    logit_lengths: ArrayLike | None = None,
    label_lengths: ArrayLike | None = None,
    blank: int = 0,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the connectionist temporal classification loss of each sequence, and reduce it.

    The loss is -log of the total probability of all alignments: sequences of one class per step
    that give the labels if repetitions and then blanks are removed. Source: Graves et al. 2006,
    doi:10.1145/1143844.1143891.

    Args:
        logits: Tensor of shape (batch, time, classes) and a floating dtype.
        labels: Integers of shape (batch, labels), other than `blank`.
        logit_lengths: Number of steps of each sequence; None (default) for all.
        label_lengths: Number of labels of each sequence; None (default) for all.
        blank: Class of no label; default 0.
        weights: Tensor that broadcasts to the losses, one per sequence; None (default) for 1.
        reduction: "mean" (default) for sum(weights * losses) / sum(weights), "sum" for sum(weights
            * losses), or "none".

    Returns:
        float32 scalar; with "none", float32 tensor of shape (batch,). The loss is infinite if a
        sequence is too short for its labels.

    Raises:
        ArgumentError: If `reduction` is unknown.
        DTypeError: If logits are not floating, or labels or lengths are not integers.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> loss = pt.nn.ctc_loss(pt.zeros((1, 2, 2)), [[1]])
    >>> round(pt.exp(-loss).item(), 6)
    0.75
    """
    operation = "ctc_loss"
    x, y = wide(floating(operation, logits)), as_tensor(operation, labels)
    check_integers(operation, y)
    if x.ndim != 3 or y.ndim != 2 or x.shape[0] != y.shape[0] or not x.shape[1]:
        raise ShapeError(
            f"{operation}: shapes are incompatible; got {x.shape} and {y.shape}; logits must have "
            "shape (batch, time, classes), labels (batch, labels)"
        )
    batch, steps, classes = x.shape
    count = y.shape[1]
    ends = [
        _lengths(operation, tensors, batch, longest)
        for tensors, longest in ((logit_lengths, steps), (label_lengths, count))
    ]
    places = F.arange(2 * count + 1)
    # Blanks between the labels, before the first and after the last.
    blanks = F.full((batch, count, 1), blank, dtype="int32")
    pairs = F.concat([blanks, y.astype("int32").reshape((batch, count, 1))], axis=2)
    classes_at = F.concat(
        [pairs.reshape((batch, 2 * count)), F.full((batch, 1), blank, dtype="int32")], axis=1
    )
    one_hot_at = classes_at.reshape((batch, 2 * count + 1, 1)) == F.arange(classes)
    # (batch, time, places): a product with 0 and 1 instead of a gather, whose gradient scatters.
    scores = log_softmax(x) @ one_hot_at.astype("float32").mT
    skips = (
        F.concat(
            [
                F.full((batch, 2), False),
                (classes_at[:, 2:] != classes_at[:, :-2]).logical_and(classes_at[:, 2:] != blank),
            ],
            axis=1,
        )
        if count
        else F.full((batch, 1), False)
    )
    # Logarithm of a probability of 0: -inf would give gradients of NaN.
    impossible = max(-1e30, 0.5 * lowest_stored(float32))
    reached = F.where(places < 2, scores[:, 0], impossible)
    for step in range(1, steps):
        before = [
            reached,
            _shifted(reached, 1, impossible),
            F.where(skips, _shifted(reached, 2, impossible), impossible),
        ]
        new = before[0].logaddexp(before[1]).logaddexp(before[2]) + scores[:, step]
        reached = F.where(ends[0] > step, new, reached)
    last = (places >= 2 * ends[1] - 1).logical_and(places <= 2 * ends[1])
    losses = -logsumexp(F.where(last, reached, impossible), axis=-1)
    losses = F.where(losses > -0.5 * impossible, float("inf"), losses)
    return _reduced(operation, losses, weights, reduction)


def _shifted(x: Tensor, by: int, fill: float) -> Tensor:
    kept = max(0, x.shape[1] - by)
    return F.pad(x[:, :kept], ((0, 0), (x.shape[1] - kept, 0)), constant_values=fill)


def _lengths(operation: str, lengths_given: ArrayLike | None, batch: int, longest: int) -> Tensor:
    """Return lengths as int32 of shape (batch, 1)."""
    if lengths_given is None:
        return F.full((batch, 1), longest, dtype="int32")
    lengths = as_tensor(operation, lengths_given)
    check_integers(operation, lengths)
    if lengths.shape != (batch,):
        raise ShapeError(
            f"{operation}: lengths must be one number per sequence; got shape {lengths.shape} for "
            f"{batch} sequences; pass shape (batch,)"
        )
    return lengths.astype("int32").reshape((batch, 1))


@remembered
def cosine_similarity(x: ArrayLike, y: ArrayLike, /, *, axis: int = -1) -> Tensor:
    """Compute the cosine of the angle between vectors along an axis.

    A vector shorter than 1e-8 counts as that long. `cosine_distance` is the loss 1 - cosine.

    Args:
        x: Tensor of any shape and a floating dtype.
        y: Numbers of the same shape.
        axis: Axis of the vectors' components; default -1.

    Returns:
        float32 tensor of the shape of `x` without the axis, from -1 to 1.

    Raises:
        DTypeError: If `x` is not floating.
        ShapeError: If the shapes differ, or the axis does not exist.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[3.0, 0.0], [1.0, 0.0]])
    >>> pt.nn.cosine_similarity(x, [[2.0, 0.0], [0.0, 5.0]]).tolist()
    [1.0, 0.0]
    """
    a, b = _operands("cosine_similarity", x, y)
    return _cosine("cosine_similarity", a, b, axis)


@remembered
def cosine_embedding_loss(
    x: ArrayLike,
    y: ArrayLike,
    labels: ArrayLike,
    /,
    *,
    margin: float = 0.0,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute a loss that pulls similar vectors together and others apart, and reduce it.

    Formula: 1 - cosine for a label of 1, and max(0, cosine - margin) for a label of -1, as
    torch.nn.CosineEmbeddingLoss.

    Args:
        x: Tensor of shape (..., features) and a floating dtype.
        y: Numbers of the same shape.
        labels: 1 and -1, of that shape without the last axis.
        margin: Cosine up to which vectors are apart; default 0.0.
        weights: Tensor that broadcasts to the losses; None (default) for 1.
        reduction: "mean" (default) for sum(weights * losses) / sum(weights), "sum" for sum(weights
            * losses), or "none".

    Returns:
        float32 scalar; with "none", float32 tensor of the labels' shape.

    Raises:
        ArgumentError: If `reduction` is unknown.
        DTypeError: If `x` is not floating.
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[3.0, 0.0], [1.0, 0.0]])
    >>> pt.nn.cosine_embedding_loss(x, [[2.0, 0.0], [1.0, 0.0]], [1, -1], reduction="none").tolist()
    [0.0, 1.0]
    """
    a, b = _operands("cosine_embedding_loss", x, y)
    cosine, signs = _operands(
        "cosine_embedding_loss", _cosine("cosine_embedding_loss", a, b, -1), labels
    )
    losses = F.where(
        signs > 0, 1.0 - cosine, (cosine - number("cosine_embedding_loss", "margin", margin)).relu()
    )
    return _reduced("cosine_embedding_loss", losses, weights, reduction)


def _cosine(operation: str, x: Tensor, y: Tensor, axis: int) -> Tensor:
    axis_index = one_axis(operation, axis, x.ndim)
    # One root for each vector: the product of two squares overflows float32 much sooner.
    inverse_norms = [v.square().sum(axis=axis_index).maximum(1e-16).rsqrt() for v in (x, y)]
    return (x * y).sum(axis=axis_index) * inverse_norms[0] * inverse_norms[1]


@remembered
def cosine_distance(
    predictions: ArrayLike,
    labels: ArrayLike,
    /,
    *,
    axis: int = -1,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute 1 - cos(angle between predictions and labels) along an axis and reduce it.

    Vectors need not be normalized. A vector shorter than 1e-8 counts as that long.

    Args:
        predictions: Tensor of any shape and a floating dtype.
        labels: Numbers of the same shape.
        axis: Axis of the vectors' components; default -1.
        weights: Tensor that broadcasts to the losses, which lack the axis; None (default) for 1.
        reduction: "mean" (default) for sum(weights * losses) / sum(weights), "sum" for sum(weights
            * losses), or "none".

    Returns:
        float32 scalar; with "none", float32 tensor of the predictions' shape without the axis.

    Raises:
        ArgumentError: If `reduction` is unknown.
        DTypeError: If predictions are not floating.
        ShapeError: If the shapes are incompatible, or the axis does not exist.

    >>> import py_tensor as pt
    >>> x, y = pt.asarray([[3.0, 0.0], [1.0, 0.0]]), pt.asarray([[2.0, 0.0], [0.0, 5.0]])
    >>> pt.nn.cosine_distance(x, y, reduction="none").tolist()
    [0.0, 1.0]
    """
    p, y = _operands("cosine_distance", predictions, labels)
    losses = 1.0 - _cosine("cosine_distance", p, y, axis)
    return _reduced("cosine_distance", losses, weights, reduction)


@remembered
def kl_divergence(
    predictions: ArrayLike,
    labels: ArrayLike,
    /,
    *,
    axis: int = -1,
    epsilon: float = 1e-7,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute sum(labels * log(labels / predictions)) along an axis and reduce it.

    Labels of 0 add nothing. Source: Kullback and Leibler 1951, doi:10.1214/aoms/1177729694.

    Args:
        predictions: Probabilities; tensor of any shape with at least one axis, and a floating
            dtype.
        labels: Probabilities of the same shape.
        axis: Axis of the classes; default -1.
        epsilon: Lower limit of the predictions; default 1e-7.
        weights: Tensor that broadcasts to the losses, which lack the axis; None (default) for 1.
        reduction: "mean" (default) for sum(weights * losses) / sum(weights), "sum" for sum(weights
            * losses), or "none".

    Returns:
        float32 scalar; with "none", float32 tensor of the predictions' shape without the axis.

    Raises:
        ArgumentError: If `reduction` is unknown.
        DTypeError: If predictions are not floating.
        ShapeError: If the shapes are incompatible, or the axis does not exist.

    >>> import py_tensor as pt
    >>> round(pt.nn.kl_divergence(pt.asarray([[0.5, 0.5]]), [[1.0, 0.0]]).item(), 4)
    0.6931
    """
    p, y = _operands("kl_divergence", predictions, labels)
    axis_index = one_axis("kl_divergence", axis, p.ndim)
    # The branch not selected must stay finite, and so must its derivative.
    nonzero = F.where(y > 0, y, 1.0)
    terms = F.where(
        y > 0,
        y * (nonzero.log() - p.maximum(number("kl_divergence", "epsilon", epsilon)).log()),
        0.0,
    )
    return _reduced("kl_divergence", terms.sum(axis=axis_index), weights, reduction)


def _operands(operation: str, predictions: ArrayLike, labels: ArrayLike) -> tuple[Tensor, Tensor]:
    """Convert both to float32. Raise ShapeError if the shapes differ."""
    p, y = wide(floating(operation, predictions)), as_tensor(operation, labels)
    if p.shape != y.shape:
        raise ShapeError(
            f"{operation}: shapes must be equal; got {p.shape} and {y.shape}; use the same shape "
            "for labels and predictions"
        )
    return p, wide(y)


def _reduced(operation: str, losses: Tensor, weights: ArrayLike | None, reduction: str) -> Tensor:
    choice(operation, "reduction", reduction, ("mean", "sum", "none"))
    if weights is not None:
        factor = wide(as_tensor(operation, weights))
        if broadcast(operation, [losses.shape, factor.shape]) != losses.shape:
            raise ShapeError(
                f"{operation}: weights must broadcast to the losses; got shapes {factor.shape} and "
                f"{losses.shape}; reshape the weights"
            )
        losses = losses * factor
        if reduction == "mean":
            return losses.sum() / F.broadcast_to(factor, losses.shape).sum()
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else losses.mean()
