"""Losses over classes, which are ONNX's second axis."""

from __future__ import annotations

import py_tensor as pt

from .images import channels_last


def negative_log_likelihood(x, target, weight=None, *, ignore_index=None, reduction="mean"):
    known, weights = _known(target, weight, ignore_index)
    chosen = pt.take_along_axis(channels_last(x), pt.expand_dims(known, axis=-1), axis=-1)
    losses = -pt.squeeze(chosen, -1) * (1.0 if weights is None else weights)
    if reduction == "none":
        return losses
    if reduction == "mean" and weights is not None:
        return pt.sum(losses) / pt.sum(weights)
    return pt.sum(losses) if reduction == "sum" else pt.mean(losses)


def softmax_cross_entropy(x, target, weight=None, *, ignore_index=None, reduction="mean"):
    known, weights = _known(target, weight, ignore_index)
    loss = pt.nn.sparse_softmax_cross_entropy(
        channels_last(x), known, weights=weights, reduction=reduction
    )
    return loss, pt.nn.log_softmax(x, axis=1)


def _known(target, weight, ignore_index):
    """Labels with 0 for those to ignore, and the weight of each."""
    if ignore_index is None:
        return target, None if weight is None else pt.take(weight, target, axis=0)
    ignored = target == ignore_index
    known = pt.where(ignored, 0, target)
    weights = 1.0 if weight is None else pt.take(weight, known, axis=0)
    return known, pt.where(ignored, 0.0, weights)


OPERATORS = {
    "NegativeLogLikelihoodLoss": negative_log_likelihood,
    "SoftmaxCrossEntropyLoss": softmax_cross_entropy,
}
