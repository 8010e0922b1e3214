"""Tensors in einops, which imports this module with `py_tensor` (`late.Companion`).

`einops.rearrange`, `reduce`, `repeat`, `pack`, `unpack` and `einsum` accept tensors.

>>> import einops
>>> import py_tensor as pt
>>> einops.rearrange(pt.asarray([[1, 2], [3, 4]]), "row column -> (column row)").tolist()
[1, 3, 2, 4]
"""

from __future__ import annotations

from typing import Any

from einops._backends import NumpyBackend

from . import functions
from .functions.conversion import asarray
from .tensor import Tensor


class TensorBackend(NumpyBackend):
    """Functions that einops calls: NumPy's, under the same names in py_tensor."""

    framework_name = "py_tensor"

    def __init__(self) -> None:
        # The base class would import NumPy, which a page does not have.
        self.np = functions

    def is_appropriate_type(self, tensor: object) -> bool:
        """Return True for tensors."""
        return isinstance(tensor, Tensor)

    def from_numpy(self, x: Any) -> Tensor:
        """Convert an array of NumPy to a tensor."""
        return asarray(x)

    def to_numpy(self, x: Tensor) -> Any:
        """Convert a tensor to an array of NumPy."""
        return x.numpy()
