"""Differentiation of functions of tensors, by the gradient rules of the op table's rows.

Comes in: Python functions; goes out: functions that compute derivatives, as graphs like any other.
"""

from __future__ import annotations

from .checkpointing import checkpoint
from .customizing import custom_gradient, stop_gradient
from .transforms import grad, jvp, value_and_grad, vjp

__all__ = ["checkpoint", "custom_gradient", "grad", "jvp", "stop_gradient", "value_and_grad", "vjp"]
