"""Activations of all formats by one name each.

`nn` has most of the functions; those of this module have parameters that only files set. Where a
format has another default, its table binds it: `activation("leaky_relu", alpha=0.01)`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .. import functions as F, nn
from ..tensor import Tensor


def affine(x: Tensor, *, alpha: float = 1.0, beta: float = 0.0) -> Tensor:
    return alpha * x + beta


def hard_sigmoid(x: Tensor, *, alpha: float = 0.2, beta: float = 0.5) -> Tensor:
    return F.clip(x * alpha + beta, 0.0, 1.0)


def scaled_tanh(x: Tensor, *, alpha: float = 1.0, beta: float = 1.0) -> Tensor:
    return alpha * F.tanh(beta * x)


def selu(x: Tensor, *, alpha: float = 1.6732632, gamma: float = 1.0507010) -> Tensor:
    usual = abs(alpha - 1.6732632) < 1e-6 and abs(gamma - 1.0507010) < 1e-6
    return nn.selu(x) if usual else gamma * nn.elu(x, alpha=alpha)


def sparsemax(x: Tensor) -> Tensor:
    ordered = F.flip(F.sort(x, axis=-1), axis=-1)
    sums = F.cumulative_sum(ordered, axis=-1)
    ranks = F.arange(1, x.shape[-1] + 1, dtype=x.dtype)
    inside = 1 + ranks * ordered > sums
    count = F.sum(inside.astype(x.dtype), axis=-1, keepdims=True)
    # Keras adds the partial sums, where the paper adds the elements.
    total = F.sum(F.where(inside, sums, 0.0), axis=-1, keepdims=True)
    return F.relu(x - (total - 1) / count)


def swish(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return nn.silu(x) if alpha == 1 else x * F.sigmoid(alpha * x)


def thresholded_relu(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return F.where(x > alpha, x, 0.0)


ACTIVATIONS: dict[str, Callable[..., Tensor]] = {
    "affine": affine,
    "celu": nn.celu,
    "elu": nn.elu,
    "exponential": F.exp,
    "gelu": nn.gelu,
    "glu": nn.glu,
    "hard_shrink": nn.hard_shrink,
    "hard_sigmoid": hard_sigmoid,
    "hard_swish": nn.hard_swish,
    "hard_tanh": nn.hard_tanh,
    "leaky_relu": nn.leaky_relu,
    "linear": lambda x: x,
    "log_sigmoid": nn.log_sigmoid,
    "log_softmax": nn.log_softmax,
    "mish": nn.mish,
    "prelu": nn.prelu,
    "relu": F.relu,
    "relu6": nn.relu6,
    "scaled_tanh": scaled_tanh,
    "selu": selu,
    "sigmoid": F.sigmoid,
    "silu": nn.silu,
    "soft_shrink": nn.soft_shrink,
    "softmax": F.softmax,
    "softplus": nn.softplus,
    "softsign": nn.softsign,
    "sparse_plus": lambda x: F.where(x >= 1, x, F.where(x <= -1, 0.0, 0.25 * (x + 1) ** 2)),
    "sparsemax": sparsemax,
    "squareplus": lambda x: 0.5 * (x + F.sqrt(x * x + 4.0)),
    "swish": swish,
    "tanh": F.tanh,
    "tanh_shrink": nn.tanh_shrink,
    "thresholded_relu": thresholded_relu,
}
"""Functions of a tensor, with their parameters by keyword."""


def activation(name: str, **defaults: float) -> Callable[..., Tensor]:
    """Return an activation, with other default values of parameters."""
    return partial(ACTIVATIONS[name], **defaults) if defaults else ACTIVATIONS[name]
