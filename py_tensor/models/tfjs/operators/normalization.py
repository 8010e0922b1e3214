"""Normalization and softmax."""

from __future__ import annotations

from .... import functions as F, nn
from ....tensor import Tensor
from ...execution import Operator
from .images import channels_last, like


def batch_norm(
    x: Tensor,
    scale: Tensor,
    offset: Tensor,
    mean: Tensor,
    variance: Tensor,
    *,
    epsilon: float = 1e-4,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> tuple[Tensor, ...]:
    images = channels_last(x, data_format)
    # Without given statistics, the mean and variance of the images are used.
    if mean.size == 0 and is_training:
        mean, variance = nn.moments(images, axis=tuple(range(images.ndim - 1)))
    y = nn.batch_norm(images, mean, variance, scale=scale, offset=offset, epsilon=epsilon)
    return like(y, data_format), mean, variance


def local_response_normalization(
    x: Tensor,
    *,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> Tensor:
    return nn.local_response_normalization(
        x, radius=depth_radius, bias=bias, alpha=alpha, beta=beta
    )


OPERATORS = {
    **{f"FusedBatchNorm{version}": Operator(batch_norm) for version in ("", "V2", "V3")},
    "LRN": Operator(local_response_normalization),
    "LogSoftmax": Operator(nn.log_softmax),
    "Softmax": Operator(F.softmax),
}
