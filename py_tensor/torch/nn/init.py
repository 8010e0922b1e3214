"""Initial values of parameters: `torch.nn.init`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ... import functions as F, nn, random as draws
from .. import random
from ..autograd import no_grad
from ..tensor import Tensor, call


def _in_place(function: Callable[..., Any]) -> Callable[..., Tensor]:
    """Return a function that assigns the result of a function of values to its tensor."""

    @no_grad()
    def initialize(tensor: Tensor, *args: Any, generator: Any = None, **kwargs: Any) -> Tensor:
        return tensor._assign(call(function, tensor, *args, **kwargs))

    return initialize


def _fans(x: Any) -> tuple[int, int]:
    """Return the numbers of inputs and outputs of a weight."""
    if x.ndim < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions; got "
            f"shape {tuple(x.shape)}; use normal_ or zeros_"
        )
    field = math.prod(x.shape[2:])
    return x.shape[1] * field, x.shape[0] * field


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """Return the recommended factor of a nonlinearity."""
    slope = 0.01 if param is None else param
    gains = {"tanh": 5 / 3, "relu": math.sqrt(2), "selu": 0.75}
    return (gains | {"leaky_relu": math.sqrt(2 / (1 + slope**2))}).get(nonlinearity, 1.0)


def _spread(x: Any, bound: float) -> Any:
    return (random.uniform_like(x) * 2.0 - 1.0) * bound


def _kaiming(x: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> float:
    return calculate_gain(nonlinearity, a) / math.sqrt(_fans(x)[mode == "fan_out"])


trunc_normal_ = _in_place(
    lambda x, mean=0.0, std=1.0, a=-2.0, b=2.0: (
        mean + std * draws.truncated_normal((a - mean) / std, (b - mean) / std, x.shape)
    )
)
zeros_, ones_, eye_ = map(_in_place, (F.zeros_like, F.ones_like, lambda x: F.eye(*x.shape)))
constant_ = _in_place(lambda x, val: F.full(x.shape, val))
normal_ = _in_place(lambda x, mean=0.0, std=1.0: random.normal_like(x) * std + mean)
uniform_ = _in_place(lambda x, a=0.0, b=1.0: random.uniform_like(x) * (b - a) + a)
orthogonal_ = _in_place(lambda x, gain=1.0: nn.initializers.orthogonal(x.shape) * gain)
xavier_uniform_ = _in_place(lambda x, gain=1.0: _spread(x, gain * math.sqrt(6 / sum(_fans(x)))))
xavier_normal_ = _in_place(
    lambda x, gain=1.0: random.normal_like(x) * (gain * math.sqrt(2 / sum(_fans(x))))
)
kaiming_uniform_ = _in_place(lambda x, *a, **kw: _spread(x, math.sqrt(3) * _kaiming(x, *a, **kw)))
kaiming_normal_ = _in_place(lambda x, *a, **kw: random.normal_like(x) * _kaiming(x, *a, **kw))
