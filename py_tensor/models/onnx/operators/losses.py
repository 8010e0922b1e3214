"""Losses over classes, which are ONNX's second axis."""

from __future__ import annotations

from .... import functions as F, nn
from ....tensor import Tensor
from .shared import Operator


def negative_log_likelihood(
    x: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> Tensor:
    known, weights = _known(target, weight, ignore_index)
    losses = nn.nll_loss(F.moveaxis(x, 1, -1), known, weights=weights, reduction=reduction)
    return losses.astype(x.dtype, copy=False)


def softmax_cross_entropy(
    x: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> tuple[Tensor, Tensor]:
    known, weights = _known(target, weight, ignore_index)
    loss = nn.sparse_softmax_cross_entropy(
        F.moveaxis(x, 1, -1), known, weights=weights, reduction=reduction
    )
    return loss, nn.log_softmax(x, axis=1)


def _known(
    target: Tensor, weight: Tensor | None, ignore_index: int | None
) -> tuple[Tensor, Tensor | None]:
    """Replace ignored labels by 0; return them with the weight of each."""
    if ignore_index is None:
        return target, None if weight is None else F.take(weight, target, axis=0)
    ignored = target == ignore_index
    known = F.where(ignored, 0, target)
    weights = 1.0 if weight is None else F.take(weight, known, axis=0)
    return known, F.where(ignored, 0.0, weights)


OPERATORS = {
    "NegativeLogLikelihoodLoss": Operator(negative_log_likelihood),
    "SoftmaxCrossEntropyLoss": Operator(softmax_cross_entropy),
}
