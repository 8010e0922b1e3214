"""Differentiate functions of tensors by the gradient rules of the op definitions.

Input: Python functions. Output: functions that build the graphs of derivatives.
Read in this order: api (`grad`, `value_and_grad`, `vjp`, `jvp`), tape (the record of a
differentiation), backward (the backward pass), custom_vjp (`custom_gradient`, `stop_gradient`),
remat (`checkpoint`), remat_clones.
"""

from __future__ import annotations

from .api import grad, jvp, value_and_grad, vjp
from .custom_vjp import custom_gradient, stop_gradient
from .remat import checkpoint, checkpoint_name, remat

__all__ = [
    "checkpoint",
    "checkpoint_name",
    "custom_gradient",
    "grad",
    "jvp",
    "remat",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
