"""Normalization and softmax. Channels are ONNX's second axis and our last."""

from __future__ import annotations

import py_tensor as pt

from .images import channels_first, channels_last


def batch_normalization(
    x, scale, offset, mean, variance, *, epsilon=1e-5, momentum=0.9, training_mode=0
):
    images = channels_last(x)
    running = ()
    if training_mode:
        now = pt.nn.moments(images, axis=tuple(range(images.ndim - 1)))
        running = tuple(
            old * momentum + new * (1 - momentum)
            for old, new in zip((mean, variance), now, strict=True)
        )
        mean, variance = now
    y = pt.nn.batch_norm(images, mean, variance, scale=scale, offset=offset, epsilon=epsilon)
    return (channels_first(y), *running)


def group_normalization(x, scale, offset, *, num_groups, epsilon=1e-5, stash_type=1):
    images = channels_last(x)
    y = pt.nn.group_norm(images, num_groups, scale=scale, offset=offset, epsilon=epsilon)
    return channels_first(y)


def instance_normalization(x, scale, offset, *, epsilon=1e-5):
    y = pt.nn.instance_norm(channels_last(x), scale=scale, offset=offset, epsilon=epsilon)
    return channels_first(y)


def layer_normalization(x, scale, offset=None, *, axis=-1, epsilon=1e-5, stash_type=1):
    axes = tuple(range(axis % x.ndim, x.ndim))
    y = pt.nn.layer_norm(x, scale=scale, offset=offset, axis=axes, epsilon=epsilon)
    mean, variance = pt.nn.moments(x, axis=axes, keepdims=True)
    return y, mean, pt.rsqrt(variance + epsilon)


def rms_normalization(x, scale, *, axis=-1, epsilon=1e-5, stash_type=1):
    axes = tuple(range(axis % x.ndim, x.ndim))
    return pt.nn.rms_norm(x, scale=scale, axis=axes, epsilon=epsilon)


def mean_variance_normalization(x, *, axes=(0, 2, 3)):
    return pt.nn.layer_norm(x, axis=axes, epsilon=0.0)


def lp_normalization(x, *, axis=-1, p=2):
    powers = pt.abs(x) if p == 1 else pt.square(x)
    size = pt.sum(powers, axis=axis, keepdims=True)
    size = size if p == 1 else pt.sqrt(size)
    return pt.where(size == 0, 0.0, x / size)


def local_response_normalization(x, *, size, alpha=1e-4, beta=0.75, bias=1.0):
    along = pt.square(x).reshape((*x.shape[:2], -1))
    means = pt.nn.avg_pool1d(along, size, stride=1, padding="same", count_include_pad=True)
    return x / (bias + alpha * means.reshape(x.shape)) ** beta


def softmax(x, *, axis=-1):
    return pt.softmax(x, axis=axis)


def log_softmax(x, *, axis=-1):
    return pt.nn.log_softmax(x, axis=axis)


OPERATORS = {
    "BatchNormalization": batch_normalization,
    "GroupNormalization": group_normalization,
    "InstanceNormalization": instance_normalization,
    "LRN": local_response_normalization,
    "LayerNormalization": layer_normalization,
    "LogSoftmax": log_softmax,
    "LpNormalization": lp_normalization,
    "MeanVarianceNormalization": mean_variance_normalization,
    "RMSNormalization": rms_normalization,
    "Softmax": softmax,
}
