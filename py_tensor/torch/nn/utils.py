"""Gradients and parameters of models: `torch.nn.utils`."""

from __future__ import annotations

from typing import Any

from ..autograd import no_grad
from ..methods import FUNCTIONS
from ..tensor import Tensor


def _gradients(parameters: Any) -> list[Tensor]:
    tensors = [parameters] if isinstance(parameters, Tensor) else parameters
    return [tensor.grad for tensor in tensors if tensor.grad is not None]


@no_grad()
def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0, **kw: Any) -> Any:
    """Scale gradients so that their common norm is at most `max_norm`; return the norm before."""
    gradients = _gradients(parameters)
    norms = FUNCTIONS["stack"]([FUNCTIONS["norm"](gradient, norm_type) for gradient in gradients])
    total: Any = FUNCTIONS["norm"](norms, norm_type)
    factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)
    return total


@no_grad()
def clip_grad_value_(parameters: Any, clip_value: float, **kw: Any) -> None:
    """Limit the elements of gradients."""
    for gradient in _gradients(parameters):
        gradient.clamp_(-clip_value, clip_value)
